//! `--objects`: one more run, whose objects are kept and shown; what goes wrong in it leaves the trials alone.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::collector::installed;
use crate::{command_of, folder, json, script, stderr};

/// One array that is filled and read again until a twentieth of a second of CPU time has gone; says the same rate everywhere, but for its last digit.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
enum { N = 1 << 21 };
int main(void) {
    double *table = malloc(N * sizeof *table), sum = 0;
    for (long k = 0; k < N; k++) table[k] = k;
    while (clock() < CLOCKS_PER_SEC / 20)
        for (long k = 0; k < N; k++) sum += table[k];
    printf("%g\nrate: %d\n", sum, 1000 + getpid() % 7);
    return 0;
}
"#;

fn compiled(folder: &Path) -> String {
    let source = folder.join("sums.c");
    std::fs::write(&source, PROGRAM).unwrap();
    let program = folder.join("sums");
    let made = Command::new("cc").args(["-g", "-O1", "-o"]).arg(&program).arg(&source).status().unwrap();
    assert!(made.success());
    program.display().to_string()
}

/// The rate decides after the least number of repeats, long before the budget ends.
const WORDS: [&str; 10] =
    ["--json", "--threads", "1", "--budget", "10m", "--repeats", "5", "--metric", "rate: ([0-9]+)", "--"];

fn followed(binary: &Path, folder: &Path, program: &str) -> Output {
    command_of(binary, folder, &[&["--objects"], &WORDS[..], &[program]].concat()).output().unwrap()
}

fn table(told: &Value) -> &Value {
    let objects = told["objects"]["objects"].as_array().unwrap_or_else(|| panic!("{}", told["objects"]));
    objects.iter().find(|object| object["name"] == "table").unwrap_or_else(|| panic!("{objects:#?}"))
}

#[test]
fn the_arrays_are_followed_once_kept_and_shown_again() {
    let folder = folder();
    let binary = installed(folder.path(), true);
    let program = compiled(folder.path());
    let output = followed(&binary, folder.path(), &program);
    assert!(output.status.success(), "{}", stderr(&output));
    let told = json(&output);
    let object = table(&told);
    assert_eq!((&object["line"], object["count"].as_u64()), (&Value::from(8), Some(1)), "{object:#}");
    let begun = &told["objects"]["begun_ns"];
    assert!(begun.is_u64());
    // The same command and the report show the run that was kept.
    let again = json(&followed(&binary, folder.path(), &program));
    assert_eq!(&again["objects"]["begun_ns"], begun);
    let mut report = Command::new(env!("CARGO_BIN_EXE_numawise"));
    let report = report.args(["report", "--json", "sums.nw"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(table(&json(&report)), table(&again));
}

#[test]
fn without_the_option_nothing_is_followed_and_a_later_command_adds_it() {
    let folder = folder();
    let binary = installed(folder.path(), true);
    let program = compiled(folder.path());
    let plain = command_of(&binary, folder.path(), &[&WORDS[..], &[&program]].concat()).output().unwrap();
    assert!(json(&plain)["objects"].is_null());
    let told = json(&followed(&binary, folder.path(), &program));
    assert_eq!(table(&told)["count"], 1);
    let trials = |of: &Value| of["trials"].as_array().unwrap().len();
    assert!(trials(&told) >= trials(&json(&plain)));
}

#[test]
fn a_program_that_fails_where_it_is_followed_costs_a_warning_and_no_trial() {
    let folder = folder();
    let binary = installed(folder.path(), true);
    let text = "#!/bin/sh\nif [ -n \"$NUMAWISE_OBJECTS\" ]; then echo broken >&2; exit 7; fi\necho rate: 100$(($$ % 7))\n";
    let program = script(folder.path(), "picky", text);
    let output = followed(&binary, folder.path(), &program);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("the memory objects are not known") && said.contains('7'), "{said}");
    let told = json(&output);
    assert!(told["objects"].is_null());
    assert!(told["trials"].as_array().unwrap().iter().all(|trial| trial["status"] == "measured"), "{told:#}");
}
