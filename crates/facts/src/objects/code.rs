//! Loops of the machine code in which threads were sampled, and what their instructions do with data.

use serde::{Deserialize, Serialize};

use numawise_units::{Bytes, BytesPerSecond, NodeId};

use super::{CompilerRecords, FileAddress, TriedFlags};
use crate::{PeakKind, Reading};

mod rows;

/// The code in which a program was sampled, by clock ticks of its threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodeSamples {
    /// A loop stands behind the one around it. Those around sampled ones are there too.
    pub loops: Vec<MachineLoop>,
    /// Functions that were sampled outside of their loops.
    pub outside: Vec<OutsideLoops>,
    /// In code of no known function.
    pub without_code: Vec<ThreadSamples>,
    /// The same, by what that code is; records of older versions do not say it.
    #[serde(default)]
    pub unknown: Vec<UnknownCode>,
    /// In libraries that pass messages.
    pub messages: Vec<ThreadSamples>,
    /// Bits of the widest vectors that the CPU has instructions for.
    pub offered: Reading<u32>,
    /// What compilers said of the loops; missing where the program was not built for the survey.
    #[serde(default)]
    pub compiled: Option<Reading<CompilerRecords>>,
    /// Options that were tried, each set with all that stand before it.
    #[serde(default)]
    pub tried: Vec<TriedFlags>,
    /// What the machine was measured to do at most.
    #[serde(default = "unsaid")]
    pub ceilings: Reading<Ceilings>,
}

impl CodeSamples {
    /// No samples.
    pub fn none(offered: Reading<u32>) -> CodeSamples {
        CodeSamples {
            loops: Vec::new(),
            outside: Vec::new(),
            without_code: Vec::new(),
            unknown: Vec::new(),
            messages: Vec::new(),
            offered,
            compiled: None,
            tried: Vec::new(),
            ceilings: Reading::unavailable("the machine was not asked for"),
        }
    }
}

/// What a machine was measured to compute and to move at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "rows::Rows", into = "rows::Rows")]
pub struct Ceilings {
    pub arithmetic: Vec<ArithmeticCeiling>,
    /// From the nearest on.
    pub caches: Vec<CacheCeiling>,
    /// Of one core and the nearest memory, and of all cores together.
    pub core_memory: Reading<BytesPerSecond>,
    pub machine_memory: Reading<BytesPerSecond>,
}

/// Arithmetic of one core, in registers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArithmeticCeiling {
    pub kind: PeakKind,
    /// Floating-point operations in a second.
    pub rate: f64,
}

/// A cache from which one core reads.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheCeiling {
    pub level: u32,
    pub size: Bytes,
    /// Cores that share it.
    pub cores: u32,
    pub read: Reading<BytesPerSecond>,
}

/// Code of no known function.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnknownCode {
    pub why: CodeObstacle,
    /// Where it lies; of code that a runtime makes, the runtime.
    pub file: Option<String>,
    /// As the runtime itself names it, in its map for `perf`.
    pub function: Option<String>,
    pub samples: u64,
}

/// Why nothing is known of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeObstacle {
    /// A runtime makes it while the program runs.
    JustInTime(CodeRuntime),
    /// It lies in memory without a file, and no such runtime is loaded: the program makes or unpacks it.
    NoFile,
    /// Of the kernel, in the process.
    OfKernel,
    /// Neither a symbol nor a table for unwinding names a function there.
    NoFunction,
    /// Threads run instructions that the file does not have there: it was written over.
    WrittenOver,
    /// The file was changed after it was loaded, or cannot be read.
    UnreadableFile,
    /// Its process had ended before the kernel was asked what lies there.
    Gone,
}

/// What makes code while a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeRuntime {
    Java,
    Julia,
    LuaJit,
    Python,
    JavaScript,
    DotNet,
    Ruby,
}

/// Samples of a thread: an index of [`ObjectRun::threads`](super::ObjectRun::threads).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadSamples {
    pub thread: u32,
    pub samples: u64,
}

/// A function that was sampled outside of its loops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideLoops {
    /// Of its begin: an index of [`ObjectRun::places`](super::ObjectRun::places).
    pub function: u32,
    pub samples: Vec<ThreadSamples>,
}

/// A loop of the machine code: compilers make several of one in the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineLoop {
    /// Of its first instruction.
    pub head: FileAddress,
    /// Of the begin of the function that it is in: an index of [`ObjectRun::places`](super::ObjectRun::places).
    pub function: u32,
    /// The loop around it: an index of [`CodeSamples::loops`].
    pub parent: Option<u32>,
    /// 1: no loop is around it.
    pub depth: u32,
    pub is_innermost: bool,
    /// What its own instructions were made of, in no loop inside of it: indices of [`ObjectRun::places`](super::ObjectRun::places).
    pub lines: Vec<LoopLine>,
    /// In its own instructions.
    pub samples: Vec<ThreadSamples>,
    pub work: LoopWork,
    /// Stored as rows of numbers: each type that is read from a record by itself takes some KB of the program.
    #[serde(default)]
    pub passing: LoopPassing,
}

