//! Memory of the processes, over all of them.

use numawise_facts::Reading;
use numawise_units::{Bytes, NodeId, NodeSet};

use super::ProcessName;

/// The memory of all processes that count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySummary {
    /// The most of each that was resident at once.
    pub peak: Reading<MemorySpread>,
    /// The nodes of each host on which a process has memory, in their order.
    pub nodes: Reading<Vec<NodeMemoryRow>>,
}

/// Memory over processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySpread {
    pub mean: Bytes,
    pub most: Bytes,
    pub most_of: ProcessName,
}

/// What the processes of a host have on one of its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeMemoryRow {
    pub host: String,
    pub node: NodeId,
    /// When each was looked at last.
    pub last: Reading<MemorySpread>,
    /// When each had most in all.
    pub most: Reading<MemorySpread>,
}

/// Memory of a process as seen from its threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteMemory {
    pub all: Bytes,
    /// On nodes with CPUs where none of its threads worked.
    pub remote: Bytes,
    /// The node of these with most of it.
    pub most_on: Option<NodeId>,
    pub threads_on: NodeSet,
}
