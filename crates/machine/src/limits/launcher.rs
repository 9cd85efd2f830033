//! Who started the ranks of a job on this computer, and which CPUs it may use itself.
//!
//! A rank that may use less than its launcher was bound by it on purpose. The launcher is found by walking up from us to
//! the first process that is not of a rank: its environment has none of the variables that a rank gets.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use numawise_linux::proc::environ::Environment;
use numawise_linux::proc::status::Status;
use numawise_units::{CpuSet, Pid};

use crate::Roots;

#[cfg(test)]
#[path = "launcher_tests.rs"]
mod tests;

/// The process that started the ranks of this computer (mpirun, orted, hydra_pmi_proxy, slurmstepd, ...).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    pub pid: Pid,
    pub name: String,
    /// Its affinity mask.
    pub cpus: CpuSet,
    /// The words that it was started with; none where they may not be read.
    pub words: Vec<OsString>,
}

/// Why the launcher is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LauncherError {
    #[error(
        "the environment of process {pid} ({name}) may not be read, so it may be the launcher or a part of the rank"
    )]
    Unreadable { pid: Pid, name: String },
    #[error("/proc does not tell of process {pid}")]
    Unknown { pid: Pid },
    #[error("every process above this one has the variables of a rank")]
    NoneAbove,
}

/// A variable by its name.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// More generations than any chain of shells and wrappers has; a bound against a /proc that leads in circles.
const MOST_GENERATIONS: usize = 64;

/// The nearest process above us whose environment, as it was started with, is not that of a rank.
///
/// # Errors
/// When some process on the way cannot be looked at, or none is left.
pub fn launcher(roots: &Roots, is_rank: &dyn Fn(Lookup<'_>) -> bool) -> Result<Launcher, LauncherError> {
    let own = process(roots, "self").ok_or(LauncherError::Unknown { pid: Pid(std::process::id() as i32) })?;
    let mut pid = own.parent;
    for _ in 0..MOST_GENERATIONS {
        // Process 0 is the kernel, or a process outside of our namespace.
        if pid.0 <= 0 {
            return Err(LauncherError::NoneAbove);
        }
        let process = process(roots, &pid.to_string()).ok_or(LauncherError::Unknown { pid })?;
        let environment = roots
            .try_bytes(&format!("/proc/{pid}/environ"))
            .ok_or_else(|| LauncherError::Unreadable { pid, name: process.name.clone() })?;
        let variable = |name: &str| {
            Environment(&environment).value(name).map(|value| OsStr::from_bytes(value).to_owned())
        };
        if !is_rank(&variable) {
            return Ok(Launcher { pid, name: process.name, cpus: process.cpus, words: words(roots, pid) });
        }
        pid = process.parent;
    }
    Err(LauncherError::NoneAbove)
}

/// Those that a process was started with; none where they may not be read.
fn words(roots: &Roots, pid: Pid) -> Vec<OsString> {
    let bytes = roots.try_bytes(&format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    let words = words.split(|byte| *byte == 0).filter(|_| !words.is_empty());
    words.map(|word| OsStr::from_bytes(word).to_owned()).collect()
}

struct Process {
    name: String,
    parent: Pid,
    cpus: CpuSet,
}

fn process(roots: &Roots, process: &str) -> Option<Process> {
    let text = roots.try_bytes(&format!("/proc/{process}/status"))?;
    let status = Status::parse(&text).ok()?;
    Some(Process {
        name: String::from_utf8_lossy(Status::name(&text)?).into_owned(),
        parent: Pid(status.parent?),
        cpus: status.cpus?,
    })
}
