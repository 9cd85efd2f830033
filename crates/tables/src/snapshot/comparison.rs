//! Two runs that were watched, side by side. Each ran once, so that nothing here says what of a difference is chance.

use numawise_facts::activity::{CallTime, CodePlace, ConstructName};
use numawise_facts::{FindingId, Reading};
use numawise_units::{Bytes, Nanoseconds, Ratio};
use serde::Serialize;

use super::RatedShare;

/// What both runs say, joined.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotComparison {
    pub times: Vec<(ComparedTime, BothRuns<Reading<Nanoseconds>>)>,
    pub shares: Vec<(ComparedShare, BothRuns<RatedShare>)>,
    /// By name; the most time in either first. None: it was not called in that run.
    pub calls: Vec<ComparedCall>,
    /// By function and file, since lines move when a program is changed.
    pub regions: Vec<ComparedRegion>,
    /// Those of the second first that the first has not.
    pub findings: Vec<ComparedFinding>,
}

/// The same of the first run and of the second.
#[derive(Debug, Clone, PartialEq)]
pub struct BothRuns<T> {
    pub first: T,
    pub second: T,
}

/// A time of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedTime {
    Elapsed,
    /// The part that shares are of.
    Span,
    /// Of the run: what ranks wait in MPI for ranks that compute longer.
    MpiImbalance,
    /// Of the run: what parallel regions could gain.
    PotentialGain,
}

/// A share of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedShare {
    Useful,
    Parallel,
    MpiParallel,
    MpiCommunication,
    MpiLoadBalance,
    OpenmpParallel,
    OpenmpSerialization,
    OpenmpLoadBalance,
    OpenmpScheduling,
    /// Of the ranks' time, on average.
    Mpi,
    /// Outside of parallel regions and of MPI.
    Serial,
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
