//! The plan as text: `1;0-3;0;1;2;3` is the version, the CPUs of the task, and the CPUs of thread 0, 1, 2 and 3.

use crate::mask::{self, MOST_CPUS, MOST_WORDS};

#[cfg(test)]
#[path = "protocol_tests.rs"]
mod tests;

const VERSION: &[u8] = b"1";

/// A plan in words of bits: set 0 is the task's, set k + 1 that of thread k, each `words` long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub words: usize,
    /// Of threads; at least 1.
    pub threads: usize,
}

/// What is wrong with a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bad {
    Version,
    Task,
    Thread,
    TooLarge,
}

impl Bad {
    pub fn text(self) -> &'static [u8] {
        match self {
            Bad::Version => b"it is not in version 1 of the plan's words, so another numawise wrote it",
            Bad::Task => b"the CPUs of the task are not a list such as 0-3,8",
            Bad::Thread => b"the CPUs of a thread are not a list of CPUs of the task",
            Bad::TooLarge => b"it has more threads than this library has room for",
        }
    }
}

/// Reads a plan into `pool`, which must be all zeros.
pub fn parse(text: &[u8], pool: &mut [u64]) -> Result<Shape, Bad> {
    let mut parts = text.split(|byte| *byte == b';');
    if parts.next() != Some(VERSION) {
        return Err(Bad::Version);
    }
    let task = pool.get_mut(..MOST_WORDS).ok_or(Bad::TooLarge)?;
    list(parts.next().ok_or(Bad::Task)?, task).ok_or(Bad::Task)?;
    let words = task.iter().rposition(|word| *word != 0).ok_or(Bad::Task)? + 1;
    let (task, rest) = pool.split_at_mut_checked(words).ok_or(Bad::TooLarge)?;
    let mut sets = rest.chunks_exact_mut(words);
    let mut threads = 0;
    for part in parts {
        let set = sets.next().ok_or(Bad::TooLarge)?;
        list(part, set).ok_or(Bad::Thread)?;
        if !mask::is_subset(set, task) {
            return Err(Bad::Thread);
        }
        threads += 1;
    }
    match threads {
        0 => Err(Bad::Thread),
        threads => Ok(Shape { words, threads }),
    }
}

/// Puts `0-3,8` into a set; `None` for anything else, the empty list included.
fn list(text: &[u8], set: &mut [u64]) -> Option<()> {
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
            if !mask::insert(set, cpu) {
                return None;
            }
        }
    }
    Some(())
}

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
