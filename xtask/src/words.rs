//! Words that the house does not use (DESIGN.md), in names, comments, texts and documentation.

use crate::rule::{Breach, Rule};

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;

/// Each with what is said instead.
const REFUSED: [(&str, &str); 25] = [
    ("gauge", "memory benchmark, membench"),
    ("gauges", "memory benchmarks"),
    ("whereabouts", "residency"),
    ("this room", "this crate"),
    ("the room", "the crate"),
    ("room here", "capacity"),
    ("of rooms", "of crates"),
    ("skeleton", "empty profile"),
    ("gang", "team"),
    ("gangs", "teams"),
    ("crew", "team"),
    ("census", "residency sample"),
    ("looker", "sampler"),
    ("lookers", "samplers"),
    ("crowded", "overlapping mask"),
    ("lonely", "single-core"),
    ("woven", "interleaved"),
    ("disobedience", "thread-count mismatch"),
    ("disobedient", "thread-count mismatch"),
    ("pristine", "unmodified"),
    ("pace", "sampling interval"),
    ("laid over", "merged"),
    ("parted by", "separated by"),
    ("own memory", "local memory"),
    ("far memory", "remote memory"),
];
/// Endings of the files that people read.
const TEXT: [&str; 5] = ["rs", "md", "toml", "sh", "Makefile"];

pub fn check(path: &str, text: &str) -> Vec<Breach> {
    let is_text = TEXT.iter().any(|ending| path.ends_with(ending)) || path.starts_with("scripts/");
    if !is_text || path.starts_with("xtask/src/words") || path.starts_with("testdata/") {
        return Vec::new();
    }
    let breach = |line: usize, word: &str, instead: &str| Breach {
        rule: Rule::Word,
        path: path.to_owned(),
        line,
        what: format!("'{word}' (instead: {instead})"),
    };
    let mut found = Vec::new();
    for (k, line) in std::iter::once(path).chain(text.lines()).enumerate() {
        let line = spoken(line);
        for (word, instead) in REFUSED {
            if line.contains(&format!(" {word} ")) {
                found.push(breach(k, word, instead));
            }
        }
    }
    found
}

/// A line as words in lower case, with a blank before and after each: names are taken apart at `_` and at capitals.
fn spoken(line: &str) -> String {
    let mut out = String::from(" ");
    let mut before = ' ';
    for c in line.chars() {
        let starts = c.is_uppercase() && before.is_lowercase();
        if (starts || !c.is_alphanumeric()) && !out.ends_with(' ') {
            out.push(' ');
        }
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        }
        before = c;
    }
    out.push(' ');
    out
}
