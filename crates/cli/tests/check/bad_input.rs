//! Bad input: a clear message, the documented status, nothing left behind.

use crate::{check, folder, script, stderr};

/// Runs a check that cannot be, and gives its status and message. Nothing may be left in the folder.
fn refused(words: &[&str]) -> (Option<i32>, String) {
    let folder = folder();
    let output = check(folder.path(), words).output().unwrap();
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
    (output.status.code(), stderr(&output))
}

#[test]
fn programs_that_cannot_be_run() {
    let (status, text) = refused(&["--", "no-such-program-anywhere"]);
    assert!(status == Some(127) && text.contains("no-such-program-anywhere"), "{status:?} {text}");
    let elsewhere = folder();
    let plain = elsewhere.path().join("plain.txt");
    std::fs::write(&plain, "no program").unwrap();
    let (status, text) = refused(&["--", plain.to_str().unwrap()]);
    assert!(status == Some(126) && text.contains("plain.txt"), "{status:?} {text}");
    let (status, text) = refused(&["--", "/etc"]);
    assert!(status == Some(126) && text.contains("/etc"), "{status:?} {text}");
}

#[test]
fn a_program_that_fails_shows_its_status_and_what_it_said() {
    let (status, text) = refused(&["--", "sh", "-c", "echo out of cheese; exit 42"]);
    assert_eq!(status, Some(42), "{text}");
    assert!(text.contains("out of cheese") && text.contains("exit status 42"), "{text}");
    let (status, text) = refused(&["--", "sh", "-c", "kill -SEGV $$"]);
    assert!(
        status == Some(139) && text.contains("signal 11") && text.contains("printed nothing"),
        "{status:?} {text}"
    );
}

#[test]
fn metrics_that_cannot_be_read() {
    let (status, text) = refused(&["--metric", "time: ([0-9.]+)", "--", "echo", "all is well"]);
    assert_eq!(status, Some(125));
    assert!(text.contains("matches nothing") && text.contains("all is well"), "{text}");
    let (_, text) = refused(&["--metric", "is (.*)", "--", "echo", "all is well"]);
    assert!(text.contains("'well', which is not a positive number"), "{text}");
    let (_, text) = refused(&["--metric", "(", "--", "true"]);
    assert!(text.contains("not a regular expression"), "{text}");
    let (_, text) = refused(&["--metric", "no group", "--", "true"]);
    assert!(text.contains("has 0 groups") && text.contains("expected exactly one"), "{text}");
}

#[test]
fn options_that_make_no_sense() {
    for (words, part) in [
        (&["--budget", "soon", "--", "true"][..], "expected for example 90s"),
        (&["--margin", "0", "--", "true"], "expected a share"),
        (&["--repeats", "2", "--", "true"], "expected at least 5"),
        (&["--threads", "0", "--", "true"], "expected at least 1"),
        (&["--higher-is-better", "--", "true"], "--metric"),
        (&["--nonsense", "--", "true"], "--nonsense"),
        (&[], "PROGRAM"),
        (&["--html", "no/such/folder/r.html", "--", "true"], "there is no folder"),
        (
            &["--output", "/proc/x.nw", "--", "true"],
            "--output /proc/x.nw: no file can be made in that folder",
        ),
        (
            &["--html", "/proc/x.html", "--", "true"],
            "--html /proc/x.html: no file can be made in that folder",
        ),
        (&["--html", "/", "--", "true"], "this is a folder"),
        (&["-o", "no/such/folder/a.nw", "--", "true"], "no/such/folder"),
    ] {
        let (status, text) = refused(words);
        assert_eq!(status, Some(125), "{words:?}: {text}");
        assert!(text.contains(part), "{words:?}: {text}");
    }
}

#[test]
fn a_broken_omp_num_threads_is_named() {
    let folder = folder();
    let output = check(folder.path(), &["--", "true"]).env("OMP_NUM_THREADS", "many").output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(stderr(&output).contains("OMP_NUM_THREADS is 'many'"), "{}", stderr(&output));
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named_before_time_is_spent() {
    // Root may write everywhere, except where there is no file system to write to.
    let folder = folder();
    let program = script(folder.path(), "slow", "#!/bin/sh\ntouch ran\n");
    let output = check(folder.path(), &["-o", "/proc/a.nw", "--", &program]).output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{}", stderr(&output));
    assert!(stderr(&output).contains("/proc/a.nw"), "{}", stderr(&output));
}

#[test]
fn more_threads_than_cpus_is_a_caveat_not_an_error() {
    let folder = folder();
    let words = ["--json", "--budget", "1ms", "--repeats", "5", "--threads", "999", "--", "true"];
    let told = crate::json(&check(folder.path(), &words).output().unwrap());
    assert!(told["caveats"].to_string().contains("999"), "{told}");
}
