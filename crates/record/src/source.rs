//! What lies at a place in the code: six columns, each value with the reason why there is none.

use numawise_facts::Reading;
use numawise_facts::activity::SourcePlace;
use rusqlite::types::Value;

use crate::cell::{Cells, Parsed};

/// `function` to `line_missing`.
pub fn columns(place: &SourcePlace) -> [Value; 6] {
    let [function, function_missing] = pair(&place.function, |name| Value::Text(name.clone()));
    let [file, file_missing] = pair(&place.file, |name| Value::Text(name.clone()));
    let [line, line_missing] = pair(&place.line, |line| Value::Integer(i64::from(*line)));
    [function, function_missing, file, file_missing, line, line_missing]
}

/// A value and why it is missing, of which one is NULL.
pub fn pair<T>(of: &Reading<T>, value: impl Fn(&T) -> Value) -> [Value; 2] {
    match of {
        Reading::Measured(measured) => [value(measured), Value::Null],
        Reading::Unavailable { unavailable } => {
            [Value::Null, Value::Text(unavailable.0.clone().into_owned())]
        }
    }
}

/// The place of a row.
pub fn place(cells: &Cells<'_, '_>) -> Parsed<SourcePlace> {
    Ok(SourcePlace {
        function: text(cells, "function", "function_missing")?,
        file: text(cells, "source", "source_missing")?,
        line: match cells.int_or_null("line")? {
            Some(line) => Reading::Measured(line),
            None => Reading::unavailable(cells.text_or_null("line_missing")?.unwrap_or_default()),
        },
    })
}

/// A text, or why there is none.
pub fn text(cells: &Cells<'_, '_>, column: &str, missing: &str) -> Parsed<Reading<String>> {
    Ok(match cells.text_or_null(column)? {
        Some(text) => Reading::Measured(text),
        None => Reading::unavailable(cells.text_or_null(missing)?.unwrap_or_default()),
    })
}

/// An address takes all 64 bits, which SQLite shows as a signed number.
pub fn address(cells: &Cells<'_, '_>) -> Parsed<u64> {
    let signed = cells.int_or_null::<i64>("address").ok().flatten();
    signed.map(i64::cast_unsigned).ok_or_else(|| cells.flaw("address", "a whole number of 64 bits"))
}
