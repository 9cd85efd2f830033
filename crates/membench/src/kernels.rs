//! The loops that load memory, for each mix of reads and writes one in every width of vectors and every path.
//!
//! A kernel steps through up to three streams of lines side by side. It counts bytes as the program moves them: every line
//! that is written was read before or is stored past the caches, so that there is no traffic that nobody counted. What a
//! kernel read goes into a sum that the caller checks, so that no compiler and no mistake can leave the work out.

use numawise_facts::{LoopPath, MemoryLoop, Mix, Vectors};

pub(crate) mod arithmetic;
pub mod chase;

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod check;
mod portable;
mod spin;
mod walk;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use check::{WrongWord, fill};
pub use spin::spin;

#[cfg(test)]
#[path = "kernels_tests.rs"]
mod tests;

/// A line of memory: the unit in which memory moves on every machine that we know (some move two).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u64; 8]);

/// The vector instructions that this CPU has, the widest first; `Portable` is always the last.
pub fn available() -> Vec<Vectors> {
    Vectors::ALL.into_iter().filter(|vectors| is_available(*vectors)).collect()
}

#[cfg(target_arch = "x86_64")]
fn is_available(vectors: Vectors) -> bool {
    match vectors {
        Vectors::Avx512 => std::is_x86_feature_detected!("avx512f"),
        Vectors::Avx2 => std::is_x86_feature_detected!("avx2"),
        Vectors::Sse2 | Vectors::Portable => true,
        Vectors::Neon => false,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn is_available(vectors: Vectors) -> bool {
    vectors == Vectors::Portable || (cfg!(target_arch = "aarch64") && vectors == Vectors::Neon)
}

/// The first line of each stream; those beyond [`Kernel::streams`] are not touched.
pub type Streams = [*mut Line; 3];

/// What a loop is: streams, lines of each -> the sum.
type Run = unsafe fn(Streams, usize) -> u64;

/// One loop. `Copy`, `Send` and `Sync`: a pointer to code and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    pub mix: Mix,
    pub which: MemoryLoop,
    run: Run,
}

impl Kernel {
    /// This loop for this mix; `None` where this CPU cannot run it.
    pub fn new(mix: Mix, which: MemoryLoop) -> Option<Kernel> {
        let MemoryLoop { vectors, path } = which;
        if !is_available(vectors) {
            return None;
        }
        let run = match vectors {
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512 => x86::avx512::of(mix, path),
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2 => x86::avx2::of(mix, path),
            #[cfg(target_arch = "x86_64")]
            Vectors::Sse2 => x86::sse2::of(mix, path),
            #[cfg(target_arch = "aarch64")]
            Vectors::Neon => aarch64::of(mix, path),
            _ => portable::of(mix, path),
        };
        Some(Kernel { mix, which, run })
    }

    /// The loops among which a trial decides: every width of vectors that this CPU has, in every path; the tuned one of the
    /// widest first. Which one wins by a few percent, and on some processors by ten, depends on the prefetchers and on how
    /// wide the core's own paths are, and no rule that we know foretells it. Plain Rust, whose stores go through the
    /// caches, is among them only where there is nothing else.
    pub fn candidates(mix: Mix) -> Vec<Kernel> {
        Kernel::along(mix, &[LoopPath::Tuned, LoopPath::Straight])
    }

    /// The candidates for blocks of a page: the parts that a tuned loop takes at once begin anew in each block, and where a
    /// block is that short their first lines, which no prefetcher foresees, are a good share of it.
    pub fn candidates_for_short_blocks(mix: Mix) -> Vec<Kernel> {
        Kernel::along(mix, &[LoopPath::Straight])
    }

    fn along(mix: Mix, paths: &[LoopPath]) -> Vec<Kernel> {
        let all = available();
        let own: Vec<Vectors> = all.iter().copied().filter(|vectors| *vectors != Vectors::Portable).collect();
        let vectors = if own.is_empty() { all } else { own };
        let of = |&path: &LoopPath| {
            vectors.iter().filter_map(move |&vectors| Kernel::new(mix, MemoryLoop { vectors, path }))
        };
        paths.iter().flat_map(of).collect()
    }

    /// How many streams it steps through (1 to 3). The first is the one that is written, where one is.
    pub fn streams(&self) -> usize {
        match self.mix {
            Mix::Read | Mix::Read1Write1 | Mix::NonTemporalWrite => 1,
            Mix::Read2Write1 => 2,
            Mix::Read3Write1 | Mix::Triad => 3,
        }
    }

    /// Bytes read and bytes written by one call over `lines` lines of each stream.
    pub fn bytes(&self, lines: usize) -> (u64, u64) {
        let (read, written) = self.mix.lines();
        (64 * read * lines as u64, 64 * written * lines as u64)
    }

    /// Steps through `lines` lines of each stream once; all stores are done when it returns. The result is a wrapping sum of
    /// the words read (of the words computed for the triad, 0 for a mix that reads nothing): see [`Kernel::expected`].
    ///
    /// # Safety
    /// Each of the first [`Kernel::streams`] pointers leads to `lines` lines that nobody else uses meanwhile, and that do not
    /// overlap.
    pub unsafe fn run(&self, streams: Streams, lines: usize) -> u64 {
        // SAFETY: the caller's promise is that of the loop.
        unsafe { (self.run)(streams, lines) }
    }
}
