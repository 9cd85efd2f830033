//! `numawise predict`: a few points are run, all have a figure or a reason.

use std::process::{Command, Output};

use serde_json::Value;

use crate::Bench;

fn predict(bench: &Bench, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.arg("predict").args(words).current_dir(bench.folder.path()).output().unwrap()
}

/// A program whose time is what it prints: a twentieth is serial.
const PROGRAM: [&str; 7] =
    ["--metric", "time ([0-9.]+)", "--", "sh", "-c", "echo time $((1000 + 19000 / {threads}))", "{threads}"];

#[test]
fn points_are_run_and_the_record_says_the_same_again() {
    let bench = Bench::new();
    let factors = [
        "--json",
        "--threads",
        "1,2",
        "--env",
        "KEY=a,b,c",
        "--place",
        "none",
        "--pin",
        "off",
        "--repeats",
        "2",
    ];
    let Output { status, stdout, stderr } = predict(&bench, &[&factors[..], &PROGRAM].concat());
    let said = String::from_utf8_lossy(&stderr).into_owned();
    if said.contains("can be predicted") || said.contains("more threads than CPUs") {
        eprintln!("SKIPPED: this machine has several nodes, or one CPU: {said}");
        return;
    }
    assert!(status.success(), "{said}");
    let first: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(first["schema"], "numawise/prediction/1");
    let points = first["points"].as_array().unwrap();
    assert_eq!(points.len(), 6);
    assert!(first["best"].as_str().unwrap().contains("threads=2"), "{first}");
    let line = first["use"].as_str().unwrap();
    assert!(
        line.starts_with("KEY=") && line.contains(" numawise run "),
        "the variable belongs to the point: {line}"
    );
    for point in points {
        let is_known = point["predicted"].is_number();
        assert!(is_known || point["predicted"]["unavailable"].is_string(), "{point}");
        assert_eq!(point["runs"], 2, "two numbers of threads are few: all are run: {point}");
    }
    let csv = String::from_utf8(predict(&bench, &["sh.study.nw", "--csv"]).stdout).unwrap();
    let names = csv.lines().next().unwrap();
    assert!(names.ends_with("runs,predicted,predicted_low,predicted_high,measured,error,bounds"), "{names}");
    assert_eq!(csv.lines().count(), 7);
    let again: Value = serde_json::from_slice(&predict(&bench, &["sh.study.nw", "--json"]).stdout).unwrap();
    assert_eq!(again["points"], first["points"]);
    let text = String::from_utf8(predict(&bench, &["sh.study.nw"]).stdout).unwrap();
    assert!(text.contains("BEST POINT") && text.contains("Why figures are unavailable"), "{text}");
}

#[test]
fn what_cannot_be_predicted_is_refused_before_anything_runs() {
    let bench = Bench::new();
    std::fs::write(bench.path("b.nw"), "not a record").unwrap();
    for (words, part) in [
        (&["b.nw"][..], "b.nw"),
        (&["c.nw"], "c.nw"),
        (&["b.nw", "--", "true"], "cannot be used with"),
        (&["--points", "2", "--threads", "1", "--", "true"], "4..=64"),
        (&["--threads", "1", "--", "no-such-program-here"], "no-such-program-here"),
        (&[], "PROGRAM"),
    ] {
        let Output { status, stderr, .. } = predict(&bench, words);
        let said = String::from_utf8_lossy(&stderr).into_owned();
        assert!(!status.success() && said.contains(part), "{words:?}: {status} {said}");
    }
}

#[test]
fn points_that_fail_have_a_reason_and_no_time() {
    let bench = Bench::new();
    let Output { status, stdout, .. } =
        predict(&bench, &["--json", "--threads", "1", "--place", "local", "--", "false"]);
    assert_eq!(status.code(), Some(1), "as the program");
    let told: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(told["points"][0]["measured"]["unavailable"], "its runs gave no value", "{told}");
    assert!(told["best"]["unavailable"].is_string() && told["use"].is_null(), "{told}");
}

#[test]
fn a_dry_run_says_which_points() {
    let bench = Bench::new();
    let plan =
        predict(&bench, &["--dry-run", "--threads", "1", "--place", "local", "--", "true", "{threads}"]);
    let text = String::from_utf8(plan.stdout).unwrap();
    assert!(text.contains("Would run 1 of 1 points") && text.contains("true 1"), "{text}");
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 0, "nothing is kept");
}

#[test]
fn another_machine_has_times_or_a_reason() {
    let bench = Bench::new();
    let factors = ["--threads", "1", "--place", "none", "--pin", "off", "--env", "KEY=a,b", "--repeats", "1"];
    let study = bench.json(&[&factors[..], &PROGRAM].concat());
    assert_eq!(study["trials"], 2);
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/profiles/guest-sixteen.json");
    let said = |words: &[&str]| {
        let Output { status, stderr, .. } = predict(&bench, words);
        (status.code(), String::from_utf8(stderr).unwrap())
    };
    let record = "sh.study.nw";
    let (status, few) = said(&[record, "--machine", profile, "--profile", profile]);
    assert_eq!(status, Some(125), "{few}");
    assert!(few.contains("none of the 2 points") && few.contains("are needed"), "{few}");
    let (status, none) = said(&[record, "--machine", record]);
    assert!(status == Some(125) && none.contains("no profile"), "{none}");
    let (status, run) = said(&["--machine", profile, "--", "true"]);
    assert!(status == Some(125) && run.contains("cannot be used with"), "nothing is run: {run}");
}
