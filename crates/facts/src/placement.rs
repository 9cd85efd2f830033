//! Placements: the CPUs and the memory of every task and thread.

use numawise_units::{CpuSet, NodeId, NodeSet, TaskId};
use serde::{Deserialize, Serialize};

use crate::{MemoryMode, MemoryPlan, Notice, Strategy, TaskGpu, ThreadBinding};

/// The plan of one task.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TaskPlacement {
    pub task: TaskId,
    /// The CPUs of the process: its affinity mask, the union of its threads' sets.
    pub cpus: CpuSet,
    /// The CPUs of each thread, in the order in which the threads are created.
    pub threads: Vec<CpuSet>,
    pub memory: MemoryPlan,
    /// The GPUs that it is shown; none where they were not shared out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<TaskGpu>,
}

/// The resolved plan of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    pub strategy: Strategy,
    pub binding: ThreadBinding,
    pub tasks: Vec<TaskPlacement>,
    /// What a person should know of this plan, e.g. more threads than CPUs.
    pub warnings: Vec<Notice>,
}

impl Placement {
    /// One task, of which nothing is placed.
    pub fn of_nothing() -> Placement {
        let task = TaskPlacement {
            task: TaskId(0),
            cpus: CpuSet::default(),
            threads: Vec::new(),
            memory: MemoryPlan::default_policy(),
            gpus: Vec::new(),
        };
        Placement {
            strategy: Strategy::None,
            binding: ThreadBinding::Free,
            tasks: vec![task],
            warnings: Vec::new(),
        }
    }

    /// The CPUs of all tasks.
    pub fn cpus(&self) -> CpuSet {
        self.tasks.iter().fold(CpuSet::new(), |all, task| all.union(&task.cpus))
    }
}

/// What a process may use, and the memory policy that it was started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPlacement {
    pub cpus: CpuSet,
    /// The nodes of these CPUs.
    pub nodes_of_cpus: NodeSet,
    /// The nodes from which memory may be taken.
    pub nodes: NodeSet,
    /// `None` for a mode that is newer than this program.
    pub policy: Option<MemoryMode>,
    /// The policy comes with `MPOL_F_NUMA_BALANCING`.
    pub balancing: bool,
    pub policy_nodes: NodeSet,
    /// For the interleaving policies, the node of the next page.
    pub next: Option<NodeId>,
}
