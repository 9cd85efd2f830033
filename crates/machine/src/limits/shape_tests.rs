use numawise_facts::Reading;
use numawise_units::CpuId;

use super::*;
use crate::fixture::Fixture;
use crate::quick;

fn found(fixture: &Fixture) -> Vec<MachineNotice> {
    limits(&fixture.roots(), &quick(&fixture.roots()).unwrap())
}

fn set<T: Id>(list: &str) -> IdSet<T> {
    list.parse().unwrap()
}

fn partial(cores: u32, usable: &str, others: &str) -> MachineNotice {
    let folder = CPUS.to_owned();
    MachineNotice::PartialCores { cores, usable: set(usable), others: set(others), folder }
}

fn gaps_of(cpus: Option<&str>, nodes: Option<&str>) -> MachineNotice {
    let files = vec![format!("{CPUS}/present"), format!("{NODES}/online")];
    MachineNotice::NumberingGaps { cpus: cpus.map(set), nodes: nodes.map(set), files }
}

#[test]
fn an_ordinary_machine_has_nothing_odd() {
    for name in ["two-socket", "cgroup2-limited", "cgroup1-container"] {
        assert_eq!(found(&Fixture::named(name)), [], "{name}");
    }
}

#[test]
fn partners_of_which_only_some_are_ours() {
    let fixture = Fixture::named("two-socket");
    // Cores are 0,4  1,5  2,6  3,7.
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t0-1,4,6\nMems_allowed_list:\t0-1\n");
    assert_eq!(found(&fixture), [partial(2, "1,6", "2,5")]);
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t0-3,5-7\nMems_allowed_list:\t0-1\n");
    assert_eq!(found(&fixture), [partial(1, "0", "4")]);
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t0-1,4-5\nMems_allowed_list:\t0-1\n");
    assert_eq!(found(&fixture), [], "whole cores are ours alone");
}

#[test]
fn nodes_without_memory_or_cpus_and_gaps() {
    let folder = || NODES.to_owned();
    let expected = [
        MachineNotice::NodesWithoutMemory { nodes: set("0"), folder: folder() },
        MachineNotice::NodesWithoutCpus { nodes: set("252"), folder: folder() },
        gaps_of(Some("0-3,96-99"), Some("0,8,252")),
    ];
    assert_eq!(found(&Fixture::named("holes")), expected);
    let several = MachineNotice::NodesWithoutCpus { nodes: set("2-3"), folder: folder() };
    assert_eq!(found(&Fixture::named("hbm")), [several]);
}

#[test]
fn a_cpu_that_is_offline_leaves_no_gap() {
    let fixture = Fixture::named("two-socket");
    fixture.write("/sys/devices/system/cpu/online", "0-2,4-7\n");
    fixture.write("/sys/devices/system/cpu/present", "0-7\n");
    assert_eq!(found(&fixture), []);
    // Without the list of those present only what is online is known.
    fixture.remove("/sys/devices/system/cpu/present");
    assert_eq!(found(&fixture), [gaps_of(Some("0-2,4-7"), None)]);
}

fn with_efficiencies(of: impl Fn(CpuId) -> Reading<u32>) -> Vec<MachineNotice> {
    let fixture = Fixture::named("two-socket");
    let mut machine = quick(&fixture.roots()).unwrap();
    machine.cpus.iter_mut().for_each(|cpu| cpu.efficiency = of(cpu.id));
    limits(&fixture.roots(), &machine)
}

#[test]
fn efficient_cores_are_named() {
    let limits = with_efficiencies(|cpu| Reading::Measured(u32::from(cpu.0 < 2)));
    let expected = MachineNotice::EfficientCores { efficient: set("2-7"), fastest: set("0-1") };
    assert_eq!(limits, [expected]);
    assert_eq!(with_efficiencies(|_| Reading::Measured(0)), []);
    assert_eq!(with_efficiencies(|_| Reading::unavailable("all alike")), []);
}

#[test]
fn numbers_beyond_the_c_librarys_set() {
    let fixture = Fixture::named("two-socket");
    let mut machine = quick(&fixture.roots()).unwrap();
    let mut last = machine.cpus[0].clone();
    (last.id, last.core) = (CpuId(1024), 1024);
    machine.cpus.push(last);
    let expected =
        MachineNotice::CpusBeyondCpuSet { last: CpuId(1024), holds: CPU_SETSIZE, folder: CPUS.to_owned() };
    assert_eq!(limits(&fixture.roots(), &machine), [expected]);
    machine.cpus.last_mut().unwrap().id = CpuId(1023);
    assert_eq!(limits(&fixture.roots(), &machine), []);
}
