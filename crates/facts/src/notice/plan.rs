//! Notices of a plan: what a person should know of a placement before it is used, and of its equivalent commands.

use numawise_units::{BytesPerSecond, CpuSet, NodeId, NodeSet, Ratio, TaskId};
use serde::{Deserialize, Serialize};

use crate::{
    AttributeOrigin, EquivalentTool, MemoryKind, MemoryMode, MemoryPlan, NodeWeight, Order, Strategy,
};

/// The bandwidth of a node's memory, from the CPUs nearest to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NodeBandwidth {
    pub node: NodeId,
    pub bandwidth: BytesPerSecond,
}

/// The profile that figures were taken from: the moment of its measurement, in seconds since 1970 (UTC), and its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileReference {
    /// `None` where the profile does not say.
    pub taken: Option<u64>,
    pub path: String,
}

super::notices! {
    /// NW1xx: of a plan.
    Plan: PlanNotice {
        /// Nodes that were asked for have no CPUs that may be used.
        "NW101" NodesWithoutUsableCpus { nodes: NodeSet },
        /// All tasks together have more threads than there are CPUs.
        "NW102" Oversubscribed { threads: usize, cpus: CpuSet },
        /// A task has more threads than CPUs, while others are free.
        "NW103" TaskOversubscribed { threads: usize, cpus: CpuSet, strategy: Strategy },
        /// Several tasks meet on CPUs, while others are free.
        "NW104" TasksShareCpus { shared: CpuSet, unused: CpuSet, strategy: Strategy },
        /// CPUs to be skipped do not exist.
        "NW105" SkippedCpusUnknown { cpus: CpuSet, exist: CpuSet },
        /// Threads are free inside of the CPUs of their task, so that an order has no effect.
        "NW106" OrderWithoutEffect { order: Order, strategy: Strategy },
        /// All CPUs that are left belong to efficient cores.
        "NW107" OnlyEfficientCores { cpus: CpuSet },
        /// Efficient cores are not used unless they are asked for.
        "NW108" EfficientCoresLeftOut { cpus: CpuSet },
        /// The farthest memory differs by its kind, not only by its distance.
        "NW109" FarthestIsOfOtherKind { node: NodeId, kind: MemoryKind },
        /// The farthest node was chosen without distances.
        "NW110" FarthestWithoutDistances { node: NodeId },
        /// NUMA balancing was asked for without a memory policy, where only the whole system can have it.
        "NW111" BalancingWithoutPolicy,
        /// NUMA balancing with preferred-many needs a kernel that is newer than most.
        "NW112" BalancingNeedsLinux610,
        /// numactl ignores balancing with this policy, and so does a plan from numactl's options.
        "NW113" BalancingIgnored { policy: MemoryMode },
        /// The kernel's weights must be these for the pages to be shared by bandwidth. `error` is the largest relative error of a
        /// node's share, where it is worth a word.
        "NW114" WeightsNeeded { weights: Vec<NodeWeight>, origin: AttributeOrigin, error: Option<Ratio> },
        /// No weights can be derived, since the bandwidth of these nodes is unknown.
        "NW115" BandwidthUnknown { nodes: NodeSet, machine_is_measured: bool },
        /// The kernel's weights differ from those of the plan.
        "NW116" KernelWeightsDiffer { now: Vec<NodeWeight>, planned: Vec<NodeWeight> },
        /// The kernel's weights were replaced by those of the plan.
        "NW117" KernelWeightsWritten { weights: Vec<NodeWeight> },
        /// The weights were derived from these bandwidths.
        "NW118" WeightsDerivedFrom {
            origin: AttributeOrigin, profile: Option<ProfileReference>, bandwidths: Vec<NodeBandwidth>,
        },
        /// The kinds of memory were derived from what was measured.
        "NW119" KindsDerivedFrom { profile: ProfileReference },
        /// Tasks that stay inside a node are fewer than nodes, and the others idle.
        "NW120" NodesIdle { tasks: u32, nodes: NodeSet },
        /// These tasks are near to no GPU and share one that is farther.
        "NW125" GpusFar { tasks: Vec<TaskId> },
        /// No task is near to these GPUs, and nobody uses them.
        "NW126" GpusUnused { gpus: Vec<u32> },
        /// What these GPUs are near to is not known, so that they were dealt as near to all.
        "NW127" GpusOfUnknownLocality { gpus: Vec<u32> },
        /// The rank was bound by its launcher and shares out the GPUs near to it without knowing the other ranks.
        "NW128" GpusOfBoundRank,

        /// An equivalent command places the process only.
        "NW131" ThreadsNotPlaced,
        /// The tool cannot express the memory policy.
        "NW132" PolicyNotExpressible { memory: MemoryPlan, tool: EquivalentTool },
        /// numactl ignores balancing with preferred-many.
        "NW133" BalancingIgnoredByNumactl,
        /// No tool can switch transparent huge pages off for one program.
        "NW134" SmallPagesNotExpressible,
        /// The weights hold for the whole machine, and only root writes them.
        "NW135" WeightsOfTheMachine,
        /// The weights follow from measured bandwidths, which differ between machines.
        "NW136" WeightsOfThisMachine,
        /// The plan has no mask that the tool could set.
        "NW137" NoMask,
        /// OpenMP cannot express threads that move inside a mask.
        "NW138" MovingThreadsNotExpressible,
        /// OpenMP chooses which thread gets which CPU of its task.
        "NW139" ThreadOrderLeftToOpenMp,
        /// One command cannot give tasks different numbers of threads.
        "NW140" ThreadCountsDiffer,
        /// The masks hold only in a job that has the whole computer.
        "NW141" MasksNeedWholeComputer,
        /// One command cannot switch balancing on where memory policies differ between tasks.
        "NW142" BalancedPoliciesDiffer,
        /// One command cannot give tasks different memory policies.
        "NW143" PoliciesDiffer,
        /// The tool takes one command for all tasks, and those of the plan differ.
        "NW144" CommandsDiffer,
        /// One command cannot give tasks different GPUs.
        "NW145" GpusDiffer,
        /// numactl knows weighted interleaving since 2.0.19.
        "NW146" WeightsNeedNewNumactl,
    }
}
