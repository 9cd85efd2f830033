//! A regular expression that finds a number in an output, for who typed one that does not.

use regex::Regex;

use crate::metric::number_is_found;

#[cfg(test)]
#[path = "suggestion_tests.rs"]
mod tests;

/// A number as programs print it, and the group that finds one.
const NUMBER: &str = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][-+]?[0-9]+)?";
const GROUP: &str = "([-+.0-9eEdD]+)";

/// So many words are enough to tell a line from others.
const WORDS: usize = 4;
/// A word of fewer letters says nothing.
const LETTERS: usize = 2;

/// An expression for the number of the output that is most like what `typed` looks for: the last one in a line that shares words with
/// it, or else the last one with a name or a unit.
pub fn metric_suggestion(typed: &str, output: &str) -> Option<String> {
    let number = Regex::new(NUMBER).ok()?;
    let wanted = words(typed);
    let mut best: Option<(usize, String)> = None;
    for line in output.lines() {
        let shared = words(line).iter().filter(|word| wanted.contains(word)).count();
        let better = best.as_ref().is_none_or(|(most, _)| shared >= *most);
        if better
            && let Some(regex) = number.find_iter(line).filter_map(|found| around(line, found.range())).last()
        {
            best = Some((shared, regex));
        }
    }
    best.map(|(_, regex)| regex).filter(|regex| number_is_found(Some(regex), output))
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() >= LETTERS);
    words.map(str::to_lowercase).collect()
}

/// The number with the words in front of it, or else with its unit.
fn around(line: &str, number: std::ops::Range<usize>) -> Option<String> {
    let (before, after) = (&line[..number.start], &line[number.end..]);
    // A number inside a word (`gcc13`, `x86`) is a name.
    if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let named = last_words(before);
    if words(&named).is_empty() {
        let unit: String =
            after.trim_start().chars().take_while(|c| c.is_alphabetic() || *c == '/').collect();
        let gap = if after.starts_with(' ') { " +" } else { "" };
        return (!words(&unit).is_empty()).then(|| format!("{GROUP}{gap}{}", general(&unit)));
    }
    Some(format!("{}{GROUP}", general(&named)))
}

/// The end of a text from the beginning of a word.
fn last_words(text: &str) -> String {
    let from = text.trim_end();
    let starts = from.match_indices(char::is_whitespace).map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
    let start = starts[starts.len().saturating_sub(WORDS)];
    text.get(start..).unwrap_or(text).trim_start().to_owned()
}

/// A literal text in which white space may be wider, and numbers may be others.
fn general(text: &str) -> String {
    let mut regex = String::new();
    let mut last = ' ';
    for c in text.chars() {
        match (c, last) {
            (c, last) if c.is_whitespace() && last.is_whitespace() && !regex.is_empty() => {}
            (c, _) if c.is_whitespace() => regex.push_str(r"\s+"),
            (c, last) if c.is_ascii_digit() && last.is_ascii_digit() => {}
            (c, _) if c.is_ascii_digit() => regex.push_str("[0-9]+"),
            // What a shell takes for its own inside quotes.
            ('\'', _) => regex.push('.'),
            (c, _) => regex.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
        last = c;
    }
    regex
}
