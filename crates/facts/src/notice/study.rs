//! Notices of a study and of its analysis.

use numawise_units::{Bytes, CpuSet, Hertz, Nanoseconds, NodeId, NodeSet, Pid, Ratio};
use serde::{Deserialize, Serialize};

use super::{AffinityRefusal, MachineNotice};
use crate::{
    Disturbance, Effect, Levels, MemoryPlan, MetricProblem, NamedMetric, Notice, PointId, Reason,
    TrialFailure,
};

super::notices! {
    /// NW5xx: of a study and its analysis.
    Study: StudyNotice {
        /// Pinning was not tried: every placement of threads on one CPU is the same.
        "NW501" OneCpu,
        /// Memory placement was not tried: all memory comes from one node.
        "NW502" OneMemoryNode,
        /// Nothing on one node was tried: no node has both CPUs and memory that may be used.
        "NW503" NoNodeWithCpusAndMemory,
        /// Placements that this machine or this program rules out.
        "NW504" NotTried { placements: PlacementGroup, reason: NotTriedReason },
        /// A point of the design that no placement can be made of: what the planner reported, and the limits of the machine that
        /// are in the way.
        "NW505" CannotBePlaced { point: PointId, levels: Levels, problem: String, limits: Vec<MachineNotice> },
        /// A point for which the time given is too short: all points would take `needs` with the least number of repeats.
        "NW506" NoTimeFor { point: PointId, levels: Levels, repeats: u32, needs: Nanoseconds, budget: Nanoseconds },
        /// What is tried on one node is tried on `tried` only, for `reason`.
        "NW507" OtherNodes { tried: NodeId, reason: NodeReason },
        /// Trials were disturbed by other load and do not count.
        "NW511" DisturbedLeftOut { trials: u32 },
        /// Trials were disturbed by other load and used all the same: too few were not disturbed.
        "NW512" DisturbedCounted { trials: u32 },
        /// The program ran more threads at a point than the point has.
        "NW513" ThreadCountMismatch { point: PointId, ran: u32, planned: u32, in_command: bool },
        /// The threads of a point that pins them were free.
        "NW514" NotPinned { point: PointId, reason: NotPinnedReason },
        /// What the planner said of the placement of a point.
        "NW515" OfPlacement { point: PointId, warning: Box<Notice> },
        /// Threads were not where the plan has them in `trials` trials of a point: the plan has `each` of the CPUs `asked` for
        /// each thread, and threads were found on `found`. Nothing is concluded from the point.
        "NW516" NotObeyed {
            point: PointId, asked: CpuSet, each: u32, found: CpuSet, evidence: PlacementEvidence, trials: u32,
        },
        /// Threads are bound at a point where numawise places nothing.
        "NW517" BoundByOthers { point: PointId, found: CpuSet, allowed: CpuSet, launcher: Option<BindingLauncher> },
        /// Trials were interrupted: the program, we or the system were stopped. They never count.
        "NW518" InterruptedLeftOut { trials: u32 },
        /// The program left processes running when it ended, at most so many; they were ended.
        "NW519" ProcessesLeft { trials: u32, processes: u64, names: Vec<String> },
        /// Memory was not where the plan has it in `trials` trials of a point: a share `against` of what counts was elsewhere, and
        /// it was `found` so. Nothing is concluded from the point.
        "NW520" MemoryNotObeyed {
            point: PointId, asked: MemoryPlan, against: Ratio, found: Vec<(NodeId, Bytes)>, trials: u32,
        },
        /// A figure that no trial, or not every trial, has.
        "NW521" NotObserved {
            what: ObservedFigure,
            /// That of the first trial.
            reason: Reason,
            /// The trials that lack it for this reason.
            trials: u64,
            /// Those of them in which the reason has other numbers than in the first.
            others: u64,
        },
        /// The program failed at a point.
        "NW522" ProgramFailed { point: PointId, failure: TrialFailure },
        /// The program ran at a point, but printed no metric.
        "NW523" NoMetric { point: PointId, problem: MetricProblem },
        /// The runs of a point became slower or faster in the course of the check: `effect` is how many times as good the last of
        /// `repeats` is as the first, along their slope.
        "NW524" Drifted { point: PointId, effect: Effect, repeats: u32 },
        /// A point was dropped on the way for want of time: it was run `ran` times, and the baseline `baseline` times.
        "NW525" RanLess { point: PointId, ran: u32, baseline: u32 },
        /// CPUs that we may use run, or may run, at `held` at most where they can do `hardware`.
        "NW526" FrequencyHeldDown { cpus: CpuSet, held: Hertz, hardware: Hertz, by: FrequencyHold },
        /// The program ran in `trials` trials, and did not give a metric by which points are not compared.
        "NW527" OtherMetricMissing { metric: Box<NamedMetric>, problem: MetricProblem, trials: u64 },
        /// A point failed several times in a row and is run no more.
        "NW531" PointGivenUp { point: PointId, failures: u32 },
        /// A trial just measured was interrupted; `repeated` where it is run again.
        "NW532" TrialInterrupted { point: PointId, disturbance: Disturbance, repeated: bool },
        /// The program that is waited for has been stopped by a signal for so long.
        "NW533" ProgramStopped { pid: Pid, signal: i32, stopped_for: Nanoseconds },
        /// The program that is waited for runs for so long already, many times as long as at first.
        "NW534" ProgramOverdue { pids: Vec<Pid>, running_for: Nanoseconds, first: Nanoseconds },
        /// A point is run no more, so that the least number of repeats of the others fits into what is left of the time given.
        "NW535" PointDropped { point: PointId, repeats: u32, needs: Nanoseconds, left: Nanoseconds },
        /// The least number of repeats takes longer than the time given: `kept` where it is run all the same, since it was asked for.
        "NW536" RepeatsTakeLonger { repeats: u32, needs: Nanoseconds, budget: Nanoseconds, kept: bool },
        /// All that is missing of a grid takes longer than what is left of the time given, as far as trials tell.
        "NW537" GridTakesLonger { trials: u64, needs: Nanoseconds, left: Nanoseconds },
        /// The job of a trial ended on a node without the trial being at fault, in a `state` that the batch system names: the trial is
        /// carried out again. A `job` that was taken over may have left the queue before its number was seen.
        "NW538" TrialOfJobLost { job: Option<u32>, node: String, state: String, block: u32, point: PointId },
        /// No more trials run on a node.
        "NW539" ClusterNodeLeftOut { node: String, problem: String },
        /// The batch system does not say how its jobs are: they are waited for.
        "NW540" QueueUnknown { problem: String },
        /// The batch system does not take a job now, while so many are under way: it is asked again when some have ended.
        "NW541" JobRefused { problem: String, jobs: u32 },
        /// Jobs could not be cancelled.
        "NW542" JobsNotCancelled { jobs: u32, problem: String },
        /// The rest of a block runs on another node than its begin: in this block the difference between both is in the results.
        "NW543" BlockMoved { block: u32, from: String, to: String },
        /// The study ends, and so many jobs of it are under way: the same command finds what comes of them.
        "NW544" JobsGoOn { jobs: u32 },
    }
}

