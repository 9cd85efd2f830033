use super::*;
use crate::quick;
use numawise_units::CpuSet;

/// Both readers see the same machine: this one, whatever it is.
#[test]
fn the_quick_reader_and_hwloc_agree_on_this_machine() {
    let full = live().unwrap();
    let fast = quick(&Roots::live()).unwrap();
    assert_eq!(full.online(), fast.online());
    assert_eq!(full.packages, fast.packages);
    assert_eq!(full.allowed_cpus, fast.allowed_cpus);
    assert_eq!(full.allowed_nodes, fast.allowed_nodes);
    let places = |machine: &Machine| -> Vec<_> {
        let cpus = machine.cpus.iter();
        cpus.map(|cpu| (cpu.id, cpu.node, cpu.package, cpu.core, cpu.smt)).collect()
    };
    assert_eq!(places(&full), places(&fast));
    let nodes = |machine: &Machine| -> Vec<(NodeId, CpuSet, CpuSet)> {
        let nodes = machine.nodes.iter();
        nodes.map(|node| (node.id, node.cpus.clone(), node.near.clone())).collect()
    };
    assert_eq!(nodes(&full), nodes(&fast));
    assert!(full.nodes.iter().any(|node| node.free.measured().is_some()));
}

/// What hwloc says of a machine with high-bandwidth nodes, and what the kernel's files say of the same.
#[test]
fn the_kernel_decides_to_whom_a_node_is_local() {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines/hbm-by-figures.xml"),
    )
    .unwrap();
    let mut kernel = quick(&crate::fixture::Fixture::named("hbm").roots()).unwrap();
    let machine = together(&text, kernel.clone()).unwrap();
    assert_eq!(machine.nodes[2].kind, MemoryKind::Hbm);
    assert_eq!(machine.nodes[3].near.to_string(), "2-3");
    assert_eq!(machine.attributes, kernel.attributes, "figures are the kernel's");
    assert_eq!(machine.nodes[2].memory, kernel.nodes[2].memory, "sizes are the kernel's");
    // The other way round: the kernel says that the CPUs belong to nodes 2 and 3.
    for (from, to) in [(0, 2), (1, 3)] {
        kernel.nodes[to].cpus = std::mem::take(&mut kernel.nodes[from].cpus);
    }
    let machine = together(&text, kernel).unwrap();
    assert_eq!(machine.nodes[2].cpus.to_string(), "0-1");
    assert_eq!(machine.nodes[2].kind, MemoryKind::Dram);
    assert!(machine.nodes[0].cpus.is_empty());
    assert_eq!(machine.node_of(numawise_units::CpuId(3)), Some(NodeId(3)));
}

#[test]
fn a_node_that_hwloc_leaves_out_is_there_all_the_same() {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines/two-socket-smt.xml"),
    )
    .unwrap();
    let kernel = quick(&crate::fixture::Fixture::named("holes").roots()).unwrap();
    let machine = together(&text, kernel).unwrap();
    let ids: Vec<u32> = machine.nodes.iter().map(|node| node.id.0).collect();
    assert_eq!(ids, [0, 8, 252], "nodes are the kernel's");
    assert_eq!(machine.nodes[2].kind, MemoryKind::Unknown);
    assert!(!machine.caches.is_empty(), "caches are hwloc's");
}

/// A plan reads the kernel's files alone: what `machine` shows has to be what it goes by.
#[test]
fn kinds_of_cores_are_those_that_plans_go_by() {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/machines/efficient-cores.xml"),
    )
    .unwrap();
    let fixture = crate::fixture::Fixture::named("two-socket");
    for cpu in 0..8 {
        let capacity = if cpu < 4 { "900\n" } else { "1024\n" };
        fixture.write(&format!("{}/cpu{cpu}/cpu_capacity", crate::files::CPUS), capacity);
    }
    let kernel = quick(&fixture.roots()).unwrap();
    let ranks = |machine: &Machine| -> Vec<_> {
        machine.cpus.iter().map(|cpu| (cpu.id, cpu.efficiency.measured().copied())).collect()
    };
    let planned = ranks(&kernel);
    assert!(planned.iter().any(|(_, rank)| *rank == Some(1)), "{planned:?}");
    assert_eq!(ranks(&together(&text, kernel).unwrap()), planned);
}
