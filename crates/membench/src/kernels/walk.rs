//! The way of every kernel through its lines, whatever vectors hold them.
//!
//! Written once over [`Held`] and compiled once for each instruction set: each set's own functions carry the attribute that
//! lets the compiler use the instructions, and everything here is inlined into them.

use std::marker::PhantomData;

use super::check::{STEP, STORED};
use super::{Line, Streams};

/// A line in registers.
///
/// # Safety
/// All functions run only where the CPU has the instructions; pointers lead to a line that is ours.
pub(super) trait Held: Copy {
    /// Sums that are kept apart, 1 or 2, so that an addition need not wait for the one just before. Lines of four vectors need
    /// but one, and have no registers for two.
    const SUMS: usize;
    /// Whether fetching ahead was seen to help with these instructions.
    const AHEAD: bool;

    unsafe fn splat(word: u64) -> Self;
    unsafe fn load(from: *const Line) -> Self;
    unsafe fn store(self, to: *mut Line);
    /// Past the caches, where the CPU can.
    unsafe fn stream(self, to: *mut Line);
    unsafe fn add(self, other: Self) -> Self;
    /// The same, at this point of the program: for sums that the compiler would put off until it is short of registers.
    #[inline(always)]
    unsafe fn settled(self) -> Self {
        self
    }
    /// The sum of the words.
    unsafe fn total(self) -> u64;
    /// Asks for a line that need not be there.
    unsafe fn prefetch(line: *const Line);
    /// All that was streamed is in memory afterwards.
    unsafe fn fence();
}

/// What a mix does with one line of each stream.
///
/// # Safety
/// As for [`Held`].
pub(super) trait Step {
    /// Streams that are read, which are those worth fetching ahead.
    const READ: &'static [usize];
    const STREAMS: bool = false;

    /// Gives what was read, in one line, for the sum.
    unsafe fn step<H: Held>(streams: Streams, at: usize) -> H;
}

/// How many parts of the lines a loop steps through at once, how many lines of each before the next part, and by how many
/// lines it fetches ahead.
pub(super) struct Traversal<const PARTS: usize, const SPAN: usize, const AHEAD: usize>(PhantomData<()>);

impl<const PARTS: usize, const SPAN: usize, const AHEAD: usize> Traversal<PARTS, SPAN, AHEAD> {
    /// # Safety
    /// As for [`Kernel::run`](super::Kernel::run), on a CPU that has the instructions of `H`.
    #[inline(always)]
    pub(super) unsafe fn walk<S: Step, H: Held>(streams: Streams, lines: usize) -> u64 {
        let part = lines / (PARTS * SPAN) * SPAN;
        // SAFETY: the caller's promises; every index below is below `lines`, but for those fetched ahead.
        unsafe {
            let mut sums = [H::splat(0); 2];
            let mut at = 0;
            while at < part {
                for nth in 0..PARTS {
                    let start = at + nth * part;
                    if H::AHEAD && AHEAD > 0 {
                        Self::fetch::<S, H>(streams, start + AHEAD);
                    }
                    for line in 0..SPAN {
                        let sum = &mut sums[(nth * SPAN + line) % H::SUMS];
                        *sum = sum.add(S::step(streams, start + line)).settled();
                    }
                }
                at += SPAN;
            }
            for at in PARTS * part..lines {
                sums[0] = sums[0].add(S::step(streams, at));
            }
            if S::STREAMS {
                H::fence();
            }
            sums[0].add(sums[1]).total()
        }
    }

    /// # Safety
    /// Only on a CPU that has the instructions of `H`.
    #[inline(always)]
    unsafe fn fetch<S: Step, H: Held>(streams: Streams, start: usize) {
        for &stream in S::READ {
            for line in 0..SPAN {
                // SAFETY: a fetch ahead reads nothing that anybody sees, wherever it leads.
                unsafe { H::prefetch(streams[stream].wrapping_add(start + line)) };
            }
        }
    }
}

pub(super) struct Read;
pub(super) struct Read1Write1;
pub(super) struct Read2Write1;
pub(super) struct Read3Write1;
pub(super) struct Triad;
pub(super) struct Write;

impl Step for Read {
    const READ: &'static [usize] = &[0];

    #[inline(always)]
    unsafe fn step<H: Held>([a, ..]: Streams, at: usize) -> H {
        // SAFETY: the caller's promises.
        unsafe { H::load(a.add(at)) }
    }
}

impl Step for Read1Write1 {
    const READ: &'static [usize] = &[0];

    #[inline(always)]
    unsafe fn step<H: Held>([a, ..]: Streams, at: usize) -> H {
        // SAFETY: the caller's promises.
        unsafe {
            let read = H::load(a.add(at));
            read.add(H::splat(STEP)).store(a.add(at));
            read
        }
    }
}

