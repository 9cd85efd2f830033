//! How much the memory of the machine had to do while the program ran.

use numawise_units::{BytesPerSecond, Nanoseconds, NodeId, Ratio};
use serde::{Deserialize, Serialize};

/// Bytes per second from and to each node, over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BandwidthOverTime {
    pub source: BandwidthSource,
    /// In the order of time.
    pub moments: Vec<BandwidthMoment>,
}

/// What bandwidth is derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BandwidthSource {
    /// Memory bandwidth monitoring of the processor, read through resctrl: of all programs of the machine.
    Resctrl,
    /// Counters of the memory controllers: of all programs of the machine.
    Uncore,
    /// Samples of accesses, each taken for as many bytes as threads read from memory in the time that it stands for.
    Samples,
}

/// One moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BandwidthMoment {
    /// Since the begin of the run.
    pub at: Nanoseconds,
    pub by_node: Vec<(NodeId, BytesPerSecond)>,
}

/// The part of the program's time in which its CPUs waited for memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemoryBound {
    pub share: Ratio,
    pub source: MemoryBoundSource,
}

/// What it is derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryBoundSource {
    /// Counters of the processor.
    Counters,
    /// Samples that were taken behind an access to memory, of all samples: an upper bound.
    Samples,
}
