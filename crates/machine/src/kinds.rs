//! Which memory is whose own, and what it is made of.
//!
//! A name is never enough. The kind of a node is told from what hwloc recognised by the processor, from the firmware's
//! figures compared with those of the ordinary node near the same CPUs, and from whether CPUs call it their own.

mod locality;

use std::collections::BTreeMap;

use numawise_facts::{Attribute, AttributeKind, MemoryKind, Node, Reading};
use numawise_units::{Bytes, BytesPerSecond, CpuSet, NodeId, Ratio};

pub(crate) use locality::Locality;

#[cfg(test)]
mod tests;

/// This much more bandwidth than ordinary memory near the same CPUs makes high-bandwidth memory. Knights Landing has 4 to
/// 5 times as much (some 400 against 90 GB/s), Xeon Max some 3 times; two populations of DIMMs differ by less than 2.
const HBM_BANDWIDTH: f64 = 2.0;
/// Memory behind CXL takes 1.7 times as long as local DRAM and more (some 170 to 400 against 100 ns), as another socket
/// of a small machine does; a DRAM node beside it differs by a few per cent.
const CXL_LATENCY: f64 = 1.5;
/// A CXL link of 8 or 16 lanes gives 30 to 60 GB/s, a socket's DIMMs 150 and more.
const CXL_BANDWIDTH: f64 = 0.6;

/// Gives every CPU to one node: the one with the smallest locality that contains it; among equals ordinary memory
/// before what is known to be something else or answers later, then the lowest number (firmware numbers nodes with CPUs
/// first). `homes` are the localities of the nodes with the
/// CPUs that are offline or not described; the answer is what of them is whose own.
pub(crate) fn owned(
    nodes: &[Node],
    homes: &[CpuSet],
    subtypes: &BTreeMap<NodeId, String>,
    attributes: &[Attribute],
) -> Vec<CpuSet> {
    let all: CpuSet = homes.iter().fold(CpuSet::new(), |all, home| all.union(home));
    let rank: Vec<(usize, bool, u32)> = nodes
        .iter()
        .zip(homes)
        .map(|(node, home)| {
            let named = subtypes.get(&node.id).is_some_and(|name| special(name).is_some());
            let later = answers_later(node, nodes, attributes);
            (home.len(), named || later, node.id.0)
        })
        .collect();
    let mut owned = vec![CpuSet::new(); nodes.len()];
    for cpu in all.iter() {
        let candidates = (0..nodes.len()).filter(|&k| homes[k].contains(cpu));
        if let Some(owner) = candidates.min_by_key(|&k| rank[k]) {
            owned[owner].insert(cpu);
        }
    }
    owned
}

/// Whether a node answers later than another one of the same locality. Ordinary memory answers first: high-bandwidth
/// memory takes a little longer and memory behind CXL a good deal, whatever their bandwidths.
fn answers_later(node: &Node, nodes: &[Node], attributes: &[Attribute]) -> bool {
    let Some(own) = latency(attributes, node.id, &node.near) else {
        return false;
    };
    nodes
        .iter()
        .filter(|other| other.id != node.id && other.near == node.near)
        .filter_map(|other| latency(attributes, other.id, &node.near))
        .any(|other| own > other)
}

/// The kind behind a subtype that hwloc gives, and how it knows.
fn special(subtype: &str) -> Option<(MemoryKind, &'static str)> {
    match subtype {
        "MCDRAM" => Some((MemoryKind::Hbm, "hwloc recognises MCDRAM by the processor")),
        "HBM" => Some((MemoryKind::Hbm, "hwloc recognises HBM")),
        "GPUMemory" => Some((MemoryKind::Gpu, "hwloc recognises the memory of a GPU by its driver")),
        "CXL-DRAM" | "CXL" => Some((MemoryKind::Cxl, "hwloc recognises CXL memory")),
        "NVM" => Some((MemoryKind::Unknown, "hwloc recognises non-volatile memory")),
        "SPM" => Some((MemoryKind::Unknown, "the firmware reserves it for special purposes")),
        _ => None,
    }
}

/// Tells the kind of every node, and from what. `owned` are the CPUs of each, those offline included.
pub(crate) fn tell(
    nodes: &mut [Node],
    owned: &[CpuSet],
    subtypes: &BTreeMap<NodeId, String>,
    attributes: &[Attribute],
) {
    let told: Vec<(MemoryKind, String)> = nodes
        .iter()
        .zip(owned)
        .map(|(node, owned)| match subtypes.get(&node.id).and_then(|name| special(name)) {
            Some((kind, how)) => (kind, how.to_owned()),
            None => from_figures(node, owned, nodes, attributes),
        })
        .collect();
    for (node, (kind, evidence)) in nodes.iter_mut().zip(told) {
        node.kind = kind;
        node.kind_evidence = evidence;
    }
}

