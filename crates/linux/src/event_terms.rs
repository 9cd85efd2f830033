//! Events of a source as the kernel names them in files: terms in `events/`, and in `format/` the bits into which each term goes.

use crate::Roots;

#[cfg(test)]
#[path = "event_terms_tests.rs"]
mod tests;

/// A description that is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} is '{found}', expected {expected}")]
pub struct MalformedEvent {
    pub file: String,
    pub found: String,
    pub expected: &'static str,
}

/// The words `config`, `config1` and `config2` of a named event: `event=0xcd,umask=0x1,ldlat=3`, each term in the bits that its format names; one
/// term may have another value. None where there is no such event.
pub fn encoded(
    roots: &Roots,
    folder: &str,
    event: &str,
    instead: Option<(&str, u64)>,
) -> Result<Option<[u64; 3]>, MalformedEvent> {
    let file = format!("{folder}/events/{event}");
    let Some(text) = roots.try_text(&file) else { return Ok(None) };
    of_terms(roots, folder, &file, &text, instead).map(Some)
}

/// The same of terms that stand elsewhere, in `file`.
pub fn of_terms(
    roots: &Roots,
    folder: &str,
    file: &str,
    text: &str,
    instead: Option<(&str, u64)>,
) -> Result<[u64; 3], MalformedEvent> {
    let mut config = [0; 3];
    for term in text.trim().split(',') {
        let malformed = |found: &str, expected| {
            let found = found.chars().take(80).collect();
            MalformedEvent { file: file.to_owned(), found, expected }
        };
        let (name, value) = term.split_once('=').unwrap_or((term, "1"));
        let value = number(value).ok_or_else(|| malformed(text, "terms with numbers"))?;
        let value = instead.filter(|(of, _)| *of == name).map_or(value, |(_, value)| value);
        // A name that leads out of the folder is none.
        let format = Some(name).filter(|name| !name.contains('/'));
        let format = format.and_then(|name| roots.try_text(&format!("{folder}/format/{name}")));
        let format = format.ok_or_else(|| malformed(text, "terms of which the format is known"))?;
        let bits = put(&format, value).ok_or_else(|| {
            malformed(
                &format!("{term} with the format {}", format.trim()),
                "bits of config, config1 or config2",
            )
        })?;
        for (word, bits) in config.iter_mut().zip(bits) {
            *word |= bits;
        }
    }
    Ok(config)
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A value in the bits of a format, the lowest first: `config:0-7,32-35`, `config1:0-15`.
pub fn put(format: &str, value: u64) -> Option<[u64; 3]> {
    let (word, ranges) = format.trim().split_once(':')?;
    let word = ["config", "config1", "config2"].iter().position(|name| *name == word)?;
    let mut config = [0; 3];
    let mut rest = value;
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last > 63 {
            return None;
        }
        let width = last - first + 1;
        let mask = u64::MAX >> (64 - width);
        config[word] |= (rest & mask) << first;
        rest = rest.checked_shr(width).unwrap_or(0);
    }
    // What does not fit would be another event.
    (rest == 0).then_some(config)
}
