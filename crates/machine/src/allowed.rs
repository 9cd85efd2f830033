//! What this process may use, and as little of the machine around it as lists of CPUs and nodes need: two calls and a small
//! file for each node that is named, instead of hundreds of files on a large machine.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{Machine, MemoryKind, Node, Reading, Source};
use numawise_units::{CpuSet, NodeId, NodeSet};

use crate::files::{CPUS, NODES};
use crate::limits::cgroup_cpus;
use crate::sysfs;
use crate::{Error, Roots};

#[cfg(test)]
#[path = "allowed_tests.rs"]
mod tests;

/// The CPUs and the nodes that the kernel lets this process use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedSets {
    pub cpus: CpuSet,
    pub nodes: NodeSet,
}

impl AllowedSets {
    /// From the kernel's files, where its calls are forbidden.
    ///
    /// # Errors
    /// When `/proc` is not mounted or makes no sense.
    pub fn read(roots: &Roots) -> Result<AllowedSets, Error> {
        let sysfs::Allowed { cpus, nodes } = sysfs::Allowed::read(roots)?;
        // Kernels without cpusets do not have the line: there is one node then.
        Ok(AllowedSets { cpus, nodes: nodes.unwrap_or_else(|| NodeSet::single(NodeId(0))) })
    }

    /// The machine as far as lists need it: what is allowed, and the CPUs of the nodes that are `named`; nothing is known of
    /// cores and packages. `None` where there is no such node.
    pub fn machine(&self, roots: &Roots, named: &NodeSet) -> Option<Machine> {
        let nodes = self.nodes.union(named);
        let nodes: Option<Vec<Node>> = nodes.iter().map(|id| node(roots, id, named.contains(id))).collect();
        Some(Machine {
            source: Source::Live,
            packages: Vec::new(),
            nodes: nodes?,
            cpus: Vec::new(),
            caches: Vec::new(),
            attributes: Vec::new(),
            devices: Reading::unavailable(NOT_READ),
            allowed_cpus: self.cpus.clone(),
            allowed_nodes: self.nodes.clone(),
            limits: Vec::new(),
        })
    }
}

const NOT_READ: &str = "not read for a placement by lists";

/// Read plainly: the buffer that readers of many files share would cost a start more page faults than it saves.
fn cpus_of(roots: &Roots, id: NodeId) -> Option<CpuSet> {
    std::fs::read_to_string(roots.path(&format!("{NODES}/node{id}/cpulist"))).ok()?.trim().parse().ok()
}

fn node(roots: &Roots, id: NodeId, with_cpus: bool) -> Option<Node> {
    let cpus = if with_cpus { cpus_of(roots, id)? } else { CpuSet::new() };
    Some(Node {
        id,
        near: cpus.clone(),
        cpus,
        memory: Reading::unavailable(NOT_READ),
        free: Reading::unavailable(NOT_READ),
        kind: MemoryKind::Unknown,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable(NOT_READ),
    })
}

/// The CPUs online that the cpuset of our cgroup leaves, whatever our affinity mask is.
pub fn online_in_cgroup(roots: &Roots) -> CpuSet {
    let online: CpuSet = roots.try_value(&format!("{CPUS}/online")).unwrap_or_default();
    cgroup_cpus(roots, &online)
}
