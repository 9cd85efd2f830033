//! Results and messages, whatever is behind the streams.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::start::{BEHIND, Behind, pairs, with_streams};
use crate::{folder, numawise, said, text, trials, whole};

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records").join(name)
}

fn with(words: &[&str], folder: &Path, out: Behind, err: Behind) -> Output {
    let mut command = numawise(words);
    command.current_dir(folder);
    with_streams(&mut command, out, err);
    command.output().unwrap()
}

/// All that a command does is to print: it fails where that cannot be done, unless nobody wants it.
#[test]
fn a_result_is_printed_or_its_loss_is_a_failure() {
    let folder = folder();
    let process = std::process::id().to_string();
    for (file, name) in [("version-1.nw", "app.nw"), ("series-version-1.nw", "job.nw")] {
        std::fs::copy(kept(file), folder.path().join(name)).unwrap();
    }
    for words in [
        &["--help"][..],
        &["--version"],
        &["check", "--help"],
        &["machine"],
        &["machine", "--json"],
        &["machine", "--reader", "sysfs"],
        &["machine", "measure", "--dry-run"],
        &["report", "app.nw"],
        &["report", "job.nw", "--json"],
        &["completions", "zsh"],
        &["where", &process],
        &["where", "--interval", "0.05", "--count", "2", "--csv", &process],
        &["run", "--dry-run", "--place", "local", "true"],
        &["run", "--show"],
        &["check", "--dry-run", "--", "true"],
    ] {
        for (out, err) in pairs() {
            let output = with(words, folder.path(), out, err);
            let expected = if out == Behind::FullDisk { 125 } else { 0 };
            let case = format!("{words:?}, output {out:?}, error {err:?}: {}", said(&output));
            assert_eq!(output.status.code(), Some(expected), "{case}");
            assert_eq!(output.stdout.is_empty(), out != Behind::Reader, "{case}");
            if out == Behind::FullDisk && err == Behind::Reader {
                assert!(case.contains("cannot write to the standard output: No space left"), "{case}");
            }
        }
    }
}

#[test]
fn what_was_typed_wrongly_has_its_status_where_nothing_can_be_said() {
    let folder = folder();
    for words in
        [&["--nonsense"][..], &[], &["run", "-C", "99999", "true"], &["report", "none.nw"], &["where", "0"]]
    {
        for err in BEHIND {
            let output = with(words, folder.path(), Behind::Closed, err);
            assert_eq!(output.status.code(), Some(125), "{words:?} {err:?}: {}", said(&output));
        }
    }
}

#[test]
fn programs_run_though_the_warnings_before_them_cannot_be_written() {
    let folder = folder();
    for options in [
        &["run", "--threads", "1"][..],
        &["run", "--verbose", "--place", "local", "--threads", "1"],
        &["run", "-C", "all"],
        &["run", "--threads", "1", "--copies", "2"],
    ] {
        for (out, err) in pairs() {
            let mut command = numawise(options);
            command.args(["--", "sh", "-c", "echo x >> ran"]).env("OMP_NUM_THREADS", "7");
            command.current_dir(folder.path());
            with_streams(&mut command, out, err);
            let output = command.output().unwrap();
            let case = format!("{options:?}, output {out:?}, error {err:?}: {}", said(&output));
            assert_eq!(output.status.code(), Some(0), "{case}");
            let ran = std::fs::read_to_string(folder.path().join("ran")).expect(&case);
            std::fs::remove_file(folder.path().join("ran")).unwrap();
            assert_eq!(ran.len(), if options.contains(&"--copies") { 4 } else { 2 }, "{case}");
            if options.contains(&"1") && err == Behind::Reader {
                assert!(case.contains("OMP_NUM_THREADS=7"), "there was something to say: {case}");
            }
        }
    }
}

/// A study does all its trials, and the record holds nothing else.
#[test]
fn a_check_goes_on_and_its_record_is_whole() {
    use Behind::{Closed, FullDisk, NoReader, Nothing, Reader};
    for (out, err) in
        [(Closed, Closed), (Reader, FullDisk), (FullDisk, Reader), (NoReader, NoReader), (Nothing, FullDisk)]
    {
        let folder = folder();
        let words = [
            "check",
            "--budget",
            "1ms",
            "--repeats",
            "5",
            "-o",
            "a.nw",
            "--html",
            "a.html",
            "--",
            "sh",
            "-c",
            "echo trial; echo x >> ran",
        ];
        let output = with(&words, folder.path(), out, err);
        let case = format!("output {out:?}, error {err:?}: {}", said(&output));
        assert_eq!(output.status.code(), Some(if out == FullDisk { 125 } else { 0 }), "{case}");
        let trials = trials(folder.path(), "a.nw");
        let ran = std::fs::read_to_string(folder.path().join("ran")).unwrap().lines().count();
        assert!(trials.len() == ran && ran >= 6 && whole(&trials), "{ran} runs, {trials:?}: {case}");
        let page = std::fs::read_to_string(folder.path().join("a.html")).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{case}");
        if out == Reader {
            assert!(text(&output.stdout).contains("a.nw (SQLite"), "{case}");
        }
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 3, "a.nw, a.html, ran: {case}");
    }
}

#[test]
fn a_measurement_is_saved_though_nothing_can_be_said_of_it() {
    let folder = folder();
    let words = ["machine", "measure", "--quick", "--max-memory", "64MiB", "--save", "a.json"];
    for (out, err, status) in [(Behind::Closed, Behind::Closed, 0), (Behind::FullDisk, Behind::NoReader, 125)]
    {
        let output = with(&words, folder.path(), out, err);
        assert_eq!(output.status.code(), Some(status), "{out:?} {err:?}");
        let saved = std::fs::read(folder.path().join("a.json")).unwrap();
        let saved: serde_json::Value = serde_json::from_slice(&saved).unwrap();
        assert!(saved["latency"].as_array().is_some_and(|pairs| !pairs.is_empty()), "{saved}");
        std::fs::remove_file(folder.path().join("a.json")).unwrap();
    }
}
