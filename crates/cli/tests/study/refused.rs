//! Bad input: what was typed makes no sense, or the record is not what it should be. Each is said, and nothing that was kept is touched.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::Value;

use crate::{Bench, points};

/// Two points, two repeats, in `a.nw`.
const WORDS: [&str; 8] = ["--output", "a.nw", "--repeats", "2", "--param", "n=1,2", "--", "true"];

fn words<'a>(before: &[&'a str]) -> Vec<&'a str> {
    [before, &WORDS, &["{n}"]].concat()
}

/// A study that is recorded.
fn recorded() -> Bench {
    let bench = Bench::new();
    bench.json(&words(&[]));
    bench
}

/// Refused with these words in the message, and the record is byte by byte what it was.
#[track_caller]
fn leaves_alone(bench: &Bench, typed: &[&str], expected: &[&str]) {
    let record = bench.path("a.nw");
    let before = std::fs::read(&record).unwrap();
    let said = bench.refused(typed);
    for part in expected {
        assert!(said.contains(part), "{typed:?}: {said}");
    }
    assert!(std::fs::read(&record).unwrap() == before, "{typed:?}: the record was changed");
}

#[test]
fn factors_that_are_empty_or_contradict_each_other() {
    let bench = Bench::new();
    for (words, expected) in [
        (&["--threads", "", "--", "true"][..], "--threads"),
        (&["--threads", "1,,2", "--", "true"], "--threads"),
        (&["--copies", "2^0..=3", "--", "true"], "--copies"),
        (&["--place", "", "--", "true"], "'' is not a strategy"),
        (&["--pin", "", "--", "true"], "'' is neither on nor off"),
        (&["--memory", "local,", "--", "true"], "--memory"),
        (&["--param", "=a,b", "--", "true"], "expected NAME=LEVELS"),
        (&["--param", "n=a", "--param", "n=b", "--", "true", "{n}"], "n is a factor twice"),
        (&["--env", "n=a", "--param", "n=b", "--", "true", "{n}"], "n is a factor twice"),
        (
            &["--ranks-x-threads", "4", "--threads", "1,2", "--", "true", "{ranks}"],
            "both say how many threads",
        ),
        (&["--ranks-x-threads", "4", "--ranks", "1,2", "--", "true", "{ranks}"], "both say how many ranks"),
        (
            &["--param", "n=1,2", "--where", "n>1", "--where", "n<2", "--", "true", "{n}"],
            "nothing is left to run",
        ),
        (&["--command", "a=", "--", "true"], "'a' has an empty command"),
        (&["--command", "a=true", "--", "true"], "expected one of them"),
        (&["--param", "n=,", "--", "{n}"], "n=,"),
    ] {
        let answer = bench.study(words);
        assert!(answer.status == Some(125) && answer.err.contains(expected), "{words:?}: {}", answer.err);
    }
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 0, "nothing was begun");
}

#[test]
fn a_metric_has_one_group_and_a_placeholder_a_name() {
    let bench = Bench::new();
    for (words, expected) in [
        (&["--metric", "seconds", "--", "true"][..], "'seconds' has 0 groups; expected exactly one"),
        (&["--metric", "([0-9]+) of ([0-9]+)", "--", "true"], "has 2 groups; expected exactly one"),
        (&["--metric", "t=([0-9]+", "--", "true"], "is not a regular expression"),
        (
            &["--param", "size=1,2", "--", "true", "{sise}"],
            "{sise} in '{sise}' names nothing; there are: size",
        ),
        (&["--param", "size=1,2", "--", "true", "{size}", "{n:+-x}"], "names nothing"),
    ] {
        let said = bench.refused(words);
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 0, "nothing was begun");
}

#[test]
fn a_grid_too_large_for_its_budget_says_how_long_it_takes() {
    let bench = Bench::new();
    let levels = "n=0.201,0.202,0.203,0.204,0.205,0.206,0.207,0.208";
    let typed = ["--output", "a.nw", "--budget", "1500ms", "--param", levels, "--", "sleep", "{n}"];
    let answer = bench.study(&typed);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    assert!(
        answer.err.contains("40 trials would take about") && answer.err.contains("--search"),
        "{}",
        answer.err
    );
    assert!(answer.out.contains("the budget is spent"), "{}", answer.out);
    // As much as fits is said nothing of.
    let enough =
        bench.study(&["--fresh", "--output", "a.nw", "--budget", "10m", "--repeats", "1", "--", "true"]);
    assert!(enough.status == Some(0) && !enough.err.contains("--search"), "{}", enough.err);
}

