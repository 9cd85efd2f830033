//! A machine made by hand, for tests.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{
    Attribute, AttributeOrigin, Cpu, Estimate, Figure, Machine, MemoryAccess, MemoryKind, Node, Reading,
    Source,
};
use numawise_units::{Bytes, BytesPerSecond, CpuSet, Latency, NodeId, NodeSet};

/// Nodes by number, CPUs and memory in MiB; 80 ns and 100 GB/s to the local node, 140 ns and 40 GB/s to others.
pub(crate) fn machine(nodes: &[(u32, &str, u64)]) -> Machine {
    let all: Vec<(NodeId, CpuSet, u64)> =
        nodes.iter().map(|(id, cpus, mib)| (NodeId(*id), cpus.parse().unwrap(), *mib)).collect();
    let node = |(id, cpus, mib): &(NodeId, CpuSet, u64)| Node {
        id: *id,
        cpus: cpus.clone(),
        near: cpus.clone(),
        memory: Reading::Measured(Bytes::mib(*mib)),
        free: Reading::unavailable("made by hand"),
        kind: MemoryKind::Dram,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::Measured(all.iter().map(|(to, ..)| if to == id { 10 } else { 21 }).collect()),
    };
    let mut attributes = Vec::new();
    for (from, initiator, _) in all.iter().filter(|(_, cpus, _)| !cpus.is_empty()) {
        for (to, ..) in all.iter().filter(|(.., mib)| *mib > 0) {
            let (ns, rate) = if from == to { (80.0, 100e9) } else { (140.0, 40e9) };
            let figures = [
                Figure::Latency(Estimate::declared(Latency(ns))),
                Figure::Bandwidth(Estimate::declared(BytesPerSecond(rate))),
            ];
            attributes.extend(figures.map(|figure| Attribute {
                access: MemoryAccess::Read,
                origin: AttributeOrigin::Measured,
                initiator: initiator.clone(),
                target: *to,
                figure,
            }));
        }
    }
    let cpus = all.iter().flat_map(|(node, cpus, _)| {
        cpus.iter().map(|id| Cpu {
            id,
            node: Some(*node),
            package: None,
            core: id.0,
            smt: 0,
            efficiency: Reading::unavailable("made by hand"),
        })
    });
    Machine {
        source: Source::Live,
        packages: Vec::new(),
        nodes: all.iter().map(node).collect(),
        cpus: cpus.collect(),
        caches: Vec::new(),
        attributes,
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: CpuSet::new(),
        allowed_nodes: NodeSet::new(),
        limits: Vec::new(),
    }
}
