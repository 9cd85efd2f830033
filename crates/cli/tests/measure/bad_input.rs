//! Bad input: one line, status 125, nothing left behind.

use std::process::Stdio;

use crate::{Answer, Data, mlc, testdata};

fn refused(data: &Data, arguments: &[&str], words: &str) {
    let before = std::fs::read_dir(data.path()).unwrap().count();
    let answer = data.run(arguments);
    assert_eq!(answer.status, Some(125), "{arguments:?}: {answer:?}");
    assert!(answer.err.contains(words), "{arguments:?}: expected '{words}': {}", answer.err);
    assert_eq!(answer.out, "", "{arguments:?}");
    assert_eq!(
        std::fs::read_dir(data.path()).unwrap().count(),
        before,
        "{arguments:?} left something behind"
    );
}

#[test]
fn files_that_are_no_profiles() {
    let data = Data::new();
    let put = |name: &str, content: &[u8]| std::fs::write(data.path().join(name), content).unwrap();
    put("empty.json", b"");
    put("cut.json", b"{\"schema\": \"numawise/profile/1\", \"header\": {\"ori");
    put("newer.json", b"{\"schema\": \"numawise/profile/7\"}");
    put("machine.json", b"{\"schema\": \"numawise/machine/1\"}");
    put("binary", b"\x7fELF\xff\x00");
    put("notes.txt", b"latency is bad\n");
    let version_1 = testdata("records/version-1.nw");
    let broken = testdata("bad-profiles/mlc-short-row.txt");
    for (file, words) in [
        ("missing.json", "missing.json: there is no such file"),
        ("/", "it is a directory"),
        ("empty.json", "the file is empty"),
        ("cut.json", "cut off in line 1"),
        ("newer.json", "newer numawise (format version 7, this one reads up to 1)"),
        ("machine.json", "its schema is 'numawise/machine/1'"),
        ("binary", "it is not text"),
        ("notes.txt", "it is some other text"),
        (&version_1, "numawise report shows"),
        (&broken, "makes no sense in line 5"),
        ("", "no such file"),
    ] {
        let good = mlc("two-nodes-3.11");
        for arguments in
            [&["measure", "--load", file][..], &["compare", file, &good], &["compare", &good, file]]
        {
            refused(&data, arguments, words);
            let lines = data.run(arguments).err;
            assert_eq!(lines.lines().count(), 1, "{lines}");
        }
    }
}

#[test]
fn options_that_make_no_sense() {
    let data = Data::new();
    std::fs::write(data.path().join("thesis.txt"), "three years").unwrap();
    let good = mlc("two-nodes-3.11");
    for (arguments, words) in [
        (&["measure", "--quick", "--full"][..], "cannot be used with"),
        (&["measure", "--mix", "4:1"], "'4:1' is no mix of reads and writes"),
        (&["measure", "--nodes", "0-"], "0-"),
        (&["measure", "--nodes", "400"], "there is no node 400; this machine has node"),
        (&["measure", "--nodes", "4000"], "4000 is above 1023, the highest that Linux gives"),
        (&["measure", "--nodes", ""], "no node"),
        (&["measure", "--max-memory", "much"], "expected for example 512MiB"),
        (&["measure", "--max-memory", "512"], "expected for example 512MiB"),
        (&["measure", "--seed", "-1"], "-1"),
        (&["measure", "--save", "a.json", "--no-save"], "cannot be used with"),
        (&["measure", "--save", "/"], "--save /: this is a folder"),
        (&["measure", "--save", "no/such/a.json"], "--save no/such/a.json: there is no folder no/such"),
        (&["measure", "--save", "thesis.txt"], "it is left as it is"),
        (&["measure", "--html", "no/such/a.html"], "--html no/such/a.html: there is no folder"),
        (&["measure", "--hwloc-xml", "/"], "--hwloc-xml /: this is a folder"),
        (&["measure", "--load", &good, "--quick"], "cannot be used with"),
        (&["measure", "--load", &good, "--dry-run"], "cannot be used with"),
        (&["compare", &good], "<B>"),
        (&["--json", "compare", &good, &good], "cannot be used with"),
        (&["mesure"], "unrecognized subcommand"),
    ] {
        refused(&data, arguments, words);
    }
}

#[test]
fn without_a_home_a_file_must_be_named() {
    let data = Data::new();
    let homeless = |arguments: &[&str]| -> Answer {
        let mut command = data.command(arguments);
        command.env_remove("HOME").env("XDG_DATA_HOME", "not/absolute").output().unwrap().into()
    };
    let answer = homeless(&["measure", "--load", "latest"]);
    assert_eq!(answer.status, Some(125), "{answer:?}");
    assert!(answer.err.contains("neither XDG_DATA_HOME nor HOME"), "{answer:?}");
    assert_eq!(homeless(&["measure", "--load", &mlc("two-nodes-3.11")]).status, Some(0));
    assert_eq!(homeless(&[]).status, Some(0), "the machine is shown all the same");
    let dry = homeless(&["measure", "--dry-run"]);
    assert_eq!(dry.status, Some(0), "{dry:?}");
    assert!(dry.out.contains("Would not save it: where profiles are kept cannot be determined"), "{dry:?}");
}

#[test]
fn full_disks() {
    let data = Data::new();
    let good = mlc("two-nodes-3.11");
    let answer = data.run(&["measure", "--load", &good, "--save", "/dev/full"]);
    assert_eq!(answer.status, Some(125), "{answer:?}");
    assert!(answer.err.contains("/dev/full: no space is left to write"), "{answer:?}");
    let answer = data.run(&["measure", "--load", &good, "--html", "/dev/full"]);
    assert_eq!(answer.status, Some(125), "{answer:?}");
    assert!(answer.err.contains("cannot write the report /dev/full"), "{answer:?}");
    for arguments in [&["measure", "--load", &good][..], &["compare", &good, &good]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let answer: Answer = data.command(arguments).stdout(full).output().unwrap().into();
        assert_eq!(answer.status, Some(125), "{answer:?}");
        assert!(answer.err.contains("cannot write to the standard output"), "{answer:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let data = Data::new();
    let mut command = data.command(&["measure", "--json", "--load", &mlc("two-nodes-3.11")]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}
