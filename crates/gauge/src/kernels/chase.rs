//! Loads of which each needs the one before: a ring of lines, each with the address of the next in its first word.

use super::Line;

#[cfg(test)]
mod tests;

/// In which order a ring goes through its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// At random over all of them.
    Anywhere,
    /// At random over a block of so many bytes (at least a line), then over the next block, blocks at random: with blocks that
    /// the TLB covers, an address is looked up once for a whole block. Of every [`APART`] lines a round over the blocks takes
    /// one, so that there are as many rounds: a CPU that fetches the lines beside the one asked for fetches none that the
    /// chase comes to soon. Below 32 KiB a block has too few lines in a round to be worth it.
    WithinBlocks(usize),
}

/// Lines from one that is visited to the next that is visited in the same round. With all lines of a block of 2 MiB in one round
/// the machine in docs/decisions/0005-gauge-kernels.md shows 104 ns a load, with every second 146 ns, with every 16th 164 ns.
pub const APART: usize = 16;

/// The word that is written to have a line changed, beside the address in word 0.
const MARK: usize = 7;

/// Lines that a ring visits one after the other: every `step`th of `count` from `first` on.
struct Part {
    first: usize,
    step: usize,
    count: usize,
}

/// Joins all lines to one ring that starts, and starts its first block, at the first line. The same seed gives the same ring.
pub fn link(lines: &mut [Line], order: Order, seed: u64) {
    if lines.is_empty() {
        return;
    }
    let mut random = Random(seed);
    let parts = parts(lines.len(), order, &mut random);
    let start = lines.as_mut_ptr().expose_provenance();
    let address = |line: usize| (start + line * size_of::<Line>()) as u64;
    for (at, part) in parts.iter().enumerate() {
        for nth in 0..part.count {
            let line = part.first + nth * part.step;
            lines[line].0[0] = address(line);
        }
        let last = part.first + part.step * ring(lines, part, &mut random);
        lines[last].0[0] = address(parts[(at + 1) % parts.len()].first);
    }
}

/// All lines, each in one part, the first line in the first.
fn parts(lines: usize, order: Order, random: &mut Random) -> Vec<Part> {
    let bytes = match order {
        Order::Anywhere => return vec![Part { first: 0, step: 1, count: lines }],
        Order::WithinBlocks(bytes) => bytes,
    };
    let block = (bytes / size_of::<Line>()).clamp(1, lines);
    let mut blocks: Vec<usize> = (0..lines.div_ceil(block)).collect();
    for at in (2..blocks.len()).rev() {
        blocks.swap(at, 1 + random.below(at as u64) as usize);
    }
    let part = |round: usize, nth: usize| {
        let (first, end) = (nth * block + round, lines.min((nth + 1) * block));
        Part { first, step: APART, count: end.saturating_sub(first).div_ceil(APART) }
    };
    let all = (0..APART).flat_map(|round| blocks.iter().map(move |&nth| part(round, nth)));
    all.filter(|part| part.count > 0).collect()
}

/// Makes one ring of the lines of a part, each of which leads to itself, every ring as probable as another (Sattolo), and says
/// how far in the part the one before the first is.
fn ring(lines: &mut [Line], part: &Part, random: &mut Random) -> usize {
    let line = |nth: usize| part.first + nth * part.step;
    let mut before_first = 0;
    for at in (1..part.count).rev() {
        let other = random.below(at as u64) as usize;
        let next = lines[line(at)].0[0];
        lines[line(at)].0[0] = std::mem::replace(&mut lines[line(other)].0[0], next);
        // The address of the first moves once, away from the first, and what line `at` holds now is final.
        if before_first == 0 && other == 0 {
            before_first = at;
        }
    }
    before_first
}

/// Goes `loads` lines on from `start`, each load waiting for the one before, and gives the line that it ended on: after as many
/// loads as the ring has lines, it is `start` again.
///
/// # Safety
/// `start` is a line of a ring that [`link`] made, whose lines are where they were then and which nobody links anew meanwhile.
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

/// SplitMix64 (Steele, Lea and Flood, 2014): small, fast, and good enough for an order that no prefetcher guesses.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Evenly below `bound`, up to one part in 2^64 / bound.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}
