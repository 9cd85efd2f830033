//! What compilers said of the loops of a program when it was built.

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

/// Of a build before the run, as far as it is of loops that were sampled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerRecords {
    /// The command that built the program.
    pub command: String,
    pub wall: Nanoseconds,
    /// Calls of compilers of which there is a record, all of them.
    pub compiled: u64,
    /// Those with code of sampled loops.
    pub units: Vec<CompiledUnit>,
    pub remarks: Vec<LoopRemark>,
    /// Loaded files with sampled loops that the build wrote.
    pub written: Vec<String>,
}

/// A source as it was compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledUnit {
    /// From the root, where the compiler's folder is known. Missing where a whole program was linked at once.
    pub source: Option<String>,
    pub compiler: CompilerFamily,
    /// What of its options decides on vectors.
    pub flags: Vec<String>,
    /// Whether it tried to vectorize any loop.
    pub tried: bool,
}

/// Compilers whose records can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompilerFamily {
    /// Of C, C++ and Fortran.
    Gcc,
    Clang,
}

/// What a compiler made of a loop: each of its copies in functions has one of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopRemark {
    /// Index of [`CompilerRecords::units`].
    pub unit: u32,
    pub file: String,
    pub line: u32,
    /// None where it was vectorized.
    pub obstacle: Option<LoopObstacle>,
}

impl LoopRemark {
    /// A loop whose head has no instructions of its own begins at most so far before the first line that it has: statements may be long.
    pub const LINES_BEFORE: u32 = 10;
}

/// Why a loop was not vectorized.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LoopObstacle {
    pub cause: ObstacleCause,
    /// Of the statement that it is about.
    pub line: Option<u32>,
    /// The function that is called, or the data that iterations share.
    pub about: Option<String>,
    /// As the compiler says it.
    pub text: String,
}

/// What keeps a compiler from working on several iterations at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleCause {
    /// Pointers may point to the same data.
    Aliasing,
    /// An iteration reads memory that an earlier one writes, or may.
    Dependence,
    /// An iteration needs a value of the one before, which is no sum, product, minimum or maximum that may be reordered.
    CarriedValue,
    /// Sums would be added in another order.
    ReductionOrder,
    /// How many iterations there are is not known before the first.
    IterationCount,
    Call,
    /// Conditions, or more than one way out.
    ControlFlow,
    /// Elements that are not neighbours.
    DataAccess,
    /// It would not be faster, as the compiler estimates it.
    Cost,
    /// An operation or a type for which there are no vectors.
    Operation,
    /// Loops inside of it.
    Nest,
    /// The compiler does not vectorize at this level of optimisation, or only what costs nothing.
    Level,
    Other,
}
