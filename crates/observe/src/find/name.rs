//! Finding processes by the name of their program.

use std::os::unix::ffi::OsStrExt;

use numawise_units::Pid;

use super::FindError;
use super::processes::{Process, Processes};
use crate::command::shell_line;
use numawise_linux::Roots;
use numawise_linux::file::read_path;
use numawise_linux::proc::cmdline::{base_name, words};

/// How much of a command a suggestion shows.
const SHOWN: usize = 100;

pub(super) fn find(roots: &Roots, name: &str, processes: &Processes) -> Result<Vec<Pid>, FindError> {
    let mut buffer = Vec::with_capacity(4096);
    let mut closed = 0;
    let mut found = Vec::new();
    let mut candidates = Vec::new();
    for process in processes.strangers() {
        let command = match read_path(&roots.process(process.pid).join("cmdline"), &mut buffer) {
            Ok(()) => &buffer[..],
            Err(error) => {
                closed += usize::from(!error.is_gone());
                b""
            }
        };
        if called(roots, process, command, name.as_bytes()) {
            found.push(process.pid);
        } else if found.is_empty()
            && let Some(line) = shell_line(command)
            && holds(&line, name)
        {
            candidates.push((process.pid, shortened(line)));
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let mut ours = Vec::new();
    for process in processes.ancestors() {
        let read = read_path(&roots.process(process.pid).join("cmdline"), &mut buffer);
        if called(roots, process, read.map_or(b"", |()| &buffer[..]), name.as_bytes()) {
            ours.push(process.pid);
        }
    }
    let more = candidates.len().saturating_sub(FindError::CANDIDATES);
    candidates.truncate(FindError::CANDIDATES);
    Err(FindError::Name { name: name.to_owned(), counted: processes.counted(closed), ours, candidates, more })
}

/// True when the process has exactly that name.
fn called(roots: &Roots, process: &Process, command: &[u8], name: &[u8]) -> bool {
    if name.is_empty() {
        return false;
    }
    let path = name.contains(&b'/');
    let same = |found: &[u8]| if path { found == name } else { base_name(found) == name };
    if !path && process.name == name {
        return true;
    }
    // Login shells have a dash before their name.
    let first = words(command).first().copied().unwrap_or_default();
    if same(first) || same(first.strip_prefix(b"-").unwrap_or(first)) {
        return true;
    }
    let Ok(file) = std::fs::read_link(roots.process(process.pid).join("exe")) else {
        return false;
    };
    let file = file.as_os_str().as_bytes();
    same(file.strip_suffix(b" (deleted)").unwrap_or(file))
}

/// Whatever the case.
fn holds(line: &str, name: &str) -> bool {
    !name.is_empty() && line.to_lowercase().contains(&name.to_lowercase())
}

fn shortened(line: String) -> String {
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}
