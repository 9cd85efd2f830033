//! Rings of lines to chase through, made by writing memory once in ascending order.
//!
//! Open to other crates as far as `examples/kernel_chase.rs` needs it, which goes round the same rings with plain C.
//!
//! A random order that is drawn by exchanging lines costs a miss of cache and TLB per line, seconds for the gigabytes that
//! lie beyond today's caches. So the order is a permutation that can be computed forwards and backwards: each line's
//! successor is known when the line is reached in memory.
//!
//! **Units of four lines.** Processors fetch the neighbours of a line that was missed: two lines on many, and on the machine
//! where this was tried (Xeon of 2024) rings that use all lines within a 2 MiB page seem to take 90 to 154 ns, those that use one
//! line in two 139 to 162, one in four 155 to 160, with the quartiles of the last within 2 %. So a ring visits the first line of each unit of four
//! lines; where it must use all its lines (small working sets), it does so in four phases, the first lines of all units before
//! the second ones.

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;

use crate::kernels::{Line, chase};

/// Lines that the processor may fetch together.
pub(crate) const UNIT: usize = 4;

/// A ring in a buffer. It must not outlive the lines.
#[derive(Debug, Clone, Copy)]
pub struct Ring {
    first: *const Line,
    buffer: *const Line,
    /// Lines of the buffer that the ring lies in.
    lines: usize,
    /// Loads after which it is through.
    pub lap: u64,
    every: usize,
}

// SAFETY: a ring is an address and counts; whoever chases it promises that the lines are there.
unsafe impl Send for Ring {}

/// A ring on the way: rings are gone through on and on, by one thread after the other, so that what was loaded a moment ago is
/// not loaded again from a cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Track {
    pub ring: Ring,
    at: *const Line,
    /// Loads until lines come again.
    fresh: u64,
}

// SAFETY: as for the ring itself.
unsafe impl Send for Track {}

impl Track {
    pub fn new(ring: Ring) -> Track {
        Track { ring, at: ring.first, fresh: 0 }
    }

    /// Goes so many lines on.
    ///
    /// # Safety
    /// The lines of the ring are still there.
    pub unsafe fn go(&mut self, loads: u64) {
        // SAFETY: the caller's promise.
        self.at = unsafe { chase::run(self.at, loads) };
        self.fresh = self.fresh.saturating_sub(loads);
    }

    /// Sees to it that none of the next `loads` lines is in a cache from the lap before, on processors that can do that, as far as
    /// the ring is that long.
    ///
    /// # Safety
    /// The lines of the ring are still there.
    pub unsafe fn refresh(&mut self, loads: u64) {
        if self.fresh < loads {
            // SAFETY: the caller's promise.
            unsafe { self.ring.evict() };
            // On from here, not from the start: where nothing can be thrown out, a lap through more than the caches hold must do it.
            self.fresh = self.ring.lap;
        }
    }
}

/// Which lines, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingShape {
    /// Lines at random within blocks of so many lines, blocks in ascending order; `None`: at random over all.
    pub block: Option<usize>,
    /// All lines of each unit, in phases, instead of its first only.
    pub all_lines: bool,
}

/// Joins the lines to one ring that starts at the first of the order drawn. Lines beyond the last whole unit are left out.
///
/// Blocks come in ascending order, the one that was written longest ago first: it is the least likely to be in a cache still.
///
/// # Panics
/// Fewer lines than one unit of four.
pub fn link(lines: &mut [Line], shape: RingShape, seed: u64) -> Ring {
    let units = lines.len() / UNIT;
    assert!(units > 0, "a ring needs {UNIT} lines");
    let block = shape.block.map_or(units, |lines| (lines / UNIT).clamp(1, units));
    let phases = if shape.all_lines { UNIT } else { 1 };
    let blocks = units.div_ceil(block);
    let first = lines.as_mut_ptr();
    let base = first.expose_provenance();
    let address = |unit: usize, phase: usize| (base + (unit * UNIT + phase) * size_of::<Line>()) as u64;
    let order = |phase: usize, at: usize| {
        let length = block.min(units - at * block);
        Order::new(length as u64, seed ^ ((phase as u64) << 48) ^ at as u64)
    };
    for phase in 0..phases {
        for at in 0..blocks {
            let here = order(phase, at);
            let (next_phase, next_at) = match (at + 1 == blocks, phase + 1 == phases) {
                (false, _) => (phase, at + 1),
                (true, false) => (phase + 1, 0),
                (true, true) => (0, 0),
            };
            let onward = address(next_at * block + order(next_phase, next_at).first() as usize, next_phase);
            for unit in 0..here.length {
                let next = match here.after(unit) {
                    Some(next) => address(at * block + next as usize, phase),
                    None => onward,
                };
                lines[(at * block + unit as usize) * UNIT + phase].0[0] = next;
            }
        }
    }
    Ring {
        first: first.wrapping_add(order(0, 0).first() as usize * UNIT),
        buffer: first,
        lines: units * UNIT,
        lap: (units * phases) as u64,
        every: UNIT / phases,
    }
}

