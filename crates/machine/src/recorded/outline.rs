//! The outline of an XML text, looked at in one pass before it is parsed.
//!
//! A parser compares the attributes of an element with one another, hwloc goes down the tree by recursion, and entities multiply
//! text: time and memory that grow faster than the file. What hwloc writes stays far below these bounds.

use std::fmt;

/// hwloc writes some 20.
const MOST_ATTRIBUTES: usize = 200;
/// hwloc's own levels are below 20; groups of switches may nest.
const DEEPEST: usize = 200;
/// An object of a machine with 8,192 CPUs and its devices: some 60,000.
const MOST_ELEMENTS: usize = 500_000;

/// What no XML of hwloc has, with the line where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StrangeOutline {
    what: Excess,
    line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Excess {
    Attributes,
    Depth,
    Elements,
    /// Entities and other declarations of the file's own.
    Declarations,
}

impl fmt::Display for StrangeOutline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match self.what {
            Excess::Attributes => {
                write!(f, "the element in line {line} has more than {MOST_ATTRIBUTES} attributes")
            }
            Excess::Depth => {
                write!(f, "elements are nested deeper than {DEEPEST} in line {line}")
            }
            Excess::Elements => write!(f, "it has more than {MOST_ELEMENTS} elements down to line {line}"),
            Excess::Declarations => {
                write!(f, "it declares entities or the like in line {line}, which hwloc does not")
            }
        }
    }
}

/// The first thing that is strange. A text that is no XML is the parser's to judge.
pub(super) fn strange(text: &str) -> Option<StrangeOutline> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut elements) = (0, 0usize, 0);
    let found = |what, at: usize| {
        let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        Some(StrangeOutline { what, line })
    };
    while let Some(open) = bytes[at..].iter().position(|&byte| byte == b'<').map(|k| at + k) {
        let rest = &bytes[open..];
        if let Some((begin, end)) = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            .into_iter()
            .find(|(begin, _)| rest.starts_with(begin.as_bytes()))
        {
            // Without its end the text is broken, which the parser says.
            let from = open + begin.len();
            at = from + find(&bytes[from..], end.as_bytes())? + end.len();
            continue;
        }
        let tag = Tag::read(rest);
        if rest.starts_with(b"<!") && tag.declares {
            return found(Excess::Declarations, open);
        }
        if tag.attributes > MOST_ATTRIBUTES {
            return found(Excess::Attributes, open);
        }
        if rest.starts_with(b"</") {
            depth = depth.saturating_sub(1);
        } else if !rest.starts_with(b"<!") {
            elements += 1;
            depth += usize::from(!tag.closed);
            if depth > DEEPEST {
                return found(Excess::Depth, open);
            }
            if elements > MOST_ELEMENTS {
                return found(Excess::Elements, open);
            }
        }
        at = open + tag.length;
    }
    None
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

/// What stands between `<` and `>`.
struct Tag {
    /// With both.
    length: usize,
    /// Equals signs outside of quotes.
    attributes: usize,
    /// It ends with `/>`.
    closed: bool,
    /// It has a `[`, behind which declarations stand.
    declares: bool,
}

impl Tag {
    fn read(text: &[u8]) -> Tag {
        let mut tag = Tag { length: text.len(), attributes: 0, closed: false, declares: false };
        let mut quote = None;
        for (k, &byte) in text.iter().enumerate() {
            match (quote, byte) {
                (Some(open), byte) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                (None, b'[') => tag.declares = true,
                (None, b'>') => {
                    tag.length = k + 1;
                    tag.closed = k > 0 && text[k - 1] == b'/';
                    break;
                }
                _ => {}
            }
        }
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_faster_than_the_file_is_named_with_its_line() {
        let attributes: String = (0..200_000).map(|k| format!(" a{k}=\"1\"")).collect();
        let many = format!("<topology>\n<object{attributes}/></topology>");
        let deep = format!("<topology>\n{}", "<object type=\"Group\">".repeat(10_000));
        let wide = format!("<topology>{}</topology>", "<o/>".repeat(600_000));
        let entities = "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"cc\">]><topology>&b;</topology>";
        for (text, words) in [
            (many.as_str(), "the element in line 2 has more than 200 attributes"),
            (&deep, "nested deeper than 200 in line 2"),
            (&wide, "more than 500000 elements"),
            (entities, "declares entities or the like in line 2"),
        ] {
            let said = strange(text).expect(words).to_string();
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn what_hwloc_writes_is_not_strange() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines");
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            assert_eq!(strange(&text), None);
        }
        let odd = "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\"><!-- <a b=\"1\"> --><a b=\"<<>>\" c='\"='/><![CDATA[<]]>";
        assert_eq!(strange(odd), None);
    }
}
