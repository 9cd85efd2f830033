use super::*;
use crate::fixture::Fixture;
use crate::quick;

fn limits_of(fixture: &Fixture, policy: &Policy) -> Vec<Limit> {
    let machine = quick(&fixture.roots()).unwrap();
    limits(&fixture.roots(), &machine, policy)
}

fn of(limits: &[Limit], kind: LimitKind) -> &Limit {
    let mut found = limits.iter().filter(|limit| limit.kind == kind);
    let limit = found.next().unwrap_or_else(|| panic!("no {kind:?} in {limits:#?}"));
    assert!(found.next().is_none(), "{kind:?} is told twice");
    limit
}

#[test]
fn nothing_limits_a_free_process() {
    assert_eq!(limits_of(&Fixture::named("two-socket"), &Policy::Default), []);
}

#[test]
fn version_2_limits_are_the_tightest_on_the_way_up() {
    let limits = limits_of(&Fixture::named("cgroup2-limited"), &Policy::Default);
    let cpus = of(&limits, LimitKind::CgroupCpus);
    assert_eq!(cpus.effect, "the cgroup may use 4 of 8 CPUs (0-3)");
    assert_eq!(cpus.source, "/sys/fs/cgroup/batch/job 1/cpuset.cpus.effective");
    let mask = of(&limits, LimitKind::AffinityMask);
    assert_eq!(mask.effect, "the affinity mask leaves 3 of 4 CPUs (1-3)");
    let mems = of(&limits, LimitKind::CgroupMems);
    assert_eq!(mems.effect, "memory may be taken from 1 of 2 nodes (0)");
    assert!(mems.source.contains("cpuset.mems.effective"), "{}", mems.source);
    let quota = of(&limits, LimitKind::CpuQuota);
    assert!(quota.effect.contains("2.50 CPUs"), "{}", quota.effect);
    assert_eq!(quota.source, "/sys/fs/cgroup/batch/cpu.max");
    let memory = of(&limits, LimitKind::MemoryLimit);
    assert_eq!(memory.effect, "the cgroup may use 2 GiB of 16 GiB of memory");
    assert_eq!(memory.source, "/sys/fs/cgroup/batch/job 1/memory.max");
    assert_eq!(limits.len(), 5);
    assert!(limits.iter().all(|limit| !limit.lift.is_empty()));
}

#[test]
fn version_1_limits_are_found_inside_of_a_container() {
    let limits = limits_of(&Fixture::named("cgroup1-container"), &Policy::Default);
    let cpus = of(&limits, LimitKind::CgroupCpus);
    assert_eq!(cpus.effect, "the cgroup may use 4 of 8 CPUs (4-7)");
    assert_eq!(cpus.source, "/sys/fs/cgroup/cpuset/cpuset.effective_cpus");
    assert_eq!(of(&limits, LimitKind::CgroupMems).effect, "memory may be taken from 1 of 2 nodes (1)");
    let quota = of(&limits, LimitKind::CpuQuota);
    assert!(quota.effect.contains("1.50 CPUs"), "{}", quota.effect);
    assert_eq!(quota.source, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us");
    // The inner cgroup has the number that means "none"; the outer one counts.
    let memory = of(&limits, LimitKind::MemoryLimit);
    assert_eq!(memory.source, "/sys/fs/cgroup/memory/memory.limit_in_bytes");
    assert_eq!(limits.len(), 4, "the mask is that of the cpuset");
}

#[test]
fn offline_cpus_are_counted() {
    let limits = limits_of(&Fixture::named("holes"), &Policy::Default);
    let offline = of(&limits, LimitKind::OfflineCpus);
    assert_eq!(offline.effect, "6 of 8 CPUs are online (0-2,96-98); 3,99 are offline");
    assert_eq!(limits.len(), 4, "the shape of the machine has tests of its own");
}

#[test]
fn a_mask_alone_is_told_as_such() {
    let fixture = Fixture::named("two-socket");
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t0-5\nMems_allowed_list:\t0-1\n");
    let limits = limits_of(&fixture, &Policy::Default);
    assert_eq!(of(&limits, LimitKind::AffinityMask).effect, "the affinity mask leaves 6 of 8 CPUs (0-5)");
    of(&limits, LimitKind::PartialCores);
    assert_eq!(limits.len(), 2);
}

#[test]
fn limits_that_do_not_bite_are_not_told() {
    let fixture = Fixture::named("two-socket");
    fixture.write("/sys/fs/cgroup/user.slice/cpu.max", "800000 100000\n");
    fixture.write("/sys/fs/cgroup/user.slice/memory.max", "999999999999\n");
    assert_eq!(limits_of(&fixture, &Policy::Default), []);
}

#[test]
fn strange_cgroup_files_hide_a_limit_and_break_nothing() {
    for (file, text) in [
        ("/proc/self/cgroup", "no colons here\n::::\n"),
        ("/proc/self/mountinfo", "24 1 - cgroup2\n - \n"),
        ("/sys/fs/cgroup/user.slice/cpu.max", "much\n"),
        ("/sys/fs/cgroup/user.slice/cpu.max", "100000 0\n"),
        ("/sys/fs/cgroup/user.slice/memory.max", "-1\n"),
        ("/sys/fs/cgroup/cpuset.cpus.effective", "all\n"),
        ("/proc/self/cgroup", "0::/../../elsewhere\n"),
    ] {
        let fixture = Fixture::named("two-socket");
        fixture.write(file, text);
        assert_eq!(limits_of(&fixture, &Policy::Default), [], "{file}: {text}");
    }
}

#[test]
fn policies_are_told() {
    let fixture = Fixture::named("two-socket");
    let inherited = Policy::Inherited { mode: "bind".to_owned(), nodes: "1".parse().unwrap() };
    let limits = limits_of(&fixture, &inherited);
    let policy = of(&limits, LimitKind::MemoryPolicy);
    assert!(policy.effect.contains("the memory policy bind on nodes 1"), "{}", policy.effect);
    for (policy, words) in [
        (Policy::Forbidden, "may not be set"),
        (Policy::Missing, "has no memory policies"),
        (Policy::Unknown("odd".to_owned()), "not known"),
    ] {
        let limits = limits_of(&fixture, &policy);
        let calls = of(&limits, LimitKind::PolicyCalls);
        assert!(calls.effect.contains(words), "{}", calls.effect);
    }
}

#[test]
fn the_cpus_of_the_cgroup_are_told_whatever_the_mask() {
    let online = "0-7".parse().unwrap();
    let cpus = |name: &str| cgroup_cpus(&Fixture::named(name).roots(), &online).to_string();
    assert_eq!(cpus("cgroup2-limited"), "0-3", "the mask there is 1-3");
    assert_eq!(cpus("cgroup1-container"), "4-7");
    assert_eq!(cpus("two-socket"), "0-7");
    assert_eq!(cgroup_cpus(&Fixture::empty().roots(), &online).to_string(), "0-7", "no cgroups at all");
}
