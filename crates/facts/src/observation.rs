//! What was seen from outside while a trial ran: bare numbers of CPUs and nodes, no judgement.

use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid, Ratio};
use serde::{Deserialize, Serialize};

use crate::Reading;

/// What was seen of one trial, over all its processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// CPU time of the processes, from `wait4`.
    pub user: Nanoseconds,
    pub system: Nanoseconds,
    /// Largest resident set of any one process of the trial (`ru_maxrss`).
    pub peak_memory: Reading<Bytes>,
    pub minor_faults: Reading<u64>,
    pub major_faults: Reading<u64>,
    pub voluntary_switches: Reading<u64>,
    pub involuntary_switches: Reading<u64>,
    /// Times that a thread was seen on another CPU than at the sample before: a lower bound of its migrations.
    pub migrations: Reading<u64>,
    /// Time that threads were ready and waited for a CPU, summed over threads.
    pub run_delay: Reading<Nanoseconds>,
    pub threads: Reading<Vec<ThreadObservation>>,
    pub pages: Reading<PageCensus>,
    pub host: HostNoise,
    pub sampler: SamplerCost,
}

/// One thread, from its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreadObservation {
    pub pid: Pid,
    pub tid: Pid,
    pub name: String,
    /// CPU time when last seen.
    pub cpu_time: Nanoseconds,
    /// Page faults without I/O when last seen: who touched the pages first.
    pub minor_faults: u64,
    /// CPU time, by the CPU where the thread was seen at the end of the span.
    pub cpu_time_on: Vec<(CpuId, Nanoseconds)>,
    /// Times that it was seen on another CPU than before.
    pub migrations: u64,
    /// The affinity mask when last seen.
    pub mask: Reading<numawise_units::CpuSet>,
}

/// Where the pages were, at the sample when most were resident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageCensus {
    /// Memory by node: the program's own writable memory (heap, stacks, anonymous mappings), not its code and files.
    pub by_node: Vec<(NodeId, Bytes)>,
    /// How it was told: `numa_maps`, or `move_pages` on a sample of the pages.
    pub method: String,
    /// Pages looked at.
    pub pages_seen: u64,
    /// When it was taken, from the start of watching.
    pub at: Nanoseconds,
}

/// The noise of the machine during a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostNoise {
    /// Share of the machine's CPU time that the hypervisor took.
    pub steal: Reading<Ratio>,
    /// CPU time used by others than the trial, as a share of the machine's CPU time.
    pub other_load: Reading<Ratio>,
}

/// What watching cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SamplerCost {
    pub samples: u64,
    /// CPU time that sampling took.
    pub cpu_time: Nanoseconds,
    /// Time from the beginning of watching to its end: `cpu_time` over this is the share of one CPU.
    pub span: Nanoseconds,
}
