use super::*;
use crate::fixture::Fixture;

fn quick_of(name: &str) -> Machine {
    quick(&Fixture::named(name).roots()).unwrap()
}

fn set(list: &str) -> CpuSet {
    list.parse().unwrap()
}

#[test]
fn two_sockets_with_hardware_threads() {
    let machine = quick_of("two-socket");
    assert_eq!(machine.online(), set("0-7"));
    assert_eq!(machine.nodes.len(), 2);
    assert_eq!(machine.nodes[1].cpus, set("2-3,6-7"));
    assert_eq!(machine.nodes[1].near, set("2-3,6-7"));
    assert_eq!(machine.nodes[0].memory, Reading::Measured(Bytes(8 << 30)));
    assert_eq!(machine.nodes[0].free, Reading::Measured(Bytes(4 << 30)));
    assert_eq!(machine.nodes[0].kind, MemoryKind::Dram);
    assert_eq!(machine.distance(NodeId(1), NodeId(0)), Some(21));
    let places: Vec<(u32, u32)> = machine.cpus.iter().map(|cpu| (cpu.core, cpu.smt)).collect();
    assert_eq!(places, [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)]);
    let packages: Vec<CpuSet> = machine.packages.iter().map(|p| p.cpus.clone()).collect();
    assert_eq!(packages, [set("0-1,4-5"), set("2-3,6-7")]);
    assert_eq!(machine.cpu(CpuId(6)).unwrap().package, Some(1));
    assert_eq!(machine.allowed_cpus, set("0-7"));
    assert_eq!(machine.allowed_nodes.to_string(), "0-1");
}

#[test]
fn memory_kinds_come_from_the_firmwares_figures() {
    let machine = quick_of("hbm");
    let kinds: Vec<MemoryKind> = machine.nodes.iter().map(|node| node.kind).collect();
    assert_eq!(kinds, [MemoryKind::Dram, MemoryKind::Dram, MemoryKind::Hbm, MemoryKind::Hbm]);
    assert!(machine.nodes[2].cpus.is_empty());
    assert_eq!(machine.nodes[2].near, set("0-1"));
    assert_eq!(machine.nodes[3].near, set("2-3"));
    let evidence = &machine.nodes[3].kind_evidence;
    let MemoryKindEvidence::Compared { bandwidth: Some(bandwidth), .. } = evidence else {
        panic!("{evidence:?}");
    };
    assert_eq!(bandwidth.node.median.0 / bandwidth.ordinary.median.0, 400.0 / 90.0);
    // Write latency is 0 in the files: not told, so not there.
    assert_eq!(machine.attributes.len(), 12);
    assert!(machine.attributes.iter().all(|attribute| attribute.figure.in_units_of_the_kernel() > 0.0));
}

#[test]
fn numbers_may_have_gaps_and_nodes_may_lack_memory_or_cpus() {
    let machine = quick_of("holes");
    let ids: Vec<u32> = machine.nodes.iter().map(|node| node.id.0).collect();
    assert_eq!(ids, [0, 8, 252]);
    assert_eq!(machine.nodes[0].memory, Reading::Measured(Bytes(0)));
    assert_eq!(machine.nodes[0].kind, MemoryKind::Unknown);
    assert_eq!(machine.nodes[2].kind, MemoryKind::Unknown);
    assert_eq!(machine.nodes[2].near, set("96-98"), "node 8 is the nearest with CPUs");
    assert_eq!(machine.allowed_nodes.to_string(), "8,252", "node 0 has nothing to give");
    assert_eq!(machine.online(), set("0-2,96-98"));
    assert_eq!(machine.allowed_cpus, set("0-2,96-98"), "the mask may name CPUs that are offline");
    assert_eq!(machine.distance(NodeId(252), NodeId(8)), Some(70));
}

#[test]
fn a_kernel_without_numa_has_one_node() {
    let machine = quick_of("no-numa");
    assert_eq!(machine.nodes.len(), 1);
    assert_eq!(machine.nodes[0].cpus, set("0-1"));
    assert_eq!(machine.nodes[0].memory, Reading::Measured(Bytes(1 << 30)));
    assert!(machine.nodes[0].distances.measured().is_none());
    assert_eq!(machine.allowed_nodes.to_string(), "0");
    assert!(machine.packages.is_empty());
    assert_eq!(machine.cpus[1].package, None);
}

