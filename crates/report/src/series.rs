//! A job over time: one document for the terminal and for HTML, and JSON.

mod document;
mod spark;
mod words;

use numawise_tables::Timeline;
use serde_json::{Value, json as object};

use crate::notice;

pub use document::document;
pub(crate) use spark::line as spark_line;

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Series<'a> {
    pub timeline: &'a Timeline,
    /// The file, as the reader would type it.
    pub record: &'a str,
}

/// The name and the version of the format (`docs/formats/series-json.md`).
pub const SCHEMA: &str = "numawise/series/1";

/// One JSON object for scripts, ending with a newline.
pub fn json(series: &Series) -> String {
    let mut document = object!({ "schema": SCHEMA, "record": series.record });
    if let (Some(all), Ok(Value::Object(timeline))) =
        (document.as_object_mut(), serde_json::to_value(series.timeline))
    {
        all.extend(timeline);
        let unavailable = &series.timeline.unavailable;
        all["unavailable"] = unavailable.iter().map(|notice| notice::json(&notice.clone().into())).collect();
        all["rehearsal"] = series.timeline.rehearsal.as_ref().map_or(Value::Null, notice::json);
    }
    format!("{document:#}\n")
}
