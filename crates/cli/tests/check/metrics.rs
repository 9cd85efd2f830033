//! Metrics as programs print and write them, and what is said where there is none.

use std::path::Path;

use crate::{check, folder, json, script, stderr};

/// A check of a shell command that has to give a metric; its result.
fn measured(folder: &Path, options: &[&str], command: &str) -> serde_json::Value {
    let mut words = vec!["--json", "--budget", "1ms", "--repeats", "5"];
    words.extend(options);
    words.extend(["--", "sh", "-c", command]);
    json(&check(folder, &words).output().unwrap())
}

/// A check that ends with its first run: what is said.
fn refused(folder: &Path, options: &[&str], command: &[&str]) -> String {
    let words: Vec<&str> = options.iter().copied().chain(["--"]).chain(command.iter().copied()).collect();
    let output = check(folder, &words).output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{}", stderr(&output));
    assert!(!folder.join("sh.nw").exists(), "a record was begun");
    stderr(&output)
}

/// The metric of the first trial.
fn first(result: &serde_json::Value) -> &serde_json::Value {
    &result["trials"][0]["value"]
}

#[test]
fn both_streams_are_searched() {
    let folder = folder();
    let result = measured(folder.path(), &["--metric", "^t=([0-9.]+)$"], "echo a; echo t=2.5 >&2; echo b");
    assert_eq!(first(&result), 2.5, "{result}");
}

#[test]
fn a_metric_comes_from_a_file_that_each_run_writes() {
    for (name, command) in [
        ("anew", "echo t=$(date +%s%N) > result"),
        // As long as the run before, and the very same.
        ("the same", "printf 't=2500000000\n' > result"),
        ("appended", "echo t=$(date +%s%N) >> result"),
        ("another file", "echo t=$(date +%s%N) > new && mv new result"),
    ] {
        let folder = folder();
        std::fs::write(folder.path().join("result"), "t=1\n").unwrap();
        let result = measured(folder.path(), &["--metric-file", "result", "--metric", "t=([0-9]+)"], command);
        assert_eq!(result["metric"]["kind"], "file", "{name}");
        assert_eq!(result["metric"]["file"], "result", "{name}");
        let trials = result["trials"].as_array().unwrap();
        assert!(trials.len() >= 6, "{name}: {result}");
        let mut values: Vec<f64> = trials.iter().map(|trial| trial["value"].as_f64().unwrap()).collect();
        assert!(values.iter().all(|value| *value > 1.0), "{name}: {values:?}");
        values.dedup();
        assert!(name == "the same" || values.len() == trials.len(), "{name}: {values:?}");
    }
}

#[test]
fn a_file_may_hold_the_number_alone_and_stand_in_another_folder() {
    let (here, there) = (folder(), folder());
    let file = there.path().join("rate.{threads}").display().to_string();
    let options = ["--metric-file", &file, "--higher-is-better", "--threads", "2"];
    let command = format!("echo ' 1.5D+02 ' > {}/rate.2", there.path().display());
    let result = measured(here.path(), &options, &command);
    assert_eq!(first(&result), 150.0, "{result}");
    assert_eq!(result["metric"]["higher_is_better"], true);
    // The same study goes on, and is shown; with another file it is another.
    let words = |option: &'static str| {
        ["--budget", "1ms", "--higher-is-better", "--threads", "2", "--repeats", "5", option]
    };
    let again = [&words("--metric-file")[..], &["elsewhere", "--", "sh", "-c", &command]].concat();
    let output = check(here.path(), &again).output().unwrap();
    let told = stderr(&output);
    assert!(
        output.status.code() == Some(125) && told.contains("rate.{threads}") && told.contains("elsewhere"),
        "{told}"
    );
    let again = [&words("--metric-file")[..], &[&file, "--", "sh", "-c", &command]].concat();
    let output = check(here.path(), &again).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("the number in") && told.contains("rate.{threads}"),
        "{told}"
    );
}

#[test]
fn what_an_earlier_run_wrote_is_no_metric() {
    let folder = folder();
    std::fs::write(folder.path().join("result"), "t=1\n").unwrap();
    let options = ["--metric-file", "result", "--metric", "t=([0-9]+)"];
    let told = refused(folder.path(), &options, &["true"]);
    assert!(told.contains("--metric-file result: the run did not write to it"), "{told}");
    let told = refused(folder.path(), &options, &["sh", "-c", "echo failed >> result"]);
    assert!(told.contains("only in what was there before"), "{told}");
    assert_eq!(std::fs::read_to_string(folder.path().join("result")).unwrap(), "t=1\nfailed\n");
    // Written by the first run only: the others have no metric, and the first one's is not theirs.
    let once = "test -e ran || { touch ran; echo t=5 > result; }";
    let result = measured(folder.path(), &options, once);
    let of = |status: &str| {
        let trials = result["trials"].as_array().unwrap().iter();
        trials.filter(|trial| trial["status"] == status).count()
    };
    assert!(of("measured") == 1 && of("no_metric") >= 3, "{result}");
}

