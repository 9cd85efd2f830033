//! The machine: what there is, what of it we may use, and what keeps us from the rest.

use std::collections::BTreeSet;

use numawise_units::{Bytes, BytesPerSecond, CpuId, CpuSet, Latency, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::memory::MemoryKindEvidence;
use crate::notice::MachineNotice;
use crate::{
    Attribute, AttributeKind, AttributeOrigin, Device, Estimate, Figure, MemoryKind, Notice, Reading,
};

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

/// A machine as numawise sees it. Nodes and CPUs are sorted by their OS index, which may have gaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub source: Source,
    /// Packages (sockets), in the order of their lowest CPU.
    pub packages: Vec<Package>,
    pub nodes: Vec<Node>,
    /// The CPUs that are online.
    pub cpus: Vec<Cpu>,
    /// Caches of CPUs that are online; empty when the source was not asked for them.
    pub caches: Vec<Cache>,
    /// What the firmware says of latency and bandwidth (ACPI HMAT), through hwloc's memory attributes; and what was measured,
    /// where a profile of the machine was merged into it.
    pub attributes: Vec<Attribute>,
    /// GPUs, network cards and disks, by kind and PCI address.
    #[serde(default = "devices_not_recorded")]
    pub devices: Reading<Vec<Device>>,
    /// CPUs that we may use: online, in the cgroup's cpuset and in the affinity mask.
    pub allowed_cpus: CpuSet,
    /// Nodes from which we may take memory. Nodes without memory are not in it.
    pub allowed_nodes: NodeSet,
    /// What keeps us from using the whole machine; empty when nothing does.
    pub limits: Vec<MachineNotice>,
}

/// Records were written before devices were looked for.
fn devices_not_recorded() -> Reading<Vec<Device>> {
    Reading::unavailable("they were not recorded")
}

impl Machine {
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    pub fn cpu(&self, id: CpuId) -> Option<&Cpu> {
        self.cpus.binary_search_by_key(&id, |cpu| cpu.id).ok().map(|k| &self.cpus[k])
    }

    /// All CPUs that are online.
    pub fn online(&self) -> CpuSet {
        self.cpus.iter().map(|cpu| cpu.id).collect()
    }

    /// How many cores these CPUs belong to.
    pub fn cores(&self, cpus: &CpuSet) -> usize {
        let cores: BTreeSet<u32> = cpus.iter().filter_map(|cpu| self.cpu(cpu)).map(|cpu| cpu.core).collect();
        cores.len()
    }

    /// The node whose memory is local to this CPU, where the machine says.
    pub fn node_of(&self, cpu: CpuId) -> Option<NodeId> {
        self.cpu(cpu)?.node
    }

    /// The distance between two nodes as the firmware gives it (10 is local).
    pub fn distance(&self, from: NodeId, to: NodeId) -> Option<u32> {
        let column = self.nodes.iter().position(|node| node.id == to)?;
        self.node(from)?.distances.measured()?.get(column).copied()
    }

    /// The figure that was measured from the CPUs of one node to the memory of another; none where it is not above 0.
    pub fn measured(&self, kind: AttributeKind, from: NodeId, to: NodeId) -> Option<Figure> {
        let cpus = &self.node(from)?.cpus;
        let meant = |a: &&Attribute| {
            (a.origin, a.target) == (AttributeOrigin::Measured, to)
                && a.kind() == kind
                && a.initiator.intersects(cpus)
        };
        let figure = self.attributes.iter().find(meant).map(|attribute| attribute.figure);
        figure.filter(|figure| figure.in_units_of_the_kernel() > 0.0)
    }

    /// The measured latency of loads from the CPUs of one node to the memory of another.
    pub fn measured_latency(&self, from: NodeId, to: NodeId) -> Option<Estimate<Latency>> {
        self.measured(AttributeKind::ReadLatency, from, to)?.latency()
    }

    /// The measured bandwidth of reads by the CPUs of one node from the memory of another.
    pub fn measured_bandwidth(&self, from: NodeId, to: NodeId) -> Option<Estimate<BytesPerSecond>> {
        self.measured(AttributeKind::ReadBandwidth, from, to)?.bandwidth()
    }

    /// The devices that are known.
    pub fn known_devices(&self) -> &[Device] {
        self.devices.measured().map_or(&[], Vec::as_slice)
    }

    /// Whether a profile of the machine was merged into it.
    pub fn is_measured(&self) -> bool {
        self.attributes.iter().any(|attribute| attribute.origin == AttributeOrigin::Measured)
    }

    /// The nodes with this kind of memory from which we may take some.
    pub fn allowed_of_kind(&self, kind: MemoryKind) -> NodeSet {
        let ours = |node: &&Node| node.kind == kind && self.allowed_nodes.contains(node.id);
        self.nodes.iter().filter(ours).map(|node| node.id).collect()
    }

    /// Whether memory policies may be set, as far as is known.
    pub fn policies_may_be_set(&self) -> bool {
        !self.limits.iter().any(MachineNotice::keeps_policies_from_us)
    }

    /// Whether threads can be placed on CPUs, as far as is known.
    pub fn affinity_may_be_set(&self) -> bool {
        self.limits.iter().all(|limit| limit.affinity_refusal().is_none())
    }

    /// That the machine is an emulated one, where it is.
    pub fn rehearsal(&self) -> Option<Notice> {
        self.limits.iter().find(|limit| limit.is_rehearsal()).cloned().map(Notice::from)
    }

    /// The nodes that have CPUs we may use, in ascending order.
    pub fn nodes_with_allowed_cpus(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.cpus.intersects(&self.allowed_cpus))
    }
}

/// Where a machine was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The machine that numawise runs on.
    Live,
    /// An hwloc XML file, by its path.
    Xml(String),
    /// An hwloc synthetic description, e.g. `pack:2 core:4 pu:2`.
    Synthetic(String),
}

/// A processor package (socket).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    pub index: u32,
    pub cpus: CpuSet,
}

/// A NUMA node. It may have no CPUs (HBM, CXL, GPU memory) or no memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub id: NodeId,
    /// The online CPUs whose local (default, nearest ordinary) memory this is; empty for a node without CPUs.
    pub cpus: CpuSet,
    /// The online CPUs to which this node is near; for a node without CPUs those of the nodes it is attached to.
    pub near: CpuSet,
    pub memory: Reading<Bytes>,
    /// Free memory when the machine was read; unavailable for recorded machines.
    pub free: Reading<Bytes>,
    pub kind: MemoryKind,
    /// What the kind is derived from.
    pub kind_evidence: MemoryKindEvidence,
    /// Distances to all nodes of the machine in the order of [`Machine::nodes`]; 10 is local.
    pub distances: Reading<Vec<u32>>,
}

impl Node {
    /// Whether the node is known to have no memory.
    pub fn has_no_memory(&self) -> bool {
        self.memory == Reading::Measured(Bytes(0))
    }
}

/// A logical CPU (hardware thread).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    pub id: CpuId,
    pub node: Option<NodeId>,
    /// Index of the package in [`Machine::packages`].
    pub package: Option<u32>,
    /// Number of the core, unique in the machine; the CPUs of one core share it.
    pub core: u32,
    /// Which hardware thread of its core this is, from 0.
    pub smt: u32,
    /// Rank of the core's kind, 0 the most power-efficient; unavailable where all cores are alike or it is not known.
    pub efficiency: Reading<u32>,
}

/// A cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1, 2, 3, ...; instruction caches are left out.
    pub level: u32,
    pub size: Bytes,
    pub cpus: CpuSet,
}
