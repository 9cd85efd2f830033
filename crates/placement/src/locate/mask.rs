//! Masks of CPUs in hexadecimal digits, as hwloc, taskset and the kernel write them: `0xff`, `0x3,0x00000001`, `0xf...f,0x0`.

use numawise_units::{CpuId, CpuSet};

/// Bits of a word between two commas.
const WORD: usize = 32;
/// Hexadecimal digits of it.
const DIGITS: usize = 8;
/// As many CPUs as a set of them takes.
const MOST_BITS: usize = 65_536;

/// What is wrong with a mask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MaskError {
    #[error("a mask has 1 to {DIGITS} hexadecimal digits between two commas, as 0x3,0x00000001")]
    Word,
    #[error("'{}' is no hexadecimal digit", .0.escape_default())]
    Digit(char),
    #[error("the mask has more than {MOST_BITS} bits")]
    TooLong,
}

/// True where a text begins as a mask does.
pub fn is_mask(text: &str) -> bool {
    text.starts_with("0x") || text.starts_with("0X")
}

/// The CPUs of a mask. Words of 32 bits stand between commas, the highest first; `0xf...f` in front stands for all bits above, of which those of
/// `online` are meant. A mask without commas may have any number of digits.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str, online: &CpuSet) -> Result<CpuSet, MaskError> {
    let mut words: Vec<&str> = text.split(',').collect();
    let above = words.first().is_some_and(|first| digits(first).eq_ignore_ascii_case("f...f"));
    if above {
        words.remove(0);
    }
    let single = words.len() == 1 && !above;
    let mut all = CpuSet::new();
    for (k, word) in words.iter().rev().enumerate() {
        let digits = digits(word);
        if digits.is_empty() || !single && digits.len() > DIGITS {
            return Err(MaskError::Word);
        }
        for (position, digit) in digits.chars().rev().enumerate() {
            let Some(bits) = digit.to_digit(16) else {
                return Err(MaskError::Digit(digit));
            };
            for bit in (0..4).filter(|bit| bits >> bit & 1 == 1) {
                let number = k * WORD + position * 4 + bit;
                if number >= MOST_BITS {
                    return Err(MaskError::TooLong);
                }
                all.insert(CpuId(number as u32));
            }
        }
    }
    let first_above = (words.len() * WORD) as u32;
    let higher = |cpu: &CpuId| above && cpu.0 >= first_above;
    Ok(all.union(&online.iter().filter(higher).collect()))
}

fn digits(word: &str) -> &str {
    word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word)
}
