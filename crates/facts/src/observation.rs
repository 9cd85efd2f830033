//! What was seen from outside while a trial ran: bare numbers of CPUs and nodes, no judgement.

use std::collections::BTreeMap;

use numawise_units::{Bytes, CpuId, HostId, Microjoules, Nanoseconds, NodeId, Pid, Rank, Ratio};
use serde::{Deserialize, Serialize};

use crate::figures::figures;
use crate::{MemorySnapshot, Reading, TrialFrequency};

#[cfg(test)]
#[path = "observation_tests.rs"]
mod tests;

/// What was seen of one trial, over all its processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The host on which its processes ran.
    pub host: Reading<HostId>,
    /// The MPI rank that its process was, where it was one process.
    pub rank: Reading<Rank>,
    /// The libraries of MPI that its processes had mapped, by the names of their files.
    pub mpi_libraries: Reading<Vec<String>>,
    pub usage: ResourceUsage,
    /// Times that a thread was seen on another CPU than at the sample before: a lower bound of its migrations.
    pub migrations: Reading<u64>,
    /// Time that threads were ready and waited for a CPU, summed over threads.
    pub run_delay: Reading<Nanoseconds>,
    /// Samples that found several threads ready to run at once, on a CPU or waiting for one.
    pub several_ready: Reading<u64>,
    pub threads: Reading<Vec<ThreadObservation>>,
    pub pages: Reading<ResidencySample>,
    pub noise: HostNoise,
    pub memory_events: MemoryEvents,
    pub frequency: Reading<TrialFrequency>,
    /// What the machine's processors and their memory took meanwhile, for whatever they did.
    #[doc(alias = "RAPL")]
    pub energy: Reading<Microjoules>,
    pub sampler: SamplerCost,
}

figures! {
    /// What the kernel accounted to processes that have ended, and to those of their children that they waited for.
    #[doc(alias = "rusage")]
    pub struct ResourceUsage in columns {
        /// CPU time in the program.
        user: Nanoseconds = sum,
        /// CPU time in the kernel.
        system: Nanoseconds = sum,
        /// Largest resident set of any one process.
        peak_memory: Bytes = most,
        minor_faults: u64 = sum,
        major_faults: u64 = sum,
        voluntary_switches: u64 = sum,
        involuntary_switches: u64 = sum,
    }
}

impl ResourceUsage {
    /// CPU time in all.
    pub fn cpu_time(&self) -> Reading<Nanoseconds> {
        self.user.clone().zip(self.system.clone()).map(|(user, system)| user + system)
    }

    /// The usage of several tasks together. `None` without any.
    pub fn together<'a>(of: impl IntoIterator<Item = &'a ResourceUsage>) -> Option<ResourceUsage> {
        of.into_iter().cloned().reduce(ResourceUsage::with)
    }
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
    /// Samples that found it ready to run while others of the trial were ready too.
    pub ready_with_others: u64,
    /// The affinity mask when last seen.
    pub mask: Reading<numawise_units::CpuSet>,
}

/// Where the pages were, at the sample when most were resident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResidencySample {
    /// Memory by node: the program's own writable memory (heap, stacks, anonymous mappings), not its code and files.
    pub by_node: Vec<(NodeId, Bytes)>,
    /// Memory that its processes may share, by node: /dev/shm, memfd, System V, shared anonymous memory, shared huge pages. A page
    /// that several of them have mapped counts once.
    pub shared: Reading<Vec<(NodeId, Bytes)>>,
    /// All memory of the same processes by use, by policy and by mapping, code and files included; a page that several of them
    /// have mapped counts once. Unavailable where the pages were not read from `numa_maps`.
    pub memory: Reading<MemorySnapshot>,
    /// How it was told: `numa_maps`, or `move_pages` on a sample of the pages.
    pub method: String,
    /// Pages sampled.
    pub pages_seen: u64,
    /// When it was taken, from the start of watching.
    pub at: Nanoseconds,
}

impl ResidencySample {
    /// The program's private memory and what its processes share, by node in ascending order; of the latter nothing where it was
    /// not seen.
    pub fn own_and_shared(&self) -> Vec<(NodeId, Bytes)> {
        let mut by_node: BTreeMap<NodeId, Bytes> = BTreeMap::new();
        for (node, bytes) in self.by_node.iter().chain(self.shared.measured().into_iter().flatten()) {
            let sum = by_node.entry(*node).or_default();
            *sum = *sum + *bytes;
        }
        by_node.into_iter().collect()
    }
}

/// The noise of the machine during a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostNoise {
    /// Share of the machine's CPU time that the hypervisor took.
    pub steal: Reading<Ratio>,
    /// CPU time used by others than the trial, as a share of the machine's CPU time.
    pub other_load: Reading<Ratio>,
    /// How long each CPU was busy, with the trial or with others; CPUs that were idle are not listed.
    pub busy_cpus: Reading<Vec<(CpuId, Nanoseconds)>>,
}

/// What the kernel did with memory during a trial. All but `swapped` are counters of the whole machine, which hold what other
/// programs caused, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryEvents {
    /// Memory that NUMA balancing moved to other nodes.
    #[doc(alias = "numa_pages_migrated")]
    pub moved: Reading<Bytes>,
    /// Page faults that NUMA balancing made to see who uses a page.
    #[doc(alias = "numa_hint_faults")]
    pub hint_faults: Reading<u64>,
    /// Memory that was given in transparent huge pages.
    #[doc(alias = "thp_fault_alloc")]
    pub huge_pages: Reading<Bytes>,
    /// Memory that was meant for a node and had to be given by another, by the node that was meant; nodes without are not listed.
    #[doc(alias = "numa_foreign")]
    pub turned_away: Reading<Vec<(NodeId, Bytes)>>,
    /// How often a full node was searched for pages to drop before another node was asked (`vm.zone_reclaim_mode`).
    #[doc(alias = "zone_reclaim_success")]
    pub node_reclaims: Reading<u64>,
    #[doc(alias = "pswpin")]
    pub swapped_in: Reading<Bytes>,
    #[doc(alias = "pswpout")]
    pub swapped_out: Reading<Bytes>,
    /// The most of any one process of the trial that was in swap when it was sampled.
    #[doc(alias = "VmSwap")]
    pub swapped: Reading<Bytes>,
}

impl MemoryEvents {
    /// Nothing is known, for one reason.
    pub fn unavailable(reason: &str) -> Self {
        let bytes = || Reading::unavailable(reason.to_owned());
        let count = || Reading::unavailable(reason.to_owned());
        MemoryEvents {
            moved: bytes(),
            hint_faults: count(),
            huge_pages: bytes(),
            turned_away: Reading::unavailable(reason.to_owned()),
            node_reclaims: count(),
            swapped_in: bytes(),
            swapped_out: bytes(),
            swapped: bytes(),
        }
    }
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
