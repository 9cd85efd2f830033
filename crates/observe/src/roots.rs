//! Where the kernel's files are.

use std::path::{Path, PathBuf};

use numawise_units::{NodeId, NodeSet, Pid};

/// The roots below which all is read: `/proc` and `/sys`, or trees of fixtures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    pub proc: PathBuf,
    pub sys: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Roots { proc: "/proc".into(), sys: "/sys".into() }
    }
}

impl Roots {
    /// True when the processes below `proc` are those that system calls reach.
    pub(crate) fn live(&self) -> bool {
        self.proc == Path::new("/proc")
    }

    /// True when system calls reach the processes below `proc` by the numbers that stand there: not those of fixtures,
    /// nor of a `/proc` that was mounted for other containers.
    pub(crate) fn own_numbers(&self) -> bool {
        let own = || std::fs::read_link(self.proc.join("self")).ok()?.to_str()?.parse().ok();
        self.live() && own() == Some(std::process::id())
    }

    pub(crate) fn process(&self, pid: Pid) -> PathBuf {
        self.proc.join(pid.0.to_string())
    }

    /// The only node with memory, when there is but one. A kernel built without NUMA shows no nodes at all: then it is
    /// node 0.
    pub(crate) fn only_node(&self) -> Option<NodeId> {
        let nodes = self.sys.join("devices/system/node");
        if !nodes.exists() {
            return self.sys.join("devices/system/cpu").exists().then_some(NodeId(0));
        }
        let list = std::fs::read_to_string(nodes.join("has_memory"))
            .or_else(|_| std::fs::read_to_string(nodes.join("online")))
            .ok()?;
        let set: NodeSet = list.parse().ok()?;
        set.first().filter(|_| set.len() == 1)
    }
}
