//! Whether there is room for so many copies: processes, open files and memory, asked before the first of them is started.

use std::fmt;

use numawise_linux::Roots;
use numawise_linux::calls::process;
use numawise_linux::cgroup::Cgroups;
use numawise_linux::memory::MemoryInfo;
use numawise_linux::processes;
use numawise_units::Bytes;

#[cfg(test)]
#[path = "room_tests.rs"]
mod tests;

/// Pipes of a copy that are open while all are started.
const FILES_OF_A_COPY: u64 = 4;
/// What else this process and the one that watches the copies have open.
const OTHER_FILES: u64 = 32;
/// The process that watches the copies, a thread of ours, and those of others that come meanwhile.
const OTHER_PROCESSES: u64 = 8;
/// What a process takes that does nothing at all: its stacks, page tables and first pages. `sleep` takes 220 KiB (glibc, x86-64).
const LEAST_MEMORY: Bytes = Bytes::kib(128);

/// What keeps copies from being started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopiesLimit {
    /// `ulimit -u`.
    User { most: u64, running: u64 },
    /// Of a cgroup, or of the whole system: the file that holds it.
    Processes { file: String },
    /// `ulimit -n`.
    OpenFiles { most: u64 },
    /// Of the computer, or what the limit of a cgroup leaves.
    Memory { left: Bytes, file: Option<String> },
}

impl fmt::Display for CopiesLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CopiesLimit::User { most, running } => {
                write!(f, "this user may have {most} processes and threads, and has {running} (ulimit -u)")
            }
            CopiesLimit::Processes { file } => write!(f, "{file} admits no more processes"),
            CopiesLimit::OpenFiles { most } => write!(
                f,
                "a process may have {most} open files (ulimit -n), and each copy needs {FILES_OF_A_COPY} while all are started"
            ),
            CopiesLimit::Memory { left, file: None } => write!(
                f,
                "{left} of memory are available, and a process that does nothing takes {LEAST_MEMORY} at least"
            ),
            CopiesLimit::Memory { left, file: Some(file) } => write!(
                f,
                "{file} leaves {left} of memory, and a process that does nothing takes {LEAST_MEMORY} at least"
            ),
        }
    }
}

/// The tightest limit, with the number of copies for which it leaves room. Limits that cannot be read do not count: who starts a process
/// finds them.
pub fn tightest(roots: &Roots) -> Option<(u64, CopiesLimit)> {
    limits(roots).into_iter().min_by_key(|(room, _)| *room)
}

fn limits(roots: &Roots) -> Vec<(u64, CopiesLimit)> {
    let mut limits = Vec::new();
    let mut processes = |left: u64, limit: CopiesLimit| {
        limits.push((left.saturating_sub(OTHER_PROCESSES), limit));
    };
    let running = || processes::of_user(roots, process::user()).ok();
    if let Some((most, running)) = processes::most_of_user(roots).and_then(|most| Some((most, running()?))) {
        processes(most.saturating_sub(running), CopiesLimit::User { most, running });
    }
    let cgroups = Cgroups::of_this_process(roots);
    if let Some((left, file)) = cgroups.processes_left() {
        processes(left, CopiesLimit::Processes { file });
    }
    for file in processes::MOST {
        if let (Some(most), Some(running)) = (roots.try_value::<u64>(file), processes::running(roots)) {
            processes(most.saturating_sub(running), CopiesLimit::Processes { file: file.to_owned() });
        }
    }
    if let Some(most) = process::open_files_limit() {
        limits.push((most.saturating_sub(OTHER_FILES) / FILES_OF_A_COPY, CopiesLimit::OpenFiles { most }));
    }
    let mut memory = |left: Bytes, file: Option<String>| {
        limits.push((left.0 / LEAST_MEMORY.0, CopiesLimit::Memory { left, file }));
    };
    if let Some(left) = MemoryInfo::of_computer(roots).ok().and_then(|info| info.available) {
        memory(left, None);
    }
    if let Some((left, file)) = cgroups.memory_left() {
        memory(left, Some(file));
    }
    limits
}
