//! Small parts that all JSON of this crate is made of. A [`Reading`] needs none of them where its value is shown as it is:
//! it is the bare value, or `{"unavailable": reason}`.

use numawise_facts::{Exit, Reading, RunSpec};
use serde_json::{Value, json};

/// A list with one value for each.
pub(crate) fn each<T>(all: &[T], one: impl Fn(&T) -> Value) -> Value {
    all.iter().map(one).collect()
}

/// A reading whose value is shown in another shape.
pub(crate) fn reading<T>(reading: &Reading<T>, value: impl Fn(&T) -> Value) -> Value {
    json!(reading.as_ref().map(value))
}

/// The command of a run.
pub(crate) fn command(of: &RunSpec) -> Value {
    json!({
        "line": of.shell_line(), "arguments": of.command, "directory": of.directory.to_string_lossy(),
    })
}

/// How a program ended.
pub(crate) fn exit(of: Exit) -> Value {
    match of {
        Exit::Code(code) => json!({ "code": code }),
        Exit::Signal(signal) => json!({ "signal": signal }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_its_order() {
        assert_eq!(each(&[3, 1, 2], |number| json!(number * 2)), json!([6, 2, 4]));
        assert_eq!(each::<u8>(&[], |_| json!("never")), json!([]));
    }

    #[test]
    fn a_reading_has_its_value_in_the_new_shape() {
        assert_eq!(reading(&Reading::Measured(7), |value| json!({ "seven": value })), json!({ "seven": 7 }));
    }

    #[test]
    fn a_missing_reading_keeps_its_reason_and_never_becomes_a_value() {
        let missing = Reading::<u64>::unavailable("not looked at");
        let shown = reading(&missing, |_| panic!("there is no value to show"));
        assert_eq!(shown, json!({ "unavailable": "not looked at" }));
        assert_eq!(json!(missing), shown, "the same as by itself");
    }
}
