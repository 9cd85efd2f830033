//! What surrounds ranks, on a machine with two nodes: NW030, NW031 and NW033 of runs that have it, and of a run that has not. Memory is
//! looked at as often as the time for it allows, so that NW032 is tested on a record (`recorded`) and, live, in `timing`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use testbed::{CommandResult, Guest, Mpi};

use crate::shared::Topic;
use crate::{built, json};

pub const SNAPSHOT: &str = "snapshot";

const ALL: [&str; 4] = ["NW030", "NW031", "NW032", "NW033"];

/// The findings of these that a snapshot has.
pub fn said(snapshot: &Value) -> Vec<&str> {
    let findings = snapshot["findings"].as_array().unwrap();
    findings.iter().filter_map(|finding| finding["id"].as_str()).filter(|id| ALL.contains(id)).collect()
}

/// How ranks are started, and what of these is found.
type Case = (&'static str, &'static [&'static str]);

const CASES: [Case; 4] = [
    ("mpirun.mpich -n 2 -bind-to core surrounded compute 1", &[]),
    ("taskset 1 mpirun.mpich -n 2 surrounded compute 1", &["NW030"]),
    ("mpirun.mpich -n 2 surrounded move 1", &["NW031"]),
    ("mpirun.mpich -n 6 -bind-to core surrounded compute 1", &["NW033"]),
];

/// Whether the programs can be compiled and started.
pub fn is_here() -> bool {
    testbed::mpi_ready(Mpi::Mpich)
}

pub fn with_programs(guest: Guest<'_>) -> Guest<'_> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot/programs/surrounded.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulated-surrounded");
    let mut compiler = Command::new("mpicc.mpich");
    let compiled = compiler.args(["-O1", "-o"]).arg(&program).arg(source).status().expect("mpicc starts");
    assert!(compiled.success());
    guest
        .file_at(built("libnumawise_collector.so"), "/bin/libnumawise_collector.so")
        .file_at(program, "/bin/surrounded")
}

fn taken(line: &str) -> String {
    format!("numawise snapshot --quiet --json=j -- {line} >&2; s=$?; cat j; (exit $s)")
}

pub fn asked() -> Topic {
    Topic::new(SNAPSHOT, CASES.map(|(line, _)| taken(line)))
}

pub fn ranks_share_move_and_are_too_many_or_not(run: &[CommandResult]) {
    for ((line, expected), result) in CASES.iter().zip(run) {
        check(line, expected, result);
    }
}

fn check(line: &str, expected: &[&str], result: &CommandResult) {
    assert_eq!(result.status, 0, "{line}: {}", result.stderr);
    let snapshot = json(result);
    let (found, ranks) = (said(&snapshot), &snapshot["ranks"]);
    assert_eq!(found, expected, "{line}: {}\n{ranks}\n{}", snapshot["findings"], snapshot["placement"]);
    for finding in snapshot["findings"].as_array().unwrap() {
        let has = |part: &str| !finding[part].as_array().unwrap().is_empty();
        assert!(has("evidence") && has("advice"), "{finding}");
    }
    for rank in ranks.as_array().unwrap() {
        let of = &rank["placement"];
        assert!(of["mask"].is_string() && of["cpus"].is_string() && of["nodes"].is_string(), "{line}: {of}");
        assert!(of["memory"]["peak_bytes"].as_u64().unwrap() > 24 << 20, "{line}: {of}");
    }
}
