//! What is kept, and shown again.

use crate::support::{Bench, text};

#[test]
fn a_run_is_kept_and_shown_again() {
    let bench = Bench::new();
    let first = bench.snapshot(&["--output", "run.nw", "--", "sh", "-c", "exit 2"]);
    assert_eq!(first.status, Some(2), "{}", first.err);
    let numawise = bench.numawise.to_str().unwrap();
    let shown = bench.run(&[numawise, "report", "run.nw", "--html", "run.html"]);
    assert_eq!(shown.status, Some(0), "{}", shown.err);
    assert!(
        shown.out.contains("it ended with status 2") && first.err.contains(shown.out.trim()),
        "{}",
        shown.out
    );
    let page = std::fs::read_to_string(bench.path("run.html")).unwrap();
    assert!(page.contains("Where the CPUs") && page.len() < 2 << 20);
    let json = bench.run(&[numawise, "report", "run.nw", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(text(&json, "/record"), "run.nw");
}

#[test]
fn a_second_run_does_not_go_into_the_same_file_unasked() {
    let bench = Bench::new();
    assert_eq!(bench.snapshot(&["--quiet", "--output", "run.nw", "--", "true"]).status, Some(0));
    let before = std::fs::read(bench.path("run.nw")).unwrap();
    let again = bench.snapshot(&["--output", "run.nw", "--", "sh", "-c", "echo ran"]);
    // Refused before the program runs.
    assert_eq!((again.status, again.out.as_str()), (Some(125), ""));
    assert!(again.err.contains("run.nw") && again.err.contains("--fresh"), "{}", again.err);
    assert_eq!(std::fs::read(bench.path("run.nw")).unwrap(), before);
    let fresh = bench.snapshot(&["--quiet", "--output", "run.nw", "--fresh", "--", "false"]);
    assert_eq!(fresh.status, Some(1), "{}", fresh.err);
    assert_ne!(std::fs::read(bench.path("run.nw")).unwrap(), before);
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_program_runs() {
    let bench = Bench::new();
    let answer = bench.snapshot(&["--output", "no/such/folder/run.nw", "--", "sh", "-c", "echo ran"]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""));
    assert!(answer.err.contains("--output") && answer.err.contains("no/such/folder"), "{}", answer.err);
}
