//! Which threads a process has, and which children.

use std::fs;
use std::path::Path;

use numawise_units::Pid;

use super::stat::TaskStat;
use crate::error::{Error, Malformed};
use crate::file::{number, read_path};

#[cfg(test)]
#[path = "tasks_tests.rs"]
mod tests;

/// The threads of a process, or with `proc` itself the processes: all entries that are numbers.
pub fn numbered(directory: &Path) -> Result<Vec<Pid>, Error> {
    let entries = fs::read_dir(directory).map_err(|error| Error::from_io(directory, error))?;
    let mut found = Vec::new();
    for entry in entries {
        // A process that ends while its threads are listed cuts the list short; that is no fault.
        let Ok(entry) = entry else { break };
        if let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) {
            found.push(Pid(id));
        }
    }
    Ok(found)
}

/// The children of one thread from its `children` file (needs `CONFIG_PROC_CHILDREN`).
pub fn children(path: &Path, buffer: &mut Vec<u8>) -> Result<Vec<Pid>, Error> {
    read_path(path, buffer)?;
    buffer
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(|word| number(word).map(Pid))
        .collect::<Option<_>>()
        .ok_or_else(|| Malformed::new(buffer, "process identifiers").at(path))
}

/// Parent and child of every process below `proc`: the slow way to find children. Processes that vanish or cannot be
/// read are passed over.
pub fn parents(proc: &Path, buffer: &mut Vec<u8>) -> Result<Vec<(Pid, Pid)>, Error> {
    let mut pairs = Vec::new();
    for pid in numbered(proc)? {
        let path = proc.join(pid.0.to_string()).join("stat");
        if read_path(&path, buffer).is_err() {
            continue;
        }
        if let Ok(stat) = TaskStat::parse(buffer) {
            pairs.push((Pid(stat.parent), pid));
        }
    }
    Ok(pairs)
}
