//! Which nodes trials have: some of one, several, and what is known of them.

use std::path::Path;

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::studies::{Bench, ended_well, err};

#[test]
fn trials_share_a_node_where_that_was_asked_for() {
    let Some(cluster) = Cluster::start("task/none", 1, 2) else { return };
    let bench = Bench::new(&cluster);
    // Each trial but the warm-up ends when two have begun.
    let line =
        "echo {n} >> log; test $(wc -l < log) = 1 || until test $(wc -l < log) -ge 3; do sleep 0.1; done";
    let factors = ["--param", "n=1,2", "--repeats", "1"];
    let words = ["--share-nodes", "--timeout", "300s"];
    let output = bench.study_of(&factors, &words, &["sh", "-c", line]).output().unwrap();
    ended_well(&output);
    let rows = bench.rows();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.2 == "n0" && row.3 == "measured"), "{rows:?}");
    assert!(!err(&output).contains("on a node alone"), "{}", err(&output));
}

#[test]
fn ranks_of_a_trial_run_on_several_nodes_and_placements_do_not() {
    let Some(cluster) = Cluster::start("task/none", 2, 2) else { return };
    let bench = Bench::new(&cluster);
    let several = ["--sbatch-option=--nodes=2", "--repeats", "1"];
    let ranks = ["--ranks", "2,4"];
    let program = ["srun", "-n", "{ranks}", "sh", "-c", "echo {ranks} $SLURMD_NODENAME >> log"];
    ended_well(&bench.study_of(&ranks, &several, &program).output().unwrap());
    let rows = bench.rows();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.3 == "measured"), "{rows:?}");
    // The warm-up and one trial have two ranks, one trial has four: half of them on each node.
    for (begin, expected) in [("2 n0", 2), ("2 n1", 2), ("4 n0", 2), ("4 n1", 2)] {
        let found = bench.runs().iter().filter(|run| run.as_str() == begin).count();
        assert_eq!(found, expected, "{begin}: {:?}", bench.runs());
    }
    let placed = [&several[..], &["--place", "local", "--fresh"]].concat();
    let output = bench.study_of(&ranks, &placed, &program).output().unwrap();
    let said = err(&output);
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(said.contains("a job has 2 nodes") && said.contains("on its first node only"), "{said}");
}

#[test]
fn what_a_node_has_measured_of_its_memory_comes_back_with_its_description() {
    let Some(cluster) = Cluster::start("task/none", 1, 2) else { return };
    let bench = Bench::new(&cluster);
    let saturating = |data: &str| -> Value {
        let mut command =
            bench.study_of(&["--param", "n=1"], &["--repeats", "1", "--fresh"], &["true", "{n}"]);
        let output = command.env("XDG_DATA_HOME", bench.path(data)).output().unwrap();
        ended_well(&output);
        let ask = "SELECT header FROM study";
        let said = std::process::Command::new("sqlite3").arg(bench.path("a.nw")).arg(ask).output().unwrap();
        let header: Value = serde_json::from_slice(&said.stdout).unwrap();
        header["grid"]["saturating_cores"].clone()
    };
    assert_eq!(saturating("none"), Value::Null);
    save_profile(&bench.path("data"));
    assert_eq!(saturating("data"), json!(4.0));
}

/// A profile of this computer: a core reads a quarter of what its node gives.
fn save_profile(data: &Path) {
    let roots = numawise_machine::Roots::live();
    let machine = numawise_machine::quick(&roots).unwrap();
    let topology = numawise_machine::fingerprint(&roots, &machine).topology.measured().unwrap().clone();
    let none = json!({ "unavailable": "a test" });
    let row = |workers: Value, rate: f64| {
        json!({
            "workers": workers, "target": { "node": 0 }, "mix": "read", "threads": none, "declared": none,
            "rate": { "median": rate, "low": rate, "high": rate, "samples": 5, "disturbed": 0 },
        })
    };
    let profile = json!({
        "schema": "numawise/profile/1",
        "header": {
            "origin": { "numawise": "0.0.0" },
            "fingerprint": { "topology": topology, "processor": none, "kernel": none, "firmware": none },
            "taken": 1_700_000_000, "took": none, "depth": "quick", "complete": true, "vectors": none, "notices": [],
            "nodes": [{ "id": 0, "cpus": none, "memory": none, "kind": "dram" }],
        },
        "latency": [], "working_sets": [], "loaded": [], "transfers": [],
        "bandwidth": [row(json!({ "node": 0 }), 40e9), row(json!({ "core": 0 }), 10e9)],
    });
    let folder = data.join("numawise/profiles");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{topology}-20231114-221320.json")), profile.to_string()).unwrap();
}
