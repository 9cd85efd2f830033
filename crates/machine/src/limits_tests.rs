use numawise_facts::Reading;

use super::*;
use crate::fixture::Fixture;
use crate::quick;

fn limits_of(fixture: &Fixture, policy: &Policy) -> Vec<MachineNotice> {
    let machine = quick(&fixture.roots()).unwrap();
    limits(&fixture.roots(), &machine, policy)
}

fn set<T: numawise_units::Id>(list: &str) -> numawise_units::IdSet<T> {
    list.parse().unwrap()
}

#[test]
fn nothing_limits_a_free_process() {
    assert_eq!(limits_of(&Fixture::named("two-socket"), &Policy::Default), []);
}

#[test]
fn version_2_limits_are_the_tightest_on_the_way_up() {
    let limits = limits_of(&Fixture::named("cgroup2-limited"), &Policy::Default);
    let (job, file) = ("/sys/fs/cgroup/batch/job 1", STATUS.to_owned());
    let expected = [
        MachineNotice::CgroupCpus {
            allowed: set("0-3"),
            online: set("0-7"),
            file: format!("{job}/cpuset.cpus.effective"),
        },
        MachineNotice::AffinityMask { allowed: set("1-3"), cgroup: set("0-3"), file: file.clone() },
        MachineNotice::CgroupMemory {
            allowed: set("0"),
            with_memory: set("0-1"),
            cgroup_file: Some(format!("{job}/cpuset.mems.effective")),
            file,
        },
        MachineNotice::CpuQuota { cpus: 2.5, file: "/sys/fs/cgroup/batch/cpu.max".to_owned() },
        MachineNotice::MemoryLimit {
            limit: Bytes(2 << 30),
            memory: Reading::Measured(Bytes(16 << 30)),
            file: format!("{job}/memory.max"),
        },
    ];
    assert_eq!(limits, expected);
}

#[test]
fn version_1_limits_are_found_inside_of_a_container() {
    let limits = limits_of(&Fixture::named("cgroup1-container"), &Policy::Default);
    let [cpus, mems, quota, memory] = limits.as_slice() else {
        panic!("the mask is that of the cpuset: {limits:#?}");
    };
    let file = "/sys/fs/cgroup/cpuset/cpuset.effective_cpus".to_owned();
    assert_eq!(*cpus, MachineNotice::CgroupCpus { allowed: set("4-7"), online: set("0-7"), file });
    assert!(
        matches!(mems, MachineNotice::CgroupMemory { allowed, with_memory, .. }
            if *allowed == set("1") && *with_memory == set("0-1")),
        "{mems:?}"
    );
    let file = "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us".to_owned();
    assert_eq!(*quota, MachineNotice::CpuQuota { cpus: 1.5, file });
    // The inner cgroup has the number that means "none"; the outer one counts.
    assert!(
        matches!(memory, MachineNotice::MemoryLimit { file, .. }
            if file == "/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        "{memory:?}"
    );
}

#[test]
fn offline_cpus_are_counted() {
    let limits = limits_of(&Fixture::named("holes"), &Policy::Default);
    let folder = CPUS.to_owned();
    let expected = MachineNotice::OfflineCpus { online: set("0-2,96-98"), offline: set("3,99"), folder };
    assert_eq!(limits[0], expected);
    assert_eq!(limits.len(), 4, "the shape of the machine has tests of its own");
}

#[test]
fn a_mask_alone_is_named_as_such() {
    let fixture = Fixture::named("two-socket");
    fixture.write("/proc/self/status", "Cpus_allowed_list:\t0-5\nMems_allowed_list:\t0-1\n");
    let limits = limits_of(&fixture, &Policy::Default);
    let mask =
        MachineNotice::AffinityMask { allowed: set("0-5"), cgroup: set("0-7"), file: STATUS.to_owned() };
    assert_eq!(limits[0], mask);
    assert!(matches!(limits[1], MachineNotice::PartialCores { .. }), "{limits:?}");
    assert_eq!(limits.len(), 2);
}

#[test]
fn limits_that_do_not_bite_are_left_out() {
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
fn policies_are_named() {
    let fixture = Fixture::named("two-socket");
    let inherited = Policy::Inherited { mode: "bind".to_owned(), nodes: set("1") };
    let limit = MachineNotice::InheritedPolicy { mode: "bind".to_owned(), nodes: set("1") };
    assert_eq!(limits_of(&fixture, &inherited), [limit]);
    for (policy, expected) in [
        (Policy::Forbidden, MachineNotice::PolicyCallsForbidden),
        (Policy::Missing, MachineNotice::PolicyCallsMissing { folder: NODES.to_owned() }),
        (Policy::Unknown("odd".to_owned()), MachineNotice::PolicyCallsUnknown { problem: "odd".to_owned() }),
    ] {
        let limits = limits_of(&fixture, &policy);
        assert_eq!(limits, [expected]);
        assert!(limits[0].keeps_policies_from_us());
    }
}

#[test]
fn the_cpus_of_the_cgroup_are_read_whatever_the_mask() {
    let online = "0-7".parse().unwrap();
    let cpus = |name: &str| cgroup_cpus(&Fixture::named(name).roots(), &online).to_string();
    assert_eq!(cpus("cgroup2-limited"), "0-3", "the mask there is 1-3");
    assert_eq!(cpus("cgroup1-container"), "4-7");
    assert_eq!(cpus("two-socket"), "0-7");
    assert_eq!(cgroup_cpus(&Fixture::empty().roots(), &online).to_string(), "0-7", "no cgroups at all");
}
