//! Small parts that all JSON of this room is made of. A [`Reading`] needs none of them where its value is shown as it is:
//! it is the bare value, or `{"unavailable": reason}`.

use numawise_facts::Reading;
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// A list with one value for each.
pub(crate) fn each<T>(all: &[T], one: impl Fn(&T) -> Value) -> Value {
    all.iter().map(one).collect()
}

/// A reading whose value is shown in another shape.
pub(crate) fn reading<T>(reading: &Reading<T>, value: impl Fn(&T) -> Value) -> Value {
    json!(reading.as_ref().map(value))
}
