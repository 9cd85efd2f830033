//! Plain Rust, for CPUs that we have no vectors for.

use super::Line;
use super::walk::{Held, loops};

#[derive(Clone, Copy)]
pub(super) struct Words([u64; 8]);

impl Held for Words {
    const SUMS: usize = 1;
    const AHEAD: bool = false;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        Words([word; 8])
    }

    #[inline(always)]
    unsafe fn load(from: *const Line) -> Self {
        // SAFETY: the caller's promises.
        Words(unsafe { from.read() }.0)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Line) {
        // SAFETY: the caller's promises.
        unsafe { to.write(Line(self.0)) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut Line) {
        // SAFETY: the caller's promises.
        unsafe { self.store(to) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Words(std::array::from_fn(|word| self.0[word].wrapping_add(other.0[word])))
    }

    #[inline(always)]
    unsafe fn total(self) -> u64 {
        self.0.into_iter().fold(0, u64::wrapping_add)
    }

    #[inline(always)]
    unsafe fn prefetch(_line: *const Line) {}

    #[inline(always)]
    unsafe fn fence() {}
}

loops!(super::Words);
