//! What surrounds ranks, on a machine with two nodes: NW030 to NW033 of runs that have it, and of runs that have not.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use testbed::{CommandResult, Mpi};

use crate::{built, guest, json};

const ALL: [&str; 4] = ["NW030", "NW031", "NW032", "NW033"];

/// The findings of these that a snapshot has.
fn said(snapshot: &Value) -> Vec<&str> {
    let findings = snapshot["findings"].as_array().unwrap();
    findings.iter().filter_map(|finding| finding["id"].as_str()).filter(|id| ALL.contains(id)).collect()
}

#[test]
fn emulated_ranks_share_move_and_have_their_memory_elsewhere_or_not() {
    if !testbed::ready() || !testbed::mpi_ready(Mpi::Mpich) {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshot/programs/surrounded.c");
    let program = std::env::temp_dir().join(format!("surrounded-{}", std::process::id()));
    let mut compiler = std::process::Command::new("mpicc.mpich");
    let compiled = compiler.args(["-O1", "-o"]).arg(&program).arg(source).status().unwrap();
    assert!(compiled.success());
    let cases: [(&str, &[&str]); 6] = [
        ("mpirun.mpich -n 2 -bind-to core surrounded compute 3", &[]),
        ("taskset 1 mpirun.mpich -n 2 surrounded compute 3", &["NW030"]),
        ("mpirun.mpich -n 2 surrounded move 3", &["NW031"]),
        ("mpirun.mpich -n 2 -bind-to core numactl -m 1 surrounded compute 20", &["NW032"]),
        ("mpirun.mpich -n 2 -bind-to core numactl -l surrounded compute 20", &[]),
        ("mpirun.mpich -n 6 -bind-to core surrounded compute 3", &["NW033"]),
    ];
    let commands: Vec<String> =
        cases.iter().map(|(line, _)| format!("{}; cat j; (exit $s)", until_memory_is_seen(line))).collect();
    let run = guest(&machine)
        .file_at(built("target/release/libnumawise_collector.so"), "/bin/libnumawise_collector.so")
        .file_at(&program, "/bin/surrounded")
        .mpi(Mpi::Mpich)
        .tool("numactl")
        .limit(Duration::from_secs(500))
        .run(&commands);
    let _ = std::fs::remove_file(&program);
    let run = run.unwrap();
    for ((line, expected), result) in cases.iter().zip(run.iter()) {
        check(line, expected, result);
    }
    // Both ranks run on node 0, and have their memory there.
    let memory = &json(&run[4])["memory"];
    let nodes = memory["nodes"].as_array().unwrap();
    assert!(nodes.len() == 1 && nodes[0]["node"] == 0, "{memory}");
    let remote = &json(&run[3])["ranks"][0]["placement"]["memory"]["remote"];
    assert!(remote["share"].as_f64().unwrap() >= 0.25, "{remote}");
}

/// Takes the snapshot; of a line whose memory is asked for up to three times, since a busy host's pauses count as time that sampling
/// took, and sampling keeps to its share.
fn until_memory_is_seen(line: &str) -> String {
    let snapshot = format!("numawise snapshot --quiet --json j -- {line} >&2; s=$?");
    if !line.ends_with("20") {
        return snapshot;
    }
    format!("for i in 1 2 3; do {snapshot}; grep -q 'before its memory was looked at' j || break; done")
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
        // Sampling keeps to its share of a slow machine: memory takes it longest.
        assert!(of["memory"]["last"].is_array() || !line.ends_with("20"), "{line}: {of}");
    }
}
