//! What is said of files: by MPI, by the C library, by the kernel; on all faces.

use serde_json::Value;

use crate::support::{Bench, MPIS, is_doubted, number};

/// Two ranks that write by MPI, and what they printed.
fn ranks_that_write(bench: &Bench, (compiler, launcher): (&str, &str)) -> Option<(Value, String)> {
    let program = bench.compile(compiler, "mpi_io.c", &[])?;
    let words = ["--quiet", "--json=run.json", "--", launcher, "-n", "2", program.to_str().unwrap()];
    let answer = bench.snapshot(&words);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    Some((bench.json("run.json"), answer.out))
}

#[test]
fn what_ranks_write_by_mpi_is_mpis_and_what_they_write_themselves_is_theirs() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, _)) = ranks_that_write(&bench, mpi) else { continue };
        let bytes = |pointer: &str| number(&json, pointer) as u64;
        let all = 2 * 100 * 8000;
        assert_eq!(bytes("/files/mpi/written_bytes"), all, "{mpi:?}: {}", json["files"]);
        assert_eq!(bytes("/files/mpi/read_bytes"), all);
        assert_eq!(bytes("/files/mpi/count"), 2 * 203);
        assert_eq!(bytes("/files/posix/written/bytes"), 2 * 12345);
        assert_eq!(bytes("/ranks/1/files/posix/written/bytes"), 12345);
        assert!(bytes("/files/kernel/written_bytes") >= all + 2 * 12345, "{}", json["files"]);
        assert!(number(&json, "/files/mpi/seconds") > 0.0, "{}", json["files"]);
        assert_eq!(json["files"]["sees_streams"], true);
    }
}

#[test]
#[ignore = "timing: calls on files vs the clocks of the ranks"]
fn what_ranks_write_by_mpi_takes_as_long_as_they_note() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, out)) = ranks_that_write(&bench, mpi) else { continue };
        // Each printed how long it was in these calls, which is all but the loops around them.
        let noted =
            out.lines().map(|line| line.split(' ').nth(1).unwrap().parse::<f64>().unwrap()).sum::<f64>();
        let found = number(&json, "/files/mpi/seconds");
        eprintln!("{mpi:?}: {found} s, noted were {noted} s");
        assert!((found - noted).abs() < (0.1 * noted).max(0.005), "{found} s, noted were {noted} s");
    }
}

#[test]
fn files_have_a_line_with_a_judgement_and_a_table_on_each_face() {
    let bench = Bench::new();
    if !crate::same::has("dd") {
        return;
    }
    let program = ["dd", "if=/dev/zero", "of=d", "bs=1M", "count=16", "conv=fsync", "status=none"];
    let words = [&["--full", "--output", "run.nw", "--html", "run.html", "--"], &program[..]].concat();
    let answer = bench.snapshot(&words);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    assert!(answer.err.contains("waited for the storage") && answer.err.contains("Files"), "{}", answer.err);
    assert!(std::fs::read_to_string(bench.path("run.html")).unwrap().contains("waited for the storage"));
    let numawise = bench.numawise.to_str().unwrap().to_owned();
    let screen = bench.run(&[&numawise, "report", "run.nw"]).out;
    let line = screen.lines().find(|line| line.contains("files, of CPU time")).expect(&screen);
    let is_doubted = ["Too short", "machine was busy"].iter().any(|doubt| screen.contains(doubt));
    assert!(line.contains('%') && (is_doubted || line.contains("numawise")), "{screen}");
    let csv = bench.run(&[&numawise, "report", "run.nw", "--csv=files"]).out;
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (names, row) = (lines.next().unwrap(), lines.next().unwrap());
    let of = |name: &str| row[names.iter().position(|one| *one == name).unwrap()];
    assert_eq!((of("written_bytes"), of("synced_count")), ("16777216", "1"), "{csv}");
    // A program that does nothing with files has no line; how little is too little for one is in report's tests. In another language it reads a
    // locale, which takes long where it loses its CPU meanwhile.
    let none = bench.run(&["env", "LC_ALL=C", &numawise, "snapshot", "--", "sleep", "0.1"]).err;
    assert!(!none.contains("files, of CPU time"), "{none}");
    let both = bench.run(&[&numawise, "compare", "run.nw", "run.nw"]).out;
    assert!(both.contains("files, of CPU time"), "{both}");
}

