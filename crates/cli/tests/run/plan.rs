//! `--dry-run`: the plan as text and as JSON.

use serde_json::Value;
use std::io::Write as _;

use crate::support::{recorded, run};

fn plan(arguments: &[&str]) -> Value {
    let words: Vec<&str> = ["--dry-run", "--json"].into_iter().chain(arguments.iter().copied()).collect();
    let answer = run(&words);
    assert_eq!(answer.status, Some(0), "{answer:?}");
    serde_json::from_str(&answer.out).unwrap()
}

/// Two packages of two cores with two threads each, numbered core by core.
const SYNTHETIC: [&str; 2] = ["--input", "pack:2 [numa] core:2 pu:2"];

fn on_synthetic(arguments: &[&str]) -> Value {
    plan(&[&SYNTHETIC, arguments].concat())
}

#[test]
fn a_plan_is_drawn_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("plan.html");
    let html =
        ["--dry-run", "--html", page.to_str().unwrap(), "--place", "distributed", "--threads", "4", "./app"];
    let answer = run(&[&SYNTHETIC, &html[..]].concat());
    assert_eq!(answer.status, Some(0), "{answer:?}");
    assert!(answer.out.starts_with("Plan for: ./app"), "{answer:?}");
    let page = std::fs::read_to_string(page).unwrap();
    for expected in
        ["CPU 2, core 1: thread 1 of task 0", "task 0: 2 threads held", "task 0: default, first touch"]
    {
        assert!(page.contains(expected), "{expected}");
    }
    let answer = run(&["--html", "plan.html", "./app"]);
    assert_eq!(answer.status, Some(125), "without --dry-run there is nothing to show: {answer:?}");
}

#[test]
fn json_holds_what_is_documented() {
    let plan = on_synthetic(&[
        "--place",
        "distributed",
        "--threads",
        "4",
        "--memory",
        "bind",
        "./app",
        "-n",
        "{threads}",
    ]);
    assert_eq!(plan["schema"], "numawise/plan/2");
    assert_eq!(plan["command"], "./app -n 4");
    assert_eq!((&plan["strategy"], &plan["binding"]), (&"distributed".into(), &"pinned".into()));
    let task = &plan["tasks"][0];
    assert_eq!(task["task"], 0);
    assert_eq!(task["cpus"], "0,2,4,6");
    assert_eq!(task["threads"], serde_json::json!(["0", "2", "4", "6"]));
    let memory = serde_json::json!({ "policy": "bind", "nodes": "0-1", "weights": [], "balancing": false, "pages": "default" });
    assert_eq!(task["memory"], memory);
    assert_eq!(plan["ours"], Value::Null);
    assert_eq!(plan["warnings"], serde_json::json!([]));
    assert_eq!(plan["environment"]["OMP_PLACES"], "{0},{2},{4},{6}");
    let tools: Vec<&str> =
        plan["equivalents"].as_array().unwrap().iter().map(|e| e["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["numactl", "taskset", "openmp", "mpirun-openmpi", "mpirun-mpich", "srun"]);
    assert!(
        plan["equivalents"][0]["lines"][0]
            .as_str()
            .unwrap()
            .contains("numactl --physcpubind=0,2,4,6 --membind=0-1")
    );
}

#[test]
fn every_field_of_the_format_is_documented_and_the_reverse() {
    let specification = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/run-json.md");
    let specification = std::fs::read_to_string(specification).unwrap();
    let plan = on_synthetic(&["--place", "semi", "app"]);
    let mut fields: Vec<String> = plan.as_object().unwrap().keys().cloned().collect();
    fields.extend(plan["tasks"][0].as_object().unwrap().keys().map(|key| format!("tasks[].{key}")));
    fields.extend(
        plan["tasks"][0]["memory"].as_object().unwrap().keys().map(|key| format!("tasks[].memory.{key}")),
    );
    fields
        .extend(plan["equivalents"][0].as_object().unwrap().keys().map(|key| format!("equivalents[].{key}")));
    let documented: Vec<String> = specification
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(name, _)| name.to_owned()))
        .collect();
    fields.sort();
    let mut sorted = documented.clone();
    sorted.sort();
    assert_eq!(fields, sorted);
}

#[test]
fn numactls_options_plan_on_recorded_machines_too() {
    let task = |arguments: &[&str]| on_synthetic(arguments)["tasks"][0].clone();
    assert_eq!(task(&["-N", "1", "-m", "same", "app"])["cpus"], "4-7");
    assert_eq!(task(&["-C", "!0-3", "app"])["cpus"], "4-7");
    assert_eq!(task(&["-C", "+6-7", "-i", "all", "app"])["memory"]["nodes"], "0-1");
    assert_eq!(task(&["-N", "0", "--memory", "remote", "app"])["memory"]["nodes"], "1");
}

#[test]
fn text_shows_tasks_threads_warnings_and_other_tools() {
    let words = [&["--dry-run"], &SYNTHETIC[..], &["--place", "local", "--threads", "9", "./app"]].concat();
    let answer = run(&words);
    assert_eq!(answer.status, Some(0));
    for part in [
        "Plan for: ./app",
        "Strategy local; each thread stays on its CPU.",
        "task  thread  CPU  core  node  package",
        "warning: oversubscribed: 9 threads on 8 CPUs (0-7)",
        "Equivalent with numactl:",
        "Equivalent with srun:",
        "OMP_NUM_THREADS=9",
    ] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    assert_eq!(answer.err, "");
}

#[test]
fn nothing_is_started() {
    let answer = run(&["--dry-run", "sh", "-c", "echo started >&2; exit 3"]);
    assert_eq!((answer.status, answer.err.as_str()), (Some(0), ""));
    assert_eq!(run(&["--dry-run", "/no/such/program"]).status, Some(0));
    let answer = run(&["--dry-run", "--place", "local"]);
    assert!(answer.out.contains("Plan for: PROGRAM"), "{answer:?}");
}

#[test]
fn what_a_recorded_machine_lacks_is_refused_by_its_own_limits() {
    let words = [&["--dry-run"], &SYNTHETIC[..]].concat();
    let refused = |arguments: &[&str]| {
        let answer = run(&[&words, arguments].concat());
        assert_eq!(answer.status, Some(125), "{answer:?}");
        answer.err
    };
    assert!(refused(&["-N", "2", "app"]).contains("node 2 does not exist on this machine; it has nodes 0-1"));
    assert!(refused(&["--cpus", "8", "app"]).contains("it has CPUs 0-7"));
    assert!(refused(&["--memory", "hbm", "app"]).contains("no high-bandwidth memory"));
}

#[test]
fn high_bandwidth_memory_of_a_recorded_machine_is_found() {
    let file = recorded();
    if !file.exists() {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: high_bandwidth_memory_of_a_recorded_machine_is_found: no {}",
            file.display()
        );
        return;
    }
    let file = file.to_str().unwrap();
    let plan = plan(&["--input", file, "--nodes", "1", "--memory", "hbm", "--place", "local", "app"]);
    let memory = &plan["tasks"][0]["memory"];
    assert_eq!((&memory["policy"], &memory["nodes"]), (&"bind".into(), &"5".into()));
}
