//! The test harness of emulated machines: machine files by name, one work folder, tests that skip visibly.
//!
//! ```no_run
//! let machine = testbed::load("two-socket")?;
//! let run = testbed::guest(&machine)
//!     .timing(true)
//!     .file_at("build/iso3dfd", "/bin/iso3dfd")
//!     .run(&["nproc", "iso3dfd 64 64 64 2 64 8 8 4"])?;
//! assert_eq!(run[0].stdout.trim(), "4");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The emulation itself is `numawise-emulate`, whose types are passed on.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub use numawise_emulate::{
    CommandResult, EmulatedMachine, EmulatedNode, Error, Guest, GuestRun, MachineTiming, MemoryPiece, Mpi,
    Truth, guest_physical,
};
use numawise_emulate::{WorkFolder, readiness};

mod host;

pub use host::{Host, HostShares};

/// Set to 1 where a skipped test would be a lie, as in CI.
const REQUIRE: &str = "NUMAWISE_REQUIRE_EMULATED";

/// A machine file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(
        "no machine is called `{name}`; there are: {known}. A path to a machine file (*.toml) is also taken"
    )]
    NoSuchMachine { name: String, known: String },
    #[error(transparent)]
    Emulate(#[from] Error),
}

/// Loads `machines/NAME.toml`, or any file when the name has a `/` or ends in `.toml`.
///
/// # Errors
/// When there is no such machine, or its file is not a description QEMU could emulate.
pub fn load(name: impl AsRef<Path>) -> Result<EmulatedMachine, LoadError> {
    let name = name.as_ref();
    let is_file = name.components().count() > 1 || name.extension().is_some_and(|e| e == "toml");
    let path =
        if is_file { name.to_path_buf() } else { own_file("machines").join(name).with_extension("toml") };
    if !is_file && !path.is_file() {
        let known = names().join(", ");
        return Err(LoadError::NoSuchMachine { name: name.display().to_string(), known });
    }
    Ok(EmulatedMachine::load(&path)?)
}

/// The names of the machine files here, sorted.
#[must_use]
pub fn names() -> Vec<String> {
    let files =
        std::fs::read_dir(own_file("machines")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

/// The folder of everything that is built or downloaded: `target/testbed`.
#[must_use]
pub fn work_folder() -> &'static WorkFolder {
    static FOLDER: LazyLock<WorkFolder> = LazyLock::new(|| {
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| own_file("../target"), PathBuf::from);
        WorkFolder::new(target.join("testbed"))
    });
    &FOLDER
}

/// A guest with busybox and nothing else.
#[must_use]
pub fn guest(machine: &EmulatedMachine) -> Guest<'_> {
    Guest::new(machine, work_folder())
}

/// Compiles a guest program of this folder with gcc, unless it is compiled already.
///
/// # Errors
/// When gcc is missing or finds mistakes.
pub fn compile_c(source: &str, program: &str, flags: &[&str]) -> Result<PathBuf, Error> {
    work_folder().compile_c(&own_file(source), program, flags)
}

/// For the first line of a test: `if !testbed::ready() { return }`. Says `SKIPPED` and why when guests cannot be had.
///
/// # Panics
/// When guests cannot be had, but the environment says that they must.
#[must_use]
pub fn ready() -> bool {
    or_skipped(readiness(work_folder()))
}

/// As [`ready`], for the launcher of an MPI.
///
/// # Panics
/// When it is not installed, but the environment says that guests must run.
#[must_use]
pub fn mpi_ready(mpi: Mpi) -> bool {
    or_skipped(mpi.readiness())
}

/// Says `SKIPPED` and why, or panics where that would be a lie.
fn or_skipped(readiness: Result<(), Error>) -> bool {
    let Err(reason) = readiness else { return true };
    let required = std::env::var_os(REQUIRE).is_some_and(|value| value == "1");
    assert!(!required, "{REQUIRE}=1, but guests cannot be had: {reason}");
    let test = std::thread::current();
    // Past the test harness, which would show the output of failed tests only.
    let line = format!("\nSKIPPED: {}: {reason}\n", test.name().unwrap_or("a test of guests"));
    let _ = std::io::stderr().write_all(line.as_bytes());
    false
}

fn own_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_lists_those_known_and_a_missing_file_is_named() {
        let message = load("one-socket").unwrap_err().to_string();
        assert!(message.contains("`one-socket`") && message.contains("two-socket"), "{message}");
        let message = load("no/such.toml").unwrap_err().to_string();
        assert!(message.starts_with("cannot read no/such.toml"), "{message}");
    }

    #[test]
    fn the_machine_files_describe_machines() {
        let names = names();
        for name in ["two-socket", "hbm", "holes", "eight-nodes"] {
            assert!(names.iter().any(|known| known == name), "{name} is not among {names:?}");
        }
        for name in names {
            assert_eq!(load(&name).unwrap().name(), name);
        }
    }
}
