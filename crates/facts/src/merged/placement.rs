//! Where the threads of processes ran and their memory lay, together: sums, the most, and what is fullest.
//!
//! Made of all processes of a computer at once, since which of them share a CPU shows of no single one, and then added up over computers.

use std::collections::BTreeMap;

use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, NodeSet, Pid, TimeSum};
use serde::{Deserialize, Serialize};

use crate::{Reading, reading::Reason};

/// CPUs that are shared, and sets of CPUs that are overfull.
pub const MOST_OVERFULL: usize = 64;
/// Threads and ranks that are named of one of them.
pub const MOST_THERE: usize = 32;

/// The placement of some processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedPlacement {
    pub processes: u64,
    pub hosts: BTreeMap<String, PlacedHost>,
    /// Working threads whose CPUs are known.
    pub threads: u64,
    /// Those whose CPUs are not known, and why of one of them.
    pub unknown: u64,
    pub why_unknown: Option<Reason>,
    /// Of `threads`: those that were found on several CPUs, and how often threads moved.
    pub moved: u64,
    pub migrations: u64,
    /// Working threads that may run on several cores.
    pub unbound: Reading<u64>,
    pub on_several_nodes: u64,
    /// What working threads waited for a CPU, for each CPU of their process: of the process where that is the most.
    pub run_delay: Reading<Nanoseconds>,
    /// That process, of those of which it is known.
    pub delayed: Option<DelayedProcess>,
    /// The same for all CPUs of a process together.
    pub run_delays: Reading<SumOverProcesses<TimeSum, Nanoseconds>>,
    pub migrations_by_process: Reading<SumOverProcesses<u64, u64>>,
    pub forced_switches: Reading<u64>,
    pub masks: Reading<PlacedMasks>,
    /// CPUs at which several working threads are at home: those that took most from one another, and how many there are in all.
    pub shared: Vec<SharedCpu>,
    pub all_shared: u64,
    /// Sets of CPUs to which more threads are bound than there are CPUs: the fullest, and how many there are in all.
    pub overfull: Vec<OverfullCpus>,
    pub all_overfull: u64,
    pub remote: RemoteSum,
}

/// The CPUs of a computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedHost {
    /// In so many parts its processes came. Of several it is not known what they share with one another.
    pub parts: u64,
    /// The masks of the processes together, or what the computer has for us where these are not known.
    pub allowed: Reading<CpuSet>,
    /// With what the computer has for us besides.
    pub usable: Reading<CpuSet>,
}

/// Which process it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProcessName {
    pub rank: Option<u32>,
    /// The number of its `MPI_COMM_WORLD`, from 1 on, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<u32>,
    pub host: String,
    pub pid: Pid,
}

/// A process whose threads waited for CPUs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayedProcess {
    /// For each of its CPUs.
    pub delay: Nanoseconds,
    pub lived: Reading<Nanoseconds>,
    pub process: ProcessName,
}

/// A figure of processes: the sum, and the most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SumOverProcesses<S, T> {
    pub sum: S,
    pub most: T,
    pub most_of: ProcessName,
}

/// The sets of CPUs on which processes may run: different ones on each host, and the CPUs in the smallest and in the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedMasks {
    pub sets: u64,
    pub least: u64,
    pub most: u64,
}

/// A CPU at which several working threads are at home that lived at the same time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedCpu {
    pub host: String,
    pub cpu: CpuId,
    /// How many threads.
    pub count: u64,
    /// What all but the busiest of them computed.
    pub others_computed: Reading<Nanoseconds>,
    /// Processes and threads in the order of their numbers, the first ones of many.
    pub threads: Vec<(Pid, Pid)>,
    /// Their ranks, the first ones of many, and how many more there are.
    pub ranks: Vec<u32>,
    pub further_ranks: u64,
}

/// CPUs to which more working threads are bound at once than there are of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverfullCpus {
    pub host: String,
    pub cpus: CpuSet,
    pub threads: u64,
    /// Their ranks, the first ones of many, and how many more there are.
    pub ranks: Vec<u32>,
    pub further_ranks: u64,
}

/// Memory of processes on nodes with CPUs where none of their threads worked, when they had most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteSum {
    /// Processes of which it is known.
    pub known: u64,
    /// Those of which it is not, and why of one of them.
    pub unknown: u64,
    pub why_unknown: Option<Reason>,
    /// Of those that are known: all of their memory, and what is elsewhere.
    pub all: Bytes,
    pub elsewhere: Bytes,
    /// Of how many that is so much that it is worth saying, and where it is the largest part of all.
    pub notable: u64,
    pub worst: Option<RemoteProcess>,
}

/// A process with memory elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteProcess {
    pub process: ProcessName,
    pub all: Bytes,
    pub elsewhere: Bytes,
    /// The node with most of what is elsewhere.
    pub most_on: NodeId,
    pub threads_on: NodeSet,
}
