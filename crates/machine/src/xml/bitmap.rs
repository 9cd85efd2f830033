//! hwloc's bitmaps: 32-bit words in hexadecimal, the highest first, `0x0000ffff,,0x00000003`; an empty word is 0.

use numawise_units::{Id, IdSet};

use crate::error::XmlError;
use crate::files::shortened;

/// The set in a bitmap.
pub(super) fn parse<T: Id>(text: &str) -> Result<IdSet<T>, XmlError> {
    if text.starts_with("0xf...f") {
        return Err(XmlError::EndlessBitmap(shortened(text)));
    }
    let mut words: Vec<u32> = Vec::new();
    for word in text.split(',') {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let value = match digits {
            "" => 0,
            _ => u32::from_str_radix(digits, 16).map_err(|_| XmlError::NotABitmap(shortened(text)))?,
        };
        words.push(value);
    }
    words.reverse();
    while words.last() == Some(&0) {
        words.pop();
    }
    let most = T::LIMIT as usize / 32;
    if words.len() > most {
        return Err(XmlError::BitmapTooLarge(shortened(text), T::NOUN));
    }
    let pairs = words.chunks(2);
    let wide = pairs.map(|pair| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32);
    Ok(IdSet::from_words(wide.collect::<Vec<u64>>()))
}

/// The bitmap of a set.
pub(super) fn written<T: Id>(set: &IdSet<T>) -> String {
    let halves = set.words().iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    let mut words: Vec<u32> = halves.collect();
    while words.len() > 1 && words.last() == Some(&0) {
        words.pop();
    }
    if words.is_empty() {
        words.push(0);
    }
    let words: Vec<String> = words.iter().rev().map(|word| format!("0x{word:08x}")).collect();
    words.join(",")
}
