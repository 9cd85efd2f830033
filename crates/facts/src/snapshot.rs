//! Where the threads and the pages of running processes are at one moment, as `/proc` tells it: bare numbers, no topology.

use std::fmt;

use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, Pid};
use serde::{Deserialize, Serialize};

use crate::Reading;

/// Some processes at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// When the snapshot began, since the start of the system (CLOCK_BOOTTIME): the clock of [`TaskSnapshot::started`].
    pub at: Nanoseconds,
    /// The same moment since 1970-01-01 UTC.
    pub unix_time: Nanoseconds,
    /// In the order of their numbers. A process that ended while it was sampled is not among them.
    pub tasks: Vec<TaskSnapshot>,
}

/// One process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSnapshot {
    pub pid: Pid,
    pub parent: Pid,
    /// The kernel's short name of the program, at most 15 bytes.
    pub name: String,
    /// The command line as a shell would need it; unavailable for kernel threads and for zombies.
    pub command: Reading<String>,
    /// The number of the user that it runs as.
    pub user: u32,
    /// Its MPI rank, when its environment may be read and names one.
    pub rank: Reading<u32>,
    /// Since the start of the system. With `pid` it names the process for good.
    pub started: Nanoseconds,
    pub threads: Reading<Vec<ThreadSnapshot>>,
    pub memory: Reading<MemorySnapshot>,
}

/// One thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadSnapshot {
    pub tid: Pid,
    pub name: String,
    /// The letter of proc(5): R runs or waits for a CPU, S sleeps, D waits for a device, Z has ended, ...
    pub state: char,
    /// Where it runs or ran last.
    pub cpu: CpuId,
    /// The CPUs on which it may run.
    pub mask: Reading<CpuSet>,
    pub cpu_time: Nanoseconds,
    /// Since the start of the system.
    pub started: Nanoseconds,
    /// How often the scheduler has moved it to another CPU since it began.
    pub migrations: Reading<u64>,
    pub minor_faults: u64,
    pub major_faults: u64,
}

/// What pages are used for: the rows of `numastat -p`, whose `Private` is here divided into private, file and shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageUse {
    /// Pages of hugetlbfs. Transparent huge pages count where they are used.
    Huge,
    Heap,
    Stack,
    /// Anonymous memory of the process's own, and its own copies of the pages of a file.
    Private,
    /// Pages of files: code, and data that were not written to.
    File,
    /// Memory that several processes may map: /dev/shm, memfd, System V, shared anonymous memory.
    Shared,
}

impl PageUse {
    /// In the order in which tables show them.
    pub const ALL: [PageUse; 6] =
        [PageUse::Huge, PageUse::Heap, PageUse::Stack, PageUse::Private, PageUse::File, PageUse::Shared];
}

impl fmt::Display for PageUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PageUse::Huge => "huge",
            PageUse::Heap => "heap",
            PageUse::Stack => "stack",
            PageUse::Private => "private",
            PageUse::File => "file",
            PageUse::Shared => "shared",
        })
    }
}

/// The resident memory of a process by use and node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemorySnapshot {
    /// What is there; a use and a node that do not appear have no pages. In the order of uses, then of nodes.
    pub by_use: Vec<(PageUse, NodeId, Bytes)>,
    /// The policies of the mappings, by what they hold, the largest first.
    pub by_policy: Vec<PolicyShare>,
    /// The largest mappings by what is resident of them, the largest first; as many as were asked for.
    pub largest: Vec<MappingSnapshot>,
    /// All mappings, with pages or without.
    pub mappings: u64,
}

/// The mappings with one memory policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyShare {
    /// As numa_maps writes it: `default`, `bind:0`, `interleave:0-1`, `prefer (many):0-1`, `local`.
    pub policy: String,
    pub mappings: u64,
    /// In the order of nodes; only those with pages.
    pub by_node: Vec<(NodeId, Bytes)>,
}

/// One mapping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingSnapshot {
    pub address: u64,
    pub used_for: PageUse,
    pub policy: String,
    /// The size of its pages as the kernel accounts them.
    pub page: Bytes,
    /// In the order of nodes; only those with pages.
    pub by_node: Vec<(NodeId, Bytes)>,
    /// The file, or what the kernel calls it.
    pub file: Option<String>,
}

impl MappingSnapshot {
    /// What is resident.
    pub fn resident(&self) -> Bytes {
        Bytes(self.by_node.iter().map(|(_, bytes)| bytes.0).sum())
    }
}
