//! aarch64: NEON, which every such CPU has. Its loads and stores in pairs are also what SVE machines do at full speed.

use std::arch::aarch64::*;
use std::arch::asm;

use super::Line;
use super::walk::{Held, loops};

#[derive(Clone, Copy)]
pub(super) struct HeldNeon([uint64x2_t; 4]);

impl Held for HeldNeon {
    const SUMS: usize = 1;
    /// Was not measured to help, for want of a machine.
    const AHEAD: bool = false;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: every aarch64 that Rust's standard library runs on has NEON.
        HeldNeon([unsafe { vdupq_n_u64(word) }; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const Line) -> Self {
        // SAFETY: the caller's promises.
        HeldNeon(std::array::from_fn(|nth| unsafe { vld1q_u64(from.cast::<u64>().add(2 * nth)) }))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Line) {
        for (nth, vector) in self.0.into_iter().enumerate() {
            // SAFETY: the caller's promises.
            unsafe { vst1q_u64(to.cast::<u64>().add(2 * nth), vector) };
        }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut Line) {
        let [first, second, third, fourth] = self.0;
        // SAFETY: the caller's promises; four vectors fill one line.
        unsafe {
            asm!(
                "stnp {0:q}, {1:q}, [{4}]",
                "stnp {2:q}, {3:q}, [{4}, #32]",
                in(vreg) first,
                in(vreg) second,
                in(vreg) third,
                in(vreg) fourth,
                in(reg) to,
                options(nostack, preserves_flags)
            );
        }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        HeldNeon(std::array::from_fn(|nth| unsafe { vaddq_u64(self.0[nth], other.0[nth]) }))
    }

    #[inline(always)]
    unsafe fn total(self) -> u64 {
        // SAFETY: as for `splat`.
        self.0.into_iter().fold(0, |sum, vector| sum.wrapping_add(unsafe { vaddvq_u64(vector) }))
    }

    #[inline(always)]
    unsafe fn prefetch(_line: *const Line) {}

    #[inline(always)]
    unsafe fn fence() {
        // SAFETY: waits, and does nothing else.
        unsafe { asm!("dmb ishst", options(nostack, preserves_flags)) };
    }
}

loops!(super::HeldNeon);
