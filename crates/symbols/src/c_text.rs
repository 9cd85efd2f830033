//! Statements of a source file in C or C++, as words with their lines. It knows no types and no macros.

use std::ops::Range;

#[cfg(test)]
#[path = "c_text_tests.rs"]
mod tests;

/// A word of the source: a name, a number, a sign. Texts are empty quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    pub text: &'a str,
    pub line: u32,
    /// Bytes of the file before it.
    pub begin: usize,
}

impl Word<'_> {
    pub fn is_name(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
    }
}

/// Where the words and statements of a file are. A program with a thousand places of allocation asks a thousand times for a few files.
#[derive(Debug)]
pub struct Outline {
    /// Each word's first byte and line.
    words: Vec<(usize, u32)>,
    statements: Vec<Range<usize>>,
}

impl Outline {
    pub fn of(text: &str) -> Self {
        let words = words(text);
        let statements = statements(&words);
        Self { words: words.iter().map(|word| (word.begin, word.line)).collect(), statements }
    }

    /// The statements of at most so many words that reach a line, in their order. `text` is what the outline was made of.
    pub fn around<'a>(&self, text: &'a str, line: u32, most: usize) -> impl Iterator<Item = Vec<Word<'a>>> {
        let first = self.statements.partition_point(|range| self.words[range.end - 1].1 < line);
        let around =
            self.statements[first..].iter().take_while(move |range| self.words[range.start].1 <= line);
        around.filter(move |range| range.len() <= most).map(|range| {
            let words = self.words[range.clone()].iter();
            words
                .map(|(begin, line)| Word { text: word(&text[*begin..]).1, line: *line, begin: *begin })
                .collect()
        })
    }
}

/// The words of a file without comments and lines of the preprocessor.
fn words(text: &str) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    let (mut words, mut at, mut line, mut is_line_begin) = (Vec::new(), 0, 1, true);
    while at < bytes.len() {
        let rest = &text[at..];
        let first = bytes[at];
        let length = match first {
            b'\n' | b' ' | b'\t' | b'\r' | 0x0b | 0x0c => 1,
            b'#' if is_line_begin => logical_line(rest),
            b'/' if rest.starts_with("//") => logical_line(rest),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'\\' if rest.starts_with("\\\n") => 2,
            _ => {
                let (length, word) = word(rest);
                words.push(Word { text: word, line, begin: at });
                length
            }
        };
        is_line_begin = (is_line_begin && first.is_ascii_whitespace()) || first == b'\n';
        line += rest.as_bytes()[..length].iter().filter(|byte| **byte == b'\n').count() as u32;
        at += length;
    }
    words
}

/// Bytes up to the end of a line that goes on where it ends in a backslash.
fn logical_line(text: &str) -> usize {
    let mut end = 0;
    loop {
        let Some(at) = text[end..].find('\n') else { return text.len() };
        let line = text[end..end + at].trim_end_matches('\r');
        end += at;
        if !line.ends_with('\\') {
            return end;
        }
        end += 1;
    }
}

/// The length and the text of the word that begins here.
fn word(text: &str) -> (usize, &str) {
    const SIGNS: [&str; 22] = [
        "<<=", ">>=", "...", "->*", "::", "->", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=",
        "*=", "/=", "%=", "&=", "|=", "^=",
    ];
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let first = text.chars().next().unwrap_or(' ');
    if is_of_name(first) {
        let number = |letter: char| is_of_name(letter) || letter == '.' || letter == '\'';
        let is_number = first.is_ascii_digit();
        let end =
            text.find(|letter| !(is_of_name(letter) || is_number && number(letter))).unwrap_or(text.len());
        // R"x( ... )x", with u8 and its like in front.
        if text[..end].ends_with('R') && text[end..].starts_with('"') && end <= 3 {
            return (end + raw_text(&text[end..]), "\"\"");
        }
        return (end, &text[..end]);
    }
    match first {
        '"' => (quoted(text, b'"'), "\"\""),
        '\'' => (quoted(text, b'\''), "''"),
        _ => {
            let is_longer = text.as_bytes().get(1).is_some_and(|second| b"<>=.:-&|+".contains(second));
            let sign = SIGNS.iter().find(|sign| is_longer && text.starts_with(**sign));
            let length = sign.map_or(first.len_utf8(), |sign| sign.len());
            (length, &text[..length])
        }
    }
}

