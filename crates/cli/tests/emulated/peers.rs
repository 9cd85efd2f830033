//! The same request through numactl, hwloc-bind and taskset: the same masks, policies and pages, where there are nodes to tell.

use crate::probe::{Line, lines, with_probe};

const PROBE: &str = "place_probe self 8";

/// What must be the same.
fn shown(line: &Line) -> (&str, &str, &str, &str, &str) {
    (line.text("cpus"), line.text("policy"), line.text("nodes"), line.text("flags"), line.text("pages"))
}

fn alike(machine: &str, pairs: &[(&str, &str)]) {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load(machine).unwrap();
    let commands: Vec<String> = pairs
        .iter()
        .flat_map(|(theirs, ours)| [format!("{theirs} {PROBE}"), format!("numawise run {ours} -- {PROBE}")])
        .collect();
    let guest = with_probe(&machine).tool("numactl").tool("hwloc-bind").tool("taskset");
    let run = guest.run(&commands).unwrap();
    for (pair, results) in pairs.iter().zip(run.chunks(2)) {
        let (theirs, ours) = (lines(&results[0]).remove(0), lines(&results[1]).remove(0));
        assert_eq!(shown(&ours), shown(&theirs), "{pair:?}");
    }
}

#[test]
fn emulated_peers_on_two_sockets() {
    alike(
        "two-socket",
        &[
            // CPUs of one node, where there is no policy: pages go where the program happens to run.
            ("taskset -c 2,3", "--cpus 2-3"),
            ("taskset -c 1,3 numactl -m 0", "--cpus 1,3 --memory bind:0"),
            ("taskset -c 2", "--cpus 2"),
            ("hwloc-bind node:1 --", "--cpus node:1"),
            ("hwloc-bind node:1.core:0 --", "--cpus node:1.core:0"),
            ("hwloc-bind --strict --membind node:0 --cpubind node:1 --", "--cpus node:1 --memory bind:0"),
            ("hwloc-bind --mempolicy interleave --membind node:0-1 --", "--memory interleave:0-1"),
            ("numactl -C 0,2 -i all", "-C 0,2 -i all"),
            ("numactl -N 1 --balancing -m 0,1", "-N 1 --balancing -m 0,1"),
            ("numactl --preferred-many=1", "--preferred-many=1"),
        ],
    );
}

#[test]
fn emulated_peers_with_high_bandwidth_memory() {
    alike(
        "hbm",
        &[
            ("numactl -N 1 -m 3", "--place local --nodes 1 --no-pin --memory hbm"),
            ("numactl -N 0 -m 2", "-N 0 -m 2"),
            ("numactl -i 0,2", "-i 0,2"),
            ("numactl -p 3", "-p 3"),
            ("numactl -C 0 -P 2,3", "-C 0 -P 2,3"),
            ("numactl -C 3 -P 2,3", "-C 3 -P 2,3"),
            ("hwloc-bind -p --strict --membind node:2 --cpubind node:0 --", "--cpus node:0 --memory bind:2"),
        ],
    );
}
