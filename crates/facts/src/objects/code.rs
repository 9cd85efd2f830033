//! Loops of the machine code in which threads were sampled, and what their instructions do with data.

use serde::{Deserialize, Serialize};

use super::{CompilerRecords, FileAddress};
use crate::Reading;

/// The code in which a program was sampled, by clock ticks of its threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeSamples {
    /// A loop stands behind the one around it. Those around sampled ones are there too.
    pub loops: Vec<MachineLoop>,
    /// Functions that were sampled outside of their loops.
    pub outside: Vec<OutsideLoops>,
    /// In code of no known function: made while the program runs, stripped, or of the system.
    pub without_code: Vec<ThreadSamples>,
    /// In libraries that pass messages.
    pub messages: Vec<ThreadSamples>,
    /// Bits of the widest vectors that the CPU has instructions for.
    pub offered: Reading<u32>,
    /// What compilers said of the loops; missing where the program was not built for the survey.
    #[serde(default)]
    pub compiled: Option<Reading<CompilerRecords>>,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
