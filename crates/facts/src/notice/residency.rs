//! Notices of residency: what stands out where a job's threads and memory are, and what could not be seen of it.

use numawise_units::{Arrange, Bytes, CpuId, CpuSet, Nanoseconds, NodeId, Pid, Ratio};
use serde::{Deserialize, Serialize};

use crate::Reason;

super::notices! {
    /// NW4xx: of residency.
    Residency: ResidencyNotice {
        /// Tasks are pinned on the same CPUs, with more threads at work than CPUs.
        "NW401" PinnedTogether { groups: Vec<PinnedGroup> },
        /// CPUs are shared by two or more busy threads that are in each other's way.
        "NW402" SharedCpus { cpus: Vec<ContendedCpu> },
        /// Memory lies on nodes where none of its task's threads runs; the most first.
        "NW403" RemoteMemory { places: Vec<RemotePlace> },
        /// Threads run on nodes where hardly any of their task's memory is.
        "NW404" ThreadsWithoutMemory { places: Vec<UnsuppliedNode> },
        /// Busy threads are moved from CPU to CPU; the task with the most moves first.
        "NW405" ManyMigrations { tasks: Vec<MovedTask>, /** The time over which moves are counted. */ span: Nanoseconds },
        /// A part could not be seen.
        "NW410" Unavailable {
            part: ResidencyPart,
            /// Empty where it holds for all tasks.
            tasks: Vec<Pid>,
            reason: Reason,
        },
        /// A part could not be seen in some samples of a series.
        "NW411" UnavailableInSamples {
            part: ResidencyPart,
            tasks: Vec<Pid>,
            reason: Reason,
            /// Samples without it.
            missing: u64,
            /// All samples.
            samples: u64,
        },
    }
}

/// A process as a notice names it. The name is the one that the process gave itself: whoever shows it makes it harmless.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedTask {
    pub pid: Pid,
    pub name: String,
    pub rank: Option<u32>,
}

/// Tasks that are pinned on the same CPUs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedGroup {
    /// The CPUs that they share.
    pub cpus: CpuSet,
    pub tasks: Vec<NamedTask>,
}

/// A CPU that busy threads share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContendedCpu {
    pub cpu: CpuId,
    pub threads: Vec<NamedThread>,
}

/// A thread as a notice names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedThread {
    /// Its process.
    pub pid: Pid,
    pub tid: Pid,
    pub name: String,
    pub rank: Option<u32>,
    /// It may run on this CPU only.
    pub pinned: bool,
}

/// Memory of a task on a node where none of its threads runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemotePlace {
    pub task: NamedTask,
    pub node: NodeId,
    pub bytes: Bytes,
    /// All memory of the task.
    pub total: Bytes,
    /// One of its threads may run there, though none does.
    pub may_run: bool,
    /// The nearest of the nodes where its threads run, and the firmware's distance from there as a multiple of the local one.
    pub nearest: Option<(NodeId, Ratio)>,
}

/// A node where threads of a task run and hardly any of its memory is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnsuppliedNode {
    pub task: NamedTask,
    pub node: NodeId,
    /// The share of the task's CPU time that is used there.
    pub cpu_time: Ratio,
    /// The task's memory that is local there, without pages of files.
    pub local: Bytes,
    /// All memory of the task without pages of files.
    pub total: Bytes,
}

/// A task whose busy threads are moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedTask {
    pub task: NamedTask,
    pub moves: u64,
}

/// What of residency may be unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResidencyPart {
    Memory,
    Threads,
    LocalShare,
    ThreadMasks,
    ThreadMigrations,
    ThreadShares,
    RemoteDistance,
    /// The shares of CPUs of all threads.
    CpuShares,
}

impl ResidencyNotice {
    /// The tasks that it is about, each once.
    pub fn tasks(&self) -> Vec<Pid> {
        let mut tasks: Vec<Pid> = match self {
            ResidencyNotice::PinnedTogether { groups } => {
                groups.iter().flat_map(|group| &group.tasks).map(|task| task.pid).collect()
            }
            ResidencyNotice::SharedCpus { cpus } => {
                cpus.iter().flat_map(|cpu| &cpu.threads).map(|thread| thread.pid).collect()
            }
            ResidencyNotice::RemoteMemory { places } => places.iter().map(|place| place.task.pid).collect(),
            ResidencyNotice::ThreadsWithoutMemory { places } => {
                places.iter().map(|place| place.task.pid).collect()
            }
            ResidencyNotice::ManyMigrations { tasks, .. } => {
                tasks.iter().map(|moved| moved.task.pid).collect()
            }
            ResidencyNotice::Unavailable { tasks, .. }
            | ResidencyNotice::UnavailableInSamples { tasks, .. } => tasks.clone(),
        };
        tasks.arrange();
        tasks.dedup();
        tasks
    }
}
