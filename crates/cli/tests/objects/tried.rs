//! `--try`: what the findings advise and a line can do is run against the program, and its effect stands with the finding.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::collector::installed;

/// Random reads of an array that malloc gave, so many millions as its first word says. Ends with the status that is its second.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { N = 1 << 24 };
int main(int count, char **words) {
    long *table = malloc(N * sizeof *table);
    unsigned long at = 1, sum = 0;
    for (long k = 0; k < N; k++) table[k] = k;
    for (long k = 0; k < 1000000 * atol(words[1]); k++) {
        at = at * 6364136223846793005ul + 1442695040888963407ul;
        sum += table[at >> 40];
    }
    printf("%lu\n", sum);
    return count > 2 ? atoi(words[2]) : 0;
}
"#;

fn compiled(folder: &Path) {
    std::fs::write(folder.join("reads.c"), PROGRAM).unwrap();
    let made = Command::new("cc")
        .args(["-g", "-O1", "-o", "reads", "reads.c"])
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(made.success());
}

fn objects(binary: &Path, folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(binary);
    command.arg("objects").args(words).current_dir(folder).output().unwrap()
}

/// What a report of the record says.
fn kept(folder: &Path) -> Value {
    let mut report = Command::new(env!("CARGO_BIN_EXE_numawise"));
    let report = report.args(["report", "run.nw", "--json"]).current_dir(folder).output().unwrap();
    serde_json::from_slice(&report.stdout).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Whatever the samples say: what is tried has its line and what it brought, or says why not, and the record keeps the same.
#[test]
fn what_was_tried_is_told_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let binary = installed(folder.path(), true);
    compiled(folder.path());
    let words = ["--try", "1s", "--output", "run.nw", "--json=run.json", "--", "./reads", "5"];
    let output = objects(&binary, folder.path(), &words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    // What the runs print that try it is not shown.
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1, "{output:?}");
    let told = json(&folder.path().join("run.json"));
    let tried = told["tried"].as_array().unwrap();
    assert_eq!(tried.is_empty(), said.contains("no finding has a cure that a line can try"), "{said}");
    for of in tried {
        let line = of["line"].as_str().unwrap();
        assert!(line.starts_with("numawise run ") && line.ends_with(" -- ./reads 5"), "{line}");
        let brought = &of["brought"];
        assert!(brought["ratio"].is_f64() || brought["unavailable"].is_string(), "{brought}");
    }
    assert_eq!(kept(folder.path())["tried"], told["tried"]);
}

#[test]
#[ignore = "timing: what huge pages bring a program, in 20 s of trials"]
fn a_cure_is_tried_by_the_line_that_is_printed_and_kept_with_its_effect() {
    let folder = tempfile::tempdir().unwrap();
    let binary = installed(folder.path(), true);
    compiled(folder.path());
    let words =
        ["--try", "20s", "--output", "run.nw", "--json=run.json", "--rate", "1000", "--", "./reads", "70"];
    let output = objects(&binary, folder.path(), &words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    // What the runs print that try it is not shown.
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1, "{output:?}");
    let told = json(&folder.path().join("run.json"));
    if !told["findings"].as_array().unwrap().iter().any(|finding| finding["id"] == "NW046") {
        eprintln!("SKIPPED: the kernel gives huge pages as it likes, or none: {said}");
        return;
    }
    let tried = &told["tried"][0];
    let line = "numawise run --page-size thp -- ./reads 70";
    assert_eq!(
        (&tried["line"], &tried["cure"]),
        (&Value::from(line), &Value::from("huge_pages")),
        "{told:#}"
    );
    let effect = &tried["brought"];
    let [low, ratio, high] = ["low", "ratio", "high"].map(|name| effect[name].as_f64().expect("measured"));
    assert!(0.2 < low && low <= ratio && ratio <= high && high < 5.0, "{effect}");
    let finding = told["findings"].as_array().unwrap().iter().find(|one| one["id"] == "NW046").unwrap();
    assert_eq!(finding["cost"], *effect);
    assert!(finding["advice"][0]["text"].as_str().unwrap().contains("tried, "), "{finding:#}");
    eprintln!("huge pages: {ratio:.2}x ({low:.2}x to {high:.2}x)");
    assert_eq!(kept(folder.path())["tried"], told["tried"]);
}

#[test]
fn what_cannot_be_tried_is_said_and_the_run_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let binary = installed(folder.path(), true);
    compiled(folder.path());
    let output =
        objects(&binary, folder.path(), &["--try", "20s", "--output", "run.nw", "--", "./reads", "1", "3"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("nothing is tried for a program that fails"), "{said}");
    assert!(folder.path().join("run.nw").exists());
    for (words, expected) in [
        (["--try", "5s", "--", "./reads"].as_slice(), "--output"),
        (
            &["--try", "5s", "--output", "b.nw", "--memory", "local", "--", "./reads"],
            "without options that place",
        ),
        (&["--try", "soon", "--output", "b.nw", "--", "./reads"], "soon"),
    ] {
        let output = objects(&binary, folder.path(), words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{words:?}: {said}");
    }
}
