//! The loops that load memory, one for each mix of reads and writes, with the widest vectors that the CPU has.
//!
//! A kernel steps through up to three streams of lines side by side. It counts bytes as the program moves them: every line
//! that is written was read before or is stored past the caches, so that there is no traffic that nobody counted. What a
//! kernel read goes into a sum that the caller checks, so that no compiler and no mistake can leave the work out.

use numawise_facts::Mix;

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

/// Vector instructions, the widest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    Avx512,
    Avx2,
    Sse2,
    Neon,
    /// What the compiler makes of plain Rust; stores go through the caches.
    Portable,
}

impl Vectors {
    const ALL: [Vectors; 5] =
        [Vectors::Avx512, Vectors::Avx2, Vectors::Sse2, Vectors::Neon, Vectors::Portable];

    /// Those that this CPU has, the widest first; `Portable` is always the last.
    pub fn available() -> Vec<Vectors> {
        Vectors::ALL.into_iter().filter(|vectors| vectors.are_available()).collect()
    }

    #[cfg(target_arch = "x86_64")]
    fn are_available(self) -> bool {
        match self {
            Vectors::Avx512 => std::is_x86_feature_detected!("avx512f"),
            Vectors::Avx2 => std::is_x86_feature_detected!("avx2"),
            Vectors::Sse2 | Vectors::Portable => true,
            Vectors::Neon => false,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn are_available(self) -> bool {
        matches!(self, Vectors::Portable) || (cfg!(target_arch = "aarch64") && self == Vectors::Neon)
    }

    pub fn name(self) -> &'static str {
        match self {
            Vectors::Avx512 => "avx512",
            Vectors::Avx2 => "avx2",
            Vectors::Sse2 => "sse2",
            Vectors::Neon => "neon",
            Vectors::Portable => "portable",
        }
    }
}

/// The way through the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// From the first line to the last, as every simple program does it.
    Straight,
    /// In the way that did best where we measured: fetching ahead, and for most mixes through several parts of the lines at
    /// once, so that the core has more lines under way.
    Tuned,
}

/// The first line of each stream; those beyond [`Kernel::streams`] are not touched.
pub type Streams = [*mut Line; 3];

/// What a loop is: streams, lines of each -> the sum.
type Run = unsafe fn(Streams, usize) -> u64;

/// One loop. `Copy`, `Send` and `Sync`: a pointer to code and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    pub mix: Mix,
    pub vectors: Vectors,
    pub shape: Shape,
    run: Run,
}

impl Kernel {
    /// The tuned loop for this mix; `None` where this CPU cannot run it.
    pub fn new(mix: Mix, vectors: Vectors) -> Option<Kernel> {
        Kernel::shaped(mix, vectors, Shape::Tuned)
    }

    /// The loop for this mix in this shape; `None` where this CPU cannot run it.
    pub fn shaped(mix: Mix, vectors: Vectors, shape: Shape) -> Option<Kernel> {
        if !vectors.are_available() {
            return None;
        }
        let run = match vectors {
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512 => x86::avx512::of(mix, shape),
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2 => x86::avx2::of(mix, shape),
            #[cfg(target_arch = "x86_64")]
            Vectors::Sse2 => x86::sse2::of(mix, shape),
            #[cfg(target_arch = "aarch64")]
            Vectors::Neon => aarch64::of(mix, shape),
            _ => portable::of(mix, shape),
        };
        Some(Kernel { mix, vectors, shape, run })
    }

    /// The tuned loop for this mix with the widest vectors that this CPU has.
    pub fn best(mix: Mix) -> Kernel {
        let widest = Vectors::available().into_iter().find_map(|vectors| Kernel::new(mix, vectors));
        widest.unwrap_or_else(|| {
            let shape = Shape::Tuned;
            Kernel { mix, vectors: Vectors::Portable, shape, run: portable::of(mix, shape) }
        })
    }

    /// The loops worth a trial where the fastest is wanted, [`Kernel::best`] first: the two widest vectors, in every shape.
    /// Which one wins by a few percent depends on the prefetchers of the CPU, and no rule that we know foretells it.
    pub fn candidates(mix: Mix) -> Vec<Kernel> {
        let widest: Vec<Vectors> = Vectors::available().into_iter().take(2).collect();
        [Shape::Tuned, Shape::Straight]
            .into_iter()
            .flat_map(|shape| widest.iter().filter_map(move |&vectors| Kernel::shaped(mix, vectors, shape)))
            .collect()
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
