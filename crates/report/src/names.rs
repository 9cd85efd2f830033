//! Names as they may be shown in a column. What makes them harmless is [`numawise_units::harmless`].

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
