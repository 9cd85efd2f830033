//! How a snapshot is read: on one screen, as tables, beside another one.

use std::path::Path;

use crate::support::{Answer, Bench, text};

/// A record of each kind that is no snapshot.
fn records(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records").join(name);
    path.to_str().unwrap().to_owned()
}

fn bench() -> (Bench, impl Fn(&Bench, &[&str]) -> Answer) {
    let bench = Bench::new();
    for (name, status) in [("a run.nw", "0"), ("b.nw", "3")] {
        let words = ["--quiet", "--output", name, "--", "sh", "-c", &format!("exit {status}")];
        assert_eq!(bench.snapshot(&words).status.unwrap().to_string(), status);
    }
    let numawise = bench.numawise.to_str().unwrap().to_owned();
    (bench, move |bench, words| bench.run(&[&[numawise.as_str()], words].concat()))
}

#[test]
fn the_line_to_be_typed_next_works_as_it_stands() {
    let (bench, numawise) = bench();
    let screen = numawise(&bench, &["report", "a run.nw"]);
    let last = screen.out.trim_end().lines().last().unwrap();
    let line = &last[last.find("numawise report").unwrap_or_else(|| panic!("{}", screen.out))..];
    assert_eq!(line, "numawise report 'a run.nw' --html report.html");
    let path = format!("PATH={}:/usr/bin:/bin; {line}", bench.path("bin").display());
    let typed = bench.run(&["sh", "-c", &path]);
    assert_eq!(typed.status, Some(0), "{}", typed.err);
    assert!(bench.path("report.html").exists());
    // One that is not kept says how it is, under a name that is free.
    let once = bench.snapshot(&["--", "sh", "-c", "exit 0"]);
    let last = once.err.trim_end().lines().last().unwrap();
    let line = &last[last.find("numawise snapshot").unwrap_or_else(|| panic!("{}", once.err))..];
    let typed =
        bench.run(&["sh", "-c", &format!("PATH={}:/usr/bin:/bin; {line}", bench.path("bin").display())]);
    assert_eq!(typed.status, Some(0), "{line}: {}", typed.err);
}

#[test]
fn all_tables_are_printed_where_that_is_asked_for() {
    let (bench, numawise) = bench();
    let (summary, full) =
        (numawise(&bench, &["report", "b.nw"]).out, numawise(&bench, &["report", "b.nw", "--full"]).out);
    assert!(
        full.contains("Where the CPUs' time went") && !summary.contains("Where the CPUs' time went"),
        "{full}"
    );
}

#[test]
fn tables_are_printed_as_csv() {
    let (bench, numawise) = bench();
    let all = numawise(&bench, &["report", "b.nw", "--csv"]);
    assert!(all.out.starts_with("table,row,quantity,value,unit,missing\n"), "{all:?}");
    let ranks = numawise(&bench, &["report", "b.nw", "--csv=ranks"]);
    assert!(ranks.out.starts_with("rank,host,pid,program,") && ranks.out.lines().count() == 2, "{ranks:?}");
    let wrong = numawise(&bench, &["report", "b.nw", "--csv=rank"]);
    assert_eq!(wrong.status, Some(125));
    assert!(
        wrong.err.contains("'rank' is no table of a snapshot") && wrong.err.contains("regions"),
        "{}",
        wrong.err
    );
    for (record, what) in [("version-1.nw", "numawise check"), ("series-version-1.nw", "numawise where")] {
        for option in ["--csv", "--full"] {
            let refused = numawise(&bench, &["report", &records(record), option]);
            assert_eq!((refused.status, refused.out.as_str()), (Some(125), ""));
            assert!(
                [option, what, "numawise snapshot --output"].iter().all(|said| refused.err.contains(said)),
                "{}",
                refused.err
            );
        }
    }
}

#[test]
fn two_runs_are_compared_and_no_difference_is_proven() {
    let (bench, numawise) = bench();
    let compared = numawise(&bench, &["compare", "a run.nw", "b.nw", "--html", "compare.html"]);
    assert_eq!(compared.status, Some(0), "{}", compared.err);
    assert!(
        compared.out.contains("a run.nw (first) and b.nw (second)") && compared.out.contains("elapsed"),
        "{}",
        compared.out
    );
    assert!(compared.out.contains("so none of"), "{}", compared.out);
    assert!(std::fs::read_to_string(bench.path("compare.html")).unwrap().contains("none of them is proven"));
    let json = numawise(&bench, &["compare", "a run.nw", "b.nw", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((text(&json, "/second/record"), &json["is_proven"]), ("b.nw", &false.into()));
}

#[test]
fn what_is_no_snapshot_is_not_compared() {
    let (bench, numawise) = bench();
    let study = records("version-1.nw");
    for words in [["compare", &study, "b.nw"], ["compare", "b.nw", &study]] {
        let refused = numawise(&bench, &words);
        assert_eq!((refused.status, refused.out.as_str()), (Some(125), ""));
        assert!(refused.err.contains("version-1.nw: this is the record of a study"), "{}", refused.err);
        assert!(refused.err.contains("expected two snapshots"), "{}", refused.err);
    }
    let missing = numawise(&bench, &["compare", "b.nw", "no.nw"]);
    assert!(missing.status == Some(125) && missing.err.contains("no.nw"), "{}", missing.err);
    let over = numawise(&bench, &["compare", "a run.nw", "b.nw", "--html", "b.nw"]);
    assert!(over.status == Some(125) && over.err.contains("is to be read"), "{}", over.err);
}

/// JSON takes the place of the text, behind what the program prints; an old spelling is said.
#[test]
fn json_is_printed_or_written_as_everywhere() {
    let bench = Bench::new();
    let answer = bench.snapshot(&["--json", "--", "echo", "own"]);
    let json = answer.out.strip_prefix("own\n").unwrap_or_else(|| panic!("{}", answer.out));
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["schema"], "numawise/snapshot/1");
    assert!(!answer.err.contains("Next commands"), "{}", answer.err);
    let answer = bench.snapshot(&["--json", "old.json", "--fresh", "--", "echo", "own"]);
    assert_eq!(answer.out, "own\n");
    assert!(answer.err.contains("--json=old.json") && answer.err.contains("Next commands"), "{}", answer.err);
    assert_eq!(bench.json("old.json")["schema"], "numawise/snapshot/1");
}
