//! The loops of a program, those with most of its time first, and how many elements each works with at once.

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{
    CodeObstacle, CompilerFamily, LoopObstacle, LoopPass, LoopSpeed, LoopTrips, LoopWork,
};
use numawise_facts::{FindingId, Reading};
use numawise_units::{Bytes, NodeId, Ratio};

use crate::objects::ShareInterval;

/// All that is said of the loops of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopTables {
    /// Of the source, those with most time first.
    pub rows: Vec<LoopRow>,
    /// Loops with less time than those, and what they have together.
    pub left_out: (u64, Ratio),
    /// Functions with time outside of loops.
    pub outside: Vec<OutsideRow>,
    /// Code of no known function, most time first.
    pub unknown: Vec<UnknownRow>,
    /// What was sampled, all together.
    pub samples: Reading<u64>,
    /// Why there are no ceilings, where there are none.
    pub ceilings: Reading<()>,
    /// Of the time; of few samples nothing is said.
    pub by_use: Reading<UseOfVectors>,
    /// Bits of the widest vectors that the CPU has instructions for.
    pub offered: Reading<u32>,
    /// What sampling cost, of the CPU time of the program.
    pub cost: Reading<Ratio>,
    /// Those that can bring most first.
    pub findings: Vec<LoopFinding>,
}

/// Shares of the time, which sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UseOfVectors {
    /// In loops, by [`VectorLevel`].
    pub full: Ratio,
    pub partial: Ratio,
    pub scalar: Ratio,
    pub none: Ratio,
    /// In loops in which threads spin until others do something.
    pub spinning: Ratio,
    /// In libraries that pass messages.
    pub messages: Ratio,
    pub outside: Ratio,
    /// In code of no known function.
    pub without_code: Ratio,
}

impl UseOfVectors {
    /// In which threads spin, or are in MPI.
    pub fn waiting(&self) -> Ratio {
        Ratio(self.spinning.0 + self.messages.0)
    }
}

/// How a loop uses vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VectorLevel {
    /// A thread spins in it until another one does something.
    Spins,
    /// It works with general registers only.
    NoVectorRegisters,
    Scalar,
    Partial,
    Full,
}

/// A loop of the source: all that the compiler made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopRow {
    /// Its first line; without lines the begin of the function.
    pub place: CodePlace,
    pub last_line: Option<u32>,
    pub time: ShareInterval,
    pub samples: u64,
    /// Threads that were seen in it, and what the busiest has of its time.
    pub threads: u32,
    pub busiest: Ratio,
    /// Loops of the machine code.
    pub parts: u32,
    pub depth: u32,
    pub is_innermost: bool,
    pub level: VectorLevel,
    /// What of its time is in parts that work with several elements at once.
    pub in_vectors: Ratio,
    /// All below is of the part with most time.
    pub work: LoopWork,
    pub pass: Reading<LoopPass>,
    pub trips: Reading<LoopTrips>,
    pub speed: Reading<LoopSpeed>,
    /// Those that move on, in the order of its instructions.
    pub streams: Vec<LoopStream>,
    pub roof: Reading<LoopRoof>,
    /// What its compiler says of it; missing where the program was not built for the survey.
    pub compiled: Option<Reading<CompiledLoop>>,
}

/// What a compiler says of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledLoop {
    pub compiler: CompilerFamily,
    /// What of its options decides on vectors.
    pub flags: Vec<String>,
    /// The loop, or a copy of it, was vectorized.
    pub is_vectorized: bool,
    /// Why it, or other copies, were not.
    pub obstacles: Vec<LoopObstacle>,
}

/// What bounds a thread in a loop, by what the machine was measured to do at most.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopRoof {
    /// Floating-point operations for each byte that instructions load and store.
    pub per_byte: Reading<f64>,
    /// Bytes that a pass moves between memory, or the cache that holds all, and the nearest cache: whole lines; those written are read before.
    pub moved: Reading<f64>,
    /// Passes in a second at most, the lowest ceiling first; one at least.
    pub ceilings: Vec<LoopCeiling>,
    /// What a thread reached: passes in a second, and of the lowest ceiling.
    pub passes: Reading<f64>,
    pub reached: Reading<Ratio>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopCeiling {
    pub of: Ceiling,
    pub passes: f64,
}

/// What a machine has only so much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ceiling {
    /// Arithmetic, with vectors as wide as the loop has them.
    Arithmetic,
    /// Loads and stores of the nearest cache.
    NearestCache,
    /// The cache that holds what it goes over.
    Cache(u32),
    /// No cache holds it.
    Memory,
}

impl LoopRoof {
    /// The lowest that better instructions do not raise.
    pub fn of_data(&self) -> Option<LoopCeiling> {
        self.ceilings.iter().copied().find(|ceiling| ceiling.of != Ceiling::Arithmetic)
    }
}

/// Accesses of a pass that are apart by what does not change: of one array, or of one row of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopStream {
    pub reads: bool,
    pub writes: bool,
    /// Bytes by which it moves on in a pass.
    pub stride: Reading<i64>,
    /// Bytes that a pass accesses, each access counted, and those that no other pass does.
    pub bytes: u64,
    pub fresh: Reading<u64>,
    /// Used bytes of all in the cache lines that it comes to.
    pub of_lines: Reading<Ratio>,
    /// From where to where in each stride: more than one part of structures, for one.
    pub parts: Vec<(u64, u64)>,
    /// From the lowest to the highest address that samples saw.
    pub span: Reading<Bytes>,
    /// More than 1 of gathers and scatters.
    pub elements: u32,
    /// The variable that it is in, and the nodes on which its pages lay.
    pub variable: Reading<String>,
    pub nodes: Vec<NodeId>,
}

/// A function with time outside of loops.
#[derive(Debug, Clone, PartialEq)]
pub struct OutsideRow {
    pub function: CodePlace,
    pub time: ShareInterval,
}

/// Code of no known function.
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownRow {
    pub why: CodeObstacle,
    /// Where it lies, or the runtime that makes it.
    pub file: Option<String>,
    /// As the runtime names it.
    pub function: Option<String>,
    pub time: ShareInterval,
}

/// What stands out of a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopFinding {
    pub id: FindingId,
    /// Index of [`LoopTables::rows`].
    pub row: usize,
    /// How many elements could be worked with at once, for one now.
    pub lanes: Ratio,
    /// How many times as fast the program is at most, where the loop is so many times as fast (Amdahl) and memory does not hold it up.
    pub brings: Ratio,
}
