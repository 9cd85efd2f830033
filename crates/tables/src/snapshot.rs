//! What a run that was watched from inside says: where its CPUs' time went, and what took the part that was not useful.
//!
//! What is not known is a reading with its reason. Times "of CPUs" are sums over CPUs, those "of the run" are by the clock.

mod comparison;
mod counter;
mod files;
mod hybrid;
mod memory;
mod merged;
mod mpi;
mod openmp;
mod phase;
mod process;
mod rating;
mod trace;
mod view;

use numawise_facts::{Finding, Reading};
use numawise_units::{Nanoseconds, Ratio, TimeSum};

pub use comparison::{
    BothRuns, ComparedCall, ComparedFinding, ComparedMemory, ComparedProcess, ComparedRegion, FindingCourse,
    RegionFigures, SnapshotComparison,
};
pub use counter::CounterFigures;
pub use files::{FileSummary, FileTotals, FileUse, MpiFileTotals};
pub use hybrid::{HybridBest, HybridComparison, HybridReason, HybridRow, HybridTimePart};
pub use memory::{MemorySpread, MemorySummary, NodeMemoryRow, RemoteMemory};
pub use merged::{MergedRankTables, RankTimeSpread, SpreadQuantity};
pub use mpi::{
    CommunicatorRow, LateCalls, MessageSizeRow, MpiCallRow, MpiSiteRow, MpiSummary, RankSpread, TrafficCell,
    TrafficMatrix, VolumeTables, WaitingInCalls, WaitsFor,
};
pub use numawise_facts::activity::CodePlace;
pub use numawise_facts::finding::RankInCall;
pub use numawise_facts::merged::{
    CpuTime, OverfullCpus, PlacedMasks, ProcessName, SharedCpu, SnapshotLosses,
};
pub use openmp::{LoopRow, OpenMpSummary, RegionRow, ThreadIterations, WaitRow};
pub use phase::{PhaseRow, PhaseTables};
pub use process::{CpuStay, PlacementSummary, ProcessRow, ProcessSpread, RemoteSummary, ThreadRow, WorldRow};
pub use rating::{Grade, RatedShare, Rating, ThresholdSource};
pub use trace::{
    CallAt, CallPlace, CollectiveProfile, EventCall, EventCommunicator, EventLane, EventMessage, EventPair,
    EventPhase, EventSpan, EventState, EventTransfer, EventWorker, LateThread, LongestThreadWait,
    LongestTransfer, LongestWait, MessageProfile, NotJudged, NotJudgedReason, OddRepetition, OutOfOrder,
    PathPart, PlacedChange, PlacedMark, PlacedMarks, RankActivity, RankAsOthers, RunTrace, SpanState,
    ThreadWithoutCpu, TraceChange, TraceEvents, TracePeriod, TraceSlices, TraceTimes, TracedConstruct,
    TracedPhase, TracedRank, TracedRegion, TracedSerial, TracedWait, TracedWorker, WaitKind, WaitingCause,
    WaitingPair, WhatIf,
};
pub use view::{AskedWindow, SHARES, TraceWindow};

/// All that is said of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSnapshot {
    /// Of the processes that count, from the first one's begin to the last one's end; with MPI, the longest rank's.
    pub elapsed: Reading<Nanoseconds>,
    /// The part of it that efficiencies, shares and potentials are of.
    pub span: Reading<EfficiencySpan>,
    pub processes: ProcessCounts,
    pub cpus: Reading<CpuCount>,
    pub time: Reading<CpuTime>,
    /// Time in the program's code and on a CPU, as far as that is known, of all that the CPUs had.
    pub useful: RatedShare,
    /// Why nothing is graded; none where it is.
    pub doubt: Option<RunDoubt>,
    /// Of `useful`, but no better than what findings could bring; none where it is not graded.
    pub grade: Option<Grade>,
    pub efficiency: Efficiencies,
    /// Each `MPI_COMM_WORLD` by itself, where there are several, in the order in which they began.
    pub worlds: Vec<WorldRow>,
    /// Ranks in their order, of one world after the other; without MPI by host and process id.
    pub rows: Vec<ProcessRow>,
    /// There where `rows` are not all ranks that count.
    pub merged: Option<MergedRankTables>,
    /// Those that do not count: launchers, shells, and what ran before a process became the program.
    pub others: Vec<ProcessRow>,
    pub mpi: Reading<MpiSummary>,
    /// There where calls were written down one by one.
    pub trace: Option<RunTrace>,
    pub openmp: Reading<OpenMpSummary>,
    pub placement: Reading<PlacementSummary>,
    pub memory: MemorySummary,
    pub counters: Reading<CounterFigures>,
    pub files: FileSummary,
    pub phases: Reading<PhaseTables>,
    pub lost: SnapshotLosses,
    /// The largest potential first.
    pub findings: Vec<SnapshotFinding>,
}

