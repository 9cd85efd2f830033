use numawise_facts::notice::AffinityRefusal;
use numawise_units::{Bytes, CpuId};

use super::*;

fn cpus(list: &str) -> CpuSet {
    list.parse().unwrap()
}

fn nodes(list: &str) -> NodeSet {
    list.parse().unwrap()
}

/// Every notice, with how its text begins.
fn all() -> Vec<(MachineNotice, &'static str)> {
    let file = || "a-file".to_owned();
    let memory = Reading::Measured(Bytes(16 << 30));
    let none = Reading::unavailable("not known");
    let limit = Bytes(2 << 30);
    vec![
        (
            MachineNotice::OfflineCpus { online: cpus("0-2,96-98"), offline: cpus("3,99"), folder: file() },
            "6 of 8 CPUs are online (0-2,96-98); 3,99 are offline",
        ),
        (
            MachineNotice::OfflineCpus { online: cpus("0-2"), offline: cpus("3"), folder: file() },
            "3 of 4 CPUs are online (0-2); 3 is offline",
        ),
        (
            MachineNotice::CgroupCpus { allowed: cpus("0-3"), online: cpus("0-7"), file: file() },
            "the cgroup may use 4 of 8 CPUs (0-3)",
        ),
        (
            MachineNotice::AffinityMask { allowed: cpus("1-3"), cgroup: cpus("0-3"), file: file() },
            "the affinity mask leaves 3 of 4 CPUs (1-3)",
        ),
        (
            MachineNotice::CgroupMemory {
                allowed: nodes("0"),
                with_memory: nodes("0-1"),
                cgroup_file: Some("cpuset.mems".to_owned()),
                file: file(),
            },
            "memory may be taken from 1 of 2 nodes (0)",
        ),
        (MachineNotice::CpuQuota { cpus: 2.5, file: file() }, "CPU quota of 2.50 CPUs: "),
        (
            MachineNotice::MemoryLimit { limit, memory, file: file() },
            "the cgroup may use 2 GiB of 16 GiB of memory",
        ),
        (
            MachineNotice::MemoryLimit { limit, memory: none, file: file() },
            "the cgroup may use 2 GiB of memory",
        ),
        (
            MachineNotice::InheritedPolicy { mode: "bind".to_owned(), nodes: nodes("1") },
            "we were started with the memory policy bind on nodes 1; programs inherit it",
        ),
        (MachineNotice::PolicyCallsForbidden, "memory policies may not be set"),
        (MachineNotice::PolicyCallsMissing { folder: file() }, "this kernel has no memory policies"),
        (
            MachineNotice::PolicyCallsUnknown { problem: file() },
            "whether memory policies may be set is not known",
        ),
        (
            MachineNotice::AffinityCallsRefused { by: AffinityRefusal::Forbidden },
            "threads may not be placed on CPUs: they run where the kernel puts them",
        ),
        (
            MachineNotice::AffinityCallsRefused { by: AffinityRefusal::Missing },
            "threads cannot be placed on CPUs here",
        ),
        (
            MachineNotice::AffinityCallsRefused { by: AffinityRefusal::Ignored },
            "placing threads on CPUs is reported as done and has no effect",
        ),
        (
            MachineNotice::PartialCores {
                cores: 2,
                usable: cpus("1,6"),
                others: cpus("2,5"),
                folder: file(),
            },
            "2 cores have hardware threads that may be used (CPUs 1,6) and others that may not (CPUs 2,5)",
        ),
        (
            MachineNotice::PartialCores { cores: 1, usable: cpus("1"), others: cpus("5"), folder: file() },
            "1 core has hardware threads",
        ),
        (
            MachineNotice::EfficientCores { efficient: cpus("2-7"), fastest: cpus("0-1") },
            "6 of 8 CPUs are efficient cores (2-7), slower than the others (0-1)",
        ),
        (
            MachineNotice::NodesWithoutMemory { nodes: nodes("0"), folder: file() },
            "node 0 has no memory: what its CPUs touch",
        ),
        (MachineNotice::NodesWithoutCpus { nodes: nodes("2-3"), folder: file() }, "nodes 2-3 have no CPUs"),
        (
            MachineNotice::CpusBeyondCpuSet { last: CpuId(1024), holds: 1024, folder: file() },
            "CPUs are numbered up to 1024",
        ),
        (
            MachineNotice::NumberingGaps {
                cpus: Some(cpus("0-3,96-99")),
                nodes: Some(nodes("0,8,252")),
                files: vec![file()],
            },
            "numbers are left out (CPUs are 0-3,96-99, nodes are 0,8,252)",
        ),
        (
            MachineNotice::CpusNotRecorded { described: cpus("0-3"), missing: cpus("4-7"), by_cpuset: true },
            "4 of 8 CPUs are described (0-3); the others (4-7) were kept from whoever recorded it",
        ),
        (
            MachineNotice::CpusNotRecorded { described: cpus("0-3"), missing: cpus("4-7"), by_cpuset: false },
            "4 of 8 CPUs are described (0-3); the others (4-7) were offline or kept from",
        ),
        (
            MachineNotice::NodesNotRecorded { described: nodes("0"), missing: nodes("1") },
            "1 of 2 nodes are described (0); the others (1) were kept from whoever recorded it",
        ),
    ]
}

#[test]
fn every_limit_says_what_it_does_who_reported_it_and_who_can_lift_it() {
    for (notice, begins) in all() {
        let text = text(&notice);
        assert!(text.starts_with(begins), "{text}");
        assert!(!source(&notice).is_empty() && !lift(&notice).is_empty(), "{notice:?}");
        assert!(!sentence(&notice).ends_with('.'), "{notice:?}");
    }
}

#[test]
fn the_cure_has_the_numbers_of_the_limit() {
    let mask = MachineNotice::AffinityMask { allowed: cpus("1"), cgroup: cpus("0-3"), file: String::new() };
    assert!(lift(&mask).contains("taskset -c 0-3 in front"), "{}", lift(&mask));
    let far = MachineNotice::NodesWithoutCpus { nodes: nodes("252"), folder: String::new() };
    assert!(lift(&far).contains("--memory bind:252"), "{}", lift(&far));
}

#[test]
fn every_limit_goes_through_json() {
    for (notice, _) in all() {
        let value = json(&notice);
        assert_eq!(value["code"], notice.code());
        let bare = serde_json::to_value(&notice).unwrap();
        assert_eq!(serde_json::from_value::<MachineNotice>(bare).unwrap(), notice);
    }
}
