//! The machine: what there is, what of it we may use, and what keeps us from the rest.

use std::fmt;

use numawise_units::{Bytes, BytesPerSecond, CpuId, CpuSet, Latency, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::{Estimate, MachineNotice, Reading};

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
    /// CPUs that we may use: online, in the cgroup's cpuset and in the affinity mask.
    pub allowed_cpus: CpuSet,
    /// Nodes from which we may take memory. Nodes without memory are not in it.
    pub allowed_nodes: NodeSet,
    /// What keeps us from using the whole machine; empty when nothing does.
    pub limits: Vec<MachineNotice>,
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

/// What a node's memory is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    Dram,
    Hbm,
    Cxl,
    Gpu,
    Unknown,
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            MemoryKind::Dram => "dram",
            MemoryKind::Hbm => "hbm",
            MemoryKind::Cxl => "cxl",
            MemoryKind::Gpu => "gpu",
            MemoryKind::Unknown => "unknown",
        })
    }
}

impl Node {
    /// Whether the node is known to have no memory.
    pub fn has_no_memory(&self) -> bool {
        self.memory == Reading::Measured(Bytes(0))
    }
}

/// What the kind of a node's memory is derived from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum MemoryKindEvidence {
    /// hwloc recognises the memory.
    Recognised { memory: RecognisedMemory },
    /// The node has no memory.
    NoMemory,
    /// It is the local memory of CPUs that are online.
    LocalMemory { cpus: CpuSet },
    /// It is the local memory of CPUs that are offline or not described.
    LocalMemoryOfOthers { cpus: CpuSet },
    /// It is in a part of the machine whose CPUs are not described.
    CpusNotDescribed,
    /// It is local to no CPUs, and its figures were compared with those of ordinary memory.
    Compared {
        ordinary: NodeId,
        origin: AttributeOrigin,
        bandwidth: Option<FigureVsOrdinary<BytesPerSecond>>,
        latency: Option<FigureVsOrdinary<Latency>>,
    },
    /// It is local to no CPUs, and no figures of it are known.
    NoFigures,
    /// Nobody looked: the machine was read for a purpose that needs no kinds of memory.
    NotRead,
}

/// The figures of a node and of an ordinary one, from the CPUs of that one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FigureVsOrdinary<T> {
    pub node: Estimate<T>,
    pub ordinary: Estimate<T>,
}

/// Memory that hwloc knows by the processor, by a driver or by a table of the firmware.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecognisedMemory {
    /// On the package of a Xeon Phi.
    Mcdram,
    Hbm,
    Gpu,
    Cxl,
    NonVolatile,
    /// Reserved by the firmware for special purposes.
    SpecialPurpose,
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

/// A figure for an initiator and a target: what the firmware declares, or what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    pub access: MemoryAccess,
    pub origin: AttributeOrigin,
    pub initiator: CpuSet,
    pub target: NodeId,
    pub figure: Figure,
}

impl Attribute {
    /// The name that the firmware's tables and hwloc have for it.
    pub fn kind(&self) -> AttributeKind {
        match (&self.figure, self.access) {
            (Figure::Latency(_), MemoryAccess::Both) => AttributeKind::Latency,
            (Figure::Latency(_), MemoryAccess::Read) => AttributeKind::ReadLatency,
            (Figure::Latency(_), MemoryAccess::Write) => AttributeKind::WriteLatency,
            (Figure::Bandwidth(_), MemoryAccess::Both) => AttributeKind::Bandwidth,
            (Figure::Bandwidth(_), MemoryAccess::Read) => AttributeKind::ReadBandwidth,
            (Figure::Bandwidth(_), MemoryAccess::Write) => AttributeKind::WriteBandwidth,
        }
    }

    /// An attribute that is declared, as the kernel and hwloc count it: nanoseconds, or 10^6 bytes per second.
    pub fn declared(kind: AttributeKind, initiator: CpuSet, target: NodeId, value: u64) -> Self {
        let figure = if kind.is_bandwidth() {
            Figure::Bandwidth(Estimate::declared(BytesPerSecond(value as f64 * 1e6)))
        } else {
            Figure::Latency(Estimate::declared(Latency(value as f64)))
        };
        Attribute { access: kind.access(), origin: AttributeOrigin::Firmware, initiator, target, figure }
    }
}

/// The quantity of an attribute with its interval; one that is declared has none, and no samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    Latency(Estimate<Latency>),
    Bandwidth(Estimate<BytesPerSecond>),
}

impl Figure {
    pub fn latency(&self) -> Option<Estimate<Latency>> {
        match self {
            Figure::Latency(latency) => Some(*latency),
            Figure::Bandwidth(_) => None,
        }
    }

    pub fn bandwidth(&self) -> Option<Estimate<BytesPerSecond>> {
        match self {
            Figure::Bandwidth(bandwidth) => Some(*bandwidth),
            Figure::Latency(_) => None,
        }
    }

    /// The median in nanoseconds or in 10^6 bytes per second, as the kernel and hwloc count.
    pub fn in_units_of_the_kernel(&self) -> f64 {
        match self {
            Figure::Latency(latency) => latency.median.0,
            Figure::Bandwidth(bandwidth) => bandwidth.median.0 / 1e6,
        }
    }
}

/// What a program does to memory while an attribute of it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryAccess {
    /// Reads and writes, or nobody says which.
    Both,
    Read,
    Write,
}

/// Who says a figure. Of one pair there may be both; they are not mixed, since a declared bandwidth is what the parts could
/// give and a measured one what they gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttributeOrigin {
    Firmware,
    /// A [`Profile`](crate::Profile) of this machine.
    Measured,
}

/// Quantity and access of an attribute, by the names that the firmware's tables and hwloc have for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttributeKind {
    Latency,
    ReadLatency,
    WriteLatency,
    Bandwidth,
    ReadBandwidth,
    WriteBandwidth,
}

impl AttributeKind {
    pub fn is_bandwidth(self) -> bool {
        matches!(
            self,
            AttributeKind::Bandwidth | AttributeKind::ReadBandwidth | AttributeKind::WriteBandwidth
        )
    }

    pub fn access(self) -> MemoryAccess {
        match self {
            AttributeKind::Latency | AttributeKind::Bandwidth => MemoryAccess::Both,
            AttributeKind::ReadLatency | AttributeKind::ReadBandwidth => MemoryAccess::Read,
            AttributeKind::WriteLatency | AttributeKind::WriteBandwidth => MemoryAccess::Write,
        }
    }
}
