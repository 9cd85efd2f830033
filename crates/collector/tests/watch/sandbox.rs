//! Programs that forbid system calls to themselves: they print and end as without the collector, by filters that kill at the first call that is
//! not the program's own.

use numawise_wire::snapshot::Flag;
use numawise_wire::snapshot::reader::SnapshotFile;

use crate::support::Bench;

/// Runs a program both ways; what it ended by, and the file of the process that was started.
fn run(bench: &Bench, words: &[&str]) -> (std::process::ExitStatus, Vec<u8>) {
    let (without, with) = (bench.without(words), bench.with(words));
    assert_eq!(with, without, "{words:?}");
    let mut files = bench.take_files();
    assert_eq!(files.len(), 1, "{words:?}: what is in a sandbox makes none");
    (with.status, files.remove(0))
}

#[test]
fn a_program_that_forbids_system_calls_to_itself_ends_as_without_it() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "sandbox.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    let root = if is_root() { &["root"][..] } else { &[] };
    for how in ["prctl", "bare", "bare-prctl", "all"].iter().chain(root) {
        for then in ["_exit", "exit", "return", "threads", "fork", "allocates", "again", "late"] {
            let (status, bytes) = run(&bench, &[program, how, then]);
            assert_eq!(status.code(), Some(3), "{how} {then}");
            let file = SnapshotFile::parse(&bytes).unwrap();
            assert!(file.has(Flag::Sandbox) && file.has(Flag::Ended), "{how} {then}");
            let unseen = if then == "threads" { 4 } else { 0 };
            assert_eq!(file.threads_dropped(), unseen, "{how} {then}: threads that were not watched");
        }
    }
}

#[test]
fn a_strict_sandbox_is_one_too() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "sandbox.c", &["-pthread"]) else { return };
    for how in ["strict", "bare-strict"] {
        // By exit(2) of the thread, which is allowed; glibc's _exit ends by a call that is not.
        for (then, code) in [("bare", Some(3)), ("_exit", None), ("allocates", None)] {
            let (status, bytes) = run(&bench, &[program.to_str().unwrap(), how, then]);
            assert_eq!(status.code(), code, "{how} {then}");
            assert!(SnapshotFile::parse(&bytes).unwrap().has(Flag::Sandbox), "{how} {then}");
        }
    }
}

#[test]
fn questions_and_what_the_kernel_refuses_are_no_sandbox() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "sandbox.c", &["-pthread"]) else { return };
    let written = bench.folder().join("written");
    let (status, bytes) = run(&bench, &[program.to_str().unwrap(), "none", written.to_str().unwrap()]);
    assert_eq!(status.code(), Some(0));
    let file = SnapshotFile::parse(&bytes).unwrap();
    assert!(!file.has(Flag::Sandbox) && file.has(Flag::Ended));
    assert_eq!((file.threads().count(), file.threads_dropped()), (2, 0));
    let write = numawise_wire::snapshot::FileOperation::Write;
    let calls: u64 = file.threads().map(|thread| thread.file_calls(write).count).sum();
    assert_eq!(calls, 10, "calls on files are watched still");
    assert!(file.threads().all(|thread| thread.processor_nanoseconds().is_some()));
}

fn is_root() -> bool {
    // SAFETY: no preconditions.
    unsafe { libc::geteuid() == 0 }
}
