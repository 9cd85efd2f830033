//! What surrounds the work of a process: how often it lost its CPUs, and where its memory lies.

use numawise_units::{Bytes, Nanoseconds, NodeId};
use serde::{Deserialize, Serialize};

use super::{ProcessCounters, ThreadSwitches};
use crate::Reading;

/// What is known of a process beside the work of its threads: noted in it as it ended, or seen from outside while it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessSurroundings {
    /// The most of its memory that was resident at once.
    #[doc(alias = "VmHWM")]
    pub peak_memory: Reading<Bytes>,
    /// The most of it that was seen in swap.
    #[doc(alias = "VmSwap")]
    pub swapped: Reading<Bytes>,
    /// Of all its threads together.
    pub switches: Reading<ThreadSwitches>,
    pub memory: Reading<MemoryByNode>,
    pub counters: Reading<ProcessCounters>,
}

impl ProcessSurroundings {
    /// Nothing is known, for one reason.
    pub fn unavailable(reason: &'static str) -> ProcessSurroundings {
        ProcessSurroundings {
            peak_memory: Reading::unavailable(reason),
            swapped: Reading::unavailable(reason),
            switches: Reading::unavailable(reason),
            memory: Reading::unavailable(reason),
            counters: Reading::unavailable(reason),
        }
    }
}

/// The memory of a process by node, at two moments of its life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryByNode {
    /// When it was looked at last.
    pub last: MemoryMoment,
    /// When most of it was resident, of all times that it was looked at.
    pub most: MemoryMoment,
}

/// Where the memory of a process was at one moment: its own writable memory, and its part of what it shares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryMoment {
    /// Since the process began to be watched.
    pub at: Nanoseconds,
    /// The nodes in their order; those without memory of it are not listed.
    pub by_node: Vec<(NodeId, Bytes)>,
}

impl MemoryMoment {
    pub fn total(&self) -> Bytes {
        self.by_node.iter().map(|(_, bytes)| *bytes).sum()
    }
}
