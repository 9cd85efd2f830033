//! Where the kernel's files are.

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use numawise_units::{NodeId, NodeSet, Pid};

use crate::file::slurp;

#[cfg(test)]
#[path = "roots_tests.rs"]
mod tests;

/// The root below which `/proc`, `/sys` and the cgroup file systems are read: that of the system, or a tree of fixtures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    root: PathBuf,
    proc: PathBuf,
    sys: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Roots::live()
    }
}

impl Roots {
    /// The system that we run on.
    pub fn live() -> Self {
        Roots::at("/")
    }

    /// A directory that holds `proc`, `sys` and so on.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Roots { proc: root.join("proc"), sys: root.join("sys"), root }
    }

    /// The same processes on a computer with another `/sys`.
    pub fn with_sys(self, sys: impl Into<PathBuf>) -> Self {
        Roots { sys: sys.into(), ..self }
    }

    /// Where an absolute path lies.
    pub fn path(&self, absolute: &str) -> PathBuf {
        match absolute.strip_prefix("/sys/") {
            Some(below) => self.sys.join(below),
            None => self.root.join(absolute.trim_start_matches('/')),
        }
    }

    pub fn proc(&self) -> &Path {
        &self.proc
    }

    /// The directory of a process.
    pub fn process(&self, pid: Pid) -> PathBuf {
        self.proc.join(pid.0.to_string())
    }

    /// True when the processes below `proc` are those that system calls reach.
    pub fn is_live(&self) -> bool {
        self.proc == Path::new("/proc")
    }

    /// True when system calls reach the processes below `proc` by the numbers that stand there: not those of fixtures,
    /// nor of a `/proc` that was mounted for other containers.
    pub fn has_own_numbers(&self) -> bool {
        let own = || std::fs::read_link(self.proc.join("self")).ok()?.to_str()?.parse().ok();
        self.is_live() && own() == Some(std::process::id())
    }

    /// The only node with memory, when there is but one. A kernel built without NUMA shows no nodes at all: then it is
    /// node 0.
    pub fn only_node(&self) -> Option<NodeId> {
        let nodes = self.path("/sys/devices/system/node");
        if !nodes.exists() {
            return self.path("/sys/devices/system/cpu").exists().then_some(NodeId(0));
        }
        let list = std::fs::read_to_string(nodes.join("has_memory"))
            .or_else(|_| std::fs::read_to_string(nodes.join("online")))
            .ok()?;
        let set: NodeSet = list.parse().ok()?;
        set.first().filter(|_| set.len() == 1)
    }

    /// The text of a small file, with what is not UTF-8 replaced.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn text(&self, absolute: &str) -> io::Result<String> {
        slurp(&self.path(absolute))
    }

    /// The text of a small file that need not be there.
    pub fn try_text(&self, absolute: &str) -> Option<String> {
        self.text(absolute).ok()
    }

    /// The bytes of a file that need not be there, nor be text.
    pub fn try_bytes(&self, absolute: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path(absolute)).ok()
    }

    /// The value in a file that need not be there, or need not make sense.
    pub fn try_value<T: FromStr>(&self, absolute: &str) -> Option<T> {
        self.try_text(absolute)?.trim().parse().ok()
    }
}
