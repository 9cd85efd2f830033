//! A node without CPUs beside an ordinary one, by figures.

use numawise_facts::{Attribute, AttributeKind, AttributeOrigin, MemoryKind, Node};
use numawise_units::{BytesPerSecond, CpuSet, NodeId, Ratio};

use super::has_no_memory;

/// This much more bandwidth than ordinary memory near the same CPUs makes high-bandwidth memory. Knights Landing has 4 to
/// 5 times as much (some 400 against 90 GB/s), Xeon Max some 3 times; two populations of DIMMs differ by less than 2.
const HBM_BANDWIDTH: f64 = 2.0;
/// Memory behind CXL takes 1.7 times as long as local DRAM and more (some 170 to 400 against 100 ns), as another socket
/// of a small machine does; a DRAM node beside it differs by a few per cent.
const CXL_LATENCY: f64 = 1.5;
/// A CXL link of 8 or 16 lanes gives 30 to 60 GB/s, a socket's DIMMs 150 and more.
const CXL_BANDWIDTH: f64 = 0.6;

/// A node without CPUs and an ordinary one, seen from the CPUs of that one. All figures are of one origin: what the firmware
/// declares of one node says nothing beside what was measured of another.
pub(super) struct Comparison {
    peer: NodeId,
    origin: AttributeOrigin,
    bandwidth: Option<(f64, f64)>,
    latency: Option<(f64, f64)>,
}

impl Comparison {
    /// With the nearest of the ordinary nodes: the one from whose CPUs this memory is the fastest.
    pub(super) fn nearest(
        node: &Node,
        nodes: &[Node],
        attributes: &[Attribute],
        origin: AttributeOrigin,
    ) -> Option<Self> {
        let peers =
            nodes.iter().filter(|peer| peer.id != node.id && !peer.cpus.is_empty() && !has_no_memory(peer));
        let comparisons = peers.filter_map(|peer| Comparison::of(node, peer, attributes, origin));
        comparisons.max_by(|a, b| {
            let (a, b) = (a.weight(), b.weight());
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }

    fn of(node: &Node, peer: &Node, attributes: &[Attribute], origin: AttributeOrigin) -> Option<Self> {
        type Figure = fn(&[Attribute], AttributeOrigin, NodeId, &CpuSet) -> Option<f64>;
        let both = |figure: Figure| {
            let of = |target| figure(attributes, origin, target, &peer.cpus);
            Some((of(node.id)?, of(peer.id)?)).filter(|(_, peer)| *peer > 0.0)
        };
        let (bandwidth, latency) = (both(bandwidth), both(latency));
        (bandwidth.is_some() || latency.is_some()).then_some(Comparison {
            peer: peer.id,
            origin,
            bandwidth,
            latency,
        })
    }

    /// The larger, the nearer the peer's CPUs are. Measured latencies tell best, since few cores load near and far memory
    /// alike; the firmware rather tells bandwidths.
    fn weight(&self) -> (u8, f64) {
        match (self.origin, self.bandwidth, self.latency) {
            (AttributeOrigin::Measured, _, Some((own, _))) => (1, -own),
            (AttributeOrigin::Firmware, Some((own, _)), _) => (1, own),
            (_, Some((own, _)), _) => (0, own),
            (_, None, Some((own, _))) => (0, -own),
            (_, None, None) => (0, f64::MIN),
        }
    }

    pub(super) fn kind(&self) -> MemoryKind {
        let ratio = |(own, peer): (f64, f64)| own / peer;
        match (self.bandwidth.map(ratio), self.latency.map(ratio)) {
            (Some(bandwidth), _) if bandwidth >= HBM_BANDWIDTH => MemoryKind::Hbm,
            (Some(bandwidth), _) if bandwidth <= CXL_BANDWIDTH => MemoryKind::Cxl,
            (_, Some(latency)) if latency >= CXL_LATENCY => MemoryKind::Cxl,
            _ => MemoryKind::Unknown,
        }
    }

    pub(super) fn evidence(&self) -> String {
        let mut words = Vec::new();
        if let Some((own, peer)) = self.bandwidth {
            let (own_rate, peer_rate) = (BytesPerSecond(own * 1e6), BytesPerSecond(peer * 1e6));
            words.push(format!("{own_rate} against {peer_rate} ({})", Ratio(own / peer)));
        }
        if let Some((own, peer)) = self.latency {
            words.push(format!("{own} against {peer} ns ({})", Ratio(own / peer)));
        }
        let who = match self.origin {
            AttributeOrigin::Firmware => "the firmware gives",
            AttributeOrigin::Measured => "measured were",
        };
        format!("no CPUs call it their own; {who} {} of node {}", words.join(" and "), self.peer)
    }
}

/// The bandwidth in 10^6 bytes per second from some of `cpus` to a node.
pub(super) fn bandwidth(
    attributes: &[Attribute],
    origin: AttributeOrigin,
    target: NodeId,
    cpus: &CpuSet,
) -> Option<f64> {
    use AttributeKind::{Bandwidth, ReadBandwidth, WriteBandwidth};
    figure(attributes, origin, target, cpus, &[ReadBandwidth, Bandwidth, WriteBandwidth])
}

/// The latency in nanoseconds from some of `cpus` to a node.
pub(super) fn latency(
    attributes: &[Attribute],
    origin: AttributeOrigin,
    target: NodeId,
    cpus: &CpuSet,
) -> Option<f64> {
    use AttributeKind::{Latency, ReadLatency, WriteLatency};
    figure(attributes, origin, target, cpus, &[ReadLatency, Latency, WriteLatency])
}

/// The figure of the first kind that is known; of several initiators the one that shares most CPUs and is the smallest.
fn figure(
    attributes: &[Attribute],
    origin: AttributeOrigin,
    target: NodeId,
    cpus: &CpuSet,
    kinds: &[AttributeKind],
) -> Option<f64> {
    let meant = |a: &&Attribute| a.origin == origin && a.target == target && a.initiator.intersects(cpus);
    kinds.iter().find_map(|kind| {
        attributes
            .iter()
            .filter(meant)
            .filter(|a| a.kind == *kind)
            .min_by_key(|a| {
                let shared = a.initiator.intersection(cpus).len();
                (usize::MAX - shared, a.initiator.len())
            })
            .map(|a| a.value as f64)
    })
}
