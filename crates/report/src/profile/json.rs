//! A profile as JSON: the form in which it is kept, so that what `--json` prints can be loaded again.

use numawise_facts::{PROFILE_COMPARE_SCHEMA, PROFILE_SCHEMA, Profile};
use numawise_tables::ComparisonStatement;
use serde::Serialize;
use serde_json::{Value, json as object};

use super::{Compared, meaning};

/// A profile for scripts, and to be kept: `schema` first, then the parts of a [`Profile`].
pub fn json(profile: &Profile) -> Value {
    with_schema(PROFILE_SCHEMA, object!({}), profile)
}

/// Two profiles compared: what each is called, with its header, every cell of both, and what they come to as values with texts.
pub fn compare_json(compared: &Compared) -> Value {
    let side =
        |k: usize, profile: &Profile| object!({"name": compared.names[k], "header": json(profile)["header"]});
    let sides = object!({"a": side(0, compared.a), "b": side(1, compared.b)});
    let mut document = with_schema(PROFILE_COMPARE_SCHEMA, sides, compared.comparison);
    document["meaning"] = compared.comparison.meaning.iter().map(statement).collect();
    document["method"] = meaning::method(compared.comparison).into();
    document
}

/// A statement with its values and its text.
fn statement(statement: &ComparisonStatement) -> Value {
    let mut values = serde_json::to_value(statement).unwrap_or_default();
    values["text"] = meaning::of_comparison(statement).into();
    values
}

fn with_schema(schema: &str, first: Value, then: &impl Serialize) -> Value {
    let mut document = object!({ "schema": schema });
    let Some(all) = document.as_object_mut() else { return document };
    for part in [Ok(first), serde_json::to_value(then)] {
        if let Ok(Value::Object(part)) = part {
            all.extend(part);
        }
    }
    document
}
