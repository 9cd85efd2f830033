//! Numbers of notices that a stranger may have written into a record.

use serde_json::Value;

use super::Notice;

/// Amounts beyond are no longer whole numbers in JSON's readers.
const MOST: f64 = 4_503_599_627_370_496.0;

/// A number that no notice of ours has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlikelyNumber {
    /// From the list of notices on, such as `[3].bytes`.
    pub place: String,
    pub found: String,
}

/// The first number in these notices that is not from 0 to 2^52: amounts of memory, counts, shares.
pub fn unlikely_number(notices: &[Notice]) -> Option<UnlikelyNumber> {
    notices.iter().enumerate().find_map(|(k, notice)| {
        let value = serde_json::to_string(notice).and_then(|text| serde_json::from_str(&text)).ok()?;
        within(&value, &|| format!("[{k}]"))
    })
}

fn within(value: &Value, place: &dyn Fn() -> String) -> Option<UnlikelyNumber> {
    match value {
        Value::Number(number) => {
            let sane = number.as_f64().is_some_and(|number| (0.0..=MOST).contains(&number));
            (!sane).then(|| UnlikelyNumber { place: place(), found: number.to_string() })
        }
        Value::Array(list) => list.iter().find_map(|value| within(value, place)),
        Value::Object(fields) => fields.iter().find_map(|(key, value)| match value.as_i64() {
            // The status that a program ended with may be below 0, and is no amount.
            Some(status) if key == "code" && i32::try_from(status).is_ok() => None,
            _ => within(value, &|| format!("{}.{key}", place())),
        }),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}
