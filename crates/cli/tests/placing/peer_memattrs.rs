//! What was measured, as lstopo shows it: the file that `numawise machine measure --hwloc-xml` writes, read by hwloc's own tool
//! and read back by numawise.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn numawise(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.args(words).current_dir(folder).env("XDG_DATA_HOME", folder).output().unwrap()
}

/// A profile of node 0, of which no machine is named: 83 ns; reads of 20 GB/s, stores of 12 GB/s.
fn profile() -> Value {
    let estimate = |median: f64| json!({ "median": median, "low": median, "high": median, "samples": 5, "disturbed": 0 });
    let none = json!({ "unavailable": "a test" });
    let bandwidth = |mix: &str, rate: f64| {
        json!({
            "workers": { "node": 0 }, "target": { "node": 0 }, "mix": mix, "threads": none, "rate": estimate(rate),
            "declared": none,
        })
    };
    json!({
        "schema": "numawise/profile/1",
        "header": {
            "origin": { "numawise": "0.0.0" },
            "fingerprint": { "topology": none, "processor": none, "kernel": none, "firmware": none },
            "taken": none, "took": none, "depth": "quick", "complete": true, "nodes": [], "vectors": none, "notices": [],
        },
        "latency": [{
            "from": 0, "to": 0, "cpu": none, "pages": none, "bytes": none, "latency": estimate(83.2), "with_tlb_misses": none,
        }],
        "working_sets": [],
        "bandwidth": [bandwidth("read", 20e9), bandwidth("nt-write", 12e9)],
        "loaded": [],
        "transfers": [],
    })
}

#[test]
fn lstopo_shows_what_was_measured_and_numawise_reads_it_back() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.json"), profile().to_string()).unwrap();
    let written =
        numawise(folder.path(), &["machine", "measure", "--load", "p.json", "--hwloc-xml", "m.xml"]);
    assert!(written.status.success(), "{written:?}");

    let shown = numawise(folder.path(), &["machine", "--input", "m.xml", "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let mut figures: Vec<(String, u64)> = Vec::new();
    for figure in shown["attributes"].as_array().unwrap() {
        if figure["origin"] == "measured" {
            assert_eq!(figure["target_node"], 0);
            let (value, unit) = (figure["figure"]["value"].as_f64().unwrap(), &figure["figure"]["unit"]);
            let value = if unit == "B/s" { value / 1e6 } else { value };
            figures.push((figure["kind"].as_str().unwrap().to_owned(), value.round() as u64));
        }
    }
    let names = ["latency", "read_latency", "read_bandwidth", "write_bandwidth"];
    assert_eq!(figures.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
    assert_eq!((figures[0].1, figures[1].1), (83, 83));
    // Through MiB/s and back.
    assert!(figures[2].1.abs_diff(20_000) <= 1 && figures[3].1.abs_diff(12_000) <= 1, "{figures:?}");

    let lstopo = ["lstopo-no-graphics", "lstopo"].into_iter().find_map(|tool| {
        Command::new(tool).args(["--input", "m.xml", "--memattrs"]).current_dir(folder.path()).output().ok()
    });
    let Some(lstopo) = lstopo else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: lstopo is not installed");
        return;
    };
    let text = String::from_utf8(lstopo.stdout).unwrap();
    // hwloc counts in nanoseconds and MiB/s.
    for (name, value) in
        [("Latency", 83), ("ReadLatency", 83), ("ReadBandwidth", 19_073), ("WriteBandwidth", 11_444)]
    {
        let (_, rest) =
            text.split_once(&format!("name `{name}'")).unwrap_or_else(|| panic!("no {name} in {text}"));
        let first = rest.lines().nth(1).unwrap();
        assert!(first.contains(&format!("NUMANode L#0 = {value} from")), "{name}: {text}");
    }
    let bandwidth = text.split_once("name `Bandwidth'").unwrap().1.lines().nth(1).unwrap();
    assert!(!bandwidth.contains("NUMANode"), "reads and writes together were not measured: {text}");
}
