//! `numawise export`: the trials of a record as rows for other programs.

use std::process::{Command, Output};

use serde_json::Value;

use crate::Bench;

fn export(bench: &Bench, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.arg("export").args(words).current_dir(bench.folder.path()).output().unwrap()
}

fn recorded() -> Bench {
    let bench = Bench::new();
    bench.json(&[
        "--output",
        "a.nw",
        "--repeats",
        "2",
        "--param",
        "n=1,2",
        "--",
        "sh",
        "-c",
        "exit $(({n} - 1))",
    ]);
    bench
}

#[test]
fn every_trial_is_a_row() {
    let bench = recorded();
    let text = String::from_utf8(export(&bench, &["a.nw", "--csv"]).stdout).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 5, "names, the warm-up and four trials: {text}");
    let at = |name: &str| rows[0].iter().position(|cell| *cell == name).unwrap();
    for row in &rows[1..] {
        assert_eq!(row[at("outcome")] == "failed", row[at("n")] == "2", "{row:?}");
        assert_eq!(row[at("wall_time_seconds")].is_empty(), row[at("n")] == "2", "{row:?}");
    }
    let read: Value = serde_json::from_slice(&export(&bench, &["a.nw", "--json"]).stdout).unwrap();
    assert_eq!(read["schema"], "numawise/trials/1");
    assert_eq!(read["trials"].as_array().unwrap().len(), 5);
    let bytes = export(&bench, &["a.nw", "--parquet"]).stdout;
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{} bytes", bytes.len());
    assert!(export(&bench, &["a.nw", "--parquet", "--output", "a.parquet"]).status.success());
    assert_eq!(std::fs::read(bench.path("a.parquet")).unwrap(), bytes);
}

#[test]
fn what_cannot_be_exported_is_said() {
    let bench = recorded();
    std::fs::write(bench.path("b.nw"), "not a record").unwrap();
    for (words, part) in [
        (&["a.nw"][..], "--csv"),
        (&["a.nw", "--csv", "--json"], "cannot be used with"),
        (&["b.nw", "--csv"], "b.nw"),
        (&["c.nw", "--csv"], "c.nw"),
        (&["a.nw", "--csv", "--output", "a.nw"], "it is the file that is to be read"),
    ] {
        let Output { status, stderr, .. } = export(&bench, words);
        let said = String::from_utf8_lossy(&stderr).into_owned();
        assert!(status.code() == Some(125) && said.contains(part), "{words:?}: {status} {said}");
    }
}
