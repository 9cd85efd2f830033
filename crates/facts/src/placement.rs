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

impl TaskPlacement {
    /// A task of which nothing is placed.
    pub fn of_nothing(task: TaskId) -> TaskPlacement {
        let (cpus, memory) = (CpuSet::default(), MemoryPlan::default_policy());
        TaskPlacement { task, cpus, threads: Vec::new(), memory, gpus: Vec::new() }
    }
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
        Placement {
            strategy: Strategy::None,
            binding: ThreadBinding::Free,
            tasks: vec![TaskPlacement::of_nothing(TaskId(0))],
            warnings: Vec::new(),
        }
    }

    /// The CPUs of all tasks.
    pub fn cpus(&self) -> CpuSet {
        self.tasks.iter().fold(CpuSet::new(), |all, task| all.union(&task.cpus))
    }
}

/// Who gives the ranks that the command of a point starts their CPUs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankBinding {
    /// numawise, in each of them, after this plan; `is_default` where nobody asked for a placement: each has an equal share of all CPUs.
    Planned { placement: Placement, is_default: bool },
    /// The launcher, by an option or a variable: as it stands there.
    AskedFor { launcher: String, by: String },
    /// The launcher, by its default, which numawise leaves as it is.
    LeftToLauncher { launcher: String, why: RanksLeft },
}

/// Why ranks keep the CPUs that their launcher gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RanksLeft {
    /// Which words are the programs of the ranks cannot be told: it is a script, or a launcher that is not known.
    ProgramsUnknown,
    /// Ranks may run on other computers, where numawise may not be.
    OtherComputers,
    /// They are compared with ranks that numawise places.
    AsTyped,
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
