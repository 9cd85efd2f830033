//! Weighted interleaving: pages go by the weights, within 2 %.

use std::collections::BTreeMap;
use std::io::Write as _;

use testbed::{CommandResult, Machine};

use crate::probe::{lines, with_probe};

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
    assert!(all >= (64 << 20) as f64 / 4096.0, "{told:?}");
    assert_eq!(pages.keys().collect::<Vec<_>>(), weights.keys().collect::<Vec<_>>(), "{told:?}");
    for (node, weight) in weights {
        let (found, expected) = (pages[node] as f64 / all, *weight as f64 / sum);
        assert!(
            (found / expected - 1.0).abs() < ALLOWED,
            "node {node}: {found} of the pages, {expected} by weight"
        );
    }
}

#[test]
fn emulated_weighted_interleaving_follows_the_weights() {
    if !testbed::ready() {
        return;
    }
    let machine = Machine::load("two-socket").unwrap();
    let weights = [(1, 3), (5, 2), (1, 1), (7, 100)];
    let mut commands = vec![format!("test -d {FOLDER}")];
    commands.extend(weights.iter().map(|(a, b)| {
        format!("echo {a} > {FOLDER}/node0; echo {b} > {FOLDER}/node1; numawise run --memory weighted -- place_probe self 64")
    }));
    let run = with_probe(&machine).run(&commands).unwrap();
    if has_weights(&run[0]) {
        for ((a, b), result) in weights.iter().zip(&run[1..]) {
            follow(result, &BTreeMap::from([(0, *a), (1, *b)]));
        }
    }
}

/// What `--global-weights` writes is what the bandwidths ask for, and pages follow it: HBM gets the most.
#[test]
fn emulated_global_weights_are_those_of_the_bandwidths() {
    if !testbed::ready() {
        return;
    }
    let machine = Machine::load("hbm").unwrap();
    let commands = [
        format!("test -d {FOLDER}"),
        "numawise run --memory weighted:0,2 --global-weights -- place_probe self 96".to_owned(),
        format!("cat {FOLDER}/node0 {FOLDER}/node2"),
        "numawise run -w 0,2 place_probe self 96".to_owned(),
    ];
    let run = with_probe(&machine).run(&commands).unwrap();
    if has_weights(&run[0]) {
        let written: Vec<u64> = run[2].stdout.lines().map(|line| line.parse().unwrap()).collect();
        // 92160 and 409600 MiB/s in the machine file.
        assert_eq!(written, [2, 9]);
        for result in [&run[1], &run[3]] {
            follow(result, &BTreeMap::from([(0, 2), (2, 9)]));
        }
    }
}