#[test]
fn another_design_is_refused_with_what_differs() {
    let bench = recorded();
    let advice = "--fresh starts over";
    leaves_alone(
        &bench,
        &words(&["--prepare", "sync"]),
        &["prepare", "recorded: nothing", "now:      sync", advice],
    );
    leaves_alone(&bench, &words(&["--verify", "true"]), &["verify", advice]);
    leaves_alone(&bench, &words(&["--setup", "true"]), &["setup", advice]);
    leaves_alone(&bench, &words(&["--threads", "1,2"]), &["points", advice]);
    leaves_alone(&bench, &words(&["--metric", "(.)"]), &["metric", "wall time", advice]);
    let other = ["--output", "a.nw", "--param", "n=1,2", "--", "true", "-x", "{n}"];
    leaves_alone(&bench, &other, &["command", "recorded: true {n}", "now:      true -x {n}", advice]);
    // A check keeps other studies.
    let mut check = std::process::Command::new(env!("CARGO_BIN_EXE_numawise"));
    let check =
        check.args(["check", "--output", "a.nw", "--", "true", "{n}"]).current_dir(bench.folder.path());
    let check = check.output().unwrap();
    let said = String::from_utf8_lossy(&check.stderr);
    assert!(check.status.code() == Some(125) && said.contains("another study"), "{said}");
    // Of whole commands it is the same name that runs something else.
    let commands = |second: &'static str| {
        ["--output", "c.nw", "--repeats", "1", "--command", "a=true", "--command", second]
    };
    bench.json(&commands("b=true 1"));
    let said = bench.refused(&commands("b=true 2"));
    assert!(said.contains("points.command=b.command") && said.contains("true 2"), "{said}");
}

#[test]
fn a_record_that_is_no_record_of_this_study_is_left_alone() {
    let bench = recorded();
    let record = bench.path("a.nw");
    let whole = std::fs::read(&record).unwrap();
    // Cut off.
    std::fs::write(&record, &whole[..whole.len() / 2]).unwrap();
    leaves_alone(&bench, &words(&[]), &["a.nw: the record is damaged"]);
    std::fs::write(&record, &whole[..700]).unwrap();
    leaves_alone(&bench, &words(&[]), &["a.nw"]);
    // Of a newer version.
    std::fs::write(&record, &whole).unwrap();
    change(&record, |sql| sql.pragma_update(None, "user_version", 77).unwrap());
    leaves_alone(&bench, &words(&[]), &["written by a newer numawise", "format version 77"]);
    // Of another machine.
    std::fs::write(&record, &whole).unwrap();
    change(&record, |sql| {
        let header: String = sql.query_row("SELECT header FROM study", [], |row| row.get(0)).unwrap();
        let mut header: Value = serde_json::from_str(&header).unwrap();
        assert!(header["machine"]["nodes"][0]["memory"].is_u64(), "{header}");
        header["machine"]["nodes"][0]["memory"] = (123_u64 << 30).into();
        sql.execute("UPDATE study SET header = ?1", [header.to_string()]).map(drop).unwrap();
    });
    leaves_alone(&bench, &words(&[]), &["what differs", "machine.nodes[0].memory", "--fresh starts over"]);
    // No record at all.
    std::fs::write(&record, "seconds: 12\n").unwrap();
    leaves_alone(&bench, &words(&[]), &["it is not a numawise record"]);
    leaves_alone(&bench, &words(&["--fresh"]), &["it is not a numawise record"]);
    // A damaged one of ours may be started over.
    std::fs::write(&record, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(bench.json(&words(&["--fresh"]))["trials"], 4);
}

fn change(record: &Path, change: impl FnOnce(&Connection)) {
    let sql = Connection::open(record).unwrap();
    change(&sql);
    sql.close().unwrap();
}

#[test]
fn two_studies_in_one_file_do_not_meet() {
    let bench = Bench::new();
    let typed = [
        "study",
        "--json",
        "--output",
        "a.nw",
        "--repeats",
        "2",
        "--param",
        "n=1,2",
        "--",
        "sh",
        "-c",
        // The second run goes on until we let it end.
        "echo {n} >> log; [ $(wc -l < log) = 1 ] || until [ -e go ]; do sleep 0.01; done",
    ];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_numawise"));
    let command = command.args(typed).current_dir(bench.folder.path());
    let first = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !bench.path("a.nw").exists() {
        assert!(begun.elapsed() < Duration::from_secs(300), "no record");
        std::thread::sleep(Duration::from_millis(5));
    }
    for fresh in [&[][..], &["--fresh"]] {
        let said = bench.refused(&[fresh, &typed[2..]].concat());
        assert!(said.contains("a.nw: another numawise is measuring into it; wait for that one"), "{said}");
    }
    std::fs::write(bench.path("go"), "").unwrap();
    let output = first.wait_with_output().unwrap();
    let study: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success() && points(&study).iter().all(|point| point["n"] == 2), "{study}");
}

#[test]
fn a_program_that_is_missing_at_a_point_is_a_failure_there() {
    let bench = Bench::new();
    let typed = ["--repeats", "2", "--param", "build=true,no-such-program", "--", "{build}"];
    let study = bench.json(&typed);
    let [good, bad] = &points(&study)[..] else { panic!("{study}") };
    assert_eq!((&good["n"], &bad["n"], &bad["failures"]), (&2.into(), &0.into(), &2.into()), "{study}");
    let answer = bench.study(&["--output", "b.nw", "--param", "build=no-such-program,true", "--", "{build}"]);
    assert!(answer.status == Some(127) && answer.err.contains("no-such-program"), "{}", answer.err);
}
