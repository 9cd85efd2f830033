//! Placeholders in words of a command and in input files: `{NAME}` and `{NAME:+TEXT}`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use numawise_units::harmless::quoted;

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;

/// Stands for the path of a file that is filled in; several files have their names behind it.
pub const FILE: &str = "template";

/// The longest level, as a record keeps it, and the longest name of a file.
const LONGEST_LEVEL: usize = 1024;

/// A text with placeholders.
///
/// `{NAME}` stands for the level of a factor. `{NAME:+TEXT}` stands for TEXT at every level of NAME but its first, `{NAME=LEVEL:+TEXT}` at
/// that level only; TEXT ends at the next `}`. `{{NAME}}` stands for `{NAME}` itself. Braces around anything that is no name stay as they
/// are, so that JSON and awk need no care. A NAME begins with a letter or `_` and goes on with these, digits and `-`; `template:FILE` is one too,
/// whatever the characters of FILE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    /// `{{NAME}}`.
    Kept(String),
    Level(String),
    /// Without a level: at all but the first.
    When {
        name: String,
        level: Option<Vec<u8>>,
        text: Vec<u8>,
    },
}

/// What a name stands for at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filling<'a> {
    pub level: &'a OsStr,
    pub is_first: bool,
}

/// A placeholder that cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    #[error(
        "{{{name}}} in '{text}' names nothing; there are: {known}. Write {{{{{name}}}}} where the program is to get {{{name}}}"
    )]
    Unknown { name: String, text: String, known: String },
}

impl Template {
    /// Every text is one: what is no placeholder stays as it is.
    pub fn new(text: &OsStr) -> Template {
        let mut parts = Vec::new();
        let mut plain = Vec::new();
        let bytes = text.as_bytes();
        // Behind the last brace that closes there is no placeholder, and none is looked for.
        let closed = bytes.iter().rposition(|byte| *byte == b'}').map_or(0, |last| last + 1);
        let (mut rest, behind) = bytes.split_at(closed);
        while let Some((&first, after)) = rest.split_first() {
            match (first == b'{').then(|| placeholder(rest)).flatten() {
                Some((part, length)) => {
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    parts.push(part);
                    rest = &rest[length..];
                }
                None => {
                    plain.push(first);
                    rest = after;
                }
            }
        }
        plain.extend_from_slice(behind);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Template(parts)
    }

    /// The names in it, each once, in their order.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for part in &self.0 {
            if let Part::Level(name) | Part::When { name, .. } = part
                && !names.contains(&name.as_str())
            {
                names.push(name.as_str());
            }
        }
        names
    }

    /// The text at a point; `filling` looks a name up. `None` for a word that is made of `{NAME:+TEXT}` alone and comes out empty: it is
    /// left out of the command. Names that are `later` filled in keep the braces that keep them as they are.
    ///
    /// # Errors
    /// [`FillError::Unknown`], with `known` as what there is.
    pub fn fill<'a>(
        &self,
        filling: &dyn Fn(&str) -> Option<Filling<'a>>,
        known: &[&str],
        later: &[&str],
    ) -> Result<Option<OsString>, FillError> {
        let look = |name: &str| {
            filling(name).ok_or_else(|| FillError::Unknown {
                name: quoted(name),
                text: quoted(&String::from_utf8_lossy(&self.source())),
                known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
            })
        };
        let mut filled = Vec::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => filled.extend_from_slice(text),
                Part::Kept(name) if later.contains(&name.as_str()) => filled.extend(in_braces(name, 2)),
                Part::Kept(name) => filled.extend(in_braces(name, 1)),
                Part::Level(name) => filled.extend_from_slice(look(name)?.level.as_bytes()),
                Part::When { name, level, text } => {
                    let found = look(name)?;
                    let stands = match level {
                        Some(level) => found.level.as_bytes() == level.as_slice(),
                        None => !found.is_first,
                    };
                    if stands {
                        filled.extend_from_slice(text);
                    }
                }
            }
        }
        let only_when = !self.0.is_empty() && self.0.iter().all(|part| matches!(part, Part::When { .. }));
        Ok((!(only_when && filled.is_empty())).then(|| OsString::from_vec(filled)))
    }

    /// As it was typed.
    fn source(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => all.extend_from_slice(text),
                Part::Kept(name) => all.extend(in_braces(name, 2)),
                Part::Level(name) => all.extend(in_braces(name, 1)),
                Part::When { name, level, text } => {
                    all.extend([b"{", name.as_bytes()].concat());
                    if let Some(level) = level {
                        all.extend([b"=", level.as_slice()].concat());
                    }
                    all.extend([b":+", text.as_slice(), b"}"].concat());
                }
            }
        }
        all
    }
}

/// What begins with the brace at the front, and its length; nothing where that is a brace like any other.
fn placeholder(text: &[u8]) -> Option<(Part, usize)> {
    if text.starts_with(b"{{{") {
        return None; // of many braces the innermost count
    }
    if text.starts_with(b"{{") {
        let (part, length) = placeholder(&text[1..])?;
        let is_closed = text[1 + length..].starts_with(b"}");
        return match part {
            Part::Level(name) if is_closed => Some((Part::Kept(name), length + 2)),
            _ => None,
        };
    }
    let inner = text.strip_prefix(b"{")?;
    let name = name(inner)?;
    let rest = &inner[name.len()..];
    let (part, length) = match rest {
        [b'}', ..] => (Part::Level(name.to_owned()), 1),
        [b':', b'+', ..] => when(name, None, rest)?,
        [b'=', ..] => {
            let within = &rest[1..rest.len().min(LONGEST_LEVEL + 3)];
            let end = within.windows(2).position(|pair| pair == b":+")?;
            let level = &within[..end];
            (!level.contains(&b'}')).then_some(())?;
            when(name, Some(level), rest)?
        }
        [b':', file @ ..] if name == FILE => {
            let within = &file[..file.len().min(LONGEST_LEVEL + 1)];
            let end = within.iter().position(|byte| *byte == b'}').filter(|end| *end > 0)?;
            let file = std::str::from_utf8(&file[..end]).ok()?;
            (Part::Level(format!("{FILE}:{file}")), end + 2)
        }
        _ => return None,
    };
    Some((part, 1 + name.len() + length))
}

/// A text that stands at some levels, and the length of all behind the name.
fn when(name: &str, level: Option<&[u8]>, rest: &[u8]) -> Option<(Part, usize)> {
    let before = level.map_or(0, |level| level.len() + 1) + 2;
    let text = rest.get(before..)?;
    let end = text.iter().position(|byte| *byte == b'}')?;
    let part =
        Part::When { name: name.to_owned(), level: level.map(<[u8]>::to_vec), text: text[..end].to_vec() };
    Some((part, before + end + 1))
}

fn in_braces(name: &str, pairs: usize) -> Vec<u8> {
    [b"{".repeat(pairs), name.as_bytes().to_vec(), b"}".repeat(pairs)].concat()
}

/// The name at the front.
fn name(text: &[u8]) -> Option<&str> {
    let is_start = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let goes_on = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte == b'-';
    text.first().filter(|first| is_start(first))?;
    let length = text.iter().take_while(goes_on).count();
    std::str::from_utf8(&text[..length]).ok()
}
