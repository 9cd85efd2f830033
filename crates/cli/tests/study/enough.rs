//! When a study has enough: points that are known, trials that were allowed; and what is done before a trial, or looked for in its output.

use std::time::{Duration, Instant};

use crate::{Bench, points};

fn lines(bench: &Bench, of: &str) -> usize {
    let log = std::fs::read_to_string(bench.path("log")).unwrap();
    log.lines().filter(|line| *line == of).count()
}

/// Says 1 and 2 in turn where n is 1, and 1 where it is 2.
const TURNS: &str =
    "echo {n} >> log; k=$(grep -c '^1$' log); if [ {n} = 1 ]; then echo v $((k % 2 + 1)); else echo v 1; fi";

#[test]
fn points_are_repeated_until_they_are_known() {
    let bench = Bench::new();
    let words = |until| {
        [
            "--param",
            "n=1,2",
            "--metric",
            "v ([0-9]+)",
            "--repeats",
            "3",
            "--until",
            until,
            "--most-repeats",
            "14",
            "--",
            "sh",
            "-c",
            TURNS,
        ]
    };
    let study = bench.json(&words("5%"));
    assert_eq!(study["stopped"], "decided");
    assert_eq!(lines(&bench, "1"), 15, "14 and the warm-up: it is never known");
    let calm = lines(&bench, "2");
    assert!((6..14).contains(&calm), "{calm} repeats of a point that always says the same");
    let ran = bench.json(&words("5%"))["trials"].as_u64().unwrap();
    assert_eq!(ran as usize, 14 + calm, "the same command runs nothing more");
    let until = [&words("5%")[..2], &["--until", "5%", "--most-repeats", "2", "--", "true", "{n}"]].concat();
    assert!(bench.refused(&until).contains("--most-repeats 2: fewer than the 5 of --repeats"));
}

#[test]
fn so_many_trials_are_run_and_no_more() {
    let bench = Bench::new();
    let words = |most| {
        ["--param", "n=1,2", "--repeats", "4", "--most-trials", most, "--", "sh", "-c", "echo {n} >> log"]
    };
    let study = bench.json(&words("5"));
    assert_eq!((&study["stopped"], &study["trials"]), (&"budget_spent".into(), &5.into()));
    let study = bench.json(&words("7"));
    assert_eq!(study["trials"], 7, "it goes on");
    let study = bench.json(&words("100"));
    assert_eq!((&study["stopped"], &study["trials"]), (&"decided".into(), &8.into()));
    assert_eq!(lines(&bench, "1") + lines(&bench, "2"), 9, "each once, and the warm-up");
}

#[test]
fn a_trial_that_does_not_print_the_right_answer_failed() {
    let bench = Bench::new();
    let words = [
        "--param",
        "n=1,2",
        "--repeats",
        "2",
        "--verify-output",
        "^sum 4$",
        "--",
        "sh",
        "-c",
        "echo sum $((3 + {n}))",
    ];
    let study = bench.json(&words);
    let failures: Vec<_> = points(&study).iter().map(|point| point["failures"].clone()).collect();
    assert_eq!(failures, [0, 2]);
    let text = bench.study(&words).out;
    assert!(text.contains("--verify-output matches nothing in the program's output"), "{text}");
    let words = ["--param", "n=1,2", "--verify-output", "(", "--", "true", "{n}"];
    assert!(bench.refused(&words).contains("'(' is not a regular expression"));
}

#[test]
fn the_machine_is_left_alone_before_each_trial() {
    let bench = Bench::new();
    let begun = Instant::now();
    let study = bench.json(&["--param", "n=1,2", "--repeats", "1", "--gap", "200ms", "--", "true", "{n}"]);
    assert!(begun.elapsed() >= Duration::from_millis(3 * 200), "{:?}", begun.elapsed());
    assert_eq!(study["trials"], 2);
}

#[test]
#[ignore = "timing: what comes before a trial is in no time"]
fn what_comes_before_a_trial_is_in_no_time() {
    for before in [["--gap", "300ms"], ["--prepare", "sleep 0.3"]] {
        let bench = Bench::new();
        let study =
            bench.json(&[&before[..], &["--param", "n=1,2", "--repeats", "3", "--", "true", "{n}"]].concat());
        for point in points(&study) {
            let median = point["metrics"]["wall_time"]["median"].as_f64().unwrap();
            eprintln!("{before:?}: {median} s");
            assert!(median < 0.3, "{before:?}: {median}");
        }
    }
}

#[test]
fn pages_of_files_are_dropped_where_that_is_allowed() {
    let bench = Bench::new();
    let words = ["--param", "n=1,2", "--repeats", "1", "--drop-caches", "--", "true", "{n}"];
    // SAFETY: geteuid takes nothing and cannot fail.
    if unsafe { libc::geteuid() } == 0 && writable("/proc/sys/vm/drop_caches") {
        // One that the machine interrupted is run again.
        assert!(bench.json(&words)["trials"].as_u64() >= Some(2));
    } else {
        let said = bench.refused(&words);
        assert!(said.contains("/proc/sys/vm/drop_caches") && said.contains("run this as root"), "{said}");
    }
}

/// A container may have it read-only.
fn writable(file: &str) -> bool {
    std::fs::OpenOptions::new().write(true).open(file).is_ok()
}
