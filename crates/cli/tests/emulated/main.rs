//! numawise on emulated machines: a real Linux kernel with several NUMA nodes says whether what we say is true.
//!
//! The binaries are those that `make build` leaves: the guests are too slow for a debug build. One guest at a time runs
//! on a host (the testbed sees to that), so these tests follow one another.

mod check;
mod launcher;
mod machine;
mod peers;
mod placement;
mod probe;
mod quiet;
mod ranks;
mod threads;
mod weights;
mod whereabouts;

use std::path::{Path, PathBuf};

use testbed::{CommandResult, Guest, Machine};

/// A file that `make build` makes.
fn built(path: &str) -> PathBuf {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    assert!(full.exists(), "{} is not there; `make build` makes it", full.display());
    full
}

/// A guest with numawise and iso3dfd in its `/bin`.
fn guest(machine: &Machine) -> Guest<'_> {
    Guest::new(machine)
        .file_at(built("target/release/numawise"), "/bin/numawise")
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
