//! What may not stand in what people are shown, wherever it came from.

use numawise_units::harmless::is_harmful;
use serde_json::Value;

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;

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
        // `Inf` and `Infinity` of a reason are words of the record; a number of ours begins with a digit.
        if !number.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) {
            continue;
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
    if let Some(other) = markup(page) {
        return Some(format!("markup that is not ours: {other}"));
    }
    let data = page.split("id=\"data\">").nth(1)?.split("</script>").next()?;
    match serde_json::from_str::<Value>(data) {
        Ok(value) => numbers(&value, "data"),
        Err(error) => Some(format!("the data of its charts: {error}")),
    }
}

/// The elements of a page, and the attributes that they may have: none that runs or loads something.
const ELEMENTS: [&str; 38] = [
    "!doctype",
    "article",
    "body",
    "br",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "head",
    "header",
    "html",
    "li",
    "main",
    "meta",
    "p",
    "pre",
    "script",
    "section",
    "small",
    "span",
    "strong",
    "style",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "title",
];
const MORE_ELEMENTS: [&str; 4] = ["dfn", "tr", "ul", "ol"];
const ATTRIBUTES: [&str; 19] = [
    "aria-label",
    "charset",
    "class",
    "colspan",
    "content",
    "hidden",
    "html",
    "http-equiv",
    "id",
    "lang",
    "name",
    "open",
    "role",
    "rowspan",
    "scope",
    "style",
    "tabindex",
    "title",
    "type",
];

/// Those of a drawing: shapes and words, none of which takes an address.
const DRAWN: [&str; 6] = ["svg", "g", "path", "rect", "text", "title"];
const DRAWN_ATTRIBUTES: [&str; 10] = [
    "d",
    "data-until",
    "font-size",
    "height",
    "preserveaspectratio",
    "text-anchor",
    "viewbox",
    "width",
    "x",
    "y",
];

/// An element or an attribute that our pages do not have, or another script than their three. What stands in a text or in the
/// value of an attribute may be anything, since nothing in a page takes its address from there.
fn markup(page: &str) -> Option<String> {
    let (mut rest, mut scripts) = (page, 0);
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let mut quoted = false;
        let end = rest.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let tag = rest[..end?].to_lowercase();
        // Names stand outside of the quotes.
        let mut words = tag.split('"').step_by(2).flat_map(str::split_whitespace);
        let element = words.next().unwrap_or_default().trim_matches('/');
        if ![&ELEMENTS[..], &MORE_ELEMENTS, &DRAWN].iter().any(|known| known.contains(&element)) {
            return Some(format!("<{element:.100}>"));
        }
        let known = |name: &str| ATTRIBUTES.contains(&name) || DRAWN_ATTRIBUTES.contains(&name);
        // An element without content ends with a `/` of its own.
        if let Some(other) = words.find(|word| *word != "/" && !known(word.trim_end_matches('='))) {
            return Some(format!("{other:.100} of <{element}>"));
        }
        if (element == "script" || element == "style") && !tag.starts_with('/') {
            scripts += usize::from(element == "script");
            rest = &rest[rest.find(&format!("</{element}>"))?..];
        }
    }
    (scripts != 3).then(|| format!("{scripts} scripts"))
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
            // Exit codes and levels of MPI_Pcontrol may be below 0, and an address takes all 64 bits.
            let may_be_negative =
                ["code", "exit", "pid", "log", "level"].iter().any(|name| place.contains(name));
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
