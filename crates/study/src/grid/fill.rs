//! Placeholders in words of a command and in input files: `{NAME}` and `{NAME:+TEXT}`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use numawise_units::harmless::quoted;

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;

/// Stands for the path of a file that is filled in; several files have their names behind it.
pub const FILE: &str = "template";

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
        let mut rest = text.as_bytes();
        while let Some((&first, after)) = rest.split_first() {
            match (first == b'{').then(|| placeholder(rest)).flatten() {
                Some((part, length)) => {
                    if let Part::Text(text) = part {
                        plain.extend(text);
                    } else {
                        if !plain.is_empty() {
                            parts.push(Part::Text(std::mem::take(&mut plain)));
                        }
                        parts.push(part);
                    }
                    rest = &rest[length..];
                }
                None => {
                    plain.push(first);
                    rest = after;
                }
            }
        }
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
    /// left out of the command.
    ///
    /// # Errors
    /// [`FillError::Unknown`], with `known` as what there is.
    pub fn fill<'a>(
        &self,
        filling: &dyn Fn(&str) -> Option<Filling<'a>>,
        known: &[&str],
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
                Part::Level(name) => all.extend([b"{", name.as_bytes(), b"}"].concat()),
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
    if let Some(escaped) = text.strip_prefix(b"{{") {
        let name = name(escaped)?;
        let is_closed = escaped[name.len()..].starts_with(b"}}");
        return is_closed.then(|| {
            let kept = [b"{", name.as_bytes(), b"}"].concat();
            (Part::Text(kept), name.len() + 4)
        });
    }
    let inner = text.strip_prefix(b"{")?;
    let name = name(inner)?;
    let rest = &inner[name.len()..];
    if rest.starts_with(b"}") {
        return Some((Part::Level(name.to_owned()), name.len() + 2));
    }
    let end = rest.iter().position(|byte| *byte == b'}')?;
    if let (FILE, [b':', file @ ..]) = (name, &rest[..end])
        && !file.is_empty()
        && !file.starts_with(b"+")
    {
        let file = std::str::from_utf8(file).ok()?;
        return Some((Part::Level(format!("{FILE}:{file}")), name.len() + end + 2));
    }
    let (condition, text) = split(&rest[..end], b":+")?;
    let level = match condition {
        [] => None,
        [b'=', level @ ..] => Some(level.to_vec()),
        _ => return None,
    };
    let when = Part::When { name: name.to_owned(), level, text: text.to_vec() };
    Some((when, name.len() + end + 2))
}

/// The name at the front.
fn name(text: &[u8]) -> Option<&str> {
    let is_start = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let goes_on = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte == b'-';
    text.first().filter(|first| is_start(first))?;
    let length = text.iter().take_while(goes_on).count();
    std::str::from_utf8(&text[..length]).ok()
}

fn split<'a>(text: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let position = text.windows(at.len()).position(|part| part == at)?;
    Some((&text[..position], &text[position + at.len()..]))
}
