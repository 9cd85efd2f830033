//! Processes and threads, and where they ran.

use numawise_facts::Reading;
use numawise_facts::activity::{ProcessEnd, ProcessSurroundings, ThreadRole};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, NodeSet, Pid};

use super::{
    CounterFigures, CpuTime, Efficiencies, EfficiencySpan, FileUse, OverfullCpus, PlacedMasks, ProcessName,
    RatedShare, RemoteMemory, SharedCpu,
};

/// One process.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessRow {
    pub host: String,
    pub pid: Pid,
    pub parent: Pid,
    pub program: String,
    /// The number of its `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    /// In `MPI_COMM_WORLD`.
    pub rank: Reading<u32>,
    pub elapsed: Reading<Nanoseconds>,
    pub end: ProcessEnd,
    /// CPUs that it counts for.
    pub cpus: Reading<u64>,
    /// Sums over its threads, without those that serve it in the background.
    pub time: Reading<CpuTime>,
    pub useful: RatedShare,
    /// Time in MPI of each of its CPUs, of the run; a team that idles while its first thread is in MPI is there too.
    pub mpi: Reading<Nanoseconds>,
    /// Of that, what is beyond the process that was in MPI for the shortest time: its waiting for others that compute longer.
    pub mpi_waiting: Reading<Nanoseconds>,
    /// Useful time in which its threads were not on a CPU, at least.
    pub not_running: Reading<Nanoseconds>,
    /// The CPUs on which it may run.
    pub mask: Reading<CpuSet>,
    /// What was noted of it beside the work of its threads.
    pub surroundings: ProcessSurroundings,
    /// How much of it is on other nodes than its threads.
    pub remote: Reading<RemoteMemory>,
    pub counters: Reading<CounterFigures>,
    /// How long its working threads were ready and waited for a CPU, summed.
    pub run_delay: Reading<Nanoseconds>,
    /// Its time in these calls is part of `time`.
    pub files: FileUse,
    pub threads: Reading<Vec<ThreadRow>>,
}

impl ProcessRow {
    /// The CPUs on which its threads were seen.
    pub fn seen_on_cpus(&self) -> Reading<CpuSet> {
        self.threads.as_ref().and_then(|threads| {
            let each = Reading::all(threads.iter().map(|thread| thread.cpus.as_ref()));
            each.map(|each| each.into_iter().flatten().map(|stay| stay.cpu).collect())
        })
    }

    /// Their nodes.
    pub fn seen_on_nodes(&self) -> Reading<NodeSet> {
        self.threads.as_ref().and_then(|threads| {
            let each = Reading::all(threads.iter().map(|thread| thread.nodes.as_ref()));
            each.map(|each| each.into_iter().flat_map(NodeSet::iter).collect())
        })
    }

    /// How often its threads were found on another CPU than before, but for those that serve it in the background.
    pub fn migrations(&self) -> Reading<u64> {
        self.threads.as_ref().and_then(|threads| {
            let own = threads.iter().filter(|thread| thread.role.measured() != Some(&ThreadRole::Helper));
            let each = Reading::all(own.map(|thread| thread.migrations.clone()));
            each.map(|each| each.into_iter().fold(0, u64::saturating_add))
        })
    }
}

/// One thread.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadRow {
    pub tid: Pid,
    pub is_first: bool,
    pub role: Reading<ThreadRole>,
    /// How many threads had this place, one after the other.
    pub lives: u32,
    pub useful: Reading<Nanoseconds>,
    /// Time on a CPU.
    pub processor: Reading<Nanoseconds>,
    /// The most often seen first.
    pub cpus: Reading<Vec<CpuStay>>,
    /// Nodes of these CPUs.
    pub nodes: Reading<NodeSet>,
    pub migrations: Reading<u64>,
    /// How often its CPU was taken from it.
    pub forced_switches: Reading<u64>,
    /// How long it was ready and waited for a CPU.
    pub run_delay: Reading<Nanoseconds>,
    /// The CPUs on which it may run.
    pub mask: Reading<CpuSet>,
}

/// How often a thread was found on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuStay {
    pub cpu: CpuId,
    pub node: Option<NodeId>,
    pub found: u64,
}

/// Where the threads of all processes were.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacementSummary {
    /// Threads that work for the program and whose CPUs are known.
    pub threads: u64,
    /// Threads whose CPUs are not known.
    pub unknown: u64,
    /// Of `threads`, those that were seen on more than one CPU.
    pub moved: u64,
    pub migrations: Reading<u64>,
    /// Of `threads`, those that may run on several cores; unavailable where a mask is not known.
    pub unbound: Reading<u64>,
    /// Of `threads`, those that worked on several nodes.
    pub on_several_nodes: u64,
    /// How long working threads were ready and waited for a CPU, for each CPU that counts: of the process where that is the most.
    pub run_delay: Reading<Nanoseconds>,
    /// The same of each process, over all.
    pub run_delays: Reading<ProcessSpread<Nanoseconds>>,
    /// How often the threads of a process were found on another CPU than before.
    pub migrations_by_process: Reading<ProcessSpread<u64>>,
    pub masks: Reading<PlacedMasks>,
    /// CPUs that several threads share at the same time, by host and number.
    pub shared: Vec<SharedCpu>,
    /// How many more may be: of merged ranks those are kept that share most.
    pub further_shared: u64,
    /// Sets of CPUs that more threads are bound to than there are CPUs, the fullest first.
    pub overfull: Vec<OverfullCpus>,
    /// How many more there are: of merged ranks the fullest are kept.
    pub further_overfull: u64,
    pub remote: Reading<RemoteSummary>,
}

/// Memory on nodes with CPUs where no thread of its process worked, over processes of which that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteSummary {
    pub processes: u64,
    /// Processes of which it is not known.
    pub unknown: u64,
    pub all: Bytes,
    pub remote: Bytes,
    /// Processes of which it is a finding.
    pub notable: u64,
}

/// A figure over processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessSpread<T> {
    pub mean: T,
    pub most: T,
    pub most_of: ProcessName,
}

/// One of several `MPI_COMM_WORLD`s of a run, by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldRow {
    /// From 1, in the order in which they began.
    pub number: u32,
    /// Of its first rank.
    pub program: String,
    /// Ranks that were watched, of `size`.
    pub ranks: u64,
    pub size: Option<u32>,
    /// When its first process began, since the first one of the run did.
    pub began: Nanoseconds,
    /// What all figures here are of.
    pub span: Reading<EfficiencySpan>,
    pub useful: RatedShare,
    /// Share of the time that is in MPI.
    pub mpi: Reading<RatedShare>,
    pub efficiency: Efficiencies,
}
