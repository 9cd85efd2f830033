//! Names as they may be shown. What a program or a file calls itself may hold anything but NUL: also what steers a terminal.

/// With control characters and those that turn the direction of writing spelled out: `\x1b`, `\n`, `\u{202e}`.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => safe.extend(c.escape_default()),
            c if c.is_ascii_control() => safe += &format!("\\x{:02x}", c as u32),
            c if c.is_control() || is_unseen(c) => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    safe
}

/// Takes no room, or turns the direction of writing.
pub fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// At most `width` characters, with `..` where the end is cut off.
pub fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() > width {
        text.chars().take(width.saturating_sub(2)).chain("..".chars()).collect()
    } else {
        text.to_owned()
    }
}

/// At most `width` characters, with `..` where the beginning is cut off: of a path, the end tells more.
pub fn end(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length > width {
        "..".chars().chain(text.chars().skip(length + 2 - width.max(2))).collect()
    } else {
        text.to_owned()
    }
}
