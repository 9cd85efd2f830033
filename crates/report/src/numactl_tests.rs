use numawise_facts::{MemoryKind, Node, Source};
use numawise_units::NodeId;

use super::*;

fn node(id: u32, cpus: &str) -> Node {
    let cpus: numawise_units::CpuSet = cpus.parse().unwrap();
    Node {
        id: NodeId(id),
        near: cpus.clone(),
        cpus,
        memory: Reading::Measured(Bytes(8 << 30)),
        free: Reading::unavailable("made by hand"),
        kind: MemoryKind::Dram,
        kind_evidence: numawise_facts::memory::MemoryKindEvidence::NotRead,
        distances: Reading::unavailable("made by hand"),
    }
}

fn two_nodes() -> Machine {
    Machine {
        source: Source::Synthetic("by hand".to_owned()),
        packages: vec![],
        nodes: vec![node(0, "0-1"), node(1, "2-3")],
        cpus: vec![],
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: "0-3".parse().unwrap(),
        allowed_nodes: "0-1".parse().unwrap(),
        limits: vec![],
    }
}

fn show_of(policy: Option<MemoryMode>, nodes: &str, next: Option<u32>) -> String {
    show(&own(policy, nodes, next, false))
}

fn own(policy: Option<MemoryMode>, nodes: &str, next: Option<u32>, balancing: bool) -> OwnPlacement {
    OwnPlacement {
        cpus: "0,4-5".parse().unwrap(),
        nodes_of_cpus: "0-1".parse().unwrap(),
        nodes: "0-1".parse().unwrap(),
        policy,
        balancing,
        policy_nodes: nodes.parse().unwrap(),
        next: next.map(NodeId),
    }
}

const MASKS: &str = "physcpubind: 0 4 5 \ncpubind: 0 1 \nnodebind: 0 1 \n";

#[test]
fn policies_are_shown_in_numactls_words() {
    let default = format!("policy: default\npreferred node: current\n{MASKS}membind: 0 1 \npreferred: \n");
    assert_eq!(show_of(Some(MemoryMode::Default), "", Some(0)), default);
    let bind = format!("policy: bind\npreferred node: 1\n{MASKS}membind: 1 \npreferred: 1 \n");
    assert_eq!(show_of(Some(MemoryMode::Bind), "1", None), bind);
    let interleave = format!(
        "policy: interleave\npreferred node: 1 (interleave next)\ninterleavemask: 0 1 \ninterleavenode: 1\n{MASKS}membind: 0 1 \n\
         preferred: 0 1 \n"
    );
    assert_eq!(show_of(Some(MemoryMode::Interleave), "0-1", Some(1)), interleave);
    assert!(
        show_of(Some(MemoryMode::PreferredMany), "0-1", None)
            .starts_with("policy: preferred-many\npreferred node: 0 (preferred-many)\n")
    );
    assert!(
        show_of(Some(MemoryMode::Local), "", None).starts_with("policy: local\npreferred node: current\n")
    );
    assert!(
        show(&own(Some(MemoryMode::Bind), "0", None, true))
            .starts_with("policy: bind (balancing)\npreferred node: 0\n")
    );
    assert!(
        show_of(Some(MemoryMode::WeightedInterleave), "0-1", Some(0)).contains("weightedinterleavenode: 0\n")
    );
    assert!(show_of(None, "", None).starts_with("policy: unknown\n"));
}

#[test]
fn the_inventory_has_numactls_lines() {
    let mut two = two_nodes();
    two.nodes[1].free = Reading::Measured(Bytes::mib(100));
    for (node, row) in two.nodes.iter_mut().zip([vec![10, 21], vec![21, 10]]) {
        node.distances = Reading::Measured(row);
    }
    let expected = "available: 2 nodes (0-1)\n\
                    node 0 cpus: 0 1\nnode 0 size: 8192 MB\nnode 0 free: unavailable\n\
                    node 1 cpus: 2 3\nnode 1 size: 8192 MB\nnode 1 free: 100 MB\n\
                    node distances:\nnode   0   1 \n  0:  10  21 \n  1:  21  10 \n";
    assert_eq!(hardware(&two, CpuNumbers::Each), expected);
    two.nodes[0].distances = Reading::unavailable("not told");
    assert!(hardware(&two, CpuNumbers::Each).ends_with("No distance information available.\n"));
}

#[test]
fn cpus_of_a_node_as_ranges_with_their_number() {
    for (cpus, expected) in
        [("0-3", " 0-3 (4)"), ("0-1,4,8-9", " 0-1, 4, 8-9 (5)"), ("7", " 7 (1)"), ("", " (0)")]
    {
        assert_eq!(cpu_numbers(&cpus.parse().unwrap_or_default(), CpuNumbers::Ranges), expected);
    }
}
