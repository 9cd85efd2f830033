//! Cells of CSV.

use numawise_units::harmless;

/// A cell (RFC 4180), its control characters spelled out: a line is a row for every reader.
pub(crate) fn quoted(text: &str) -> String {
    let text = harmless::line(text);
    if text.contains([',', '"']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}
