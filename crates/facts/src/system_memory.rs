//! The memory of a computer by node, as the kernel accounts it.

use numawise_units::{Bytes, Nanoseconds, NodeId};
use serde::{Deserialize, Serialize};

use crate::{MemoryKind, Reading};

/// The memory of the nodes of a computer at one moment, and what was taken from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemMemory {
    /// In the order of their numbers.
    pub nodes: Vec<NodeAccount>,
    /// Within so long pages were taken; none for since the start of the system.
    pub span: Option<Nanoseconds>,
}

/// What the kernel tells of a node, by the names that it has for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeAccount {
    pub node: NodeId,
    pub kind: MemoryKind,
    /// Pages that were taken from it, by how: `numa_hit`, `numa_miss`, `numa_foreign`, `interleave_hit`, `local_node`, `other_node`.
    pub allocations: Reading<Vec<(String, u64)>>,
    /// The rows of its `meminfo`: `MemTotal`, `MemFree`, ...
    pub memory: Reading<Vec<(String, MeminfoAmount)>>,
}

/// The amount of a row of `meminfo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeminfoAmount {
    Bytes(Bytes),
    /// Huge pages of the usual size.
    Pages(u64),
}
