//! `numawise machine` against the machine files, by both readers.

use testbed::{CommandResult, EmulatedMachine};

use crate::json;
use crate::shared::Topic;

pub const MACHINE: &str = "machine";
pub const LIMITS: &str = "limits";

pub fn read() -> Topic {
    Topic::new(
        MACHINE,
        ["numawise machine --json", "numawise machine --reader sysfs --json", "numawise machine"],
    )
}

/// Nodes, their CPUs, memory and distances are those of the file; its shape is what limits us.
pub fn is_as_it_is((machine, run): (&EmulatedMachine, &[CommandResult]), shape: &[&str]) {
    let description = machine.description();
    for result in &run[..2] {
        let told = json(result);
        let nodes = told["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), description.node.len(), "{}", result.stdout);
        for (node, truth) in nodes.iter().zip(&description.node) {
            let cpus: Vec<String> = truth.cpus.iter().map(ToString::to_string).collect();
            let expected = numawise_units::CpuSet::to_string(&cpus.join(",").parse().unwrap());
            assert_eq!(node["cpus"], expected.as_str(), "{node}");
            let bytes = node["memory_bytes"].as_u64().unwrap_or(0);
            let mib = bytes >> 20;
            // The kernel and the firmware take their part of a node before it is counted.
            assert!(mib <= truth.memory_mib && mib + 200 >= truth.memory_mib, "{mib} MiB in {node}");
        }
        let distances: Vec<Vec<u64>> =
            nodes.iter().map(|n| serde_json::from_value(n["distances"].clone()).unwrap()).collect();
        let truth: Vec<Vec<u64>> =
            description.distances.iter().map(|row| row.iter().map(|d| u64::from(*d)).collect()).collect();
        assert_eq!(distances, truth);
    }
    assert_eq!(limits(&json(&run[0])), shape, "{}", run[0].stdout);
    let nothing = run[2].stdout.contains("Nothing limits you here");
    assert_eq!(nothing, shape.is_empty(), "{}", run[2].stdout);
}

pub fn kinds(run: &[CommandResult]) -> Vec<String> {
    let told = json(&run[0]);
    let nodes = told["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["kind"].as_str().unwrap().to_owned()).collect()
}

fn limits(told: &serde_json::Value) -> Vec<&str> {
    told["limits"].as_array().unwrap().iter().map(|limit| limit["code"].as_str().unwrap()).collect()
}

/// In a cgroup with a cpuset and a quota, under a mask; and a request that it refuses.
pub fn limited() -> Topic {
    let enter = "mkdir -p /sys/fs/cgroup/limits && cd /sys/fs/cgroup/limits && echo 1-3 > cpuset.cpus && echo 1 > cpuset.mems \
                 && echo '150000 100000' > cpu.max; echo $$ > cgroup.procs";
    Topic::new(
        LIMITS,
        [
            format!("{enter} && taskset 6 numawise machine --json"),
            format!("{enter} && numawise run -m 0 true"),
        ],
    )
}

/// A cgroup's cpuset, an affinity mask and a quota are each named.
pub fn limits_are_named(run: &[CommandResult]) {
    let told = json(&run[0]);
    assert_eq!((told["allowed_cpus"].as_str(), told["allowed_nodes"].as_str()), (Some("1-2"), Some("1")));
    let codes = limits(&told);
    for (code, limit) in [("NW203", "mask"), ("NW202", "CPUs"), ("NW204", "memory"), ("NW205", "quota")] {
        assert!(codes.contains(&code), "{limit} is not among {codes:?}");
    }
    assert_eq!(run[1].status, 125, "node 0 is not ours: {}", run[1].stderr);
    assert!(run[1].stderr.contains("node") && run[1].stderr.contains('1'), "{}", run[1].stderr);
}
