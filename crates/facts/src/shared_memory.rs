//! Shared memory as numactl shows it: which policy each part has, and on which nodes its pages are.

use numawise_units::{Bytes, NodeId, NodeSet};

use crate::MemoryMode;

/// What a part of shared memory has; offsets count from the begin of the file or the segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPart<T> {
    pub begin: Bytes,
    pub end: Bytes,
    pub has: T,
}

/// The policy of a part; no mode where it is newer than this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPolicy {
    pub mode: Option<MemoryMode>,
    pub nodes: NodeSet,
}

/// What came of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedFinding {
    Policies(Vec<SharedPart<SharedPolicy>>),
    Nodes(Vec<SharedPart<NodeId>>),
}
