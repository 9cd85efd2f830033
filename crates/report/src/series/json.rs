//! A job over time as JSON, for scripts: `docs/formats/series-json.md`.

use serde_json::{Value, json as object};

use super::Series;

/// The name and the version of the format.
pub const SCHEMA: &str = "numawise/series/1";

/// One JSON object, ending with a newline.
pub fn json(series: &Series) -> String {
    let mut document = object!({ "schema": SCHEMA, "record": series.record });
    if let (Some(all), Ok(Value::Object(timeline))) =
        (document.as_object_mut(), serde_json::to_value(series.timeline))
    {
        all.extend(timeline);
    }
    format!("{document:#}\n")
}
