//! Where a job's threads and pages are, as tables that only need to be shown: snapshots joined with the machine.

use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, NodeSet, Pid, Ratio};
use serde::Serialize;

use numawise_facts::notice::ResidencyNotice;
use numawise_facts::{MappingSnapshot, MemoryKind, Notice, PageUse, PolicyShare, Reading};

/// A job at one moment, or between two.
#[derive(Debug, Clone, PartialEq)]
pub struct Residency {
    /// Since the start of the system (CLOCK_BOOTTIME).
    pub at: Nanoseconds,
    /// The same moment since 1970-01-01 UTC.
    pub unix_time: Nanoseconds,
    pub span: ShareSpan,
    /// The columns of every table by node: all nodes of the machine, and those that appear without being in it.
    pub nodes: Vec<NodeColumn>,
    /// By rank where there are ranks, then by process id.
    pub tasks: Vec<TaskResidency>,
    pub job: JobResidency,
    /// What could not be seen, and why.
    pub notes: Vec<ResidencyNotice>,
    /// That the machine is emulated, where it is.
    pub rehearsal: Option<Notice>,
}

impl Residency {
    pub fn task(&self, pid: Pid) -> Option<&TaskResidency> {
        self.tasks.iter().find(|task| task.pid == pid)
    }
}

/// The time over which shares of CPUs are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareSpan {
    /// Since each thread began, as `ps` has it: there was one sample.
    SinceBegin,
    /// Between two samples, so far apart. What began in between counts since it began.
    BetweenSamples(Nanoseconds),
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NodeColumn {
    pub node: NodeId,
    /// Unknown too where the machine does not have the node.
    pub kind: MemoryKind,
    /// It has CPUs.
    pub cpus: bool,
}

/// A process.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskResidency {
    pub pid: Pid,
    pub parent: Pid,
    pub name: String,
    pub command: Reading<String>,
    pub user: u32,
    pub rank: Reading<u32>,
    /// Since the start of the system. With `pid` it names the process for good.
    pub started: Nanoseconds,
    /// In the order of their numbers.
    pub threads: Reading<Vec<ThreadResidency>>,
    /// The CPUs that it keeps busy: the sum of its threads' shares, as far as they are known.
    pub busy: Reading<Ratio>,
    /// The CPUs on which the threads may run that do its work: those with at least a tenth of the CPU time of its busiest.
    pub mask: Reading<CpuSet>,
    /// How many threads do its work.
    pub working: Reading<u64>,
    /// The nodes where its threads run: those with at least 1 % of its CPU time.
    pub runs_on: Reading<NodeSet>,
    /// Which share of that CPU time is used on each of [`Residency::nodes`]; the sum is 1.
    pub time_by_node: Reading<Vec<Ratio>>,
    pub memory: Reading<MemoryTable>,
    pub local: Reading<LocalShare>,
    /// Memory on nodes where none of its threads runs, the most first.
    pub remote: Reading<Vec<RemoteMemory>>,
}

/// A thread.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadResidency {
    pub tid: Pid,
    pub name: String,
    /// The letter of proc(5).
    pub state: char,
    /// Where it runs or ran last.
    pub cpu: CpuId,
    /// The node of that CPU, where the machine says.
    pub node: Option<NodeId>,
    pub mask: Reading<CpuSet>,
    /// The nodes of the CPUs in its mask.
    pub mask_nodes: Reading<NodeSet>,
    /// Of one CPU, over [`Residency::span`].
    pub share: Reading<Ratio>,
    /// It wants a CPU: its share between two samples is at least 10 %; with one sample, it runs or waits to run.
    pub busy: bool,
    /// Since it began.
    pub cpu_time: Nanoseconds,
    /// Since it began.
    pub migrations: Reading<u64>,
    /// Between the samples.
    pub recent_migrations: Reading<u64>,
    /// Since it began.
    pub minor_faults: u64,
    /// Since it began.
    pub major_faults: u64,
    /// Both kinds, between the samples.
    pub recent_faults: Reading<u64>,
}

