//! Known-answer programs under `numawise objects`: what they allocate is known exactly, whatever the machine does meanwhile.
//!
//! Shares of time are of samples, which are lost where other work keeps numawise from a CPU: the tests of them measure. Where other work
//! takes a CPU from a thread the truth stays: both sides count CPU time. But a run with too few samples proves nothing, and where the
//! kernel or the processor does not give what is needed, figures are withheld, which is not wrong.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::collector::installed;
use crate::compare::{Compared, Tolerances, compare, not_as_allocated};
use crate::seccomp::{Refused, refuse};
use crate::truth::Truth;

/// The folder of the programs; this one is made if it is not there.
pub fn made(program: &str) -> PathBuf {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).join("objects");
    let mut make = Command::new("make");
    make.args(["--no-print-directory", "-s", "-C"]).arg(sources());
    let program = build.join(program);
    let made = make.arg(format!("BUILD={}", build.display())).arg(&program).output().expect("make starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    program
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/workloads/objects")
}

/// What a program says of itself, and numawise of it; nothing where the program cannot run here.
fn followed(command: &[&str], sampling: Sampling) -> Option<(Truth, Value)> {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("objects.json");
    let mut numawise = Command::new(installed(folder.path(), true));
    numawise.args(["objects", "--quiet", "--json"]).arg(&json).arg("--").args(command);
    if let Sampling::ByTimers = sampling {
        refuse(&mut numawise, Refused::Both([libc::SYS_perf_event_open; 2]), libc::EPERM);
    }
    let ran = numawise.output().expect("numawise starts");
    let (output, messages) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{command:?}: {}\n{output}{messages}", ran.status);
    let truth = Truth::parse(&output).unwrap_or_else(|wrong| panic!("{command:?}: {wrong:?}"))?;
    Some((truth, serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap()))
}

/// All figures of a program, held against its truth.
fn watched(command: &[&str], sampling: Sampling) -> Option<Vec<Compared>> {
    let (truth, json) = followed(command, sampling)?;
    let tolerances = match sampling {
        Sampling::ByKernel => Tolerances::WITH_PERF_EVENTS,
        Sampling::ByTimers => Tolerances::WITHOUT_PERF_EVENTS,
    };
    Some(compare(&truth, &json, tolerances))
}

/// Who samples the program.
#[derive(Debug, Clone, Copy)]
enum Sampling {
    ByKernel,
    /// Perf events are refused, as in many containers.
    ByTimers,
}

/// Runs of a program until one is as it must be.
const TURNS: usize = 3;

/// Runs a program; each figure is as it is promised, or withheld.
fn holds(program: &str, mode: Option<&str>) {
    let program = made(program).display().to_string();
    let command: Vec<&str> = std::iter::once(program.as_str()).chain(mode).collect();
    holds_in_a_turn(&command, Sampling::ByKernel);
}

/// The same without perf events; how many figures were said of first touches.
fn holds_by_timers(program: &str, mode: Option<&str>) -> usize {
    let program = made(program).display().to_string();
    let command: Vec<&str> = std::iter::once(program.as_str()).chain(mode).collect();
    holds_in_a_turn(&command, Sampling::ByTimers)
}

/// How many figures were said.
fn holds_in_a_turn(command: &[&str], sampling: Sampling) -> usize {
    for turn in 1..=TURNS {
        let Some(all) = watched(command, sampling) else { return 0 };
        let wrong: Vec<&Compared> = all.iter().filter(|of| of.is_wrong()).collect();
        if wrong.is_empty() {
            for withheld in all.iter().filter(|of| of.is_withheld()) {
                eprintln!("{command:?}: {withheld:?}");
            }
            return all.iter().filter(|of| !of.is_withheld()).count();
        }
        assert!(turn < TURNS, "{command:?}: {wrong:#?}");
        eprintln!("{command:?}: turn {turn}: {wrong:#?}");
    }
    unreachable!("the last turn holds or fails")
}

