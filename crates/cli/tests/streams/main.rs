//! The command with standard streams that are closed, full or not read, and with signals that are ignored or blocked: nothing is lost
//! by it, and the program finds what it would have found without us.

mod files;
mod one_write;
mod outputs;
mod signals;
mod start;
mod what_it_sees;

use std::process::{Command, Output};

fn numawise(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.args(words).env_remove("OMP_NUM_THREADS");
    command
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn said(output: &Output) -> String {
    text(&output.stderr)
}

/// The numbers of the trials of a record, as `numawise report` gives them.
fn trials(folder: &std::path::Path, record: &str) -> Vec<u64> {
    let output = numawise(&["report", "--json", record]).current_dir(folder).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{record} is no record: {error}: {}", said(&output)));
    told["trials"].as_array().unwrap().iter().map(|trial| trial["number"].as_u64().unwrap()).collect()
}

fn whole(trials: &[u64]) -> bool {
    trials.iter().copied().eq(0..trials.len() as u64)
}
