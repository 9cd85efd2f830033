//! The residency sample that is kept of a trial, process by process; merged when the trial has ended, which is not on the
//! account of sampling.

use std::sync::Arc;

use numawise_facts::{MemorySnapshot, Reading, ResidencySample};
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid};

use super::{FoundPages, LARGEST, PageSource};
use crate::memory::{add_node, together};

/// The pages of one process.
#[derive(Debug)]
pub(super) struct ProcessPages {
    pub pid: Pid,
    /// Its private writable memory, on all nodes.
    pub resident: Bytes,
    found: FoundPages,
    source: PageSource,
}

impl ProcessPages {
    pub fn new(pid: Pid, found: FoundPages, source: PageSource) -> Self {
        let resident = found.by_node.iter().map(|(_, bytes)| *bytes).sum();
        ProcessPages { pid, resident, found, source }
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
}

impl KeptSample {
    /// The sums over all processes.
    pub fn merged(&self) -> ResidencySample {
        let mut by_node: Vec<(NodeId, Bytes)> = Vec::new();
        for &(node, bytes) in self.processes.iter().flat_map(|pages| &pages.found.by_node) {
            add_node(&mut by_node, node, bytes);
        }
        by_node.sort_by_key(|(node, _)| *node);
        ResidencySample {
            by_node,
            memory: self.memory(),
            method: self.method(),
            pages_seen: self.processes.iter().map(|pages| pages.found.pages_seen).sum(),
            at: self.at,
        }
    }

    /// A sum of which a part is missing is missing.
    fn memory(&self) -> Reading<MemorySnapshot> {
        let mut of = Vec::with_capacity(self.processes.len());
        for pages in &self.processes {
            match &pages.found.memory {
                Reading::Measured(memory) => of.push(memory),
                Reading::Unavailable { unavailable } => return Reading::unavailable(unavailable.0.clone()),
            }
        }
        Reading::Measured(together(of, LARGEST))
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