fn from_figures(
    node: &Node,
    owned: &CpuSet,
    nodes: &[Node],
    attributes: &[Attribute],
) -> (MemoryKind, String) {
    if has_no_memory(node) {
        return (MemoryKind::Unknown, "no memory".to_owned());
    }
    if !node.cpus.is_empty() {
        return (MemoryKind::Dram, format!("the own memory of CPUs {}", node.cpus));
    }
    if !owned.is_empty() {
        let evidence = format!("the own memory of CPUs {owned}, which are offline or not described");
        return (MemoryKind::Dram, evidence);
    }
    // hwloc gives a node without CPUs the locality of what it is attached to; nothing is left of that when a cpuset
    // took the CPUs away.
    if node.near.is_empty() {
        let evidence = "in a part of the machine whose CPUs are not described".to_owned();
        return (MemoryKind::Dram, evidence);
    }
    let peers =
        nodes.iter().filter(|peer| peer.id != node.id && !peer.cpus.is_empty() && !has_no_memory(peer));
    let comparisons = peers.filter_map(|peer| Comparison::of(node, peer, attributes));
    // Of several ordinary nodes the one from whose CPUs this memory is the fastest is the nearest.
    match comparisons.max_by(|a, b| a.weight().total_cmp(&b.weight())) {
        Some(comparison) => comparison.verdict(),
        None => (
            MemoryKind::Unknown,
            "no CPUs call it their own, and the firmware says nothing of its speed".to_owned(),
        ),
    }
}

fn has_no_memory(node: &Node) -> bool {
    node.memory == Reading::Measured(Bytes(0))
}

/// A node without CPUs beside an ordinary one, seen from CPUs that both are near to.
struct Comparison {
    peer: NodeId,
    bandwidth: Option<(f64, f64)>,
    latency: Option<(f64, f64)>,
}

impl Comparison {
    fn of(node: &Node, peer: &Node, attributes: &[Attribute]) -> Option<Self> {
        let both = |figure: fn(&[Attribute], NodeId, &CpuSet) -> Option<f64>| {
            let seen_from = &peer.cpus;
            Some((figure(attributes, node.id, seen_from)?, figure(attributes, peer.id, seen_from)?))
                .filter(|(_, peer)| *peer > 0.0)
        };
        let (bandwidth, latency) = (both(bandwidth), both(latency));
        (bandwidth.is_some() || latency.is_some()).then_some(Comparison { peer: peer.id, bandwidth, latency })
    }

    /// The bandwidth from the peer's CPUs: the larger, the nearer they are.
    fn weight(&self) -> f64 {
        match (self.bandwidth, self.latency) {
            (Some((own, _)), _) => own,
            (None, Some((own, _))) => -own,
            (None, None) => f64::MIN,
        }
    }

    fn verdict(&self) -> (MemoryKind, String) {
        let mut words = Vec::new();
        let mut ratios = (None, None);
        if let Some((own, peer)) = self.bandwidth {
            let (own_rate, peer_rate) = (BytesPerSecond(own * 1e6), BytesPerSecond(peer * 1e6));
            words.push(format!("{own_rate} against {peer_rate} ({})", Ratio(own / peer)));
            ratios.0 = Some(own / peer);
        }
        if let Some((own, peer)) = self.latency {
            words.push(format!("{own} against {peer} ns ({})", Ratio(own / peer)));
            ratios.1 = Some(own / peer);
        }
        let figures = format!(
            "no CPUs call it their own; the firmware gives {} of node {}",
            words.join(" and "),
            self.peer
        );
        let kind = match ratios {
            (Some(bandwidth), _) if bandwidth >= HBM_BANDWIDTH => MemoryKind::Hbm,
            (Some(bandwidth), _) if bandwidth <= CXL_BANDWIDTH => MemoryKind::Cxl,
            (_, Some(latency)) if latency >= CXL_LATENCY => MemoryKind::Cxl,
            _ => MemoryKind::Unknown,
        };
        (kind, figures)
    }
}

/// The bandwidth in 10^6 bytes per second from some of `cpus` to a node.
fn bandwidth(attributes: &[Attribute], target: NodeId, cpus: &CpuSet) -> Option<f64> {
    figure(
        attributes,
        target,
        cpus,
        &[AttributeKind::ReadBandwidth, AttributeKind::Bandwidth, AttributeKind::WriteBandwidth],
    )
}

/// The latency in nanoseconds from some of `cpus` to a node.
fn latency(attributes: &[Attribute], target: NodeId, cpus: &CpuSet) -> Option<f64> {
    figure(
        attributes,
        target,
        cpus,
        &[AttributeKind::ReadLatency, AttributeKind::Latency, AttributeKind::WriteLatency],
    )
}

/// The figure of the first kind that is known; of several initiators the one that shares most CPUs and is the smallest.
fn figure(attributes: &[Attribute], target: NodeId, cpus: &CpuSet, kinds: &[AttributeKind]) -> Option<f64> {
    kinds.iter().find_map(|kind| {
        attributes
            .iter()
            .filter(|a| a.kind == *kind && a.target == target && a.initiator.intersects(cpus))
            .min_by_key(|a| {
                let shared = a.initiator.intersection(cpus).len();
                (usize::MAX - shared, a.initiator.len())
            })
            .map(|a| a.value as f64)
    })
}