#[test]
fn a_program_that_writes_byte_by_byte_is_told_so_and_one_that_computes_is_not() {
    let bench = Bench::new();
    if !crate::same::has("dd") || !crate::same::has("awk") {
        return;
    }
    let of = |program: &[&str]| {
        let answer = bench.snapshot(&[&["--json=run.json", "--"], program].concat());
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        let json = bench.json("run.json");
        let mut findings = json["findings"].as_array().unwrap().iter();
        let kinds = ["read", "written", "synced", "managed"];
        let in_calls: f64 =
            kinds.iter().map(|kind| number(&json, &format!("/files/posix/{kind}/seconds"))).sum();
        let found = findings.find(|one| one["id"] == "NW034").cloned();
        (found, answer.err, in_calls / number(&json, "/elapsed_seconds"), is_doubted(&json))
    };
    let sum = "BEGIN { for (k = 0; k < 8000000; ++k) sum += k; print sum > \"sum\" }";
    let (none, screen, share, is_computing_doubted) = of(&["awk", sum]);
    // Its one file is written in no time, but where a disk lets it wait.
    assert!(is_computing_doubted || none.is_some() == (share >= 0.1), "{share}: {screen}");
    let words = ["dd", "if=/dev/zero", "of=d", "bs=1", "count=400000", "status=none"];
    let (found, screen, _, is_doubted) = of(&words);
    if found.is_none() && is_doubted {
        eprintln!("SKIPPED: the machine was too busy to judge a run");
        return;
    }
    let found = found.unwrap_or_else(|| panic!("{screen}"));
    assert_eq!(found["advice"][0]["do"]["on_files"], "larger_pieces", "{found}");
    let each =
        found["evidence"].as_array().unwrap().iter().find(|one| one["quantity"] == "bytes_per_file_call");
    assert_eq!(each.unwrap()["value"], 1, "{found}");
    assert!(found["evidence"].to_string().contains("calls that write take"), "{found}");
    assert!(screen.contains("NW034 calls on files take long"), "{screen}");
}

/// What was seen of a python that wrote 5,000 bytes and rested before it was killed: the process, of which there is no end.
fn killed_after(bench: &Bench, seconds: &str) -> Option<Value> {
    if !crate::same::has("python3") {
        return None;
    }
    let program = "import os, sys, time\nf = os.open('k', os.O_CREAT | os.O_WRONLY)\nos.write(f, b'x' * 5000)\n\
                   time.sleep(float(sys.argv[1]))\nos.kill(os.getpid(), 9)";
    let script = format!("head -c 300000 /dev/zero > d; exec python3 -c \"{program}\" {seconds}");
    let answer = bench.snapshot(&["--quiet", "--json=run.json", "--", "sh", "-c", &script]);
    assert_eq!(answer.status, Some(137), "{}", answer.err);
    let json = bench.json("run.json");
    // Where python3 is a script that looks for the right one, there are many more.
    let all = ["ranks", "others"].into_iter().flat_map(|list| json[list].as_array().unwrap());
    let is_ours = |one: &&Value| one.pointer("/files/posix/written/bytes") == Some(&5000.into());
    let python = all.into_iter().find(is_ours).unwrap_or_else(|| panic!("{json}"));
    assert_eq!(python["end"], "not_told");
    Some(python.clone())
}

#[test]
fn a_killed_program_has_what_it_wrote_until_then() {
    let Some(python) = killed_after(&Bench::new(), "0") else { return };
    // By the last look from outside, if there was one, less what the shell and its child had, which it was before.
    let written = python.pointer("/files/kernel/written_bytes").and_then(Value::as_f64);
    assert!(written.is_none_or(|written| written < 100_000.0), "{}", python["files"]);
}

#[test]
#[ignore = "timing: how soon a process is looked at from outside"]
fn a_killed_program_has_what_the_kernel_accounted_until_then() {
    let Some(python) = killed_after(&Bench::new(), "3") else { return };
    let written = number(&python, "/files/kernel/written_bytes");
    eprintln!("the kernel accounted {written} bytes");
    assert!((5000.0..100_000.0).contains(&written), "{}", python["files"]);
}
