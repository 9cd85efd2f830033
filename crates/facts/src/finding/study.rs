//! What is said in findings of a study: a group for each kind, whose sentences stand together in `report`.

use numawise_units::NodeSet;
use serde::Serialize;

use crate::PageSize;

/// How far apart the runs are, and how many there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoiseQuantity {
    /// Half the width of the widest interval, as a share; `of`: the margin.
    IntervalHalfWidth,
    /// Standard deviation from one run to the next, as a share.
    RunToRunDeviation,
    /// Repeats of the point that was run most often.
    Repeats,
    /// Runs that shared the machine with other work; `of`: all runs.
    DisturbedRuns,
    /// Runs in which a hypervisor took CPU time.
    StolenRuns,
    /// What a run takes, typically.
    RunTime,
}

/// Of runs that differ in something that was seen in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunGroupQuantity {
    /// Runs of a group; `of`: all runs of the point that can be told apart so.
    RunsOfGroup,
    /// The median of the metric in the runs of a group.
    MetricOfGroup,
    /// How many times as good the runs of one group are as all others.
    EffectOfGroup,
}

/// What the program does to the placement that it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObeyedQuantity {
    /// Share of the memory of a point that was not where the plan has it; `of`: all that counts.
    MemoryAgainstPlan,
    /// Share of the memory of a point under a policy that the mappings have themselves; `of`: all that counts.
    MemoryUnderPolicy,
    /// Share of the memory of a point that is of a use which the policy of a process does not move; `of`: all that counts.
    MemoryByUse,
    /// CPUs that working threads are held to; `of`: CPUs that they may use.
    CpusOfThreads,
}

/// Of threads that the operating system moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PinningQuantity {
    /// How often threads changed CPUs in a run, at least; the median of the runs.
    Migrations,
    /// Standard deviation of the metric as a share of its mean.
    RunVariation,
    /// Runs in which two working threads were on one CPU while there was one for each; `of`: runs that show it.
    RunsWithSharedCpu,
    /// Share of the time that threads were ready to run in which they waited for a CPU; the median of the runs.
    WaitForCpu,
}

/// What a program does to itself and the kernel to it beside the placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemQuantity {
    /// Threads that work as much as the busiest, or nearly; `of`: CPUs that they may use.
    WorkingThreads,
    /// Threads that had a CPU or waited for one, on average over a run; `of`: CPUs that they may use.
    ReadyThreads,
    /// How many times as good as many threads as CPUs are.
    EffectOfFewerThreads,
    /// Memory that was given in transparent huge pages while a run lasted, the median of the runs; `of`: the peak of the program.
    HugePages,
    /// How many times as good pages of another size are.
    EffectOfPageSize,
    /// Memory that NUMA balancing moved while a run lasted, the median of the runs; `of`: the peak of the program.
    MemoryMoved,
    /// Page faults that NUMA balancing made while a run lasted, the median of the runs.
    HintFaults,
    /// How many times as good memory is that the kernel does not move.
    EffectWithoutMoving,
    /// Share of the CPU time of the machine, or of a node, that others used in the runs that they disturbed, the median; `of`: its
    /// CPUs.
    OtherLoad,
    /// Memory that was meant for a node and had to be given by another while a run lasted, the median of the runs; `of`: the peak
    /// of the program.
    TurnedAway,
    /// Memory of a node that was free before the first run; `of`: the peak of the program.
    NodeFree,
    /// How often a full node was searched for pages to drop while a run lasted, the median of the runs.
    NodeReclaims,
    /// The most of any one process of a run that was in swap, the median of the runs; `of`: the peak of the program.
    MemoryInSwap,
    /// Memory that was read from swap while a run lasted, the median of the runs; `of`: the peak of the program.
    SwappedIn,
    /// Memory that was written to swap while a run lasted, the median of the runs; `of`: the peak of the program.
    SwappedOut,
    /// Pages of files on a node; `of`: all memory of the program.
    FilePages,
}

/// Of the clock of the CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockQuantity {
    /// Runs in which the CPUs ran slower than in the others; `of`: all runs of the point that show it.
    RunsOfLowFrequency,
    /// How many times as good the other runs are.
    EffectOfFrequency,
    /// Share of an effect that the frequency explains at most, in logs: that much for a program that only computes.
    ExplainedByFrequency,
    /// Mean frequency of the CPUs in the runs of a point, the median of the runs; with `of` in those of low frequency, and `of` in the
    /// others.
    Frequency,
    /// How many times as high the frequency of one point is as that of another.
    FrequencyRatio,
}

/// Where others place memory and threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObeyedAdvice {
    /// Switch off what the program, or what starts it, does to place its memory.
    LeaveMemoryPolicy,
    /// Reserve huge pages on the nodes that are to be used, or use transparent ones.
    ReserveHugePages,
    /// Start whoever touches the shared memory first with the policy.
    PlaceSharedMemory,
    /// Have the files read first by a process on the right node.
    ReadFilesThere,
    /// Switch off what the program, or what starts it, does to bind its threads.
    LeaveThreads,
}

/// For a program and a kernel that are in each other's way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemAdvice {
    /// Run no more threads than this, which is as many as there are CPUs.
    RunFewerThreads { threads: u32 },
    /// Let the number of threads be set from outside, so that fewer can be tried.
    HandOverThreads,
    /// Use pages of this size.
    UsePages { pages: PageSize },
    /// Keep the kernel from moving the program's pages.
    LeavePages,
    /// Make room on these nodes.
    FreeTheNode { nodes: NodeSet },
    /// Keep the program's memory out of swap.
    KeepOutOfSwap,
}

/// Where frequencies differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockAdvice {
    /// Let the governor keep the CPUs at one frequency.
    UsePerformanceGovernor,
    /// Find what slows the CPUs down, and switch off what makes their frequency change.
    SteadyClock,
}
