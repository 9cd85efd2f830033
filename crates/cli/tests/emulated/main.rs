//! numawise on emulated machines: a real Linux kernel with several NUMA nodes says whether what we say is true.
//!
//! The binaries are those that `make build` leaves: the guests are too slow for a debug build. Most of a guest's time is its start, so
//! that one guest of each machine answers for all tests of that machine: [`shared::Shared`]. What depends on how fast the host is
//! stands in `timing`, with a guest for each test, and is no part of `make test`; what it says of a check or of objects is tested on
//! records of such guests: `recorded`.

mod eight_nodes;
mod hbm;
mod holes;
mod probe;
mod recorded;
mod rehearsed;
mod shared;
mod timing;
mod topics;
mod two_sockets;
mod two_sockets_ranks;

use std::path::{Path, PathBuf};

use testbed::{CommandResult, EmulatedMachine, Guest};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of our programs and libraries for guests, which `make build` fills; `NUMAWISE_BUILT` names another one.
fn built_folder() -> PathBuf {
    std::env::var_os("NUMAWISE_BUILT").map_or_else(|| root().join("target/release"), PathBuf::from)
}

/// A file in it.
fn built(name: &str) -> PathBuf {
    made(built_folder().join(name))
}

/// The library for C and C++, which has a folder of its own unless it lies with the others.
fn library() -> PathBuf {
    let beside = built_folder().join("libnumawise.a");
    if beside.exists() { beside } else { made(root().join("target/library/libnumawise.a")) }
}

fn iso3dfd() -> PathBuf {
    made(root().join("build/iso3dfd/iso3dfd"))
}

fn made(file: PathBuf) -> PathBuf {
    assert!(file.exists(), "{} is not there; `make build` makes it", file.display());
    file
}

/// A guest with numawise, its library beside it, and iso3dfd in its `/bin`.
fn guest(machine: &EmulatedMachine) -> Guest<'_> {
    testbed::guest(machine)
        .file_at(built("numawise"), "/bin/numawise")
        .file_at(built("libnumawise_agent.so"), "/bin/libnumawise_agent.so")
        .file_at(iso3dfd(), "/bin/iso3dfd")
}

/// The JSON that a command printed.
fn json_of(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("no JSON: {e}\n{text}"))
}

/// The same of a command in a guest.
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
