//! The memory of each process by itself: as it was last, and when most of it was resident.

use std::collections::BTreeMap;
use std::sync::Arc;

use numawise_facts::Reading;
use numawise_facts::activity::{
    KernelIo, MemoryByNode, MemoryMoment, ProcessSurroundings, SeenChange, SeenKind, SeenThread,
};
use numawise_linux::proc::status::Status;
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid};

use super::kept::ProcessPages;

/// More processes than these are not told apart: a build has thousands that nobody asks for.
const MOST: usize = 4096;

/// What was seen of the memory of each process that was sampled, also of those that have ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct EachProcess(BTreeMap<Pid, OneProcess>);

/// What was seen of one.
#[derive(Debug, Clone, Default)]
pub(crate) struct OneProcess {
    /// Largest `VmHWM` and `VmSwap`.
    peak: Option<Bytes>,
    swapped: Option<Bytes>,
    /// The kernel's account when it was looked at last.
    pub io: Option<KernelIo>,
    last: Option<Taken>,
    most: Option<Taken>,
    /// When memory was on another node than in the sample before, from the start of watching.
    pub moved: Vec<SeenChange>,
}

/// Changes that are kept.
const MOST_CHANGES: usize = 256;
/// Less memory on other nodes is no move.
const MOVED: Bytes = Bytes::mib(1);

/// A sample of a process.
#[derive(Debug, Clone)]
struct Taken {
    at: Nanoseconds,
    pages: Arc<ProcessPages>,
}

impl Taken {
    fn resident(&self) -> Bytes {
        self.pages.resident
    }
}

impl OneProcess {
    /// What is known of it; `begun` is when watching began, `why` the reason of what is not.
    pub fn surroundings(&self, begun: Nanoseconds, why: &str) -> ProcessSurroundings {
        let known = |bytes: Option<Bytes>| match bytes {
            Some(bytes) => Reading::Measured(bytes),
            None => Reading::unavailable(why.to_owned()),
        };
        let moment = |of: &Taken| MemoryMoment { at: begun + of.at, by_node: of.pages.own_part() };
        let mut all = ProcessSurroundings::unavailable(why.to_owned());
        (all.peak_memory, all.swapped) = (known(self.peak), known(self.swapped));
        if let (Some(last), Some(most)) = (&self.last, &self.most) {
            all.memory = Reading::Measured(MemoryByNode { last: moment(last), most: moment(most) });
        }
        all
    }
}

impl OneProcess {
    fn note(&mut self, moved: Option<SeenChange>) {
        let Some(change) = moved else { return };
        let mut all = SeenThread { looks: 0, changes: std::mem::take(&mut self.moved) };
        all.add(change, MOST_CHANGES);
        self.moved = all.changes;
    }
}

/// What was on one node before and is on another now; only where all pages were counted, since samples of them scatter.
fn moved(before: &Taken, now: &Taken) -> Option<SeenChange> {
    if !before.pages.are_counted() || !now.pages.are_counted() {
        return None;
    }
    let what = moved_between(&before.pages.own_part(), &now.pages.own_part())?;
    Some(SeenChange { before: before.at, at: now.at, what })
}

fn moved_between(was: &[(NodeId, Bytes)], is: &[(NodeId, Bytes)]) -> Option<SeenKind> {
    let of = |all: &[(NodeId, Bytes)], node: NodeId| {
        all.iter().find(|(of, _)| *of == node).map_or(Bytes(0), |(_, bytes)| *bytes)
    };
    let less = |(node, bytes): &(NodeId, Bytes)| (bytes.0.saturating_sub(of(is, *node).0), *node);
    let more = |(node, bytes): &(NodeId, Bytes)| (bytes.0.saturating_sub(of(was, *node).0), *node);
    let gone: u64 = was.iter().map(|one| less(one).0).sum();
    let come: u64 = is.iter().map(|one| more(one).0).sum();
    let bytes = Bytes(gone.min(come));
    let (from, to) = (was.iter().map(less).max()?.1, is.iter().map(more).max()?.1);
    (bytes >= MOVED).then_some(SeenKind::MemoryMoved { from, to, bytes })
}

impl EachProcess {
    fn of(&mut self, pid: Pid) -> Option<&mut OneProcess> {
        let has_place = self.0.len() < MOST || self.0.contains_key(&pid);
        has_place.then(|| self.0.entry(pid).or_default())
    }

    /// Takes in what was seen later.
    pub fn add(&mut self, later: EachProcess) {
        for (pid, seen) in later.0 {
            let Some(of) = self.of(pid) else { continue };
            if let Some((last, taken)) = of.last.as_ref().zip(seen.last.as_ref()) {
                let moved = moved(last, taken);
                of.note(moved);
            }
            of.moved.extend(seen.moved);
            of.peak = of.peak.max(seen.peak);
            of.swapped = of.swapped.max(seen.swapped);
            of.io = seen.io.or(of.io);
            if of.most.as_ref().map(Taken::resident) <= seen.most.as_ref().map(Taken::resident) {
                of.most = seen.most;
            }
            of.last = seen.last.or_else(|| of.last.take());
        }
    }

    /// What the kernel says of a process.
    pub fn saw(&mut self, pid: Pid, status: &Status) {
        let Some(of) = self.of(pid) else { return };
        of.peak = of.peak.max(status.peak);
        of.swapped = of.swapped.max(status.swapped);
    }

    /// What the kernel has accounted to a process.
    pub fn saw_io(&mut self, pid: Pid, io: KernelIo) {
        if let Some(of) = self.of(pid) {
            of.io = Some(io);
        }
    }

    /// A sample of its pages.
    pub(super) fn sampled(&mut self, pid: Pid, pages: &Arc<ProcessPages>, at: Nanoseconds) {
        let Some(of) = self.of(pid) else { return };
        let taken = Taken { at, pages: Arc::clone(pages) };
        if of.most.as_ref().map(Taken::resident) <= Some(pages.resident) {
            of.most = Some(taken.clone());
        }
        of.last = Some(taken);
    }

    pub fn get(&self, pid: Pid) -> Option<&OneProcess> {
        self.0.get(&pid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_left_one_node_and_is_on_another_has_moved() {
        let of = |mebibytes: [u64; 3]| -> Vec<(NodeId, Bytes)> {
            (0..).zip(mebibytes).map(|(node, size)| (NodeId(node), Bytes::mib(size))).collect()
        };
        let moved = |was, is| moved_between(&of(was), &of(is));
        let (from, to) = (NodeId(0), NodeId(2));
        let what = SeenKind::MemoryMoved { from, to, bytes: Bytes::mib(60) };
        // Ten of it were freed.
        assert_eq!(moved([100, 50, 0], [30, 50, 60]), Some(what));
        // What grows, or is freed, has not moved.
        assert_eq!(moved([100, 50, 0], [100, 50, 60]), None);
        assert_eq!(moved([100, 50, 10], [30, 50, 0]), None);
        assert_eq!(moved_between(&[], &of([1, 2, 3])), None);
    }
}
