//! Two runs that were watched, side by side. Each ran once, so that nothing here says what of a difference is chance.

use numawise_facts::activity::{CallTime, CodePlace, ConstructName};
use numawise_facts::{FindingId, Reading};
use numawise_units::{Bytes, Nanoseconds, NodeId, Ratio};
use serde::Serialize;

use super::MemorySpread;

/// Rows of both runs, joined. What each run has once stands in its own tables.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotComparison {
    /// Of all processes together first, then by node.
    pub memory: Vec<ComparedMemory>,
    /// By rank; without MPI in their order.
    pub processes: Vec<ComparedProcess>,
    /// By name; the most time in either first. None: it was not called in that run.
    pub calls: Vec<ComparedCall>,
    /// By function and file, since lines move when a program is changed.
    pub regions: Vec<ComparedRegion>,
    /// Those of the second first that the first has not.
    pub findings: Vec<ComparedFinding>,
}

/// The same of the first run and of the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BothRuns<T> {
    pub first: T,
    pub second: T,
}

/// Memory of processes: the most of each that was resident at once, or what they have on a node when they have most.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMemory {
    /// The host, where a run has several, and the node. None: all of it.
    pub node: Option<(String, NodeId)>,
    /// None: no process of that run has memory there.
    pub runs: BothRuns<Option<Reading<MemorySpread>>>,
}

/// A process of both runs, or of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparedProcess {
    /// None: it is no rank.
    pub rank: Option<u32>,
    /// Which of the rows of each run.
    pub runs: BothRuns<Option<usize>>,
}

/// A call of MPI.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedCall {
    pub call: String,
    pub runs: BothRuns<Option<(CallTime, Reading<Bytes>)>>,
}

/// A parallel region.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedRegion {
    pub name: ConstructName,
    /// As the second run has it, where it has it.
    pub place: Reading<CodePlace>,
    pub runs: BothRuns<Option<RegionFigures>>,
}

/// What a region took in one of the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionFigures {
    pub calls: u64,
    pub time: Nanoseconds,
    pub potential_gain: Reading<Nanoseconds>,
}

/// A finding of either run.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedFinding {
    pub id: FindingId,
    pub course: FindingCourse,
    /// Of the elapsed time, at most; none where the run has no such finding.
    pub potential: BothRuns<Option<Reading<Ratio>>>,
}

/// Whether a finding is in both runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingCourse {
    /// Only the second run has it.
    Came,
    Stayed,
    /// Only the first run has it.
    Went,
}