/// How threads go through a loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "rows::Rows", into = "rows::Rows")]
pub struct LoopPassing {
    pub pass: Reading<LoopPass>,
    pub trips: Reading<LoopTrips>,
    pub speed: Reading<LoopSpeed>,
    /// Of one pass, in the order of its instructions; none where they were not looked into.
    pub accesses: Vec<LoopAccess>,
}

impl LoopPassing {
    /// Of a loop of which nothing more is known, for this reason.
    pub fn unknown(reason: &'static str) -> LoopPassing {
        LoopPassing {
            pass: Reading::unavailable(reason),
            trips: Reading::unavailable(reason),
            speed: Reading::unavailable(reason),
            accesses: Vec::new(),
        }
    }
}

impl Default for LoopPassing {
    fn default() -> LoopPassing {
        LoopPassing::unknown(OLDER)
    }
}

const OLDER: &str = "the record was made by an older version";

/// The reading of a member that an older record does not have.
fn unsaid<T>() -> Reading<T> {
    Reading::unavailable(OLDER)
}

/// What one pass of a loop does: from its head until it comes there again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopPass {
    /// On average.
    pub mean: Reading<PassCount>,
    /// Whichever way passes go, and whatever masks leave out.
    pub least: PassCount,
    pub most: PassCount,
}

/// Bytes and operations, counted from instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PassCount {
    /// Bytes of memory that moves on from pass to pass, or lies anywhere.
    pub loaded: f64,
    pub stored: f64,
    /// Bytes at the same places of the stack in each pass.
    pub stack_loaded: f64,
    pub stack_stored: f64,
    /// Bytes at the same other places in each pass.
    pub fixed: f64,
    /// Floating-point operations on elements of 64, 32 and 16 bits; a product with a sum is two.
    pub double: f64,
    pub single: f64,
    pub half: f64,
    pub instructions: f64,
}

impl PassCount {
    /// Bytes that are not of the stack, nor at fixed places.
    pub fn moved(&self) -> f64 {
        self.loaded + self.stored
    }

    pub fn operations(&self) -> f64 {
        self.double + self.single + self.half
    }
}

/// How often a loop is passed through from its begin to its end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LoopTrips {
    pub mean: f64,
    /// 95 % interval of the mean.
    pub low: f64,
    pub high: f64,
    /// Standard deviation.
    pub deviation: f64,
    /// Of those that were seen.
    pub least: u64,
    pub most: u64,
    pub samples: u64,
}

/// How fast one thread goes through a loop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LoopSpeed {
    /// In a second of CPU time: the median, and the quartiles.
    pub passes: f64,
    pub low: f64,
    pub high: f64,
    /// So many more, for each time that it ended and began anew between two samples.
    pub again: f64,
    /// Samples with the one before.
    pub pairs: u64,
}

/// An access to memory in each pass of a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopAccess {
    /// Of the instruction, in the file of the loop.
    pub address: u64,
    pub reads: bool,
    pub writes: bool,
    pub bytes: u32,
    /// More than 1 of gathers and scatters.
    pub elements: u32,
    /// By how many bytes it moves on in a pass.
    pub stride: Reading<i64>,
    /// Accesses with the same number are apart by what does not change.
    pub stream: u32,
    /// From the lowest of its stream on.
    pub offset: u64,
    pub is_of_stack: bool,
    /// The lowest and the highest address that samples saw.
    pub seen: Reading<(u64, u64)>,
    /// The variable that it is in.
    pub variable: Reading<String>,
    /// Nodes on which pages of it lay.
    pub nodes: Vec<NodeId>,
}

/// A line of the source that a loop was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopLine {
    pub place: u32,
    pub instructions: u32,
}

/// What the own instructions of a loop do, each counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopWork {
    pub instructions: u32,
    /// Elements that arithmetic works with: by instructions on one element, and on several.
    pub scalar_elements: u32,
    pub packed_elements: u32,
    /// The same of loads and stores of vector registers.
    pub scalar_moved: u32,
    pub packed_moved: u32,
    /// Of the widest vectors with several elements; 0: none.
    pub vector_bits: u32,
    /// The most elements at once.
    pub lanes: u32,
    /// Bits of the elements that most arithmetic is with; 0: none.
    pub element_bits: u32,
    /// Floating-point operations.
    pub floating: u32,
    pub masked: u32,
    pub gathers: u32,
    pub scatters: u32,
    pub divides: u32,
    pub square_roots: u32,
    pub converts: u32,
    pub shuffles: u32,
    pub spills: u32,
    pub calls: u32,
    /// Instructions by which a thread tells that it spins until another one does something.
    pub pauses: u32,
}
