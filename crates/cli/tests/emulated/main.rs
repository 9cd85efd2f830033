//! numawise on emulated machines: a real Linux kernel with several NUMA nodes says whether what we say is true.
//!
//! The binaries are those that `make build` leaves: the guests are too slow for a debug build. One guest at a time runs
//! on a host (the testbed sees to that), so these tests follow one another.

mod check;
mod fast_memory;
mod fields;
mod launcher;
mod library;
mod machine;
mod measure;
mod objects;
mod objects_to;
mod peers;
mod placement;
mod probe;
mod quiet;
mod ranks;
mod residency;
mod snapshot;
mod system;
mod threads;
mod weights;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use testbed::{CommandResult, EmulatedMachine, Guest, GuestRun};

/// A file that `make build` makes.
fn built(path: &str) -> PathBuf {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    assert!(full.exists(), "{} is not there; `make build` makes it", full.display());
    full
}

/// A guest with numawise, its library beside it, and iso3dfd in its `/bin`.
fn guest(machine: &EmulatedMachine) -> Guest<'_> {
    testbed::guest(machine)
        .file_at(built("target/release/numawise"), "/bin/numawise")
        .file_at(built("target/release/libnumawise_agent.so"), "/bin/libnumawise_agent.so")
        .file_at(built("build/iso3dfd/iso3dfd"), "/bin/iso3dfd")
}

/// The JSON that a command printed.
fn json(result: &CommandResult) -> serde_json::Value {
    serde_json::from_str(&result.stdout).unwrap_or_else(|e| {
        let CommandResult { command, status, stdout, stderr, .. } = result;
        panic!("{command} (status {status}) printed no JSON: {e}\n{stdout}\n{stderr}")
    })
}

/// The identifiers of the findings of a check.
fn findings(check: &serde_json::Value) -> Vec<&str> {
    check["findings"].as_array().unwrap().iter().map(|finding| finding["id"].as_str().unwrap()).collect()
}

/// How often a check that cannot decide is made, each time with a longer budget.
const CHECKS: u64 = 3;

/// A check in a guest of its own, made anew with more time while it answers "undecided". That answer is a truthful one where
/// other work takes the host's CPUs, and says nothing about numawise; a wrong one is not given a second chance. `check` gets a
/// budget in seconds.
fn decided(budget: u64, check: impl Fn(u64) -> GuestRun) -> (serde_json::Value, GuestRun) {
    for attempt in 1..CHECKS {
        let results = check(budget * attempt);
        let told = json(&results[0]);
        if told["verdict"] != "undecided" {
            return (told, results);
        }
        let _ = writeln!(std::io::stderr(), "check {attempt} of at most {CHECKS}: {}", told["text"]);
    }
    let results = check(budget * CHECKS);
    (json(&results[0]), results)
}
