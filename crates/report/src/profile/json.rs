//! A profile as JSON: the form in which it is kept, so that what `--json` prints can be loaded again.

use numawise_facts::{PROFILE_COMPARE_SCHEMA, PROFILE_SCHEMA, Profile};
use serde::Serialize;
use serde_json::{Value, json as object};

use super::Compared;

/// A profile for scripts, and to be kept: `schema` first, then the parts of a [`Profile`].
pub fn json(profile: &Profile) -> Value {
    with_schema(PROFILE_SCHEMA, object!({}), profile)
}

/// Two profiles beside each other: what each is called, with its header, and every cell of both.
pub fn compare_json(compared: &Compared) -> Value {
    let side =
        |k: usize, profile: &Profile| object!({"name": compared.names[k], "header": json(profile)["header"]});
    let sides = object!({"a": side(0, compared.a), "b": side(1, compared.b)});
    with_schema(PROFILE_COMPARE_SCHEMA, sides, compared.comparison)
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