impl Ring {
    pub fn start(&self) -> *const Line {
        self.first
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.lines * size_of::<Line>()) as u64
    }

    /// Throws the ring's lines out of all caches, so that the next lap finds none of them there; false where this processor
    /// cannot.
    ///
    /// # Safety
    /// The lines that were linked are still there.
    pub unsafe fn evict(&self) -> bool {
        // SAFETY: the caller's promise; reading is all that is done.
        let lines = unsafe { std::slice::from_raw_parts(self.buffer, self.lines) };
        lines.iter().step_by(self.every).for_each(flush);
        cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
    }
}

#[cfg(target_arch = "x86_64")]
fn flush(line: &Line) {
    // SAFETY: part of SSE2, which every x86-64 has; changes no contents.
    unsafe { std::arch::x86_64::_mm_clflush(std::ptr::from_ref(line).cast()) };
}

#[cfg(target_arch = "aarch64")]
fn flush(line: &Line) {
    // SAFETY: Linux lets programs clean and invalidate a line that they may read; changes no contents.
    unsafe { std::arch::asm!("dc civac, {}", in(reg) line, options(nostack, preserves_flags)) };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn flush(_: &Line) {}

/// Goes `loads` lines on. See [`chase::run`].
///
/// # Safety
/// `at` is a line of a ring whose lines are still there.
pub(crate) unsafe fn chase(at: *const Line, loads: u64) -> *const Line {
    // SAFETY: the caller's promise.
    unsafe { chase::run(at, loads) }
}

/// A permutation of `0..length` as one cycle without its last step, pseudo-random and invertible: position -> place by
/// multiplications and shifts modulo a power of two, places that are beyond `length` skipped.
struct Order {
    length: u64,
    mask: u64,
    shift: u32,
    factors: [u64; 2],
    inverses: [u64; 2],
    offset: u64,
}

impl Order {
    fn new(length: u64, seed: u64) -> Order {
        let bits = length.next_power_of_two().trailing_zeros();
        let mut state = seed;
        let mut draw = || {
            // SplitMix64 (Steele, Lea and Flood, 2014).
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        };
        let factors = [draw() | 1, draw() | 1];
        Order {
            length,
            mask: (1u64 << bits) - 1,
            shift: bits.div_ceil(2).max(1),
            factors,
            inverses: factors.map(inverse),
            offset: draw(),
        }
    }

    fn place(&self, position: u64) -> u64 {
        let mut x = position.wrapping_add(self.offset) & self.mask;
        for factor in self.factors {
            x = x.wrapping_mul(factor) & self.mask;
            x ^= x >> self.shift;
        }
        x
    }

    fn position(&self, place: u64) -> u64 {
        let mut x = place;
        for inverse in self.inverses.iter().rev() {
            // With a shift of at least half the bits it is its own inverse.
            x ^= x >> self.shift;
            x = x.wrapping_mul(*inverse) & self.mask;
        }
        x.wrapping_sub(self.offset) & self.mask
    }

    fn first(&self) -> u64 {
        (0..=self.mask).map(|position| self.place(position)).find(|&place| place < self.length).unwrap_or(0)
    }

    /// The place after this one; nothing after the last.
    fn after(&self, place: u64) -> Option<u64> {
        let position = self.position(place);
        (position + 1..=self.mask).map(|position| self.place(position)).find(|&place| place < self.length)
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's method: each step doubles the digits that are right.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}
