//! CPU sets as the kernel takes them: bits in words, lowest CPU first.

use core::fmt;
use core::iter;

#[cfg(test)]
#[path = "mask_tests.rs"]
mod tests;

/// CPUs of a message are below this: no Linux kernel is built for more (CONFIG_NR_CPUS).
pub const MOST_CPUS: usize = 8192;
pub const MOST_WORDS: usize = MOST_CPUS / 64;

/// Equality as sets; the shorter one goes on with zeros.
pub fn same(a: &[u64], b: &[u64]) -> bool {
    let common = a.len().min(b.len());
    let rest = |set: &[u64]| set.iter().skip(common).all(|word| *word == 0);
    a.iter().zip(b).all(|(a, b)| a == b) && rest(a) && rest(b)
}

pub fn first(set: &[u64]) -> Option<usize> {
    set.iter()
        .enumerate()
        .find(|(_, word)| **word != 0)
        .map(|(k, word)| k * 64 + word.trailing_zeros() as usize)
}

pub fn has(set: &[u64], cpu: usize) -> bool {
    set.get(cpu / 64).is_some_and(|word| word & (1 << (cpu % 64)) != 0)
}

/// Adds a CPU; false when it is beyond the set's words.
pub fn insert(set: &mut [u64], cpu: usize) -> bool {
    match set.get_mut(cpu / 64) {
        Some(word) => {
            *word |= 1 << (cpu % 64);
            true
        }
        None => false,
    }
}

pub fn is_subset(a: &[u64], b: &[u64]) -> bool {
    a.iter().enumerate().all(|(k, word)| word & !b.get(k).copied().unwrap_or(0) == 0)
}

/// Runs of consecutive CPUs, first and last of each, in ascending order.
pub fn ranges(set: &[u64]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let end = set.len() * 64;
    let mut next = 0;
    iter::from_fn(move || {
        while next < end && !has(set, next) {
            next += 1;
        }
        let first = next;
        while next < end && has(set, next) {
            next += 1;
        }
        (first < next).then(|| (first, next - 1))
    })
}

/// Writes a set in the kernel's list format: `0-3,8`.
pub fn write_list(set: &[u64], out: &mut impl fmt::Write) -> fmt::Result {
    let mut separator = "";
    for (first, last) in ranges(set) {
        match last {
            last if last == first => write!(out, "{separator}{first}")?,
            last => write!(out, "{separator}{first}-{last}")?,
        }
        separator = ",";
    }
    Ok(())
}

/// Adds the CPUs of a list such as `0-3,8` to a set; `None` for anything else, the empty list included.
pub fn read_list(text: &[u8], set: &mut [u64]) -> Option<()> {
    for part in text.split(|byte| *byte == b',') {
        let mut ends = part.split(|byte| *byte == b'-');
        let first = number(ends.next()?)?;
        let last = match ends.next() {
            Some(last) => number(last)?,
            None => first,
        };
        if ends.next().is_some() || last < first {
            return None;
        }
        for cpu in first..=last {
            if !insert(set, cpu) {
                return None;
            }
        }
    }
    Some(())
}

/// A decimal number below [`MOST_CPUS`].
fn number(text: &[u8]) -> Option<usize> {
    let mut number = 0usize;
    for byte in text {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number = number * 10 + usize::from(digit);
        if number >= MOST_CPUS {
            return None;
        }
    }
    (!text.is_empty()).then_some(number)
}
