//! A running process whose threads were put on other CPUs.

use std::collections::BTreeMap;

use numawise_units::{Bytes, CpuSet, NodeId, NodeSet, Pid};

use crate::{PageUse, Reading, ResidentMemory};

#[cfg(test)]
#[path = "placed_tests.rs"]
mod tests;

/// What came of placing the threads of a process.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedProcess {
    pub pid: Pid,
    pub name: String,
    /// The CPUs that the plan has for it.
    pub cpus: CpuSet,
    /// The nodes of these CPUs; empty where the machine does not say.
    pub nodes: NodeSet,
    /// In the order of their numbers, the first thread of the process first.
    pub threads: Vec<PlacedThread>,
    /// What was resident when its threads had been placed.
    pub memory: Reading<ResidentMemory>,
}

/// A thread and the CPUs on which it may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedThread {
    pub tid: Pid,
    pub name: String,
    pub planned: CpuSet,
    pub before: Reading<CpuSet>,
    /// What the kernel says of it now; unavailable, too, where the kernel refused to place it.
    pub after: Reading<CpuSet>,
}

impl PlacedThread {
    pub fn is_where_planned(&self) -> bool {
        self.after.measured() == Some(&self.planned)
    }
}

impl PlacedProcess {
    /// Its memory (without that of files, and without what it shares) on nodes that none of its CPUs belongs to; unavailable, too, where the nodes of
    /// its CPUs are not known.
    pub fn remote_memory(&self) -> Reading<Vec<(NodeId, Bytes)>> {
        if self.nodes.is_empty() {
            return Reading::unavailable("the machine does not say which node its CPUs belong to");
        }
        self.memory.as_ref().map(|memory| {
            let mut on: BTreeMap<NodeId, u64> = BTreeMap::new();
            for (used_for, node, bytes) in memory {
                if !matches!(used_for, PageUse::File | PageUse::Shared) && !self.nodes.contains(*node) {
                    *on.entry(*node).or_default() += bytes.0;
                }
            }
            on.into_iter().filter(|(_, bytes)| *bytes > 0).map(|(node, bytes)| (node, Bytes(bytes))).collect()
        })
    }
}
