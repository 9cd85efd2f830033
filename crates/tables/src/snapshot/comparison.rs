//! Two runs that were watched, side by side. Each ran once, so that nothing here says what of a difference is chance.

use numawise_facts::activity::{CallTime, CodePlace, ConstructName};
use numawise_facts::{FindingId, Reading};
use numawise_units::{Bytes, CpuSet, FlopsPerSecond, Nanoseconds, NodeId, Ratio};
use serde::Serialize;

use super::{MemorySpread, RatedShare};

/// What both runs say, joined.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotComparison {
    pub times: Vec<(ComparedTime, BothRuns<Reading<Nanoseconds>>)>,
    pub shares: Vec<(ComparedShare, BothRuns<RatedShare>)>,
    pub counts: Vec<(ComparedCount, BothRuns<Reading<u64>>)>,
    /// Of all processes together first, then by node.
    pub memory: Vec<ComparedMemory>,
    /// By rank; without MPI in their order.
    pub processes: Vec<ComparedProcess>,
    pub flops: BothRuns<Reading<FlopsPerSecond>>,
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
    /// How long threads were ready and waited for a CPU, for each CPU, of the process where that is the most.
    RunDelay,
}

/// Something that is counted in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedCount {
    /// Different sets of CPUs on which processes may run.
    Masks,
    /// Threads that may run on several cores.
    UnboundThreads,
    /// Threads that were seen on more than one CPU.
    MovedThreads,
    Migrations,
    /// CPUs that several threads share at the same time.
    SharedCpus,
}

/// Memory of processes: the most of each that was resident at once, or what they have on a node when they have most.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMemory {
    /// The host, where a run has several, and the node. None: all of it.
    pub node: Option<(String, NodeId)>,
    /// None: no process of that run has memory there.
    pub runs: BothRuns<Option<Reading<MemorySpread>>>,
}

/// Where a process ran, and how much memory it had.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedProcess {
    /// None: it is no rank.
    pub rank: Option<u32>,
    pub runs: BothRuns<Option<ProcessPlacement>>,
}

/// The same of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessPlacement {
    pub mask: Reading<CpuSet>,
    pub run_delay: Reading<Nanoseconds>,
    pub migrations: Reading<u64>,
    pub peak_memory: Reading<Bytes>,
}

/// A share of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedShare {
    Useful,
    /// Of the time in which threads had something to do, that in which they had a CPU.
    WithCpu,
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
    /// In calls on files.
    Files,
    /// No share: it may be above 1.
    CyclesPerInstruction,
    MemoryBound,
    Vector,
    RemoteMemory,
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
