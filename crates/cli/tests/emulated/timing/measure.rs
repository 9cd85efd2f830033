//! `numawise machine measure` where the truth is known: the matrices that it measures are those of the machine file.

use std::time::Duration;

use serde_json::Value;
use testbed::{EmulatedMachine, MachineTiming};

use super::{beside_others, say};
use crate::{guest, json};

/// How far a ratio that was measured may be from the machine's.
const TOLERANCE: f64 = 0.10;

/// The median of a cell's reading; its reason where there is none.
fn median(reading: &Value) -> Result<f64, String> {
    reading["median"].as_f64().ok_or_else(|| reading.to_string())
}

/// The cell of a matrix.
fn cell(matrix: &Value, of: impl Fn(&Value) -> bool) -> &Value {
    let mut found = matrix.as_array().unwrap().iter().filter(|cell| of(cell));
    let cell = found.next().unwrap_or_else(|| panic!("no such cell in {matrix}"));
    assert!(found.next().is_none(), "two such cells in {matrix}");
    cell
}

/// What all cores of `from` can read of the memory of `to`, GB/s.
fn node_bandwidth(machine: &EmulatedMachine, timing: &MachineTiming, from: usize, to: usize) -> f64 {
    let cores = machine.description().node[from].cpus.len() as f64;
    let link = timing.node[from].link_gbps.get(to).copied().filter(|link| *link > 0.0);
    (cores * timing.core_gbps).min(timing.node[to].gbps).min(link.unwrap_or(f64::INFINITY))
}

fn check_matrices(name: &str) {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load(name).unwrap();
    let (wrong, output) = beside_others(|| compared(&machine));
    assert!(wrong.is_empty(), "{name}: {}\n{output}", wrong.join("; "));
}

/// Measures in a guest and compares every pair, beside the pair (0, 0), with the machine's file: what is off, and all that was
/// printed. `--quick` would leave pairs out where emulated memory is so slow that there is no time for them.
fn compared(machine: &EmulatedMachine) -> (Vec<String>, String) {
    let name = machine.name();
    let timing = machine.description().timing.clone().unwrap();
    let run = guest(machine)
        .timing(true)
        .limit(Duration::from_secs(1800))
        .run(&["numawise machine measure --mix read --json --no-save --seed 1"])
        .unwrap();
    let told = json(&run[0]);
    assert_eq!(told["schema"], "numawise/profile/1");
    assert_eq!(told["header"]["complete"], true, "{}", run[0].stdout);
    let nodes = &machine.description().node;
    let rows: Vec<usize> = (0..nodes.len()).filter(|&k| !nodes[k].cpus.is_empty()).collect();
    let columns: Vec<usize> = (0..nodes.len()).filter(|&k| nodes[k].memory_mib > 0).collect();
    let latency = |from: usize, to: usize| {
        let cell = cell(&told["latency"], |cell| cell["from"] == from && cell["to"] == to);
        median(&cell["latency"]).unwrap_or_else(|why| panic!("latency {from} to {to}: {why}"))
    };
    let bandwidth = |from: usize, to: usize| {
        let of = |cell: &Value| {
            cell["workers"]["node"] == from && cell["target"]["node"] == to && cell["mix"] == "read"
        };
        median(&cell(&told["bandwidth"], of)["rate"])
            .unwrap_or_else(|why| panic!("bandwidth {from} to {to}: {why}"))
    };
    let mut wrong = Vec::new();
    let mut compare = |what: String, found: f64, truth: f64| {
        let off = found / truth - 1.0;
        say(&format!("{name}, {what}: found {found:.3}, truth {truth:.3}, off by {:+.1} %", 100.0 * off));
        if off.abs() > TOLERANCE {
            wrong.push(format!("{what}: found {found:.3}, truth {truth:.3}"));
        }
    };
    for &from in &rows {
        for &to in &columns {
            let truth = timing.node[from].latency_ns[to] / timing.node[0].latency_ns[0];
            compare(format!("latency {from} to {to}"), latency(from, to) / latency(0, 0), truth);
            let truth = node_bandwidth(machine, &timing, from, to) / node_bandwidth(machine, &timing, 0, 0);
            compare(format!("bandwidth {from} to {to}"), bandwidth(from, to) / bandwidth(0, 0), truth);
        }
    }
    // The scale of the machine stretches memory and nothing else: what was measured is what the file says, times the scale.
    compare("latency 0 to 0, ns".into(), latency(0, 0) / timing.scale, timing.node[0].latency_ns[0]);
    let gbps = bandwidth(0, 0) * timing.scale / 1e9;
    compare("bandwidth 0 to 0, GB/s".into(), gbps, node_bandwidth(machine, &timing, 0, 0));
    (wrong, run[0].stdout.clone())
}

#[test]
#[ignore = "timing: latencies and bandwidths of emulated memory"]
fn emulated_measured_matrices_of_two_sockets_are_the_machines() {
    check_matrices("two-socket");
}

#[test]
#[ignore = "timing: latencies and bandwidths of emulated memory"]
fn emulated_measured_matrices_with_high_bandwidth_memory_are_the_machines() {
    check_matrices("hbm");
}
