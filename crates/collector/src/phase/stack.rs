//! The regions that a thread has begun and not ended, in memory of its own, which it gets at its first region.

use core::cell::Cell;

use crate::process;
use crate::system;
use crate::thread::{self, REGIONS_BYTES};

use super::sums::Sums;

/// So deep regions may stand in one another.
const DEPTH: usize = 30;
/// [`Entry::row`] of a region that found none.
const NO_ROW: usize = usize::MAX;

/// A region that was begun.
pub struct Entry {
    /// Of its name.
    pub name: Cell<u64>,
    row: Cell<usize>,
    /// Of the process that began it; a child of fork has its parent's entries.
    generation: Cell<u64>,
    /// Of a region of this thread alone.
    pub begin: Cell<u64>,
    pub base: Cell<Sums>,
}

impl Entry {
    /// The row of a region that this process began.
    pub fn number(&self) -> Option<usize> {
        let is_ours = self.generation.get() == process::generation();
        Some(self.row.get()).filter(|row| *row != NO_ROW && is_ours)
    }
}

#[repr(C)]
struct Stack {
    used: Cell<usize>,
    /// Begun beyond the last entry.
    beyond: Cell<usize>,
    entries: [Entry; DEPTH],
}

const _: () = assert!(size_of::<Stack>() <= REGIONS_BYTES);

/// Null where the thread has begun no region.
fn existing<'a>() -> Option<&'a Stack> {
    // SAFETY: null, or memory of this thread that [`made`] got and that stays until the thread ends.
    unsafe { thread::local().regions.get().cast::<Stack>().as_ref() }
}

fn made<'a>() -> Option<&'a Stack> {
    if let Some(stack) = existing() {
        return Some(stack);
    }
    // Its zeros are a value of the type.
    let memory = system::memory(REGIONS_BYTES)?;
    thread::local().regions.set(memory.cast());
    existing()
}

fn entries(stack: &Stack) -> &[Entry] {
    stack.entries.get(..stack.used.get()).unwrap_or_default()
}

/// `None` where it is full, or there is no memory.
pub fn push<'a>(name: u64, row: Option<usize>) -> Option<&'a Entry> {
    let stack: &Stack = made()?;
    let used = stack.used.get();
    let Some(entry) = stack.entries.get(used) else {
        stack.beyond.set(stack.beyond.get().saturating_add(1));
        return None;
    };
    entry.name.set(name);
    entry.row.set(row.unwrap_or(NO_ROW));
    entry.generation.set(process::generation());
    stack.used.set(used + 1);
    Some(entry)
}

/// Whether what ends was begun beyond the last entry.
pub fn leave_beyond() -> bool {
    let Some(stack) = existing() else { return false };
    let beyond = stack.beyond.get();
    stack.beyond.set(beyond.saturating_sub(1));
    beyond > 0
}

pub fn has(name: u64) -> bool {
    existing().is_some_and(|stack| entries(stack).iter().any(|entry| entry.name.get() == name))
}

/// The last entry, which is not in use any more; it stays as it is until the next is made.
pub fn pop<'a>() -> Option<&'a Entry> {
    let stack: &Stack = existing()?;
    let last = stack.used.get().checked_sub(1)?;
    stack.used.set(last);
    stack.entries.get(last)
}

/// Whether the region of an entry, which was taken out or is the last one, is begun in an earlier one too.
pub fn holds(entry: &Entry, is_in: bool) -> bool {
    existing().is_some_and(|stack| {
        let earlier = entries(stack).iter().rev().skip(is_in.into());
        earlier.into_iter().any(|other| other.number().is_some() && other.number() == entry.number())
    })
}
