//! Memory of a running process that was moved from nodes to others.

use numawise_units::{Bytes, BytesPerSecond, Nanoseconds, NodeId, NodeSet, Pid};

use crate::{PageUse, Reading};

#[cfg(test)]
#[path = "moved_tests.rs"]
mod tests;

/// Resident memory by what it is used for and node.
pub type ResidentMemory = Vec<(PageUse, NodeId, Bytes)>;

/// What came of moving the memory of a process.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedMemory {
    pub pid: Pid,
    pub name: String,
    pub from: NodeSet,
    pub to: NodeSet,
    /// What was resident just before and just after.
    pub before: Reading<ResidentMemory>,
    pub after: Reading<ResidentMemory>,
    /// Pages that the kernel tried to move and could not; unavailable with the reason where it moved nothing at all.
    pub unmoved_pages: Reading<u64>,
    /// How long the kernel took; unavailable with the same reason.
    pub took: Reading<Nanoseconds>,
    /// Whether pages that other processes map too were to be moved as well, which takes a privilege.
    pub takes_shared: Reading<bool>,
}

impl MovedMemory {
    /// By how much the memory on the nodes to which it was to go has grown, without those that it was to leave. What the process itself took
    /// or gave back meanwhile is in it.
    pub fn moved(&self) -> Reading<Bytes> {
        let to = self.to.difference(&self.from);
        let both = self.before.as_ref().zip(self.after.as_ref());
        both.map(|(before, after)| Bytes(on(after, &to).0.saturating_sub(on(before, &to).0)))
    }

    /// How much of it the kernel moved in a second; unavailable, too, where nothing moved.
    pub fn rate(&self) -> Reading<BytesPerSecond> {
        match self.moved().zip(self.took.clone()) {
            Reading::Measured((moved, took)) if moved.0 > 0 && took.0 > 0 => {
                Reading::Measured(BytesPerSecond(moved.0 as f64 / took.seconds()))
            }
            Reading::Measured(_) => Reading::unavailable("nothing was moved"),
            Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable },
        }
    }

    /// What is still on nodes that were to be left, by use.
    pub fn stays(&self) -> Reading<Vec<(PageUse, Bytes)>> {
        let from = self.from.difference(&self.to);
        self.after.as_ref().map(|after| {
            let of = |one: PageUse| {
                let all = after.iter().filter(|(used_for, node, _)| *used_for == one && from.contains(*node));
                (one, Bytes(all.map(|(.., bytes)| bytes.0).sum()))
            };
            PageUse::ALL.into_iter().map(of).filter(|(_, bytes)| bytes.0 > 0).collect()
        })
    }
}

fn on(memory: &ResidentMemory, nodes: &NodeSet) -> Bytes {
    Bytes(memory.iter().filter(|(_, node, _)| nodes.contains(*node)).map(|(.., bytes)| bytes.0).sum())
}
