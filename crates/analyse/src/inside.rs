//! Where the memory and the CPU time of one run were. They are compared inside a run only: the kernel chooses another node
//! for each, and memory of one run says nothing of the threads of another.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::{Machine, Observation, Point, Reading, ResidencySample, Study, ThreadObservation};
use numawise_units::{Arrange, Bytes, NodeId, Pid, Ratio};

use crate::{middle, share, summary};

#[cfg(test)]
#[path = "inside_tests.rs"]
mod tests;

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

/// Samples that a run takes at the least to tell what its threads did for most of it; runs of a point together that have several
/// threads ready, to tell how many worked at once.
const SAMPLES: u64 = 10;
/// Samples of one run with several threads ready, fewer of which may be chance.
const WITH_SEVERAL: u64 = 3;

/// The threads that worked at once in the runs of a point, the middle of those that tell it; `None` where they tell too little. A
/// main thread that has its work before and after the others counts with none of them, nor do helpers that wait most of the time.
/// Disturbed runs tell nothing: where others have the CPUs, threads that need little of them are ready for long.
pub fn working_threads(study: &Study, point: &Point) -> Option<u32> {
    let runs: Vec<(u32, u64)> = summary::measured(study, point)
        .filter(|trial| trial.disturbances.is_empty())
        .filter_map(|trial| trial.observation.measured())
        .filter_map(|run| Some((working_at_once(run)?, run.sampler.samples)))
        .collect();
    let samples: u64 = runs.iter().map(|(_, samples)| samples).sum();
    middle(runs.into_iter().map(|(threads, _)| threads).collect()).filter(|_| samples >= SAMPLES)
}

/// The threads that worked at once in a run: those that were ready to run in at least half as many samples as the busiest of them
/// while others were ready too. Where threads follow one another so that none is there for half of those samples, as many as were
/// ready in one of them on average.
pub fn working_at_once(observation: &Observation) -> Option<u32> {
    let threads = observation.threads.measured()?;
    let several = *observation.several_ready.measured()?;
    if is_watched_long(observation) && (several as f64) < WORKER * observation.sampler.samples as f64 {
        return Some(1);
    }
    let most = threads.iter().map(|thread| thread.ready_with_others).max()?;
    if several < WITH_SEVERAL {
        return None;
    }
    if 2 * most >= several {
        let mut as_often: Vec<f64> = threads
            .iter()
            .filter(|thread| 2 * thread.ready_with_others >= most)
            .map(|thread| thread.cpu_time.seconds())
            .collect();
        as_often.arrange_by(f64::total_cmp);
        // On a busy machine helpers of a runtime wait for a CPU as often as workers do, and then use little of it. The main thread,
        // which may have worked long before, is not what they are measured by.
        let typical = as_often[(as_often.len() - 1) / 2];
        return u32::try_from(as_often.iter().filter(|time| **time >= WORKER * typical).count()).ok();
    }
    let all: u64 = threads.iter().map(|thread| thread.ready_with_others).sum();
    Some((all as f64 / several as f64).round() as u32)
}

/// True for a run that was sampled often enough to tell what its threads did for most of it.
pub fn is_watched_long(observation: &Observation) -> bool {
    observation.sampler.samples >= SAMPLES
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlaces {
    /// Threads that worked, at once where that was seen.
    pub workers: usize,
    /// The CPU time of those by node, the node with the most first.
    pub cpu_time: Vec<(NodeId, Ratio)>,
    /// The private memory of the program and what its processes share; none where the sample says too little.
    pub memory: Option<RunMemory>,
    /// Processes of those workers.
    pub processes: usize,
}

/// The memory of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunMemory {
    pub total: Bytes,
    /// What of it processes share.
    pub shared: Bytes,
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
        cpu_time.arrange_by(|a, b| b.1.0.total_cmp(&a.1.0));
        let at_once = working_at_once(observation).map_or(workers.len(), |count| count as usize);
        let processes: BTreeSet<Pid> = workers.iter().map(|thread| thread.pid).collect();
        let (memory, processes) = (RunMemory::of(observation), processes.len());
        Some(RunPlaces { workers: at_once, cpu_time, memory, processes })
    }

    /// The share of CPU time away from a node.
    pub fn away_from(&self, home: NodeId) -> Ratio {
        Ratio(self.cpu_time.iter().filter(|(node, _)| *node != home).map(|(_, share)| share.0).sum())
    }
}

impl RunMemory {
    fn of(observation: &Observation) -> Option<Self> {
        let sample = observation.pages.measured()?;
        let by_node = sample.own_and_shared();
        let total: Bytes = by_node.iter().map(|(_, bytes)| *bytes).sum();
        let shared: Bytes = sample.shared.measured().into_iter().flatten().map(|(_, bytes)| *bytes).sum();
        let (home, most) = by_node.into_iter().max_by_key(|(_, bytes)| *bytes)?;
        let there = share(most.0 as f64, total.0 as f64)?;
        (total >= LEAST && !too_early(observation, total)).then_some(RunMemory { total, shared, home, there })
    }

    /// True where most of it is shared.
    pub fn is_shared(&self) -> bool {
        2 * self.shared.0 > self.total.0
    }
}

/// The private memory of the program at a point and what its processes share, by node: of the trial with the middle amount.
pub fn pages_of_point(study: &Study, point: &Point) -> Reading<Vec<(NodeId, Bytes)>> {
    summary::typical(study, point, ResidencySample::own_and_shared)
}

/// True for a sample of `total` that saw so little of the peak that it says nothing of the program's arrays.
pub fn too_early(observation: &Observation, total: Bytes) -> bool {
    let peak = observation.usage.peak_memory.measured().map_or(0.0, |peak| peak.0 as f64);
    (total.0 as f64) < SEEN * peak
}
