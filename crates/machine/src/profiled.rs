//! A machine of which only a profile is at hand.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{Cpu, Machine, Node, Package, Profile, ProfileNode, Reading, Source};
use numawise_units::CpuSet;

use crate::measured::with_measured;

#[cfg(test)]
#[path = "profiled_tests.rs"]
mod tests;

/// The nodes of a profile with these of their CPUs, each a core of its own, since a profile does not tell which CPUs share one; and with
/// its figures. `name` is what was typed.
pub fn of_profile(profile: &Profile, name: &str, cpus_of: impl Fn(&ProfileNode) -> CpuSet) -> Machine {
    let of_nodes: Vec<CpuSet> = profile.header.nodes.iter().map(cpus_of).collect();
    let node = |(node, cpus): (&ProfileNode, &CpuSet)| Node {
        id: node.id,
        cpus: cpus.clone(),
        near: cpus.clone(),
        memory: node.memory.clone(),
        free: Reading::unavailable("a profile does not tell"),
        kind: node.kind,
        kind_evidence: if cpus.is_empty() {
            MemoryKindEvidence::CpusNotDescribed
        } else {
            MemoryKindEvidence::LocalMemory { cpus: cpus.clone() }
        },
        distances: Reading::unavailable("a profile has none"),
    };
    let nodes: Vec<Node> = profile.header.nodes.iter().zip(&of_nodes).map(node).collect();
    let mut cpus: Vec<Cpu> = Vec::new();
    for (package, node) in nodes.iter().enumerate() {
        cpus.extend(node.cpus.iter().map(|id| Cpu {
            id,
            node: Some(node.id),
            package: Some(package as u32),
            core: id.0,
            smt: 0,
            efficiency: Reading::unavailable("a profile does not tell"),
        }));
    }
    cpus.sort_by_key(|cpu| cpu.id);
    let machine = Machine {
        source: Source::Synthetic(name.to_owned()),
        packages: nodes
            .iter()
            .enumerate()
            .map(|(index, node)| Package { index: index as u32, cpus: node.cpus.clone() })
            .collect(),
        allowed_cpus: cpus.iter().map(|cpu| cpu.id).collect(),
        allowed_nodes: nodes.iter().filter(|node| !node.has_no_memory()).map(|node| node.id).collect(),
        nodes,
        cpus,
        caches: Vec::new(),
        attributes: Vec::new(),
        devices: Reading::unavailable("a profile has none"),
        limits: Vec::new(),
    };
    with_measured(machine, profile)
}
