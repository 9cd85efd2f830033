//! Weighted interleaving: pages go by the weights, within 2 %.

use std::collections::BTreeMap;
use std::io::Write as _;

use serde_json::json;
use testbed::{CommandResult, Guest};

use crate::probe::lines;
use crate::shared::Topic;

pub const WEIGHTS: &str = "weights";
pub const OF_BANDWIDTHS: &str = "weights-of-bandwidths";
pub const OF_A_PROFILE: &str = "weights-of-a-profile";

const FOLDER: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";
const ALLOWED: f64 = 0.02;

/// Says so where the guest's kernel is older than 6.9.
fn has_weights(result: &CommandResult) -> bool {
    if result.status == 0 {
        return true;
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED: the guest's kernel has no weighted interleaving");
    false
}

fn follow(result: &CommandResult, weights: &BTreeMap<u64, u64>) {
    let told = lines(result).remove(0);
    assert_eq!(told.text("policy"), "weighted", "{told:?}");
    let pages = told.pages();
    let (all, sum) = (pages.values().sum::<u64>() as f64, weights.values().sum::<u64>() as f64);
    assert!(all >= (16 << 20) as f64 / 4096.0, "{told:?}");
    assert_eq!(pages.keys().collect::<Vec<_>>(), weights.keys().collect::<Vec<_>>(), "{told:?}");
    for (node, weight) in weights {
        let (found, expected) = (pages[node] as f64 / all, *weight as f64 / sum);
        assert!(
            (found / expected - 1.0).abs() < ALLOWED,
            "node {node}: {found} of the pages, {expected} by weight"
        );
    }
}

/// Of two nodes.
const PAIRS: [(u64, u64); 4] = [(1, 3), (5, 2), (1, 1), (1, 31)];

pub fn written() -> Topic {
    let one = |(a, b): (u64, u64)| {
        format!(
            "echo {a} > {FOLDER}/node0; echo {b} > {FOLDER}/node1; numawise run --memory weighted -- place_probe self 16"
        )
    };
    Topic::new(WEIGHTS, [format!("test -d {FOLDER}")].into_iter().chain(PAIRS.map(one)))
}

pub fn pages_follow_the_weights(run: &[CommandResult]) {
    if has_weights(&run[0]) {
        for ((a, b), result) in PAIRS.iter().zip(&run[1..]) {
            follow(result, &BTreeMap::from([(0, *a), (1, *b)]));
        }
    }
}

pub fn of_bandwidths() -> Topic {
    let commands = [
        format!("test -d {FOLDER} && echo 0 > {FOLDER}/node0 && echo 0 > {FOLDER}/node2"),
        "numawise run --memory weighted:0,2 --global-weights -- place_probe self 16".to_owned(),
        format!("cat {FOLDER}/node0 {FOLDER}/node2"),
        "numawise run -w 0,2 place_probe self 16".to_owned(),
    ];
    Topic::new(OF_BANDWIDTHS, commands)
}

/// What `--global-weights` writes is what the bandwidths ask for, and pages follow it: HBM gets the most.
pub fn are_those_of_the_bandwidths(run: &[CommandResult]) {
    if has_weights(&run[0]) {
        let written: Vec<u64> = run[2].stdout.lines().map(|line| line.parse().unwrap()).collect();
        // 92160 and 409600 MiB/s in the machine file.
        assert_eq!(written, [2, 9]);
        for result in [&run[1], &run[3]] {
            follow(result, &BTreeMap::from([(0, 2), (2, 9)]));
        }
    }
}

/// A profile in which each node's own cores read so many GB/s from it, 80 ns away.
fn profile(rates: &[(u32, u32, f64)]) -> String {
    let estimate = |median: f64| json!({ "median": median, "low": median, "high": median, "samples": 5, "disturbed": 0 });
    let none = json!({ "unavailable": "a test" });
    let latency = |(from, to, _): &(u32, u32, f64)| {
        json!({
            "from": from, "to": to, "cpu": none, "pages": none, "bytes": none, "latency": estimate(80.0),
            "with_tlb_misses": none,
        })
    };
    let bandwidth = |(from, to, rate): &(u32, u32, f64)| {
        json!({
            "workers": { "node": from }, "target": { "node": to }, "mix": "read", "threads": 2,
            "rate": estimate(rate * 1e9), "declared": none,
        })
    };
    let header = json!({
        "origin": { "numawise": "0.0.0" },
        "fingerprint": { "topology": "TOPOLOGY", "processor": none, "kernel": none, "firmware": none },
        "taken": 1_700_000_000, "took": none, "depth": "quick", "complete": true, "nodes": [], "vectors": none,
        "notices": [],
    });
    json!({
        "schema": "numawise/profile/1",
        "header": header,
        "latency": rates.iter().map(latency).collect::<Vec<_>>(),
        "working_sets": [],
        "bandwidth": rates.iter().map(bandwidth).collect::<Vec<_>>(),
        "loaded": [],
        "transfers": [],
    })
    .to_string()
}

/// Where the guest's numawise finds its profiles.
const DATA: &str = "export XDG_DATA_HOME=/root/data";

/// Saves the profile of the guest under the topology that numawise tells, which is in no other message.
const SAVE: &str = "T=$(numawise machine measure --load latest 2>&1 | sed -n 's/.*(topology \\([0-9a-f]*\\)).*/\\1/p'); \
                    mkdir -p /root/data/numawise/profiles && \
                    sed s/TOPOLOGY/$T/ /root/profile.json > /root/data/numawise/profiles/$T-20231114-221320.json && test -n \"$T\"";

/// The profile of the topic is in the guest.
pub fn with_profile(guest: Guest<'_>) -> Guest<'_> {
    guest.content("/root/profile.json", profile(&[(0, 0, 20.0), (1, 1, 60.0), (0, 2, 10.0), (1, 3, 180.0)]))
}

pub fn of_a_profile() -> Topic {
    let commands = [
        &format!("test -d {FOLDER}"),
        SAVE,
        "numawise machine --json",
        "numawise run --dry-run --json --memory weighted:0-1 app",
        "numawise run --memory weighted:0-1 --global-weights -- place_probe self 16",
        "numawise run --memory hbm -N 1 -- place_probe self 16",
        "numawise run --memory weighted:0-1 --emit kernel-weights app",
    ];
    Topic::new(OF_A_PROFILE, commands.map(|command| format!("{DATA}; {command}")))
}

/// What was measured goes before the firmware: here it takes HBM for slow, and the far socket for fast.
pub fn weights_and_kinds_go_by_a_saved_profile(run: &[CommandResult]) {
    assert_eq!(run[1].status, 0, "{}", run[1].stderr);
    let told = crate::json(&run[2]);
    let kinds: Vec<&str> =
        told["nodes"].as_array().unwrap().iter().map(|node| node["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["dram", "dram", "cxl", "hbm"], "{told:#}");
    let plan = crate::json(&run[3]);
    let notes = plan["notes"].to_string();
    assert!(
        notes.contains("measured on 2023-11-14 22:13:20 UTC (/root/data/numawise/profiles/")
            && notes.contains("node 0 20.0 GB/s, node 1 60.0 GB/s"),
        "{plan:#}"
    );
    let weights: Vec<u64> = plan["tasks"][0]["memory"]["weights"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["weight"].as_u64().unwrap())
        .collect();
    assert_eq!(weights, [1, 3]);
    if has_weights(&run[0]) {
        follow(&run[4], &BTreeMap::from([(0, 1), (1, 3)]));
    }
    let hbm = lines(&run[5]).remove(0).pages();
    assert_eq!(hbm.keys().collect::<Vec<_>>(), [&3], "the only one that is fast");
    assert!(run[6].stdout.contains("they go by bandwidths that were measured"), "{}", run[6].stdout);
}