/// Resident memory by use and node, and how it is placed. Columns are those of [`Residency::nodes`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryTable {
    /// One for each use, in the order of [`PageUse::ALL`], with pages or without.
    pub rows: Vec<MemoryRow>,
    /// The sums of the columns.
    pub by_node: Vec<Bytes>,
    pub total: Bytes,
    pub policies: Vec<PolicyShare>,
    pub largest: Vec<MappingSnapshot>,
    pub mappings: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryRow {
    pub used_for: PageUse,
    /// One for each of [`Residency::nodes`].
    pub by_node: Vec<Bytes>,
    pub total: Bytes,
}

/// How much of a task's memory is local to it.
///
/// Neither figure knows which thread uses which page: `/proc` does not say. A page is local to the node that it lies on;
/// on a node without CPUs (HBM, CXL) it is local to the nodes to whose CPUs that memory is nearest. A thread counts with
/// all its CPU time on the node where it was last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalShare {
    /// The share of its pages that lie where its threads run ([`TaskResidency::runs_on`]). The rest is remote for every thread.
    pub at_most: Ratio,
    /// The share of local accesses if every thread used every page alike: the sum over nodes of the share of CPU time
    /// there times the share of pages that are local there. With one node it is the same as `at_most`.
    pub if_alike: Ratio,
    /// The time over which CPU time was weighed; since they began where no thread used any between the samples.
    pub weighed: ShareSpan,
}

/// Memory of a task on a node where none of its threads runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoteMemory {
    pub node: NodeId,
    pub bytes: Bytes,
    /// Of these, pages of files: they stay where the file was first read, often by another program.
    pub file: Bytes,
    /// One of its threads may run there, though none does.
    pub may_run: bool,
    /// The nearest of the nodes where its threads run.
    pub nearest: Option<NodeId>,
    /// The firmware's distance from there, as a multiple of the local one.
    pub distance: Reading<Ratio>,
}

/// All tasks together.
#[derive(Debug, Clone, PartialEq)]
pub struct JobResidency {
    /// One for each of [`Residency::nodes`].
    pub by_node: Vec<NodeTotal>,
    /// Sums over the tasks whose memory could be read, in the order of [`PageUse::ALL`]. A page that several tasks map counts
    /// for each of them, as numastat has it.
    pub memory: Reading<Vec<MemoryRow>>,
    pub total: Reading<Bytes>,
    /// The threads that could be read.
    pub threads: u64,
    /// The CPUs that are kept busy: the sum over tasks where it is known.
    pub busy: Reading<Ratio>,
    /// Of all tasks where it is known, weighted by their memory.
    pub local: Reading<LocalShare>,
    /// CPUs with two or more busy threads.
    pub shared_cpus: Vec<SharedCpu>,
    /// CPUs on which two or more tasks are pinned.
    pub overlaps: Vec<MaskOverlap>,
    /// What could not be read, and so is in none of these sums.
    pub left_out: LeftOut,
    /// What stands out, the most important first.
    pub remarks: Vec<ResidencyNotice>,
}

/// Of how many tasks something is missing in the sums over a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    pub threads: u64,
    pub memory: u64,
}

/// What of the job is on a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeTotal {
    pub node: NodeId,
    /// Threads that run there or ran there last.
    pub threads: u64,
    /// Of these, the busy ones.
    pub busy_threads: u64,
    /// The sum of their shares of a CPU, as far as they are known.
    pub busy: Reading<Ratio>,
    pub memory: Reading<Bytes>,
}

/// A CPU with two or more busy threads.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedCpu {
    pub cpu: CpuId,
    pub node: Option<NodeId>,
    pub threads: Vec<Occupant>,
    /// The sum of their shares of it, as far as they are known.
    pub load: Reading<Ratio>,
    /// They are in each other's way: two or more of them run or wait to run there at this moment, or they use at least 90 %
    /// of it together.
    pub contended: bool,
}

/// A thread as others need to name it.
#[derive(Debug, Clone, PartialEq)]
pub struct Occupant {
    pub pid: Pid,
    pub rank: Option<u32>,
    pub tid: Pid,
    pub name: String,
    pub share: Reading<Ratio>,
    /// It may run on this CPU only.
    pub pinned: bool,
}

/// CPUs on which two or more tasks are pinned, busy now or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskOverlap {
    /// The CPUs that they share.
    pub cpus: CpuSet,
    pub tasks: Vec<Pid>,
    /// Their ranks, where they have some.
    pub ranks: Vec<u32>,
    /// More threads do work on the CPUs of these tasks than there are CPUs.
    pub oversubscribed: bool,
}
