//! Parallel regions of OpenMP, over all processes.

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, ConstructName, ConstructTeam, OpenMpRuntimes, OpenMpSchedule};
use numawise_units::{Nanoseconds, Ratio};

use super::RatedShare;

/// What the processes did in OpenMP.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenMpSummary {
    pub runtimes: OpenMpRuntimes,
    /// Processes that used it.
    pub processes: u64,
    /// Share of the elapsed time outside of parallel regions and of MPI, on average over the processes.
    pub serial: RatedShare,
    /// Potential gain of all regions together, of the run, in the process where it is the most.
    pub potential_gain: Reading<Nanoseconds>,
    /// `potential_gain` of the elapsed time.
    pub imbalance_share: RatedShare,
    /// Outermost regions and those within them, the most potential gain first.
    pub regions: Vec<RegionRow>,
    /// Regions beyond the number of rows.
    pub further_regions: Reading<u64>,
    /// Constructs for which the collector had no row, each time.
    pub lost: u64,
}

/// A parallel region, or a league of teams, in one surrounding; the same place within another is another row.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionRow {
    pub name: ConstructName,
    pub place: Reading<CodePlace>,
    /// The regions and tasks that it stands in, the innermost first; none: it is an outermost one.
    pub within: Vec<Reading<CodePlace>>,
    pub processes: u64,
    /// How often it was opened, in all processes.
    pub calls: u64,
    /// By the clock from opening to closing, summed over the calls of a process: mean, and the most, over processes.
    pub time: Nanoseconds,
    pub longest_time: Nanoseconds,
    /// `time` of the elapsed time.
    pub share: Reading<Ratio>,
    pub team: Reading<ConstructTeam>,
    /// Threads that work in it at once, summed over the processes.
    pub threads: u64,
    /// Sums over the threads of all processes, with what is in the region but for regions within it.
    pub useful: Nanoseconds,
    pub mpi: Nanoseconds,
    /// At barriers.
    pub imbalance: Nanoseconds,
    pub lock: Nanoseconds,
    pub scheduling: Nanoseconds,
    /// `imbalance` of a process divided by its threads: mean, and the most, over processes.
    pub potential_gain: Reading<Nanoseconds>,
    pub most_potential_gain: Reading<Nanoseconds>,
    pub loops: Reading<Vec<LoopRow>>,
    pub waits: Reading<Vec<WaitRow>>,
}

/// A worksharing loop or sections in a region.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopRow {
    pub name: ConstructName,
    pub place: Reading<CodePlace>,
    pub schedule: Reading<OpenMpSchedule>,
    /// The size of chunks that was asked for.
    pub chunk: Reading<u64>,
    /// How often all threads of a team met it.
    pub calls: Reading<u64>,
    /// Iterations of one call, on average; unavailable where a compiler shared them out itself.
    pub iterations: Reading<Ratio>,
    /// Threads of the team that met it.
    pub threads: u64,
    /// What a perfect schedule makes of the threads' time at best: iterations / (threads x ceil(iterations / threads)).
    pub at_best: Reading<Ratio>,
    pub chunks: Reading<u64>,
    pub per_thread: Reading<ThreadIterations>,
    /// Useful time in it, over all threads.
    pub useful: Nanoseconds,
    pub scheduling: Nanoseconds,
    pub imbalance: Reading<Nanoseconds>,
}

/// Iterations that threads did, over all calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadIterations {
    pub least: u64,
    pub most: u64,
}

/// A construct in a region at which threads wait.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitRow {
    pub name: ConstructName,
    pub place: Reading<CodePlace>,
    pub waits: u64,
    /// Over all threads.
    pub time: Nanoseconds,
    pub longest: Nanoseconds,
}
