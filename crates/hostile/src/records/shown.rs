//! What may not stand in what people are shown, wherever it came from.

use numawise_units::harmless::is_harmful;
use serde_json::Value;

/// Units of quantities that are never below 0.
const UNITS: [&str; 16] =
    ["ns", "us", "ms", "s", "min", "h", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "kB/s", "MB/s", "GB/s", "x"];
/// A run of ten years has fewer hours, and a job on 8192 CPUs less per cent.
const MOST_HOURS: f64 = 100_000.0;
const MOST_PERCENT: f64 = 1e6;
/// No number of ours is as great: 10^30 is the greatest value of a metric, its squares and ratios included.
const MOST: f64 = 1e61;

/// What is wrong with the three forms of one result.
pub(super) fn all(terminal: &str, page: &str, json: &str) -> Option<String> {
    text(terminal)
        .map(|nonsense| format!("on the terminal: {nonsense}"))
        .or_else(|| html(page).map(|nonsense| format!("on the page: {nonsense}")))
        .or_else(|| data(json).map(|nonsense| format!("in the JSON: {nonsense}")))
}

/// What is wrong with a text for the terminal.
pub(super) fn text(text: &str) -> Option<String> {
    if let Some(harmful) = text.chars().find(|c| is_harmful(*c) && *c != '\n') {
        return Some(format!("the character {harmful:?}"));
    }
    text.lines().find_map(|line| quantity(line).map(|found| format!("{found} in: {line:.200}")))
}

/// A quantity that cannot be.
fn quantity(line: &str) -> Option<String> {
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || "(),;[]|".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    for (k, word) in words.iter().enumerate() {
        let unit = words.get(k + 1).map_or("", |unit| unit.trim_end_matches(['.', ':']));
        let number = word.trim_end_matches(['%', 'x']);
        let percent = word.ends_with('%') || unit == "%";
        match *word {
            "NaN" | "inf" | "-inf" | "NaN%" | "inf%" | "NaNx" | "infx" | "EiB" => {
                return Some((*word).to_owned());
            }
            _ => {}
        }
        let Ok(value) = number.parse::<f64>() else { continue };
        let measured = percent || word.ends_with('x') || UNITS.contains(&unit);
        if measured && (value < 0.0 || !value.is_finite()) {
            return Some(format!("{word} {unit}"));
        }
        if percent && value > MOST_PERCENT || unit == "h" && value > MOST_HOURS || value.abs() > MOST {
            return Some(format!("{word} {unit}"));
        }
    }
    None
}

/// What is wrong with a page: what escapes from a text into the markup, and the figures of its charts.
fn html(page: &str) -> Option<String> {
    if let Some(harmful) = page.chars().find(|c| is_harmful(*c) && *c != '\n' && *c != '\t') {
        return Some(format!("the character {harmful:?}"));
    }
    // Three scripts of our own, and no image: charts are drawn.
    let body = page.split("<script").next().unwrap_or_default();
    let scripts = page.matches("<script").count() - page.matches("\"<script").count();
    if scripts < 3 || body.contains("<img") || body.contains("javascript:") {
        return Some("markup that is not ours".to_owned());
    }
    let data = page.split("id=\"data\">").nth(1)?.split("</script>").next()?;
    match serde_json::from_str::<Value>(data) {
        Ok(value) => numbers(&value, "data"),
        Err(error) => Some(format!("the data of its charts: {error}")),
    }
}

fn data(text: &str) -> Option<String> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => numbers(&value, ""),
        Err(error) => Some(format!("it is none: {error}")),
    }
}

fn numbers(value: &Value, place: &str) -> Option<String> {
    match value {
        Value::Number(number) => {
            let value = number.as_f64()?;
            // Exit codes may be below 0, and an address takes all 64 bits.
            let may_be_negative = ["code", "exit", "pid", "log"].iter().any(|name| place.contains(name));
            let wrong = !value.is_finite() || value.abs() > MOST || (value < 0.0 && !may_be_negative);
            let bytes = place.ends_with("bytes") && value > (1u64 << 57) as f64;
            (wrong || bytes).then(|| format!("{place} is {number}"))
        }
        Value::Array(list) => list.iter().find_map(|value| numbers(value, place)),
        Value::Object(fields) => {
            fields.iter().find_map(|(key, value)| numbers(value, &format!("{place}.{key}")))
        }
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_seen() {
        for line in [
            "  node 0 has 16 EiB of memory",
            "watching took 1844674407370.96 % of a CPU",
            "runs vary by inf %",
            "it took -1.5 s",
            "a ratio of NaNx",
            "\u{1b}[2J",
            "took 2562047 h 47 min",
        ] {
            assert!(text(line).is_some(), "{line}");
        }
        for line in ["taskset -c 0-3 ./app -5 y", "1.87x faster (1.2x to 2.4x), 43.2 %", "info infinite"] {
            assert_eq!(text(line), None);
        }
        assert!(data("{\"value\": -1}").is_some() && data("{\"exit_code\": -1}").is_none());
        assert!(html("<p><img src=x></p><script></script><script></script><script></script>").is_some());
    }
}