/// What keeps CPUs below what they can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrequencyHold {
    /// A governor that always chooses the least.
    Governor { governor: String, driver: String },
    /// The most that may be chosen was lowered, or boost is off.
    Limit,
}

/// Placements that are planned together and left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementGroup {
    /// Threads placed on CPUs, in whatever way.
    Pinned,
    /// CPUs and memory of one node.
    OneNode,
    /// The same on a node far from the device that was asked for.
    FarFromDevice,
    /// Memory interleaved, and memory of the farthest node.
    InterleavedAndRemote,
    /// A copy on each node at the same time.
    CopyPerNode,
    /// Memory on the high-bandwidth nodes.
    HighBandwidthMemory,
    /// The operating system's placement with huge pages.
    HugePages,
}

/// What the first run showed of a node, in shares of the same on all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeReason {
    /// It held most of the memory that stays where it is: pages of files, shared memory, what the program binds itself.
    FixedMemory { share: Ratio },
    /// It held most of the memory.
    Memory { share: Ratio },
    /// Most CPU time was spent on its CPUs, and the memory was on several nodes.
    CpuTime { share: Ratio },
}

/// Why placements were not tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotTriedReason {
    /// The call that sets the CPUs of a thread has no effect.
    AffinityRefused { by: AffinityRefusal },
    /// The library that pins threads is not where numawise looks for it.
    PinningLibraryMissing,
    /// Memory policy calls are forbidden.
    PoliciesForbidden,
    /// Memory may be taken from these nodes only, at most one.
    OnlyMemoryOf { nodes: NodeSet },
    /// The program needs more memory than these nodes can take.
    DoesNotFit { needs: Bytes, nodes: NodeSet, capacity: Bytes },
    /// No node far from a device has CPUs for as many threads, and memory that may be used.
    NoFarNode { threads: u32 },
    /// There is not a thread for each node.
    FewerThreadsThanNodes { threads: u32, nodes: u32 },
    /// All copies would write their metric to the same file.
    OneMetricFile,
    /// The system gives transparent huge pages to nobody, and only root can change that.
    TransparentHugePagesOff,
}

/// A launcher that binds its ranks: as it was asked to, by an option or a variable, or by its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BindingLauncher {
    pub name: String,
    pub asked_by: Option<String>,
}

/// Why threads of a plan that pins them were free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotPinnedReason {
    /// Several processes with fewer threads each than the plan has.
    Processes { processes: u32 },
    /// One process with fewer threads than the plan has.
    FewerThreads { ran: u32, planned: u32 },
    /// Nothing that was seen explains it.
    NotSeen,
}

/// What shows where a thread was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementEvidence {
    /// The CPUs that the kernel holds it to.
    Masks,
    /// The CPUs on which it was seen, against its mask: what reports the mask does not keep to it.
    SeenOnCpus,
}

/// A figure that watching a trial gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedFigure {
    /// All of them.
    Everything,
    Threads,
    MemoryByNode,
    Migrations,
    RunQueueDelay,
    PeakMemory,
    StealTime,
    OtherLoad,
}
