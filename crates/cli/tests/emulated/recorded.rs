//! What numawise says of records that guests left, in `testdata/emulated`: verdicts, findings with their evidence, cures and lines. The same
//! runs, measured anew where memory takes its time, are tests of `timing`.
//!
//! The checks are of `testbed/probe/modelled.c`, whose throughput follows from where the kernel put its threads and pages, so that
//! they come to the same on each host that makes the records anew.

mod makes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::findings;

fn records() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/emulated")
}

/// What `numawise report` says of a copy of a record; nothing is written beside the kept one.
fn report(name: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("{name}.nw");
    std::fs::copy(records().join(&file), folder.path().join(&file)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    let output = command.current_dir(folder.path()).arg("report").arg(&file).args(options).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn told(name: &str) -> Value {
    let text = report(name, &["--json"]);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}: {text}"))
}

fn finding<'a>(told: &'a Value, id: &str) -> &'a Value {
    let mut all = told["findings"].as_array().unwrap().iter();
    all.find(|finding| finding["id"] == id).unwrap_or_else(|| panic!("no {id} in {}", told["findings"]))
}

/// The sentences of a finding's evidence, or of what is to be done.
fn sentences(finding: &Value, part: &str) -> String {
    let all = finding[part].as_array().unwrap_or_else(|| panic!("{finding}"));
    all.iter().map(|one| one["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// One thread touches all memory, and all threads use it: interleaved it is 1.43 times as fast, by the model.
#[test]
fn serial_initialisation_is_found_and_interleaving_is_its_cure() {
    let told = told("serial");
    assert_eq!(told["verdict"], "affected", "{}", told["text"]);
    assert_eq!((&told["placed_well"], &told["case"]), (&false.into(), &"gains".into()));
    assert_eq!(told["recommended"], "interleave");
    let first_touch = finding(&told, "NW001");
    let evidence = sentences(first_touch, "evidence");
    for part in
        ["lie on", "page faults", "of its CPU time is spent on other nodes", "as fast as remote memory"]
    {
        assert!(evidence.contains(part), "no `{part}` in {evidence}");
    }
    let bound = |of: &Value, end: &str| of[end].as_f64().unwrap_or_else(|| panic!("no {end} in {of}"));
    for effect in [&told["effect"], &first_touch["cost"]] {
        assert!(bound(effect, "low") > 1.3 && bound(effect, "high") < 1.6, "{effect}");
    }
    let line = told["use"]["line"].as_str().unwrap();
    assert!(line.starts_with("numawise run ") && line.ends_with("modelled 4 serial 4 2"), "{line}");
    let brings = &told["use"]["effect"];
    assert!(told["use"]["call"] == "brings" && bound(brings, "low") > 1.3, "{}", told["use"]);
    let others: Vec<&str> = told["lines"]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["tool"] != "numawise")
        .map(|line| {
            assert!(line["kept"].is_number() || line["effect"]["unavailable"].is_string(), "{line}");
            line["tool"].as_str().unwrap()
        })
        .collect();
    assert!(others.contains(&"numactl"), "{others:?}");
    let shown = report("serial", &[]);
    assert!(shown.contains("NW001") && shown.contains("initialise the large arrays in parallel"), "{shown}");
}

/// Each thread touches what it uses: remote memory costs, and there is nothing to change.
#[test]
fn parallel_initialisation_is_placed_well_and_sensitive() {
    let told = told("parallel");
    assert_eq!(told["verdict"], "affected", "{}", told["text"]);
    assert_eq!((&told["placed_well"], &told["case"]), (&true.into(), &"placed_well_sensitive".into()));
    assert!(!findings(&told).contains(&"NW001"), "{}", told["findings"]);
    assert!(report("parallel", &[]).contains("placed well"));
}

/// All memory is equally fast.
#[test]
fn equal_nodes_are_not_affected() {
    let told = told("even");
    assert_eq!(told["verdict"], "not affected", "{}", told["text"]);
    assert!(!findings(&told).contains(&"NW001"), "{}", told["findings"]);
}

/// The findings of objects on wrong nodes, by the name of the object.
fn of_objects(told: &Value) -> BTreeMap<&str, &str> {
    let objects = told["objects"].as_array().unwrap();
    let name =
        |id: &Value| objects.iter().find(|object| object["id"] == *id).unwrap()["name"].as_str().unwrap();
    let all = told["findings"].as_array().unwrap().iter();
    all.map(|finding| (name(&finding["object"]), finding["id"].as_str().unwrap())).collect()
}

/// Each of four arrays lies wrong in a way of its own; where they lie right none is found.
#[test]
fn objects_on_wrong_nodes_are_found_and_those_on_right_ones_are_not() {
    let wrong = told("wrong");
    assert_eq!(wrong["schema"], "numawise/objects/1");
    let expected = [("parts", "NW040"), ("far", "NW041"), ("common", "NW042"), ("own", "NW043")];
    assert_eq!(of_objects(&wrong), expected.into());
    let says = [
        ("NW040", "thread 0 on node 0 took 100.0 % of its page faults"),
        ("NW041", "threads on node 1: 100.0 % of its use"),
        ("NW042", "threads on other nodes than node 0: "),
        ("NW043", "thread 3 on node 1: 100.0 % of its use"),
    ];
    for (id, text) in says {
        let evidence = sentences(finding(&wrong, id), "evidence");
        assert!(
            evidence.contains(text) && evidence.contains("100.0 % of it lie on node 0"),
            "{id}: {evidence}"
        );
    }
    let cures = [
        ("NW040", "first touch in a loop that is divided among the threads"),
        ("NW041", "put it on node 1"),
        ("NW042", "interleave it over nodes 0-1"),
        ("NW043", "pin thread 3, then let it initialise the object"),
    ];
    for (id, text) in cures {
        let shown = report("wrong", &[]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(id) && shown.contains(text), "{text}: {shown}");
    }
    assert_eq!(of_objects(&told("right")), BTreeMap::new());
    // Where each array is allocated, and whose time it has: as the program itself says, in its source and by its passes.
    for (name, line, remote) in
        [("parts", 173, 0.66), ("far", 174, 1.0), ("common", 175, 0.66), ("own", 176, 1.0)]
    {
        let object = wrong["objects"].as_array().unwrap().iter().find(|of| of["name"] == name).unwrap();
        assert_eq!((&object["file"], &object["line"]), (&"/usr/src/objects/sockets.c".into(), &line.into()));
        let found = object["remote_share"].as_f64().unwrap();
        assert!((found - remote).abs() < 0.1, "{name}: {found}");
    }
}

/// Five arrays, of which not all fit: the two that have most of the time together, which are not the hottest one first.
#[test]
fn the_best_choice_goes_into_the_fast_memory() {
    let told = told("heat");
    let fast = &told["fast_memory"];
    assert_eq!((&fast["nodes"], &fast["is_best"]), (&"2".into(), &true.into()), "{fast}");
    let objects = told["objects"].as_array().unwrap();
    let named = |chosen: &Value| objects.iter().find(|of| of["id"] == chosen["id"]).unwrap()["name"].clone();
    let mut chosen: Vec<Value> = fast["objects"].as_array().unwrap().iter().map(named).collect();
    chosen.sort_by_key(Value::to_string);
    assert_eq!(chosen, ["a", "c"]);
    assert!(fast["bytes"].as_u64() <= fast["capacity_bytes"].as_u64(), "{fast}");
    assert_eq!(findings(&told), ["NW045", "NW045"], "{}", told["findings"]);
}

/// Ranks bound to node 0 whose memory is bound to node 1.
#[test]
fn memory_of_ranks_on_another_node_is_found() {
    let told = told("elsewhere");
    let remote = &told["ranks"][0]["placement"]["memory"]["remote"];
    assert!(remote["share"].as_f64().unwrap() >= 0.25, "{remote}");
    let evidence = sentences(finding(&told, "NW032"), "evidence");
    assert!(evidence.contains("most on node 1; its threads ran on node 0"), "{evidence}");
}
