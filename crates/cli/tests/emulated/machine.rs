//! `numawise machine` against the machine files, by both readers.

use crate::{guest, json};

#[test]
fn emulated_machines_are_read_as_they_are() {
    if !testbed::ready() {
        return;
    }
    for name in ["two-socket", "hbm", "holes", "eight-nodes"] {
        let machine = testbed::load(name).unwrap();
        let run = guest(&machine)
            .run(&["numawise machine --json", "numawise machine --reader sysfs --json", "numawise machine"])
            .unwrap();
        let description = machine.description();
        for result in &run[..2] {
            let told = json(result);
            let nodes = told["nodes"].as_array().unwrap();
            assert_eq!(nodes.len(), description.node.len(), "{name}: {}", result.stdout);
            for (node, truth) in nodes.iter().zip(&description.node) {
                let cpus: Vec<String> = truth.cpus.iter().map(ToString::to_string).collect();
                let expected = numawise_units::CpuSet::to_string(&cpus.join(",").parse().unwrap());
                assert_eq!(node["cpus"], expected.as_str(), "{name}: {node}");
                let bytes = node["memory_bytes"].as_u64().unwrap_or(0);
                let mib = bytes >> 20;
                // The kernel and the firmware take their part of a node before it is counted.
                assert!(
                    mib <= truth.memory_mib && mib + 200 >= truth.memory_mib,
                    "{name}: {mib} MiB in {node}"
                );
            }
            let distances: Vec<Vec<u64>> =
                nodes.iter().map(|n| serde_json::from_value(n["distances"].clone()).unwrap()).collect();
            let truth: Vec<Vec<u64>> =
                description.distances.iter().map(|row| row.iter().map(|d| u64::from(*d)).collect()).collect();
            assert_eq!(distances, truth, "{name}");
        }
        let kinds: Vec<_> = json(&run[0])["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n["kind"].as_str().unwrap().to_owned())
            .collect();
        if name == "hbm" {
            assert_eq!(kinds, ["dram", "dram", "hbm", "hbm"], "{}", run[0].stdout);
        }
        let shape: &[&str] = match name {
            "hbm" => &["NW214"],
            "holes" => &["NW213", "NW214"],
            _ => &[],
        };
        assert_eq!(limits(&json(&run[0])), shape, "{name}: {}", run[0].stdout);
        let nothing = run[2].stdout.contains("Nothing limits you here");
        assert_eq!(nothing, shape.is_empty(), "{name}: {}", run[2].stdout);
    }
}

fn limits(told: &serde_json::Value) -> Vec<&str> {
    told["limits"].as_array().unwrap().iter().map(|limit| limit["code"].as_str().unwrap()).collect()
}

/// A cgroup's cpuset, an affinity mask and a quota are each named.
#[test]
fn emulated_limits_are_named() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let enter = "mkdir -p /sys/fs/cgroup/box && cd /sys/fs/cgroup/box && echo 1-3 > cpuset.cpus && echo 1 > cpuset.mems \
                 && echo '150000 100000' > cpu.max; echo $$ > cgroup.procs";
    let run = guest(&machine)
        .run(&[
            format!("{enter} && taskset 6 numawise machine --json"),
            format!("{enter} && numawise run -m 0 true"),
        ])
        .unwrap();
    let told = json(&run[0]);
    assert_eq!((told["allowed_cpus"].as_str(), told["allowed_nodes"].as_str()), (Some("1-2"), Some("1")));
    let codes = limits(&told);
    for (code, limit) in [("NW203", "mask"), ("NW202", "CPUs"), ("NW204", "memory"), ("NW205", "quota")] {
        assert!(codes.contains(&code), "{limit} is not among {codes:?}");
    }
    assert_eq!(run[1].status, 125, "node 0 is not ours: {}", run[1].stderr);
    assert!(run[1].stderr.contains("node") && run[1].stderr.contains('1'), "{}", run[1].stderr);
}
