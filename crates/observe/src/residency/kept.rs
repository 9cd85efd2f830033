//! The residency sample that is kept of a trial, process by process; merged when the trial has ended, which is not on the
//! account of sampling.

use std::collections::BTreeMap;
use std::sync::Arc;

use numawise_facts::{MemorySnapshot, PageUse, Reading, ResidencySample};
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid};

use super::query::Segment;
use super::{FoundPages, LARGEST, PageSource, WORTH_A_LOOK};
use crate::memory::{SharedPages, add_node, counted_once, together};

/// The pages of one process.
#[derive(Debug)]
pub(super) struct ProcessPages {
    pub pid: Pid,
    /// Its private writable memory, on all nodes, and all that it has mapped of what it shares: the part of it that is its own shrinks
    /// while others touch the same.
    pub resident: Bytes,
    /// What it has mapped of shared memory.
    mapped: Bytes,
    found: FoundPages,
    source: PageSource,
}

impl ProcessPages {
    pub fn new(pid: Pid, found: FoundPages, source: PageSource) -> Self {
        let private: Bytes = found.by_node.iter().map(|(_, bytes)| *bytes).sum();
        let shared = found.shared.measured().into_iter().flatten();
        let mapped = shared.filter(|pages| pages.used_for != PageUse::File).map(SharedPages::total);
        let mapped: Bytes = mapped.sum();
        ProcessPages { pid, resident: private + mapped, mapped, found, source }
    }

    /// Its private writable memory and its part of what it shares, by node.
    pub fn own_part(&self) -> Vec<(NodeId, Bytes)> {
        let mut by_node = self.found.by_node.clone();
        let shared = self.found.shared.measured().into_iter().flatten();
        for pages in shared.filter(|pages| pages.used_for != PageUse::File) {
            let share = pages.part.0 as f64 / pages.total().0.max(1) as f64;
            for (node, bytes) in &pages.by_node {
                add_node(&mut by_node, *node, Bytes((bytes.0 as f64 * share.min(1.0)) as u64));
            }
        }
        by_node.retain(|(_, bytes)| bytes.0 > 0);
        by_node.sort_by_key(|(node, _)| *node);
        by_node
    }

    /// Whether all of its pages were counted by node.
    pub fn are_counted(&self) -> bool {
        self.source == PageSource::NumaMaps
    }

    /// Whether it shares so much that its part of it matters.
    pub fn shares(&self) -> bool {
        self.mapped >= WORTH_A_LOOK
    }
}

/// The latest pages of all processes at one moment.
#[derive(Debug, Clone)]
pub(crate) struct KeptSample {
    pub(super) processes: Vec<Arc<ProcessPages>>,
    /// Processes that neither way could read.
    pub(super) unreadable: usize,
    /// Pages asked for by `move_pages`.
    pub(super) asked: usize,
    pub(super) at: Nanoseconds,
    /// Whether parts of shared memory were read before all that share it were seen: their sum is too large.
    pub(super) outdated: bool,
}

impl KeptSample {
    /// The sums over all processes.
    pub fn merged(&self) -> ResidencySample {
        let mut by_node: Vec<(NodeId, Bytes)> = Vec::new();
        for &(node, bytes) in self.processes.iter().flat_map(|pages| &pages.found.by_node) {
            add_node(&mut by_node, node, bytes);
        }
        by_node.sort_by_key(|(node, _)| *node);
        let shared = self.shared();
        let shared = shared.as_ref().map(|of| of.iter().map(Vec::as_slice).collect::<Vec<&[SharedPages]>>());
        ResidencySample {
            by_node,
            memory: self.memory(shared.as_ref().map(|of| of.as_slice())),
            shared: shared.map(|shared| shared_by_node(&shared)),
            method: self.method(),
            pages_seen: self.processes.iter().map(|pages| pages.found.pages_seen).sum(),
            at: self.at,
        }
    }

    /// What each process may share. A sum of which a part is missing is missing.
    fn shared(&self) -> Reading<Vec<Vec<SharedPages>>> {
        let processes = Reading::all(self.processes.iter().map(|pages| pages.found.shared.clone()));
        processes.map(|mut processes| {
            self.limit_to_segments(&mut processes);
            processes
        })
    }

    /// Where nothing tells in how many mappings pages are, all processes together have no more of them than the segments are long.
    fn limit_to_segments(&self, processes: &mut [Vec<SharedPages>]) {
        let mut segments: BTreeMap<&Segment, Bytes> = BTreeMap::new();
        for (segment, long) in self.processes.iter().flat_map(|pages| &pages.found.segments) {
            let known = segments.entry(segment).or_default();
            *known = (*known).max(*long);
        }
        let long: Bytes = segments.into_values().sum();
        let sampled = |k: usize| !self.processes[k].found.segments.is_empty();
        let of_sampled = || processes.iter().enumerate().filter(|(k, _)| sampled(*k)).flat_map(|(_, of)| of);
        let sum: Bytes = of_sampled().map(|pages| pages.part).sum();
        if sum > long {
            let share = long.0 as f64 / sum.0 as f64;
            for (_, of) in processes.iter_mut().enumerate().filter(|(k, _)| sampled(*k)) {
                of.iter_mut().for_each(|pages| pages.part = Bytes((pages.part.0 as f64 * share) as u64));
            }
        }
    }

    /// The memory of all processes, of which each shares as much with the others.
    fn memory(&self, shared: Reading<&[&[SharedPages]]>) -> Reading<MemorySnapshot> {
        let memory = Reading::all(self.processes.iter().map(|pages| pages.found.memory.as_ref()));
        memory.zip(shared).map(|(memory, shared)| {
            let of: Vec<_> = memory.into_iter().zip(shared.iter().copied()).collect();
            together(&of, LARGEST)
        })
    }

    fn method(&self) -> String {
        let asked = self.asked;
        let used = |source| self.processes.iter().any(|pages| pages.source == source);
        let method =
            match (used(PageSource::OneNode), used(PageSource::NumaMaps), used(PageSource::MovePages)) {
                (true, _, _) => "one node".to_owned(),
                (_, true, false) => "numa_maps".to_owned(),
                (_, false, _) => format!("move_pages on a sample of {asked} pages"),
                (_, true, true) => format!("numa_maps, and move_pages on a sample of {asked} pages"),
            };
        match self.unreadable {
            0 => method,
            1 => format!("{method}; without 1 process whose pages may not be read"),
            count => format!("{method}; without {count} processes whose pages may not be read"),
        }
    }
}

/// Memory that processes share, each page once.
fn shared_by_node(processes: &[&[SharedPages]]) -> Vec<(NodeId, Bytes)> {
    let mut by_node: Vec<(NodeId, Bytes)> = Vec::new();
    for used_for in [PageUse::Shared, PageUse::Huge] {
        for (pages, times) in processes.iter().zip(counted_once(processes, used_for)) {
            for (node, bytes) in
                pages.iter().filter(|pages| pages.used_for == used_for).flat_map(|pages| &pages.by_node)
            {
                add_node(&mut by_node, *node, Bytes((bytes.0 as f64 * times).round() as u64));
            }
        }
    }
    by_node.sort_by_key(|(node, _)| *node);
    by_node
}
