//! Findings: named conclusions with their evidence, their cost, and what to do, as values.

mod grid;
mod id;
mod objects;
mod study;
mod traced;
mod watched;

use numawise_units::{Bytes, CpuSet, Hertz, Nanoseconds, NodeId, NodeSet, Ratio};
use serde::Serialize;

use crate::notice::NotTriedReason;
use crate::{Effect, PageUse, PlacementRequest, PointId, Reading};

pub use grid::{GridAdvice, GridQuantity, GridSubject};
pub use id::FindingId;
pub use objects::{NamedObject, ObjectAdvice, ObjectQuantity, ObjectSubject};
pub use study::{
    ClockAdvice, ClockQuantity, NoiseQuantity, ObeyedAdvice, ObeyedQuantity, PinningQuantity,
    RunGroupQuantity, SystemAdvice, SystemQuantity,
};
pub use traced::{RegionOrCall, TracedQuantity};
pub use watched::{
    EarlyQuantity, FileAdvice, FileCallKind, FilesQuantity, PlacedQuantity, RankInCall, WatchedAdvice,
    WatchedQuantity, WatchedSubject,
};

/// Something to do, with what it brought where it was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdvisedStep {
    pub advice: Advice,
    pub brought: Reading<Effect>,
}

impl AdvisedStep {
    pub fn tried(advice: Advice, brought: Effect) -> Self {
        AdvisedStep { advice, brought: Reading::Measured(brought) }
    }
}

impl From<Advice> for AdvisedStep {
    fn from(advice: Advice) -> Self {
        AdvisedStep { advice, brought: Reading::unavailable("it was not tried") }
    }
}

/// A named conclusion with its evidence, its cost, and what to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    pub id: FindingId,
    pub evidence: Vec<Evidence>,
    /// The measured effect of the cure that was tried, or why there is none.
    pub cost: Reading<Effect>,
    /// The placement that cures it, to be run as it stands; none where only a change of the program or of the study helps.
    pub cure: Option<PlacementRequest>,
    /// What to do, the best first.
    pub advice: Vec<AdvisedStep>,
}

impl Finding {
    /// The point of a grid that cures it, which was measured.
    pub fn cured_by(&self) -> Option<&PointId> {
        self.advice.iter().find_map(|step| match &step.advice {
            Advice::Grid(GridAdvice::RunPoint { point }) => Some(point),
            _ => None,
        })
    }
}

/// One observed or computed fact that a finding rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    pub quantity: EvidenceQuantity,
    pub value: Reading<Amount>,
    /// The whole that `value` is a part of, or the limit that it is held against.
    pub of: Option<Amount>,
    /// The 95 % interval of `value`, in its unit.
    pub interval: Option<(Amount, Amount)>,
    pub subject: EvidenceSubject,
    pub source: EvidenceSource,
}

/// What a piece of evidence is a value of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceQuantity {
    /// Share of the program's memory, private and shared, that lies on a node; `of`: all of it.
    MemoryOnNode,
    /// Share of the program's memory that processes share; `of`: all its memory.
    SharedMemory,
    /// Memory of the program on a set of nodes.
    MemoryOnNodes,
    /// Share of CPU time spent away from a node.
    CpuTimeElsewhere,
    /// Share of the page faults that one thread took; `of`: the number of threads.
    PageFaultsOfThread,
    /// How many times as much the runs of one point spread as those of another.
    SpreadRatio,
    /// Threads that the program runs; `of`: CPUs that it may use.
    Threads,
    /// How many times as good interleaved memory is for the same threads.
    EffectOfInterleaving,
    /// How many times as good memory of the farthest node is for the same threads on the same CPUs.
    EffectOfRemoteMemory,
    /// How many times as good pinned threads are.
    EffectOfPinning,
    /// How many times as good the same threads are over all nodes as inside one.
    EffectOfSpreading,
    /// How many times as good several copies at once are as one after the other.
    EffectOfCopies,
    /// How many times as good memory on the high-bandwidth nodes is.
    EffectOfHighBandwidthMemory,
    /// Latency and bandwidth of a node's memory as multiples of those of local memory.
    RemoteMemory,
    /// What a placement could bring at most by the measured figures of the machine.
    ExpectedEffect,
    /// How many times as good a placement is as the operating system's.
    EffectOfPlacement,
    /// How many times as good threads and memory of one node are as the operating system's placement.
    EffectOfOneNode,
    /// How far apart the runs are, and how many there were.
    #[serde(untagged)]
    Noise(NoiseQuantity),
    /// Of runs that differ in something that was seen in them.
    #[serde(untagged)]
    RunGroup(RunGroupQuantity),
    /// What the program does to the placement that it was given.
    #[serde(untagged)]
    Obeyed(ObeyedQuantity),
    /// Of threads that the operating system moves.
    #[serde(untagged)]
    Pinning(PinningQuantity),
    /// What a program does to itself and the kernel to it beside the placement.
    #[serde(untagged)]
    System(SystemQuantity),
    /// Of the clock of the CPUs.
    #[serde(untagged)]
    Clock(ClockQuantity),
    /// Of a study of a grid.
    #[serde(untagged)]
    Grid(GridQuantity),
    /// Of a run that was watched from inside.
    #[serde(untagged)]
    Watched(WatchedQuantity),
    /// Of a memory object.
    #[serde(untagged)]
    Object(ObjectQuantity),
}