/// Bytes of a quoted text; it ends with its line at the latest.
fn quoted(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    // A backslash may be the last byte, or stand before a letter of several.
    let mut end = at.min(bytes.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

fn raw_text(text: &str) -> usize {
    let end = text[1..].find('(').filter(|length| *length <= 16).and_then(|length| {
        let close = format!("){}\"", &text[1..=length]);
        text.find(&close).map(|at| at + close.len())
    });
    end.unwrap_or(text.len())
}

/// Where statements begin and end: at `;`, at the braces of blocks, behind the heads of `if` and loops and behind labels. What is within
/// a lambda is split from what is around it.
fn statements(words: &[Word<'_>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut begin = 0;
    // Open brackets: the sign, and whether the statement ends behind the closing one.
    let mut open: Vec<(&str, bool)> = Vec::new();
    for at in 0..words.len() {
        let text = words[at].text;
        let before = &words[begin.min(at)..at];
        let mut ends = |end: usize, next: usize| {
            if end > begin {
                found.push(begin..end);
            }
            begin = next;
        };
        let is_inside = open.last().is_some_and(|(sign, _)| *sign != "block");
        match text {
            "(" | "[" => open.push((text, is_head(before))),
            "{" if is_list(before) || open.last().is_some_and(|(sign, _)| *sign == "{") => {
                open.push(("{", false))
            }
            "{" => {
                ends(at, at + 1);
                open.push(("block", true));
            }
            ")" | "]" => {
                let opening = if text == ")" { "(" } else { "[" };
                if let Some((_, is_head)) = open.pop_if(|(sign, _)| *sign == opening)
                    && is_head
                {
                    ends(at + 1, at + 1);
                }
            }
            "}" => {
                let opening = open.iter().rposition(|(sign, _)| *sign == "{" || *sign == "block");
                let is_block = opening.is_none_or(|opening| open[opening].0 == "block");
                open.truncate(opening.unwrap_or(0));
                if is_block {
                    ends(at, at + 1);
                }
            }
            ";" if !is_inside => ends(at, at + 1),
            "else" | "do" => ends(at, at + 1),
            ":" if !is_inside && is_label(before) => ends(at, at + 1),
            _ => {}
        }
    }
    if words.len() > begin {
        found.push(begin..words.len());
    }
    found
}

/// True before the parenthesis of `if`, `for` and their like.
fn is_head(before: &[Word<'_>]) -> bool {
    const HEADS: [&str; 5] = ["if", "for", "while", "switch", "catch"];
    match before {
        [word] => HEADS.contains(&word.text),
        [word, constant] => HEADS.contains(&word.text) && constant.text == "constexpr",
        _ => false,
    }
}

/// True before the brace of a list of values, and false before that of a block.
fn is_list(before: &[Word<'_>]) -> bool {
    const OF_TYPES: [&str; 6] = ["struct", "class", "union", "enum", "namespace", "extern"];
    let Some(last) = before.last() else { return false };
    // A type's head is short: `template <class T, int N> struct alignas(64) Grid final : Base`.
    let mut head = before.iter().take(32);
    if head.clone().any(|word| OF_TYPES.contains(&word.text)) && head.all(|word| word.text != "=") {
        return false;
    }
    let is_name = last.is_name()
        && !["const", "noexcept", "override", "final", "try", "mutable", "else", "do"].contains(&last.text);
    is_name || [">", "=", "]", ",", "(", "return"].contains(&last.text)
}

/// True before the colon of a label or of an access specifier.
fn is_label(before: &[Word<'_>]) -> bool {
    match before {
        [first, ..] if first.text == "case" => true,
        [only] => only.is_name(),
        _ => false,
    }
}
