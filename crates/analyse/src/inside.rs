//! Where the memory and the CPU time of one run were. They are compared inside a run only: the kernel chooses another node
//! for each, and memory of one run says nothing of the threads of another.

use std::collections::BTreeMap;

use numawise_facts::{Machine, Observation, ThreadObservation};
use numawise_units::{Bytes, NodeId, Ratio};

use crate::share;

/// Less memory than this lives in the caches; its place has no weight.
const LEAST: Bytes = Bytes::mib(1);
/// A sample that saw less than this share of the peak memory came too early to tell where the program's arrays are.
const SEEN: f64 = 0.25;

/// Threads with less than this share of the busiest one's CPU time are helpers, not workers.
const WORKER: f64 = 0.1;

/// The threads of an observation that did the work; `None` where threads were not seen.
pub fn workers(observation: &Observation) -> Option<Vec<&ThreadObservation>> {
    let threads = observation.threads.measured()?;
    let busiest = threads.iter().map(|t| t.cpu_time).max()?.seconds();
    Some(threads.iter().filter(|t| t.cpu_time.seconds() > WORKER * busiest).collect())
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlaces {
    /// Threads that worked.
    pub workers: usize,
    /// The CPU time of those by node, the node with the most first.
    pub cpu_time: Vec<(NodeId, Ratio)>,
    /// The program's private memory; none where the sample says too little.
    pub memory: Option<RunMemory>,
}

/// The memory of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunMemory {
    pub total: Bytes,
    /// The node with the most, and its share.
    pub home: NodeId,
    pub there: Ratio,
}

impl RunPlaces {
    /// What was seen of a run; `None` when no thread was seen working on a known node.
    pub fn of(machine: &Machine, observation: &Observation) -> Option<Self> {
        let workers = workers(observation)?;
        let mut time: BTreeMap<NodeId, f64> = BTreeMap::new();
        for (cpu, spent) in workers.iter().flat_map(|thread| &thread.cpu_time_on) {
            if let Some(node) = machine.node_of(*cpu) {
                *time.entry(node).or_default() += spent.seconds();
            }
        }
        let all: f64 = time.values().sum();
        let cpu_time: Option<Vec<_>> =
            time.into_iter().map(|(node, spent)| Some((node, share(spent, all)?))).collect();
        let mut cpu_time = cpu_time.filter(|list| !list.is_empty())?;
        cpu_time.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
        Some(RunPlaces { workers: workers.len(), cpu_time, memory: RunMemory::of(observation) })
    }

    /// The share of CPU time away from a node.
    pub fn away_from(&self, home: NodeId) -> Ratio {
        Ratio(self.cpu_time.iter().filter(|(node, _)| *node != home).map(|(_, share)| share.0).sum())
    }
}

impl RunMemory {
    fn of(observation: &Observation) -> Option<Self> {
        let pages = &observation.pages.measured()?.by_node;
        let total: Bytes = pages.iter().map(|(_, bytes)| *bytes).sum();
        let (home, most) = pages.iter().copied().max_by_key(|(_, bytes)| *bytes)?;
        let there = share(most.0 as f64, total.0 as f64)?;
        (total >= LEAST && !too_early(observation, total)).then_some(RunMemory { total, home, there })
    }
}

/// True for a sample of `total` that saw so little of the peak that it says nothing of the program's arrays.
pub fn too_early(observation: &Observation, total: Bytes) -> bool {
    let peak = observation.usage.peak_memory.measured().map_or(0.0, |peak| peak.0 as f64);
    (total.0 as f64) < SEEN * peak
}
