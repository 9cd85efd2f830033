//! Which memory is local to which CPUs, and what it is made of.
//!
//! A name is never enough. The kind of a node is derived from what hwloc recognised by the processor, from figures compared
//! with those of the ordinary node near the same CPUs, and from whether it is the local memory of CPUs. Figures that were
//! measured go before those that the firmware declares.

mod comparison;
mod locality;

use std::collections::BTreeMap;

use numawise_facts::memory::{MemoryKindEvidence, RecognisedMemory};
use numawise_facts::{Attribute, AttributeOrigin, MemoryKind, Node};
use numawise_units::{CpuSet, NodeId};

use comparison::Comparison;
pub(crate) use locality::Locality;

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;

/// Gives every CPU to one node: the one with the smallest locality that contains it; among equals ordinary memory
/// before what is known to be something else or answers later, then the lowest number (firmware numbers nodes with CPUs
/// first). `homes` are the localities of the nodes with the CPUs that are offline or not described; the answer has the CPUs
/// of each node to which its memory is local.
pub(crate) fn local_cpus(
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
            let named = subtypes.get(&node.id).is_some_and(|name| recognised(name).is_some());
            let later = answers_later(node, nodes, attributes);
            (home.len(), named || later, node.id.0)
        })
        .collect();
    let mut local = vec![CpuSet::new(); nodes.len()];
    for cpu in all.iter() {
        let candidates = (0..nodes.len()).filter(|&k| homes[k].contains(cpu));
        if let Some(owner) = candidates.min_by_key(|&k| rank[k]) {
            local[owner].insert(cpu);
        }
    }
    local
}

/// Whether a node answers later than another one of the same locality. Ordinary memory answers first: high-bandwidth
/// memory takes a little longer and memory behind CXL a good deal, whatever their bandwidths.
fn answers_later(node: &Node, nodes: &[Node], attributes: &[Attribute]) -> bool {
    let latency = |node: NodeId, cpus: &CpuSet| {
        let measured = comparison::latency(attributes, AttributeOrigin::Measured, node, cpus);
        let latency =
            measured.or_else(|| comparison::latency(attributes, AttributeOrigin::Firmware, node, cpus))?;
        Some(latency.median)
    };
    let Some(this) = latency(node.id, &node.near) else {
        return false;
    };
    nodes
        .iter()
        .filter(|other| other.id != node.id && other.near == node.near)
        .filter_map(|other| latency(other.id, &node.near))
        .any(|other| this > other)
}

/// hwloc's subtype of a node that is the memory of a GPU.
pub(crate) const GPU_MEMORY: &str = "GPUMemory";

/// The kind behind a subtype that hwloc gives, and how it knows.
fn recognised(subtype: &str) -> Option<(MemoryKind, MemoryKindEvidence)> {
    let (kind, memory) = match subtype {
        "MCDRAM" => (MemoryKind::Hbm, RecognisedMemory::Mcdram),
        "HBM" => (MemoryKind::Hbm, RecognisedMemory::Hbm),
        GPU_MEMORY => (MemoryKind::Gpu, RecognisedMemory::Gpu),
        "CXL-DRAM" | "CXL" => (MemoryKind::Cxl, RecognisedMemory::Cxl),
        "NVM" => (MemoryKind::Unknown, RecognisedMemory::NonVolatile),
        "SPM" => (MemoryKind::Unknown, RecognisedMemory::SpecialPurpose),
        _ => return None,
    };
    Some((kind, MemoryKindEvidence::Recognised { memory }))
}

/// Derives the kind of every node, and says from what. `local` are the CPUs of each to which its memory is local, those
/// offline included; `whole` tells whether all CPUs of the machine are described.
pub(crate) fn derive(
    nodes: &mut [Node],
    local: &[CpuSet],
    subtypes: &BTreeMap<NodeId, String>,
    attributes: &[Attribute],
    whole: bool,
) {
    let derived: Vec<(MemoryKind, MemoryKindEvidence)> = nodes
        .iter()
        .zip(local)
        .map(|(node, local)| {
            let by_name = subtypes.get(&node.id).and_then(|name| recognised(name));
            by_name.unwrap_or_else(|| declared(node, local, nodes, attributes, whole))
        })
        .collect();
    for (node, (kind, evidence)) in nodes.iter_mut().zip(derived) {
        node.kind = kind;
        node.kind_evidence = evidence;
    }
    derive_from_measured(nodes, attributes);
}

/// Derives the kinds of nodes without CPUs anew where a measurement decides. Where it does not, the kind stays as it was: few
/// cores load fast and slow memory alike, so that figures which are alike do not refute the firmware. The memory of a GPU is
/// known by its driver, whatever CPUs see of it.
pub(crate) fn derive_from_measured(nodes: &mut [Node], attributes: &[Attribute]) {
    let derived: Vec<Option<(MemoryKind, MemoryKindEvidence)>> = nodes
        .iter()
        .map(|node| {
            let open = node.cpus.is_empty() && !matches!(node.kind, MemoryKind::Gpu | MemoryKind::Dram);
            if !open || node.has_no_memory() {
                return None;
            }
            let comparison = Comparison::nearest(node, nodes, attributes, AttributeOrigin::Measured)?;
            let nothing_else = node.kind_evidence == MemoryKindEvidence::NoFigures;
            let decides = comparison.kind() != MemoryKind::Unknown || nothing_else;
            decides.then(|| (comparison.kind(), comparison.evidence()))
        })
        .collect();
    for (node, derived) in nodes.iter_mut().zip(derived) {
        if let Some((kind, evidence)) = derived {
            node.kind = kind;
            node.kind_evidence = evidence;
        }
    }
}

/// The kind as far as it is known without measuring.
fn declared(
    node: &Node,
    local: &CpuSet,
    nodes: &[Node],
    attributes: &[Attribute],
    whole: bool,
) -> (MemoryKind, MemoryKindEvidence) {
    if node.has_no_memory() {
        return (MemoryKind::Unknown, MemoryKindEvidence::NoMemory);
    }
    if !node.cpus.is_empty() {
        return (MemoryKind::Dram, MemoryKindEvidence::LocalMemory { cpus: node.cpus.clone() });
    }
    if !local.is_empty() {
        return (MemoryKind::Dram, MemoryKindEvidence::LocalMemoryOfOthers { cpus: local.clone() });
    }
    // A cpuset takes CPUs and leaves their memory. But the memory of a GPU stands there without CPUs in the same way.
    if node.near.is_empty() && !whole {
        return (MemoryKind::Unknown, MemoryKindEvidence::CpusNotDescribed);
    }
    match Comparison::nearest(node, nodes, attributes, AttributeOrigin::Firmware) {
        Some(comparison) => (comparison.kind(), comparison.evidence()),
        None => (MemoryKind::Unknown, MemoryKindEvidence::NoFigures),
    }
}