impl Step for Read2Write1 {
    const READ: &'static [usize] = &[0, 1];

    #[inline(always)]
    unsafe fn step<H: Held>(streams: Streams, at: usize) -> H {
        // SAFETY: the caller's promises.
        unsafe { Read1Write1::step::<H>(streams, at).add(H::load(streams[1].add(at))) }
    }
}

impl Step for Read3Write1 {
    const READ: &'static [usize] = &[0, 1, 2];

    #[inline(always)]
    unsafe fn step<H: Held>(streams: Streams, at: usize) -> H {
        // SAFETY: the caller's promises.
        unsafe { Read2Write1::step::<H>(streams, at).add(H::load(streams[2].add(at))) }
    }
}

impl Step for Triad {
    const READ: &'static [usize] = &[1, 2];
    const STREAMS: bool = true;

    #[inline(always)]
    unsafe fn step<H: Held>([a, b, c]: Streams, at: usize) -> H {
        // SAFETY: the caller's promises.
        unsafe {
            let scaled = H::load(c.add(at));
            let computed = H::load(b.add(at)).add(scaled.add(scaled));
            computed.stream(a.add(at));
            computed
        }
    }
}

impl Step for Write {
    const READ: &'static [usize] = &[];
    const STREAMS: bool = true;

    #[inline(always)]
    unsafe fn step<H: Held>([a, ..]: Streams, at: usize) -> H {
        // SAFETY: the caller's promises.
        unsafe {
            H::splat(STORED).stream(a.add(at));
            H::splat(0)
        }
    }
}

/// The loops of one instruction set, as functions of their own that a disassembler finds by name, and `of`, which gives them.
///
/// The tuned traversals are those that did best where we measured, of many: docs/decisions/0005-memory-benchmark-kernels.md.
macro_rules! loops {
    ($held:ty $(, $feature:literal)?) => {
        pub(in crate::kernels) fn of(
            mix: numawise_facts::Mix,
            path: numawise_facts::LoopPath,
        ) -> $crate::kernels::Run {
            use numawise_facts::{LoopPath, Mix};
            match (path, mix) {
                (LoopPath::Straight, Mix::Read) => straight::read,
                (LoopPath::Straight, Mix::Read3Write1) => straight::read3_write1,
                (LoopPath::Straight, Mix::Read2Write1) => straight::read2_write1,
                (LoopPath::Straight, Mix::Read1Write1) => straight::read1_write1,
                (LoopPath::Straight, Mix::Triad) => straight::triad,
                (LoopPath::Straight, Mix::NonTemporalWrite) => straight::write,
                (LoopPath::Tuned, Mix::Read) => tuned::read,
                (LoopPath::Tuned, Mix::Read3Write1) => tuned::read3_write1,
                (LoopPath::Tuned, Mix::Read2Write1) => tuned::read2_write1,
                (LoopPath::Tuned, Mix::Read1Write1) => tuned::read1_write1,
                (LoopPath::Tuned, Mix::Triad) => tuned::triad,
                (LoopPath::Tuned, Mix::NonTemporalWrite) => tuned::write,
            }
        }

        mod straight {
            $crate::kernels::walk::loops!(@ $held, read, Read, 1, 8, 0 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, read1_write1, Read1Write1, 1, 4, 0 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, read2_write1, Read2Write1, 1, 4, 0 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, read3_write1, Read3Write1, 1, 4, 0 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, triad, Triad, 1, 4, 0 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, write, Write, 1, 4, 0 $(, $feature)?);
        }

        mod tuned {
            $crate::kernels::walk::loops!(@ $held, read, Read, 2, 2, 16 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, read1_write1, Read1Write1, 2, 2, 16 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, read2_write1, Read2Write1, 2, 1, 32 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, read3_write1, Read3Write1, 2, 1, 32 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, triad, Triad, 1, 4, 16 $(, $feature)?);
            $crate::kernels::walk::loops!(@ $held, write, Write, 4, 2, 0 $(, $feature)?);
        }
    };
    (@ $held:ty, $name:ident, $step:ident, $parts:literal, $span:literal, $ahead:literal $(, $feature:literal)?) => {
        /// # Safety
        /// As for `Kernel::run`, on a CPU that has the instructions.
        #[inline(never)]
        $(#[target_feature(enable = $feature)])?
        pub(super) unsafe fn $name(streams: $crate::kernels::Streams, lines: usize) -> u64 {
            use $crate::kernels::walk::{Traversal, $step};
            // SAFETY: the caller's promises.
            unsafe { Traversal::<$parts, $span, $ahead>::walk::<$step, $held>(streams, lines) }
        }
    };
}
pub(super) use loops;
