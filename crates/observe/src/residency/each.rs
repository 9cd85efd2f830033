//! The memory of each process by itself: as it was last, and when most of it was resident.

use std::collections::BTreeMap;
use std::sync::Arc;

use numawise_facts::Reading;
use numawise_facts::activity::{KernelIo, MemoryByNode, MemoryMoment, ProcessSurroundings};
use numawise_linux::proc::status::Status;
use numawise_units::{Bytes, Nanoseconds, Pid};

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
}

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

impl EachProcess {
    fn of(&mut self, pid: Pid) -> Option<&mut OneProcess> {
        let has_place = self.0.len() < MOST || self.0.contains_key(&pid);
        has_place.then(|| self.0.entry(pid).or_default())
    }

    /// Takes in what was seen later.
    pub fn add(&mut self, later: EachProcess) {
        for (pid, seen) in later.0 {
            let Some(of) = self.of(pid) else { continue };
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
