//! Loads of which each needs the one before: a ring of lines, each with the address of the next in its first word.

use super::Line;

#[cfg(test)]
#[path = "chase_tests.rs"]
mod tests;

/// The word that is written to have a line changed, beside the address in word 0.
const MARK: usize = 7;

/// Goes `loads` lines on from `start`, each load waiting for the one before, and gives the line that it ended on: after as many
/// loads as the ring's lap has, it is `start` again.
///
/// # Safety
/// `start` is a line of a ring that [`crate::ring::link`] made, whose lines are where they were then and which nobody
/// links anew meanwhile.
#[inline(never)]
pub unsafe fn run(start: *const Line, loads: u64) -> *const Line {
    let mut at = start;
    for _ in 0..loads / 16 {
        // SAFETY: the caller promises that every line leads to another.
        at = unsafe { sixteen(at) };
    }
    for _ in 0..loads % 16 {
        // SAFETY: the same.
        at = unsafe { one(at) };
    }
    at
}

#[inline(always)]
unsafe fn one(at: *const Line) -> *const Line {
    // SAFETY: the caller promises that the line is there; volatile, so that nothing is left out or known in advance.
    let address = unsafe { at.cast::<u64>().read_volatile() };
    std::ptr::with_exposed_provenance(address as usize)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn sixteen(mut at: *const Line) -> *const Line {
    // SAFETY: the caller promises that every line leads to another; only loads.
    unsafe {
        std::arch::asm!(
            ".rept 16",
            "mov {0}, [{0}]",
            ".endr",
            inout(reg) at,
            options(nostack, readonly, preserves_flags)
        );
    }
    at
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
unsafe fn sixteen(mut at: *const Line) -> *const Line {
    // SAFETY: the caller promises that every line leads to another; only loads.
    unsafe {
        std::arch::asm!(
            ".rept 16",
            "ldr {0}, [{0}]",
            ".endr",
            inout(reg) at,
            options(nostack, readonly, preserves_flags)
        );
    }
    at
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline(always)]
unsafe fn sixteen(at: *const Line) -> *const Line {
    // SAFETY: the caller promises that every line leads to another.
    (0..16).fold(at, |at, _| unsafe { one(at) })
}

/// Changes every line and leaves the ring as it is: afterwards the caches of this CPU hold the lines as modified, as far as
/// they have room.
pub fn dirty(lines: &mut [Line]) {
    for line in lines {
        let mark = &raw mut line.0[MARK];
        // SAFETY: a word of a line that we borrow; volatile, so that every call really writes.
        unsafe { mark.write_volatile(mark.read_volatile().wrapping_add(1)) };
    }
}
