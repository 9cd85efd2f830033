//! Memory of nodes: its kind, and the latencies and bandwidths that are declared or measured.

use std::fmt;

use numawise_units::{BytesPerSecond, CpuSet, Latency, NodeId};
use serde::{Deserialize, Serialize};

use crate::Estimate;

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
    /// It is near to no CPU that is described, and some CPUs of the machine are not.
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
