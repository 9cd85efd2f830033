//! A node without CPUs vs an ordinary one, by figures.

use numawise_facts::memory::{FigureVsOrdinary, MemoryKindEvidence};
use numawise_facts::{Attribute, AttributeKind, AttributeOrigin, Estimate, Figure, MemoryKind, Node};
use numawise_units::{BytesPerSecond, CpuSet, Latency, NodeId};

/// This much more bandwidth than ordinary memory near the same CPUs makes high-bandwidth memory. Knights Landing has 4 to
/// 5 times as much (some 400 against 90 GB/s), Xeon Max some 3 times; two populations of DIMMs differ by less than 2.
const HBM_BANDWIDTH: f64 = 2.0;
/// Memory behind CXL takes 1.7 times as long as local DRAM and more (some 170 to 400 against 100 ns), as another socket
/// of a small machine does; an attached DRAM node differs by a few per cent.
const CXL_LATENCY: f64 = 1.5;
/// A CXL link of 8 or 16 lanes gives 30 to 60 GB/s, a socket's DIMMs 150 and more.
const CXL_BANDWIDTH: f64 = 0.6;

/// A node without CPUs and an ordinary one, seen from the CPUs of that one. All figures are of one origin: what the firmware
/// declares of one node says nothing next to what was measured of another.
pub(super) struct Comparison {
    ordinary: NodeId,
    origin: AttributeOrigin,
    bandwidth: Option<FigureVsOrdinary<BytesPerSecond>>,
    latency: Option<FigureVsOrdinary<Latency>>,
}

impl Comparison {
    /// With the nearest of the ordinary nodes: the one from whose CPUs this memory is the fastest.
    pub(super) fn nearest(
        node: &Node,
        nodes: &[Node],
        attributes: &[Attribute],
        origin: AttributeOrigin,
    ) -> Option<Self> {
        let ordinary = nodes
            .iter()
            .filter(|other| other.id != node.id && !other.cpus.is_empty() && !other.has_no_memory());
        let comparisons = ordinary.filter_map(|other| Comparison::of(node, other, attributes, origin));
        comparisons.max_by(|a, b| {
            let (a, b) = (a.weight(), b.weight());
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }

    fn of(node: &Node, ordinary: &Node, attributes: &[Attribute], origin: AttributeOrigin) -> Option<Self> {
        let bandwidth_of = |target| bandwidth(attributes, origin, target, &ordinary.cpus);
        let latency_of = |target| latency(attributes, origin, target, &ordinary.cpus);
        let bandwidth = both(bandwidth_of(node.id), bandwidth_of(ordinary.id));
        let latency = both(latency_of(node.id), latency_of(ordinary.id));
        let bandwidth = bandwidth.filter(|of| of.ordinary.median.0 > 0.0);
        let latency = latency.filter(|of| of.ordinary.median.0 > 0.0);
        (bandwidth.is_some() || latency.is_some()).then_some(Comparison {
            ordinary: ordinary.id,
            origin,
            bandwidth,
            latency,
        })
    }

    /// The larger, the nearer the ordinary node's CPUs are. Measured latencies decide best, since few cores load near and far
    /// memory alike; the firmware rather has bandwidths.
    fn weight(&self) -> (u8, f64) {
        let bandwidth = self.bandwidth.map(|of| of.node.median.0);
        let latency = self.latency.map(|of| of.node.median.0);
        match (self.origin, bandwidth, latency) {
            (AttributeOrigin::Measured, _, Some(latency)) => (1, -latency),
            (AttributeOrigin::Firmware, Some(bandwidth), _) => (1, bandwidth),
            (_, Some(bandwidth), _) => (0, bandwidth),
            (_, None, Some(latency)) => (0, -latency),
            (_, None, None) => (0, f64::MIN),
        }
    }

    pub(super) fn kind(&self) -> MemoryKind {
        let bandwidth = self.bandwidth.map(|of| of.node.median.0 / of.ordinary.median.0);
        let latency = self.latency.map(|of| of.node.median.0 / of.ordinary.median.0);
        match (bandwidth, latency) {
            (Some(bandwidth), _) if bandwidth >= HBM_BANDWIDTH => MemoryKind::Hbm,
            (Some(bandwidth), _) if bandwidth <= CXL_BANDWIDTH => MemoryKind::Cxl,
            (_, Some(latency)) if latency >= CXL_LATENCY => MemoryKind::Cxl,
            _ => MemoryKind::Unknown,
        }
    }

    pub(super) fn evidence(&self) -> MemoryKindEvidence {
        let Comparison { ordinary, origin, bandwidth, latency } = *self;
        MemoryKindEvidence::Compared { ordinary, origin, bandwidth, latency }
    }
}

fn both<T>(node: Option<Estimate<T>>, ordinary: Option<Estimate<T>>) -> Option<FigureVsOrdinary<T>> {
    Some(FigureVsOrdinary { node: node?, ordinary: ordinary? })
}

/// The bandwidth from some of `cpus` to a node.
fn bandwidth(
    attributes: &[Attribute],
    origin: AttributeOrigin,
    target: NodeId,
    cpus: &CpuSet,
) -> Option<Estimate<BytesPerSecond>> {
    use AttributeKind::{Bandwidth, ReadBandwidth, WriteBandwidth};
    figure(attributes, origin, target, cpus, &[ReadBandwidth, Bandwidth, WriteBandwidth])?.bandwidth()
}

/// The latency from some of `cpus` to a node.
pub(super) fn latency(
    attributes: &[Attribute],
    origin: AttributeOrigin,
    target: NodeId,
    cpus: &CpuSet,
) -> Option<Estimate<Latency>> {
    use AttributeKind::{Latency, ReadLatency, WriteLatency};
    figure(attributes, origin, target, cpus, &[ReadLatency, Latency, WriteLatency])?.latency()
}

/// The figure of the first kind that is known; of several initiators the one that shares most CPUs and is the smallest.
fn figure(
    attributes: &[Attribute],
    origin: AttributeOrigin,
    target: NodeId,
    cpus: &CpuSet,
    kinds: &[AttributeKind],
) -> Option<Figure> {
    let meant = |a: &&Attribute| a.origin == origin && a.target == target && a.initiator.intersects(cpus);
    kinds.iter().find_map(|kind| {
        attributes
            .iter()
            .filter(meant)
            .filter(|a| a.kind() == *kind)
            .min_by_key(|a| {
                let shared = a.initiator.intersection(cpus).len();
                (usize::MAX - shared, a.initiator.len())
            })
            .map(|a| a.figure)
    })
}
