//! `numawise check` as a user meets it: answers, records that survive, and what is said of bad input.

#[path = "../support/agent.rs"]
mod agent;
mod bad_input;
#[path = "../support/collector.rs"]
mod collector;
mod followed;
#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod lines;
mod metrics;
mod placed;
#[path = "../support/program.rs"]
mod program;
mod records;
#[path = "../support/seccomp.rs"]
mod refuse;
mod secrets;
#[path = "../support/signals.rs"]
mod signals;
mod verdicts;

use std::path::Path;
use std::process::{Command, Output};

/// `numawise check OPTIONS -- PROGRAM...` in a folder of its own.
fn check(folder: &Path, words: &[&str]) -> Command {
    agent::pinning_library();
    command_of(Path::new(env!("CARGO_BIN_EXE_numawise")), folder, words)
}

fn command_of(binary: &Path, folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command.arg("check").args(words).current_dir(folder).env_remove("OMP_NUM_THREADS");
    signals::as_usual(&mut command);
    command
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("no JSON ({e}); stderr: {}", stderr(output)))
}

/// An executable script.
fn script(folder: &Path, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}
