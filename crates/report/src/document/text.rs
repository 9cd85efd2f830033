//! Texts from outside made harmless, and lines of a given width.

/// A text from outside without what would steer a terminal or turn the direction of writing.
pub fn harmless(text: &str) -> String {
    let steers = |c: char| c.is_control() && c != '\t' && c != '\n';
    let turns =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if steers(c) || turns(c) { '\u{fffd}' } else { c }).collect()
}

/// The text with a capital letter at its beginning, as titles of a page and sentences have it.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Breaks `text` at blanks; the first line begins with `first`, the others with `rest`. A word longer than a line stays
/// whole. Every line ends with a newline.
pub fn wrap(text: &str, first: &str, rest: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        let needed = line.chars().count() + word.chars().count() + usize::from(!empty);
        if !empty && needed > width {
            out += line.trim_end();
            out.push('\n');
            line = rest.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += &harmless(word);
        empty = false;
    }
    out += line.trim_end();
    out.push('\n');
    out
}
