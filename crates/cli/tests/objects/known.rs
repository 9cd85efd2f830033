//! Known-answer programs under `numawise objects`.
//!
//! Where other work takes a CPU from a thread the truth stays: both sides count CPU time. But a run with too few samples proves
//! nothing, and where the kernel or the processor does not give what is needed, figures are withheld, which is not wrong.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::collector::installed;
use crate::compare::{Compared, Tolerances, compare};
use crate::seccomp::{Refused, refuse};
use crate::truth::Truth;

/// The folder of the programs, made once.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).join("objects");
    let mut make = Command::new("make");
    make.args(["--no-print-directory", "-s", "-C"]).arg(sources());
    let made = make.arg(format!("BUILD={}", build.display())).arg("all").output().expect("make starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    build
});

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/workloads/objects")
}

/// What is said of a program, held against its truth; nothing where the program cannot run here.
fn watched(command: &[&str], sampling: Sampling) -> Option<Vec<Compared>> {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("objects.json");
    let mut numawise = Command::new(installed(folder.path(), true));
    numawise.args(["objects", "--quiet", "--json"]).arg(&json).arg("--").args(command);
    let tolerances = match sampling {
        Sampling::ByKernel => Tolerances::WITH_PERF_EVENTS,
        Sampling::ByTimers => {
            refuse(&mut numawise, Refused::Both([libc::SYS_perf_event_open; 2]), libc::EPERM);
            Tolerances::WITHOUT_PERF_EVENTS
        }
    };
    let ran = numawise.output().expect("numawise starts");
    let (output, messages) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{command:?}: {}\n{output}{messages}", ran.status);
    let truth = Truth::parse(&output).unwrap_or_else(|wrong| panic!("{command:?}: {wrong:?}"))?;
    let json: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    Some(compare(&truth, &json, tolerances))
}

/// Who samples the program.
#[derive(Debug, Clone, Copy)]
enum Sampling {
    ByKernel,
    /// Perf events are refused, as in many containers.
    ByTimers,
}

/// Runs of a program until one is as it must be: samples are lost where other work keeps numawise from a CPU for long.
const TURNS: usize = 3;

/// Runs a program; each figure is as it is promised, or withheld.
fn holds(program: &str, mode: Option<&str>) {
    let program = PROGRAMS.join(program).display().to_string();
    let command: Vec<&str> = std::iter::once(program.as_str()).chain(mode).collect();
    holds_in_a_turn(&command, Sampling::ByKernel);
}

/// The same without perf events; how many figures were said of first touches.
fn holds_by_timers(program: &str, mode: Option<&str>) -> usize {
    let program = PROGRAMS.join(program).display().to_string();
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

#[test]
fn arrays_that_are_used_alike() {
    for mode in
        ["sequential", "strided", "random", "chase", "branches", "calls", "writes", "set", "avx", "gather"]
    {
        holds("patterns", Some(mode));
    }
}

#[test]
fn arrays_that_are_used_in_phases() {
    holds("phases", None);
}

#[test]
fn loops_over_several_arrays() {
    for mode in ["random", "blocks", "four"] {
        holds("mixed", Some(mode));
    }
}

#[test]
fn a_chase_through_two_arrays() {
    holds("mixed", Some("chase"));
}

#[test]
fn an_array_that_is_copied_into_a_small_one() {
    holds("patterns", Some("copy"));
}

#[test]
fn pages_that_are_touched_by_known_threads() {
    for mode in ["one", "other", "halves", "thirty", "strewn", "loop"] {
        holds("touch", Some(mode));
    }
}

/// Who touched what first is an estimate then, from the page faults that each thread counts.
#[test]
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
fn arrays_that_threads_of_openmp_divide() {
    for mode in ["serial", "parallel"] {
        holds("openmp", Some(mode));
    }
}

#[test]
fn memory_of_every_kind() {
    for program in ["kinds", "growth", "vectors", "nodes"] {
        holds(program, None);
    }
}

/// Written after the decoder was finished.
#[test]
fn arrays_of_algorithms_that_nothing_was_made_for() {
    // Twelve objects: each has enough samples then.
    let program = PROGRAMS.join("algorithms").display().to_string();
    let said = holds_in_a_turn(&["env", "OBJECTS_SECONDS=6", &program], Sampling::ByKernel);
    eprintln!("{said} figures");
}

/// Without optimisation each address goes through a variable on the stack, and is lost in the registers.
#[test]
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
fn arrays_of_fortran() {
    holds("arrays", None);
}

#[test]
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
