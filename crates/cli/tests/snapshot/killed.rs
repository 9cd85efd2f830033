//! Launchers that kill their ranks, and each numawise with them: what was measured until then is reported.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Answer, Bench, MPICH, MPIS, OPEN_MPI, call, number, text};

/// The record as JSON, once it is there: a launcher may end before it is written.
fn report(bench: &Bench, answer: &Answer) -> Value {
    let begun = Instant::now();
    loop {
        let shown = bench.run(&[bench.numawise.to_str().unwrap(), "report", "run.nw", "--json"]);
        if let Ok(json) = serde_json::from_str(&shown.out) {
            return json;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no report: {shown:?} {answer:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn codes(json: &Value) -> Vec<&str> {
    json["notices"].as_array().unwrap().iter().map(|notice| text(notice, "/code")).collect()
}

/// Two ranks of which one ends in a way; the record as JSON.
fn ended(bench: &Bench, launcher: &str, program: &str, how: &str) -> (Value, Answer) {
    let _ = std::fs::remove_file(bench.path("run.nw"));
    let numawise = bench.numawise.to_str().unwrap();
    let words = [launcher, "-n", "2", numawise, "snapshot", "--output", "run.nw", "--", program, how];
    let answer = bench.run(&words);
    (report(bench, &answer), answer)
}

#[test]
fn ranks_that_abort_fail_or_die_are_reported_as_far_as_they_came() {
    let bench = Bench::new();
    let ways = [(OPEN_MPI, "abort"), (OPEN_MPI, "killed"), (MPICH, "error"), (MPICH, "killed")];
    for ((compiler, launcher), how) in ways {
        let Some(program) = bench.compile(compiler, "aborts.c", &[]) else { continue };
        let program = program.to_str().unwrap();
        let (json, answer) = ended(&bench, launcher, program, how);
        let what = format!("{launcher} {how}: {json} {answer:?}");
        if how == "killed" {
            // Inside a launcher, numawise ends with the status of shells.
            assert!(answer.status != Some(0), "{what}");
        } else {
            assert_eq!(answer.status, bench.run(&[launcher, "-n", "2", program, how]).status, "{what}");
        }
        assert_eq!((number(&json, "/processes/ranks"), number(&json, "/processes/world")), (2.0, 2.0));
        assert_eq!(text(&json, "/ranks/1/end") == "mpi_abort", how == "abort", "{what}");
        assert!(number(&json, "/ranks/1/elapsed_seconds") >= 0.5, "{what}");
        assert!(number(&json, "/ranks/0/mpi_seconds") > 0.0, "{what}");
        assert!(text(&json, "/headline").starts_with("The program "), "{what}");
        let first = &json["findings"][0];
        assert_eq!(text(first, "/id"), "NW016", "{what}");
        let seen: Vec<&str> =
            first["evidence"].as_array().unwrap().iter().map(|one| text(one, "/text")).collect();
        assert!(seen[0].starts_with("rank 1 on "), "{seen:?}");
        assert!(
            seen.iter().any(|seen| seen.starts_with("rank 0 waited in MPI_Barrier in main (aborts.c:")),
            "{seen:?}"
        );
        // Where the launcher has killed numawise, nobody reads what it says any more. Else the other rank still ran, or has
        // just ended too.
        let is_killed = codes(&json) == ["NW921"];
        // What ended without MPI_Finalize is said in either case.
        let ended = ["NW908", "NW924"];
        assert!(is_killed || codes(&json).iter().all(|code| ended.contains(code)), "{what}");
        // One that the launcher did not hear of first has time to print; one that it did may be killed between its record and its report.
        let is_printed = answer.err.contains("Next commands");
        assert!(if how == "killed" { is_printed && !is_killed } else { !is_printed || !is_killed }, "{what}");
    }
}

#[test]
#[ignore = "timing: how long a rank waits for one that dies"]
fn a_rank_that_waits_for_one_that_dies_has_its_time_until_it_is_killed() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "aborts.c", &[]) else { continue };
        for how in ["abort", "error", "killed"] {
            let (json, _) = ended(&bench, launcher, program.to_str().unwrap(), how);
            let waited = number(&json, "/ranks/0/mpi_seconds");
            eprintln!("{launcher} {how}: {waited} s in MPI");
            assert!(waited >= 0.35, "{launcher} {how}: {json}");
        }
    }
}

#[test]
fn the_launcher_of_mpich_kills_numawise_which_is_said() {
    let bench = Bench::new();
    let Some(program) = bench.compile("mpicc.mpich", "aborts.c", &[]) else { return };
    let (program, numawise) = (program.to_str().unwrap(), bench.numawise.to_str().unwrap());
    for ranks in ["1", "3"] {
        let _ = std::fs::remove_file(bench.path("run.nw"));
        let words = [
            "mpiexec.mpich",
            "-n",
            ranks,
            numawise,
            "snapshot",
            "--output",
            "run.nw",
            "--",
            program,
            "abort",
        ];
        let answer = bench.run(&words);
        let json = report(&bench, &answer);
        assert_eq!(number(&json, "/processes/ranks").to_string(), ranks, "{json}");
        // A single rank may have ended before it is killed.
        if ranks != "1" || codes(&json) != ["NW924"] {
            assert_eq!(codes(&json), ["NW921"], "{json} {answer:?}");
            assert_eq!(number(&json, "/exit/signal"), 9.0, "{json}");
            assert!(text(&json, "/notices/0/text").contains("called MPI_Abort"), "{json}");
        }
    }
}

#[test]
fn without_a_file_what_was_measured_is_kept_in_the_current_folder() {
    let bench = Bench::new();
    let Some(program) = bench.compile("mpicc.mpich", "aborts.c", &[]) else { return };
    let (program, numawise) = (program.to_str().unwrap(), bench.numawise.to_str().unwrap());
    let answer = bench.run(&["mpiexec.mpich", "-n", "2", numawise, "snapshot", "--", program, "abort"]);
    let begun = Instant::now();
    let kept = || {
        let names = std::fs::read_dir(bench.path(".")).unwrap().flatten().map(|entry| entry.file_name());
        let mut names = names.map(|name| name.to_string_lossy().into_owned());
        names.find(|name| name.starts_with("numawise-killed-") && name.ends_with(".nw"))
    };
    let name = loop {
        match kept() {
            Some(name) => break name,
            None => assert!(begun.elapsed() < Duration::from_secs(60), "nothing was kept: {answer:?}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let shown = bench.run(&[numawise, "report", &name]);
    assert!(shown.out.contains("2 ranks") && shown.out.contains("MPI_Abort"), "{shown:?}");
}

/// Two ranks that wait for each other, whose launcher gets a signal after so long: the record as JSON.
fn stopped(
    bench: &Bench,
    (compiler, launcher): (&str, &str),
    signal: &str,
    waited: Duration,
) -> Option<Value> {
    let program = bench.compile(compiler, "aborts.c", &[])?;
    for name in ["run.nw", "begun.0", "begun.1"] {
        let _ = std::fs::remove_file(bench.path(name));
    }
    let (numawise, program) = (bench.numawise.to_str().unwrap(), program.to_str().unwrap());
    let words = [launcher, "-n", "2", numawise, "snapshot", "--output", "run.nw", "--", program, "late"];
    let answer = stopped_once_both_wait(bench, &words, signal, waited);
    Some(report(bench, &answer))
}

#[test]
fn who_ends_the_launcher_has_a_report() {
    let bench = Bench::new();
    for (mpi, signal) in [(OPEN_MPI, "TERM"), (MPICH, "INT")] {
        let Some(json) = stopped(&bench, mpi, signal, Duration::ZERO) else { continue };
        assert_eq!(number(&json, "/processes/ranks"), 2.0, "{mpi:?} {signal}: {json}");
        assert_eq!(number(call(&json, "MPI_Init"), "/count"), 2.0, "{mpi:?} {signal}: {json}");
    }
}

#[test]
#[ignore = "timing: how long ranks waited before they were ended"]
fn who_ends_the_launcher_has_a_report_of_the_time_until_then() {
    let bench = Bench::new();
    // The first of it, when one has only said that it begins to wait, is not all seen as time in MPI.
    let long = Duration::from_secs(2);
    for mpi in MPIS {
        for signal in ["TERM", "INT"] {
            let Some(json) = stopped(&bench, mpi, signal, long) else { continue };
            let waited = number(&json, "/ranks/0/mpi_seconds");
            eprintln!("{mpi:?} {signal}: {waited} s of {long:?}");
            assert!(waited > 0.5, "{mpi:?} {signal}: {waited} s of {long:?}: {json}");
        }
    }
}

/// A launcher whose process group gets a signal, as from a terminal or a batch system, when both ranks have begun to wait so long ago.
fn stopped_once_both_wait(bench: &Bench, words: &[&str], signal: &str, waited: Duration) -> Answer {
    let mut command = bench.command(words[0]);
    command.args(&words[1..]).process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let launcher = command.spawn().unwrap();
    let group = format!("-{}", launcher.id());
    let begun = Instant::now();
    while !["begun.0", "begun.1"].iter().all(|name| bench.path(name).exists()) {
        if begun.elapsed() > Duration::from_secs(120) {
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            panic!("the ranks did not begin: {:?}", Answer::from(launcher.wait_with_output().unwrap()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(waited);
    let sent = Command::new("kill").args([&format!("-{signal}"), "--", &group]).status().unwrap();
    assert!(sent.success(), "{words:?} had ended before it was stopped");
    launcher.wait_with_output().unwrap().into()
}
