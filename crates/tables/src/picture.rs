//! A machine as it is drawn: what lies in what, who runs where, whose memory lies where.

use numawise_facts::{MemoryKind, MemoryMode, PointId, Reading, ThreadBinding};
use numawise_units::{Bytes, CpuId, CpuSet, NodeId, Ratio, TaskId};

/// A machine, with a placement on it or without.
#[derive(Debug, Clone, PartialEq)]
pub struct MachinePicture {
    /// In the order of the machine; CPUs whose package is not known stand last.
    pub packages: Vec<PackagePicture>,
    /// Memory that is near no package in particular.
    pub apart: Vec<MemoryPicture>,
    pub cpus: u32,
    /// What is placed on it; none where the machine alone is drawn.
    pub placed: Option<PlacementPicture>,
}

/// The placement on a drawn machine.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacementPicture {
    /// Each with the CPUs that it may use; none of them where nothing is placed.
    pub tasks: Vec<(TaskId, CpuSet)>,
    pub binding: ThreadBinding,
    /// All memory that was seen in a run; none for a plan that nobody ran.
    pub seen: Option<Reading<Bytes>>,
}

/// The placement of a point of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct PointPicture {
    pub point: PointId,
    pub role: PictureRole,
    pub picture: MachinePicture,
}

/// Why a point is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PictureRole {
    /// What the others are compared with.
    Baseline,
    /// The placement to use from now on.
    Recommended,
    Best,
    Worst,
}

/// A package with what is in it, or CPUs whose package is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct PackagePicture {
    pub index: Option<u32>,
    pub nodes: Vec<NodePicture>,
    /// Memory that is near several nodes of the package.
    pub memory: Vec<MemoryPicture>,
}

/// The CPUs of one node inside of one package.
#[derive(Debug, Clone, PartialEq)]
pub struct NodePicture {
    /// None for CPUs whose node is not known.
    pub node: Option<NodeId>,
    /// The memory stands beside other CPUs of the same node, in another package.
    pub is_continued: bool,
    /// The memory of the node, and that of nodes without CPUs that are near these CPUs alone.
    pub memory: Vec<MemoryPicture>,
    pub cpus: CpuSet,
    pub groups: Vec<CacheGroup>,
    /// Threads that are held on one of the CPUs, and of which tasks.
    pub held: u32,
    pub held_tasks: Vec<TaskId>,
    /// Tasks whose threads may move over some of the CPUs.
    pub moving_tasks: Vec<TaskId>,
    /// Its part of the CPU time that was seen; none for a plan that nobody ran.
    pub cpu_time: Option<Reading<Ratio>>,
}

/// The memory of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryPicture {
    pub node: NodeId,
    pub kind: MemoryKind,
    pub size: Reading<Bytes>,
    pub is_allowed: bool,
    /// Whose memory the plan puts there.
    pub planned: Vec<PlannedMemory>,
    /// What was seen there in a run; none for a plan that nobody ran.
    pub seen: Option<Reading<MemorySeen>>,
}

/// Tasks whose memory a plan puts on a node.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedMemory {
    pub tasks: Vec<TaskId>,
    pub mode: MemoryMode,
    /// The node's part of each task's pages, where the policy says it.
    pub share: Option<Ratio>,
}

/// Memory on a node, as a part of all that was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemorySeen {
    pub bytes: Bytes,
    pub share: Ratio,
}

/// Cores that share a cache: further groups, or the cores themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheGroup {
    /// None for cores that share nothing below their node.
    pub cache: Option<SharedCache>,
    pub inside: Vec<CacheGroup>,
    pub cores: Vec<CorePicture>,
}

/// A cache of several cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedCache {
    pub level: u32,
    /// 0 where it is not known.
    pub size: Bytes,
    /// CPUs of other nodes or packages share it, too.
    pub is_shared_beyond: bool,
}

/// A core with its hardware threads.
#[derive(Debug, Clone, PartialEq)]
pub struct CorePicture {
    pub core: u32,
    /// Rank of its kind, 0 the most efficient; none where all cores are alike.
    pub efficiency: Option<u32>,
    pub cpus: Vec<CpuPicture>,
}

/// A CPU, and who runs there.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuPicture {
    pub cpu: CpuId,
    pub is_allowed: bool,
    /// Threads that are held there, by their task and their number in it.
    pub held: Vec<(TaskId, u32)>,
    /// The first of the tasks whose threads may come there, and how many tasks these are.
    pub moving: Option<(TaskId, u32)>,
}
