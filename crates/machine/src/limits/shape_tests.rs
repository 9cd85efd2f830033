use numawise_facts::Reading;
use numawise_units::CpuId;

use super::*;
use crate::fixture::Fixture;
use crate::quick;

fn told(fixture: &Fixture) -> Vec<Limit> {
    limits(&fixture.roots(), &quick(&fixture.roots()).unwrap())
}

fn kinds(limits: &[Limit]) -> Vec<LimitKind> {
    limits.iter().map(|limit| limit.kind).collect()
}

#[test]
fn an_ordinary_machine_has_nothing_odd() {
    for name in ["two-socket", "cgroup2-limited", "cgroup1-container"] {
        assert_eq!(told(&Fixture::named(name)), [], "{name}");
    }
}

#[test]
fn partners_of_which_only_some_are_ours() {
    let fixture = Fixture::named("two-socket");
    // Cores are 0,4  1,5  2,6  3,7.
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t0-1,4,6\nMems_allowed_list:\t0-1\n");
    let limits = told(&fixture);
    assert_eq!(kinds(&limits), [LimitKind::PartialCores]);
    let effect = &limits[0].effect;
    assert!(effect.starts_with("2 cores have hardware threads that may be used (CPUs 1,6)"), "{effect}");
    assert!(effect.contains("others that may not (CPUs 2,5)"), "{effect}");
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t0-3,5-7\nMems_allowed_list:\t0-1\n");
    assert!(told(&fixture)[0].effect.starts_with("1 core has"), "{:?}", told(&fixture));
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t0-1,4-5\nMems_allowed_list:\t0-1\n");
    assert_eq!(told(&fixture), [], "whole cores are ours alone");
}

#[test]
fn nodes_without_memory_or_cpus_and_gaps() {
    let limits = told(&Fixture::named("holes"));
    let expected = [LimitKind::NodesWithoutMemory, LimitKind::NodesWithoutCpus, LimitKind::NumberingGaps];
    assert_eq!(kinds(&limits), expected);
    assert!(limits[0].effect.starts_with("node 0 has no memory: what its CPUs touch"), "{:?}", limits[0]);
    assert!(limits[1].effect.starts_with("node 252 has no CPUs"), "{:?}", limits[1]);
    assert!(limits[1].lift.contains("--memory bind:252"), "{:?}", limits[1]);
    assert!(limits[2].effect.contains("(CPUs are 0-3,96-99, nodes are 0,8,252)"), "{:?}", limits[2]);
    let several = told(&Fixture::named("hbm"));
    assert_eq!(kinds(&several), [LimitKind::NodesWithoutCpus]);
    assert!(several[0].effect.starts_with("nodes 2-3 have no CPUs"), "{:?}", several[0]);
}

#[test]
fn a_cpu_that_is_offline_leaves_no_gap() {
    let fixture = Fixture::named("two-socket");
    fixture.write("/sys/devices/system/cpu/online", "0-2,4-7\n");
    fixture.write("/sys/devices/system/cpu/present", "0-7\n");
    assert_eq!(told(&fixture), []);
    // Without the list of those present only what is online is known.
    fixture.remove("/sys/devices/system/cpu/present");
    assert_eq!(kinds(&told(&fixture)), [LimitKind::NumberingGaps]);
}

fn with_efficiencies(of: impl Fn(CpuId) -> Reading<u32>) -> Vec<Limit> {
    let fixture = Fixture::named("two-socket");
    let mut machine = quick(&fixture.roots()).unwrap();
    machine.cpus.iter_mut().for_each(|cpu| cpu.efficiency = of(cpu.id));
    limits(&fixture.roots(), &machine)
}

#[test]
fn efficient_cores_are_named() {
    let limits = with_efficiencies(|cpu| Reading::Measured(u32::from(cpu.0 < 2)));
    assert_eq!(kinds(&limits), [LimitKind::EfficientCores]);
    let effect = &limits[0].effect;
    assert!(
        effect.starts_with("6 of 8 CPUs are efficient cores (2-7), slower than the others (0-1)"),
        "{effect}"
    );
    assert_eq!(with_efficiencies(|_| Reading::Measured(0)), []);
    assert_eq!(with_efficiencies(|_| Reading::unavailable("all alike")), []);
}

#[test]
fn numbers_beyond_the_c_librarys_set() {
    let fixture = Fixture::named("two-socket");
    let mut machine = quick(&fixture.roots()).unwrap();
    let mut far = machine.cpus[0].clone();
    (far.id, far.core) = (CpuId(1024), 1024);
    machine.cpus.push(far);
    let limits = limits(&fixture.roots(), &machine);
    assert_eq!(kinds(&limits), [LimitKind::ManyCpus]);
    assert!(limits[0].effect.contains("numbered up to 1024"), "{:?}", limits[0]);
    machine.cpus.last_mut().unwrap().id = CpuId(1023);
    assert_eq!(super::limits(&fixture.roots(), &machine), []);
}
