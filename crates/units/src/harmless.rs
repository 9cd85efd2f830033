//! Texts from outside made harmless for people: what a program, a file or a host calls itself may hold anything, also what steers a
//! terminal, turns the direction of writing, or cannot be seen.
//!
//! The one place where it is decided what may be shown. Data (JSON, CSV fields, records) keep what they hold; whoever shows a text to
//! a person passes it through here.

use std::fmt::Write;

#[cfg(test)]
#[path = "harmless_tests.rs"]
mod tests;

/// So many characters of a name are shown: no path of Linux is longer, and no name that a person would read.
const LONGEST_NAME: usize = 4096;
/// So many characters of a value are quoted in a message.
const LONGEST_QUOTED: usize = 120;

/// Steers a terminal, turns the direction of writing, breaks a line where we do not, or takes no room.
pub fn is_harmful(c: char) -> bool {
    c.is_control() || is_unseen(c)
}

/// Takes no room, or turns the direction of writing: format characters, fillers, variation selectors, tags.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn spell_out(c: char, out: &mut String) {
    match c {
        '\n' | '\r' | '\t' => out.extend(c.escape_default()),
        c if c.is_ascii_control() => {
            let _ = write!(out, "\\x{:02x}", c as u32);
        }
        c if is_harmful(c) => out.extend(c.escape_unicode()),
        c => out.push(c),
    }
}

/// On one line, with what is harmful spelled out: `\x1b`, `\n`, `\u{202e}`. A name longer than any that people read is cut, with
/// its length.
pub fn line(text: &str) -> String {
    cut(text, LONGEST_NAME)
}

/// The same for a value that a message quotes: its beginning is enough.
pub fn quoted(text: &str) -> String {
    cut(text, LONGEST_QUOTED)
}

/// The same for a sentence that quotes one.
pub fn beginning(text: &str) -> String {
    cut(text, 1000)
}

fn cut(text: &str, longest: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(longest));
    let mut characters = text.chars();
    characters.by_ref().take(longest).for_each(|c| spell_out(c, &mut shown));
    match characters.count() {
        0 => {}
        more => {
            let _ = write!(shown, "... ({} characters)", longest + more);
        }
    }
    shown
}

/// Bytes that should be text: those that are not UTF-8 are spelled out as `\xff`.
pub fn bytes(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        shown += &line(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

/// A text of our own that quotes others, with our line breaks: the rest as in [`line`], but never cut.
pub fn paragraphs(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' { shown.push(c) } else { spell_out(c, &mut shown) }
    }
    shown
}

/// A text of which the places of its characters matter (a page, lines that were laid out): what is harmful becomes U+FFFD, line
/// breaks and tabs stay.
pub fn replaced(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) && c != '\t' && c != '\n' { '\u{fffd}' } else { c }).collect()
}
