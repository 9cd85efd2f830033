//! `numawise check` as a user meets it: answers, records that survive, and what is said of bad input.

mod bad_input;
mod placed;
mod records;
#[path = "../support/seccomp.rs"]
mod refuse;
mod secrets;
mod verdicts;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// `numawise check OPTIONS -- PROGRAM...` in a folder of its own.
fn check(folder: &Path, words: &[&str]) -> Command {
    pinning_library();
    command_of(Path::new(env!("CARGO_BIN_EXE_numawise")), folder, words)
}

/// The library that pins threads, which `cargo test` does not build, beside the binary.
fn pinning_library() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let beside = Path::new(env!("CARGO_BIN_EXE_numawise")).with_file_name("libnumawise_agent.so");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agent");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet", "--release", "--locked", "-p", "numawise-agent", "--target-dir"]);
        let built = command.arg(&target).current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
        assert!(built.success(), "numawise-agent does not build");
        let made = target.join("release/libnumawise_agent.so");
        // Under its name at once: other tests run the binary meanwhile.
        let part = beside.with_extension(format!("{}.part", std::process::id()));
        std::fs::copy(made, &part).unwrap();
        std::fs::rename(&part, &beside).unwrap();
        beside
    };
    BUILT.get_or_init(build).clone()
}

fn command_of(binary: &Path, folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command.arg("check").args(words).current_dir(folder).env_remove("OMP_NUM_THREADS");
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