#[test]
fn more_than_1024_cpus() {
    let fixture = Fixture::named("two-socket");
    fixture.write("/sys/devices/system/cpu/online", "0-2047\n");
    fixture.write("/sys/devices/system/cpu/smt/active", "0\n");
    fixture.write("/sys/devices/system/node/node0/cpulist", "0-1023\n");
    fixture.write("/sys/devices/system/node/node1/cpulist", "1024-2047\n");
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t1000-2047\nMems_allowed_list:\t0-1\n");
    let machine = quick(&fixture.roots()).unwrap();
    assert_eq!(machine.cpus.len(), 2048);
    assert_eq!(machine.allowed_cpus.len(), 1048);
    assert_eq!(machine.node_of(CpuId(2000)), Some(NodeId(1)));
    assert_eq!(machine.cpu(CpuId(2000)).unwrap().core, 2000);
}

#[test]
fn cores_without_a_list_of_siblings_are_single() {
    let fixture = Fixture::named("two-socket");
    fixture.remove("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list");
    let machine = quick(&fixture.roots()).unwrap();
    assert!(machine.cpus.iter().all(|cpu| cpu.smt == 0), "rather no pairs than half of them");
}

#[test]
fn the_threads_of_one_core_are_counted() {
    let fixture = Fixture::named("two-socket");
    assert_eq!(threads_of_core(&fixture.roots(), CpuId(2)), 2);
    fixture.remove("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list");
    assert_eq!(threads_of_core(&fixture.roots(), CpuId(2)), 1);
}

#[test]
fn older_kernels_name_packages_otherwise() {
    let fixture = Fixture::named("two-socket");
    for (cpu, list) in [(0, "0-1,4-5"), (2, "2-3,6-7")] {
        fixture.remove(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/package_cpus_list"));
        fixture.write(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/core_siblings_list"), list);
    }
    let machine = quick(&fixture.roots()).unwrap();
    assert_eq!(machine.packages.len(), 2);
}

fn error_after(change: impl Fn(&Fixture)) -> String {
    let fixture = Fixture::named("two-socket");
    change(&fixture);
    quick(&fixture.roots()).unwrap_err().to_string()
}

#[test]
fn broken_files_are_named() {
    let nonsense = error_after(|f| f.write("/sys/devices/system/cpu/online", "0-x\n"));
    assert!(nonsense.contains("cpu/online holds '0-x'; expected a list such as 0-3,8"), "{nonsense}");
    let missing = error_after(|f| f.remove("/sys/devices/system/cpu/online"));
    assert!(missing.contains("cannot read") && missing.contains("cpu/online"), "{missing}");
    let node = error_after(|f| f.remove("/sys/devices/system/node/node1/cpulist"));
    assert!(node.contains("node1/cpulist"), "{node}");
    let status = error_after(|f| f.write("/proc/self/status", "Name:\tx\n"));
    assert!(status.contains("Cpus_allowed_list"), "{status}");
    let mems = error_after(|f| {
        f.write("/proc/self/status", "Cpus_allowed_list:\t0\nMems_allowed_list:\tnone\n");
    });
    assert!(mems.contains("Mems_allowed_list"), "{mems}");
    let huge = error_after(|f| f.write("/sys/devices/system/node/online", "0-99999999\n"));
    assert!(huge.contains("node/online"), "{huge}");
}

#[test]
fn what_cannot_be_read_of_a_node_is_unavailable_and_not_zero() {
    let fixture = Fixture::named("two-socket");
    fixture.remove("/sys/devices/system/node/node0/meminfo");
    fixture.write("/sys/devices/system/node/node1/meminfo", "nothing that we know\n");
    fixture.write("/sys/devices/system/node/node1/distance", "ten twenty\n");
    let machine = quick(&fixture.roots()).unwrap();
    assert!(machine.nodes[0].memory.measured().is_none());
    assert!(machine.nodes[1].free.measured().is_none());
    assert!(machine.nodes[1].distances.measured().is_none());
    assert_eq!(machine.allowed_nodes.to_string(), "0-1", "unknown is not none");
}
