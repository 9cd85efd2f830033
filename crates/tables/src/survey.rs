//! The loops of a program, those with most of its time first, and how many elements each works with at once.

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{CompilerFamily, LoopObstacle, LoopWork};
use numawise_facts::{FindingId, Reading};
use numawise_units::Ratio;

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
    /// What was sampled, all together.
    pub samples: Reading<u64>,
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
    /// Of the part with most time.
    pub work: LoopWork,
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

/// A function with time outside of loops.
#[derive(Debug, Clone, PartialEq)]
pub struct OutsideRow {
    pub function: CodePlace,
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
