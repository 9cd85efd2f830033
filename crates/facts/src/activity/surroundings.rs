//! What surrounds the work of a process: how often it lost its CPUs, and where its memory lies.

use numawise_units::{Bytes, Nanoseconds, NodeId};
use serde::{Deserialize, Serialize};

use super::{ProcessCounters, ThreadSwitches};
use crate::Reading;
use crate::figures::{Figure, FigureUnit, figures};

figures! {
    /// What is known of a process beside the work of its threads: noted in it as it ended, then completed by what was seen from outside while it ran.
    pub struct ProcessSurroundings {
        /// The most of its memory that was resident at once.
        #[doc(alias = "VmHWM")]
        peak_memory: Bytes = first_known,
        /// The most of it that was seen in swap.
        #[doc(alias = "VmSwap")]
        swapped: Bytes = most,
        /// Of all its threads together.
        switches: ThreadSwitches = first,
        memory: MemoryByNode = second,
        counters: ProcessCounters = first,
    }
}

impl Figure for ThreadSwitches {
    fn numbers(of: &Reading<Self>, mut see: impl FnMut(FigureUnit, Reading<u64>)) {
        see(FigureUnit::Count, of.as_ref().map(|of| of.voluntary));
        see(FigureUnit::Count, of.as_ref().map(|of| of.forced));
    }
}

impl Figure for MemoryByNode {
    fn numbers(_: &Reading<Self>, _: impl FnMut(FigureUnit, Reading<u64>)) {}
}

impl Figure for ProcessCounters {
    fn numbers(_: &Reading<Self>, _: impl FnMut(FigureUnit, Reading<u64>)) {}
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
    /// Since the process began to be watched; as seen from outside, by the kernel's monotonic clock.
    pub at: Nanoseconds,
    /// The nodes in their order; those without memory of it are not listed.
    pub by_node: Vec<(NodeId, Bytes)>,
}

impl MemoryMoment {
    pub fn total(&self) -> Bytes {
        self.by_node.iter().map(|(_, bytes)| *bytes).sum()
    }
}
