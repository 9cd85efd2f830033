//! Signals, to us and to the program.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::Bench;

/// A script that is watched, once it has said that it runs.
fn started(bench: &Bench, script: &str) -> Child {
    let mut command = bench.command(&bench.numawise);
    command.args(["snapshot", "--quiet", "--", "sh", "-c", script]).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    while !bench.path("ready").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the program did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn send(child: &Child, signal: i32) {
    // SAFETY: a signal to a child of ours that was not waited for.
    unsafe { libc::kill(child.id() as i32, signal) };
}

#[test]
fn what_is_sent_to_us_reaches_the_program() {
    let bench = Bench::new();
    let child = started(&bench, "trap 'echo got it; exit 9' USR1; : > ready; while :; do sleep 0.05; done");
    send(&child, libc::SIGUSR1);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(9), &b"got it\n"[..]));
}

#[test]
fn a_program_that_a_signal_ends_has_the_status_of_shells_and_its_report() {
    let bench = Bench::new();
    let answer = bench.snapshot(&["--", "sh", "-c", "kill -KILL $$"]);
    assert_eq!(answer.status, Some(137), "{}", answer.err);
    assert!(answer.err.contains("was ended by signal 9"), "{}", answer.err);
}

#[test]
fn who_kills_us_kills_the_program_and_the_next_one_cleans_up() {
    let bench = Bench::new();
    // Whole when it is there: what is killed writes nothing more.
    let mut child = started(&bench, "echo $$ > number; mv number ready; exec sleep 100");
    let process = child.id();
    send(&child, libc::SIGKILL);
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
    let pid: i32 = std::fs::read_to_string(bench.path("ready")).unwrap().trim().parse().unwrap();
    let begun = Instant::now();
    // SAFETY: signal 0 is never delivered.
    while unsafe { libc::kill(pid, 0) } == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the program runs on");
        std::thread::sleep(Duration::from_millis(10));
    }
    // It was killed in no time for tidying up; a younger folder than a minute is left alone, which a unit test covers.
    assert!(Bench::left_in_memory(process) <= 1);
}

#[test]
fn nothing_is_left_in_memory() {
    let bench = Bench::new();
    let mut child = started(&bench, ": > ready; sleep 0.1");
    let process = child.id();
    assert!(child.wait().unwrap().success());
    assert_eq!(Bench::left_in_memory(process), 0);
}