#[test]
fn files_that_are_none_are_not_waited_for() {
    let folder = folder();
    for (file, command, part) in [
        ("result", "true", "the program wrote no such file"),
        ("result", "echo t=1 > results.txt", "the run wrote results.txt"),
        ("made", "mkdir -p made", "it is a folder"),
        ("pipe", "test -p pipe || mkfifo pipe", "it is a pipe, a device or a socket"),
        ("/dev/stdout", "echo t=1", "is searched by --metric alone"),
        ("/dev/null/x", "true", "it cannot be read"),
        ("empty", ": > empty", "the file is empty"),
        ("words", "echo t=1 s > words", "holds 't=1 s', which is not a positive number"),
        ("zeros", "truncate -s 1G zeros", "it holds more than one number"),
    ] {
        let told = refused(folder.path(), &["--metric-file", file], &["sh", "-c", command]);
        assert!(told.contains(part) && told.contains("\ntry: ") && told.len() < 6000, "{file}: {told}");
    }
    let told = refused(folder.path(), &["--metric", "(?s)(.*)"], &["sh", "-c", "yes 12345678 | head -n 99"]);
    assert!(told.contains("matched 890 characters") && told.contains("with its unit outside"), "{told}");
    let told = refused(folder.path(), &["--metric-file", ""], &["true"]);
    assert!(told.contains("--metric-file ''"), "{told}");
    let told = refused(folder.path(), &["--metric-file", "app.nw", "-o", "app.nw"], &["true"]);
    assert!(told.contains("it is the file that is to be read"), "{told}");
}

#[test]
fn a_metric_that_matches_nothing_says_what_to_try() {
    let folder = folder();
    let told = |metric: &str, command: &[&str]| refused(folder.path(), &["--metric", metric], command);
    let text = told("Zeit: ([0-9.]+)", &["sh", "-c", "echo ' Time in seconds =   12.5' >&2"]);
    assert!(text.contains("(stdout and stderr)"), "{text}");
    assert!(text.contains(r"try: --metric 'Time\s+in\s+seconds\s+=\s+([-+.0-9eEdD]+)'"), "{text}");
    assert!(text.contains("--metric-file FILE") && text.contains("-- sh -c 'PROGRAM | FILTER'"), "{text}");
    let text = told("time: ([0-9.]+)", &["sh", "-c", "echo TIME: 5"]);
    assert!(text.contains("--metric '(?i)time: ([0-9.]+)'"), "{text}");
    let text = told("time: ([0-9.]+)", &["sh", "-c", "echo time: 5 > run.log"]);
    assert!(text.contains("it printed nothing") && text.contains("--metric-file run.log"), "{text}");
    let text = told("time: ([0-9.]+)", &["echo", "five", "|", "grep", "time"]);
    assert!(text.contains("no shell reads '|' here"), "{text}");
    let text = told("time: ([0-9.]+)", &["sh", "-c", "echo time: 5; head -c 9000000 /dev/zero | tr '\\0' x"]);
    assert!(text.contains("are not kept") && text.len() < 6000, "{} {}", text.len(), &text[..200]);
}

#[test]
fn what_is_found_and_is_no_number_is_told_by_its_kind() {
    let folder = folder();
    for (printed, part) in [
        ("1.234,5", "LC_ALL=C"),
        ("nan", "what the program computed"),
        ("-inf", "what the program computed"),
        ("-1", "effects are ratios"),
        ("12 ms", "with its unit outside"),
    ] {
        let told = refused(folder.path(), &["--metric", "t=(.*)"], &["echo", &format!("t={printed}")]);
        assert!(told.contains(part) && told.contains(&format!("'{printed}'")), "{told}");
    }
}

#[test]
fn odd_outputs_are_read() {
    let folder = folder();
    for (regex, text, value) in [
        ("t=([0-9.]+)", r"\033[1mt=\033[0m\033[32m4.5\033[0m s", 4.5),
        ("^t=(.*)$", r"x\r\nt=3\r\n", 3.0),
        ("t=(.*)", r"t=1\nt=1e-3", 0.001),
        // Linear, whatever the expression: nested repetition takes other engines for ever.
        ("(?:a+)+b|t=([0-9]+)", r"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nt=7", 7.0),
    ] {
        let program = script(folder.path(), "program", &format!("#!/bin/sh\nprintf '{text}'\n"));
        let words = ["--json", "--fresh", "--budget", "1ms", "--metric", regex, "--", &program];
        let result = json(&check(folder.path(), &words).output().unwrap());
        assert_eq!(first(&result), value, "{text}");
    }
}
