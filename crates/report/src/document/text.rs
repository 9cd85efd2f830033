//! Lines of a given width.

use numawise_units::harmless::replaced;

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
        line += &replaced(word);
        empty = false;
    }
    out += line.trim_end();
    out.push('\n');
    out
}