/// Why a run is not judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunDoubt {
    /// Shares are of less than this time.
    TooShort { shortest: Nanoseconds },
    /// Other work had CPUs for which threads of the run waited.
    Disturbed { lost: PotentialGain },
}

/// How many processes there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessCounts {
    /// Those that all figures are of.
    pub counted: u64,
    /// Of these, ranks of MPI.
    pub ranks: u64,
    /// The size of `MPI_COMM_WORLD`; more than `ranks` where some left nothing behind.
    pub world: Option<u32>,
    pub others: u64,
    pub hosts: u64,
}

/// The time that efficiencies are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EfficiencySpan {
    pub time: Nanoseconds,
    pub scope: SpanScope,
}

/// Which part of a run efficiencies are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanScope {
    WholeRun,
    /// From the end of `MPI_Init` to the begin of `MPI_Finalize`, or to the end of a rank that did not come to it: as TALP has it.
    BetweenInitAndFinalize,
}

/// How many CPUs the efficiencies are of, and what that means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuCount {
    pub count: u64,
    pub definition: CpuDefinition,
    /// The CPUs that the processes may use, by their masks; on all hosts.
    pub allowed: Reading<u64>,
}

/// What is taken for the number of CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuDefinition {
    /// The most threads that do the work of a process and live at once, over all processes: a CPU for each thread.
    Threads,
}

impl RunSnapshot {
    /// What the CPUs had while the thread that each is counted for was not there yet, or no more. Parallel efficiency leaves it out,
    /// the useful share does not.
    pub fn without_thread(&self) -> Reading<TimeSum> {
        let had = self.span.as_ref().zip(self.cpus.as_ref());
        let had = had.map(|(span, cpus)| TimeSum(u128::from(span.time.0) * u128::from(cpus.count)));
        had.zip(self.time.as_ref()).map(|(had, time)| had.saturating_sub(time.total()))
    }
}

/// Efficiencies with the names of POP and TALP.
#[derive(Debug, Clone, PartialEq)]
pub struct Efficiencies {
    /// The share of the time in which threads had something to do that they had a CPU for it: not POP's, whose useful time has all of it.
    pub with_cpu: RatedShare,
    pub parallel: RatedShare,
    pub mpi_parallel: RatedShare,
    pub mpi_communication: RatedShare,
    pub mpi_load_balance: RatedShare,
    /// Its part inside hosts.
    pub mpi_load_balance_in: RatedShare,
    /// Its part between hosts.
    pub mpi_load_balance_out: RatedShare,
    pub openmp_parallel: RatedShare,
    pub openmp_serialization: RatedShare,
    pub openmp_load_balance: RatedShare,
    pub openmp_scheduling: RatedShare,
}

impl Efficiencies {
    /// One after the other, as they stand.
    pub fn each_mut(&mut self) -> [&mut RatedShare; 11] {
        [
            &mut self.with_cpu,
            &mut self.parallel,
            &mut self.mpi_parallel,
            &mut self.mpi_communication,
            &mut self.mpi_load_balance,
            &mut self.mpi_load_balance_in,
            &mut self.mpi_load_balance_out,
            &mut self.openmp_parallel,
            &mut self.openmp_serialization,
            &mut self.openmp_load_balance,
            &mut self.openmp_scheduling,
        ]
    }
}

/// A finding with what its cure could bring at most.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotFinding {
    pub finding: Finding,
    /// Time of the run that would be gained if the cause were gone and nothing took its place.
    pub potential: Reading<PotentialGain>,
}

/// Time that could be gained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PotentialGain {
    pub time: Nanoseconds,
    /// Of the elapsed time.
    pub share: Ratio,
}