/// Each object of a program that it allocates is there with its name, its place and its size, and one that a single thread touched was
/// touched by that thread: neither depends on samples.
#[test]
fn what_programs_allocate_is_known_by_name_and_line() {
    for (program, mode, objects) in [
        ("kinds", None, 3),
        ("growth", None, 3),
        ("nodes", None, 1),
        ("vectors", None, 4),
        ("openmp", Some("serial"), 2),
        ("arrays", None, 2),
        ("touch", Some("one"), 1),
    ] {
        let program = made(program).display().to_string();
        let command = ["env", "OBJECTS_SECONDS=0.01", &program].into_iter().chain(mode);
        let command: Vec<&str> = command.collect();
        let Some((truth, json)) = followed(&command, Sampling::ByKernel) else { continue };
        let (found, wrong) = not_as_allocated(&truth, &json);
        assert!(wrong.is_empty() && found == objects, "{command:?}: {found} objects: {wrong:#?}");
    }
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn arrays_that_are_used_alike() {
    for mode in
        ["sequential", "strided", "random", "chase", "branches", "calls", "writes", "set", "avx", "gather"]
    {
        holds("patterns", Some(mode));
    }
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn arrays_that_are_used_in_phases() {
    holds("phases", None);
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn loops_over_several_arrays() {
    for mode in ["random", "blocks", "four"] {
        holds("mixed", Some(mode));
    }
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn a_chase_through_two_arrays() {
    holds("mixed", Some("chase"));
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn an_array_that_is_copied_into_a_small_one() {
    holds("patterns", Some("copy"));
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn pages_that_are_touched_by_known_threads() {
    for mode in ["one", "other", "halves", "thirty", "strewn", "loop"] {
        holds("touch", Some(mode));
    }
}

/// Who touched what first is an estimate then, from the page faults that each thread counts.
#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn without_perf_events_first_touches_are_estimated() {
    for mode in ["one", "other", "halves", "thirty", "strewn", "loop", "read"] {
        let said = holds_by_timers("touch_large", Some(mode));
        assert!(said > 0 || mode == "read", "{mode}: all was withheld");
    }
    for mode in ["serial", "parallel"] {
        holds_by_timers("openmp", Some(mode));
    }
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn arrays_that_threads_of_openmp_divide() {
    for mode in ["serial", "parallel"] {
        holds("openmp", Some(mode));
    }
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn memory_of_every_kind() {
    for program in ["kinds", "growth", "vectors", "nodes"] {
        holds(program, None);
    }
}

/// Written after the decoder was finished.
#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn arrays_of_algorithms_that_nothing_was_made_for() {
    // Twelve objects: each has enough samples then.
    let program = made("algorithms").display().to_string();
    let said = holds_in_a_turn(&["env", "OBJECTS_SECONDS=6", &program], Sampling::ByKernel);
    eprintln!("{said} figures");
}

/// Without optimisation each address goes through a variable on the stack, and is lost in the registers.
#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn arrays_of_a_build_without_optimisation() {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).join("objects-plain");
    let mut make = Command::new("make");
    make.args(["--no-print-directory", "-s", "CXXFLAGS=-O0 -g", "CFLAGS=-O2 -g", "-C"]).arg(sources());
    let program = build.join("algorithms");
    let made = make.arg(format!("BUILD={}", build.display())).arg(&program).output().expect("make starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let program = program.display().to_string();
    // The others compute for much of their time then, with variables on the stack.
    let memory = ["hashed", "sorted", "bits", "counts", "moved", "text"];
    let command = ["env", "OBJECTS_SECONDS=6", &program].into_iter().chain(memory);
    holds_in_a_turn(&command.collect::<Vec<_>>(), Sampling::ByKernel);
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn arrays_of_fortran() {
    holds("arrays", None);
}

#[test]
#[ignore = "timing: shares of samples against the CPU time that the program counts"]
fn arrays_of_numpy() {
    let python = "/usr/bin/python3";
    let has_numpy = Command::new(python).args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no NumPy");
        return;
    }
    let program = sources().join("src/numpy_arrays.py").display().to_string();
    // Long enough that the start of the interpreter is next to nothing of it.
    holds_in_a_turn(&["env", "OBJECTS_SECONDS=4", python, &program], Sampling::ByKernel);
}