/// A value with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    Bytes(Bytes),
    Count(u64),
    /// A part of a whole, 0 to 1.
    Share(Ratio),
    /// A multiple: above 1 is better, larger or longer.
    Ratio(Ratio),
    Time(Nanoseconds),
    Frequency(Hertz),
    /// A value of the study's metric, in its unit.
    Metric(f64),
    /// Multiples for programs that are bound by latency and by bandwidth; at least one of the two is there.
    LatencyAndBandwidth {
        latency: Option<Ratio>,
        bandwidth: Option<Ratio>,
    },
}

/// What a piece of evidence speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceSubject {
    /// All runs of the study.
    Study,
    Point {
        point: PointId,
    },
    /// Two points: `to` as compared with `from`.
    Points {
        from: PointId,
        to: PointId,
    },
    /// Nodes in the runs of a point.
    Nodes {
        point: PointId,
        nodes: NodeSet,
    },
    /// A thread in the runs of a point.
    Thread {
        point: PointId,
        name: String,
    },
    /// Some of the runs of a point.
    Runs {
        point: PointId,
        group: RunGroup,
    },
    /// Mappings with a policy, as numa_maps writes it, in the runs of a point.
    Policy {
        point: PointId,
        policy: String,
    },
    /// Memory of one use in the runs of a point, of a file where it is of one.
    MemoryUse {
        point: PointId,
        used_for: PageUse,
        file: Option<String>,
    },
    /// CPUs in the runs of a point.
    Cpus {
        point: PointId,
        cpus: CpuSet,
    },
    /// CPUs of one node that load memory of another.
    NodePair {
        cpus_of: NodeId,
        memory_of: NodeId,
    },
    #[serde(untagged)]
    Grid(GridSubject),
    #[serde(untagged)]
    Watched(WatchedSubject),
    #[serde(untagged)]
    Object(ObjectSubject),
}

/// What the runs of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunGroup {
    /// Nearly all CPU time was spent on this node.
    CpusOn(NodeId),
    /// Nearly all memory lay on this node.
    MemoryOn(NodeId),
    /// Most CPU time was spent on the node of the memory.
    Together,
    /// Most CPU time was spent on other nodes than that of the memory.
    Apart,
}

/// Where a piece of evidence comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceSource {
    /// What was seen of processes and threads in trials.
    Observations,
    /// The metric of trials.
    Trials,
    /// The contrast of two points.
    Contrast,
    /// The measured figures of the machine's memory.
    Profile,
    /// The design of the study.
    Design,
    /// What the collector noted in the processes of a run.
    Collector,
    /// Samples of a run, and what was written down of its allocations.
    Samples,
    /// It was not tried.
    NotTried(NotTriedReason),
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// Initialise large arrays in parallel as they are used; `interleaving_helped`: it brings at least as much.
    InitialiseInParallel {
        interleaving_helped: bool,
    },
    /// The same of memory that processes share: each initialises the part that it uses.
    InitialiseSharedMemory {
        interleaving_helped: bool,
    },
    InterleaveMemory,
    PinThreads,
    /// Spread the threads over all nodes.
    SpreadThreads,
    /// Keep the program on one node, always the same way: as this placement does.
    FixTheNode {
        placement: PointId,
    },
    /// Keep all threads and their memory on one node, as this placement does.
    KeepTogether {
        placement: PointId,
    },
    /// Place the program as this point does.
    UsePlacement {
        placement: PointId,
    },
    /// Run several inputs at once, one inside each node.
    RunCopies {
        copies: u32,
    },
    /// One MPI rank for each node, and threads inside it.
    RankPerNode,
    /// Put all memory on the high-bandwidth nodes.
    UseHighBandwidthMemory {
        nodes: NodeSet,
    },
    /// Put the arrays that are streamed most on the high-bandwidth nodes, or fill those first.
    UseHighBandwidthMemoryInPart {
        nodes: NodeSet,
    },
    /// Measure longer, more quietly or with a larger margin.
    MeasureLonger,
    /// Repeat it on a quiet machine.
    RepeatWhenQuiet,
    /// Give the program more to do, or take the metric from its main loop.
    LengthenRuns,
    /// Where others place memory and threads.
    #[serde(untagged)]
    Obeyed(ObeyedAdvice),
    /// For a program and a kernel that are in each other's way.
    #[serde(untagged)]
    System(SystemAdvice),
    /// Where frequencies differ.
    #[serde(untagged)]
    Clock(ClockAdvice),
    #[serde(untagged)]
    Grid(GridAdvice),
    #[serde(untagged)]
    Watched(WatchedAdvice),
    #[serde(untagged)]
    Object(ObjectAdvice),
}

/// Groups become what they are a part of.
macro_rules! parts {
    ($($part:ident: $whole:ident::$variant:ident,)*) => {
        $(impl From<$part> for $whole {
            fn from(part: $part) -> Self {
                $whole::$variant(part)
            }
        })*
    };
}

parts! {
    NoiseQuantity: EvidenceQuantity::Noise,
    RunGroupQuantity: EvidenceQuantity::RunGroup,
    ObeyedQuantity: EvidenceQuantity::Obeyed,
    PinningQuantity: EvidenceQuantity::Pinning,
    SystemQuantity: EvidenceQuantity::System,
    ClockQuantity: EvidenceQuantity::Clock,
    PlacedQuantity: WatchedQuantity::Placed,
    FilesQuantity: WatchedQuantity::Files,
    EarlyQuantity: WatchedQuantity::Early,
    TracedQuantity: WatchedQuantity::Traced,
}
