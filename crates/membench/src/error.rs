//! What can keep a whole measurement from being made, and what keeps one cell from it.

use std::io;

use numawise_facts::notice::BufferLimit;
use numawise_facts::{MemoryLoop, Mix, Reading};
use numawise_units::{Bytes, CpuId, CpuSet, NodeId};

use crate::kernels::WrongWord;
use crate::sizes;

/// Why there is no profile at all.
#[derive(Debug, thiserror::Error)]
pub enum MembenchError {
    #[error("there is nothing to measure: none of the nodes asked for has a CPU that we may use")]
    NoUsableCpu,
    #[error("there is nothing to measure: none of the nodes asked for has memory that we may use")]
    NoUsableMemory,
}

/// Why a cell of the profile has no figure; its text is the cell's reason.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CellError {
    #[error("stopped before it was measured")]
    Stopped,
    #[error("left out, since the steps before took so long that there was no time for it")]
    NoTime,
    #[error("we may not use the memory of node {0}")]
    NodeNotAllowed(NodeId),
    #[error("we may use none of the CPUs of node {node} ({cpus})")]
    CpusNotAllowed { node: NodeId, cpus: CpuSet },
    #[error(
        "only {allowed} of node {node}'s memory may be taken ({because}), and less than {} is too little",
        sizes::LEAST
    )]
    TooLittleMemory { node: NodeId, allowed: Bytes, because: BufferLimit },
    #[error("no {bytes} of addresses: {problem}")]
    NoAddresses { bytes: Bytes, problem: String },
    #[error("no memory can be bound to node {node}: {problem}")]
    NotBound { node: NodeId, problem: String },
    #[error("there is no CPU to touch memory")]
    NoCpuToTouch,
    #[error("a thread that touched memory crashed")]
    TouchCrashed,
    #[error("the kernel neither binds pages nor reports where they lie")]
    ResidencyUnknown,
    /// `error` is what the kernel gives in place of a page's node.
    #[error("of some pages the kernel does not report where they lie (error {error})")]
    PagesUnknown { error: i64 },
    #[error("{pages} of {all} pages lie on node {node}")]
    PagesElsewhere { pages: u64, all: u64, node: i64 },
    #[error("CPU {0} went offline, or may no longer be used")]
    CpuGone(CpuId),
    #[error("CPU {cpu} went offline: its thread was moved to CPU {found}")]
    ThreadMoved { cpu: CpuId, found: CpuId },
    #[error("no thread can be pinned to CPU {cpu}: {problem}")]
    NotPinned { cpu: CpuId, problem: String },
    #[error("there was memory or time for one buffer only")]
    OneBuffer,
    #[error("of {0} buffers one had undisturbed repetitions")]
    OneQuietBuffer(usize),
    #[error("no repetition gave a figure")]
    NoFigure,
    #[error("making a ring of {bytes} would take {seconds:.1} s here, longer than there is time")]
    SlowRing { bytes: Bytes, seconds: f64 },
    #[error("{kib} KiB are too little for {threads} threads of {streams} streams")]
    ShareTooSmall { kib: usize, threads: usize, streams: usize },
    #[error("the loop {mix} ({which}) computes wrong sums on this processor")]
    WrongSums { mix: Mix, which: MemoryLoop },
    #[error(
        "the loop {mix} ({which}) read other words than were written: this memory or processor is faulty"
    )]
    OtherWords { mix: Mix, which: MemoryLoop },
    #[error(transparent)]
    WrongWord(#[from] WrongWord),
}

impl CellError {
    /// Why nothing is known of how so many buffers differ.
    pub fn of_buffers(count: usize) -> CellError {
        if count < 2 { CellError::OneBuffer } else { CellError::OneQuietBuffer(count) }
    }

    /// Failure to pin a thread.
    pub fn of_pinning(cpu: CpuId, error: &io::Error) -> CellError {
        match error.raw_os_error() {
            Some(libc::EINVAL) => CellError::CpuGone(cpu),
            _ => CellError::NotPinned { cpu, problem: without_number(error) },
        }
    }

    /// The cell's reading with this reason.
    pub fn reading<T>(&self) -> Reading<T> {
        Reading::unavailable(self.to_string())
    }
}

/// An error of the system without its number.
pub fn without_number(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(text, _)| text.to_owned())
}
