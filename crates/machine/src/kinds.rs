//! Which memory is whose own, and what it is made of.
//!
//! A name is never enough. The kind of a node is told from what hwloc recognised by the processor, from figures compared with
//! those of the ordinary node near the same CPUs, and from whether CPUs call it their own. Figures that were measured go
//! before those that the firmware declares.

mod comparison;
mod locality;

use std::collections::BTreeMap;

use numawise_facts::{Attribute, AttributeOrigin, MemoryKind, Node, Reading};
use numawise_units::{Bytes, CpuSet, NodeId};

use comparison::Comparison;
pub(crate) use locality::Locality;

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;

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
    let latency = |node: NodeId, cpus: &CpuSet| {
        let measured = comparison::latency(attributes, AttributeOrigin::Measured, node, cpus);
        measured.or_else(|| comparison::latency(attributes, AttributeOrigin::Firmware, node, cpus))
    };
    let Some(own) = latency(node.id, &node.near) else {
        return false;
    };
    nodes
        .iter()
        .filter(|other| other.id != node.id && other.near == node.near)
        .filter_map(|other| latency(other.id, &node.near))
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
            None => declared(node, owned, nodes, attributes),
        })
        .collect();
    for (node, (kind, evidence)) in nodes.iter_mut().zip(told) {
        node.kind = kind;
        node.kind_evidence = evidence;
    }
    measured(nodes, attributes);
}

/// Tells the kinds of nodes without CPUs anew where a measurement decides. Where it does not, what was told before stays: few
/// cores load fast and slow memory alike, so that figures which are alike do not refute the firmware. The memory of a GPU is
/// known by its driver, whatever CPUs see of it.
pub(crate) fn measured(nodes: &mut [Node], attributes: &[Attribute]) {
    let told: Vec<Option<(MemoryKind, String)>> = nodes
        .iter()
        .map(|node| {
            let open = node.cpus.is_empty() && !matches!(node.kind, MemoryKind::Gpu | MemoryKind::Dram);
            if !open || has_no_memory(node) {
                return None;
            }
            let comparison = Comparison::nearest(node, nodes, attributes, AttributeOrigin::Measured)?;
            let decides = comparison.kind() != MemoryKind::Unknown || node.kind_evidence == SILENT;
            decides.then(|| (comparison.kind(), comparison.evidence()))
        })
        .collect();
    for (node, told) in nodes.iter_mut().zip(told) {
        if let Some((kind, evidence)) = told {
            node.kind = kind;
            node.kind_evidence = evidence;
        }
    }
}

const SILENT: &str = "no CPUs call it their own, and the firmware says nothing of its speed";

/// What can be told without measuring.
fn declared(node: &Node, owned: &CpuSet, nodes: &[Node], attributes: &[Attribute]) -> (MemoryKind, String) {
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
    match Comparison::nearest(node, nodes, attributes, AttributeOrigin::Firmware) {
        Some(comparison) => (comparison.kind(), comparison.evidence()),
        None => (MemoryKind::Unknown, SILENT.to_owned()),
    }
}

fn has_no_memory(node: &Node) -> bool {
    node.memory == Reading::Measured(Bytes(0))
}
