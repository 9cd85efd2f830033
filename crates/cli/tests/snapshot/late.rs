//! `numawise trace` of one pattern, late senders, in each way in which ranks can be made and can talk.

use std::path::Path;

use serde_json::Value;

use crate::support::{Bench, MPICH, MPIS, OPEN_MPI, number, text};
use crate::trace::{rows, sum, told};

/// What is said of it, and the words behind `--`.
type Way = (String, Vec<String>);

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// Each with ranks that are so late.
fn ways(bench: &Bench, late: &str) -> Vec<Way> {
    let mut ways = Vec::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "late.c", &["-pthread"]) else { continue };
        let program = program.to_str().unwrap();
        let way = |how: &str, ranks: &str| {
            (format!("{compiler}, {how}"), words(&[launcher, "-n", ranks, program, how, late]))
        };
        let other = format!("{program}-other");
        std::fs::copy(program, &other).unwrap();
        let one = [launcher, "-n", "1", program, "one", late, ":"];
        let several = words(&[&one[..], &["-n", "2", &other, "another", late]].concat());
        ways.extend([way("inter", "3"), way("threads", "2"), (format!("{compiler}, MPMD"), several)]);
    }
    for (compiler, launcher) in [("mpif90.openmpi", OPEN_MPI.1), ("mpif90.mpich", MPICH.1)] {
        let program = bench.compile(compiler, "late.F90", &[]);
        let way = |program: &Path| words(&[launcher, "-n", "2", program.to_str().unwrap(), late]);
        ways.extend(program.map(|program| (compiler.to_owned(), way(&program))));
    }
    if Path::new("/usr/lib/python3/dist-packages/mpi4py").exists() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshot/programs/late.py");
        let launched = words(&["mpirun", "-n", "2", "/usr/bin/python3", script, late]);
        ways.push(("mpi4py".to_owned(), launched));
    }
    ways
}

/// The report, and what late senders cost by the clock of the ranks.
fn traced(bench: &Bench, (how, launched): &Way) -> (Value, f64) {
    let launched: Vec<&str> = launched.iter().map(String::as_str).collect();
    let words = ["trace", "--json=run.json", "--output", "run.trace", "--fresh", "--"];
    let answer = bench.numawise(&[&words[..], &launched].concat());
    assert_eq!(answer.status, Some(0), "{how}: {}", answer.err);
    let told = told(&answer.out);
    let received = told.iter().filter(|((_, (rank, _)), _)| *rank == 1);
    let waits = received.map(|((of, (_, call)), [begin, end])| {
        let [sent, _] = told[&(of.clone(), (0, *call))];
        (sent.min(*end) - begin).max(0.0)
    });
    let waits = waits.sum();
    (bench.json("run.json"), waits)
}

#[test]
fn messages_of_each_way_have_both_ends() {
    let bench = Bench::new();
    for way in ways(&bench, "0.002") {
        let (json, _) = traced(&bench, &way);
        let expected = if way.0.contains("inter") || way.0.contains("MPMD") { 1.0 } else { 2.0 };
        let counts = ["/messages", "/unmatched", "/lost"].map(|of| number(&json["trace"], of));
        assert_eq!(counts, [expected, 0.0, 0.0], "{}: {:#}", way.0, json["trace"]);
    }
}

#[test]
#[ignore = "timing: waiting for late senders vs the clocks of their ranks"]
fn late_senders_of_each_way_are_waited_for_as_long_as_their_ranks_say() {
    let bench = Bench::new();
    for way in ways(&bench, "0.1") {
        let (json, expected) = traced(&bench, &way);
        let of: Vec<Value> =
            rows(&json, "waits").iter().filter(|row| text(row, "/kind") == "late_sender").cloned().collect();
        let found = sum(&of);
        eprintln!("{}: {found} s, by its own clock {expected}", way.0);
        assert!((found - expected).abs() <= 0.02 * expected + 0.001, "{}: {found}, {expected}", way.0);
        assert!(of.iter().all(|row| number(row, "/late/rank") == 0.0), "{}: {of:#?}", way.0);
    }
}
