//! Words of a slot: the thread that owns it is the only one that writes them.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Adds to a word that the calling thread alone writes.
#[inline]
pub fn add(word: &AtomicU64, more: u64) {
    word.store(word.load(Relaxed).wrapping_add(more), Relaxed);
}
