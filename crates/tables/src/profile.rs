//! A profile as tables that only need to be shown, and two profiles compared.
//!
//! Figures of tables are plain numbers in base units: nanoseconds, bytes per second, or quotients. A cell is one of three:
//! nothing at all where it was not asked for, `Unavailable` with the reason, or an estimate.

use numawise_units::{Bytes, BytesPerSecond, CpuId, Latency, NodeId, Ratio};
use serde::{Deserialize, Serialize};
use std::fmt;

use numawise_facts::{Estimate, MemoryKind, Mix, Notice, Reading, Target, Workers};

/// A figure of a table; none where it was not asked for.
pub type Cell = Option<Reading<Estimate<f64>>>;

/// All that a profile says, prepared for showing.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileTables {
    /// What the figures mean; the most important first.
    pub meaning: Vec<ProfileStatement>,
    /// Tables of nodes with CPUs by nodes with memory.
    pub matrices: Vec<NodeMatrix>,
    /// Bandwidth by mix of all cores on their local memory, of each node on its local memory, of one core, and of all on one node.
    pub peaks: Vec<Peak>,
    /// Measured bandwidth vs what the firmware declares; unavailable as a whole where it declares nothing.
    pub declared: Reading<Vec<DeclaredShare>>,
    pub working_sets: Vec<WorkingSetCurve>,
    pub loaded: Vec<LoadedCurve>,
    /// Transfers between cores in groups.
    pub transfers: Vec<TransferGroup>,
    /// Transfers from core to core.
    pub cores: Vec<CoreMatrix>,
    /// What should be known of the whole before it is believed.
    pub notices: Vec<Notice>,
}

impl ProfileTables {
    pub fn matrix(&self, measure: MatrixMeasure) -> Option<&NodeMatrix> {
        self.matrices.iter().find(|matrix| matrix.measure == measure)
    }
}

/// What several nodes or pairs of nodes have of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueSpan<T> {
    /// The median of values that hardly differ.
    Alike(T),
    /// The least and the greatest of values that do.
    Between(T, T),
}

/// One thing that a profile says of its machine.
#[derive(Debug, Clone, PartialEq)]
pub enum ProfileStatement {
    /// What all cores together read, each on its local memory; the mix with which they move clearly more, where there is one.
    PeakBandwidth {
        nodes_with_cpus: u32,
        read: Estimate<BytesPerSecond>,
        best: Option<(Mix, Estimate<BytesPerSecond>)>,
    },
    /// What memory of other nodes costs; at least one of the two is known.
    RemoteMemory {
        memory: RemoteNodes,
        latency: Option<VsLocal<Latency>>,
        read_bandwidth: Option<VsLocal<BytesPerSecond>>,
    },
    /// What one core reads of its local memory, and its share of what all cores of the node read.
    SingleCoreBandwidth {
        rate: ValueSpan<BytesPerSecond>,
        share: ValueSpan<Ratio>,
        /// Cores of a node, where all nodes have as many.
        cores: Option<u32>,
        /// On some node one core reads no less than all cores.
        no_less_than_all: bool,
    },
    /// The share that reads of local memory reach of what the firmware declares.
    ShareOfDeclared {
        share: ValueSpan<Ratio>,
        /// Clearly more was measured than declared.
        exceeded: bool,
    },
    /// Latency of local memory at random over base pages, where almost every load misses the TLB, vs over huge pages.
    TlbMisses { base_pages: ValueSpan<Latency>, huge_pages: ValueSpan<Latency>, ratio: ValueSpan<Ratio> },
    /// The load under which local memory begins to answer late; of several nodes on that where it is the least.
    LoadedLatency { workers: Workers, node: NodeId, idle: Latency, peak: BytesPerSecond, knee: LoadKnee },
    /// A cache that the machine reports, and that is no faster than memory.
    HiddenCache { level: u32, size: Bytes, latency: Latency, memory: Estimate<Latency> },
    /// How long a changed line takes to another core; at least one of the two is known.
    Transfers { same_node: Option<TransferLatency>, other_node: Option<TransferLatency> },
}

/// The nodes of which a statement compares the memory with local memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteNodes {
    /// One node, from another.
    Pair { from: NodeId, to: NodeId, memory: MemoryKind },
    /// All nodes with CPUs among themselves.
    WithCpus { nodes: u32 },
    /// Nodes without CPUs that have one kind of memory, each from the node that waits least for it.
    WithoutCpus { nodes: u32, memory: MemoryKind },
}

/// A figure of other nodes' memory, divided by that of the local memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VsLocal<T> {
    pub ratio: ValueSpan<Ratio>,
    /// The pair of nodes with the worst ratio.
    pub from: NodeId,
    pub to: NodeId,
    pub remote: Estimate<T>,
    pub local: Estimate<T>,
}

/// The median over pairs of cores; the least and the greatest where they differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransferLatency {
    pub median: Latency,
    pub between: Option<(Latency, Latency)>,
}

/// Cores of a node that take part in a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeCores {
    /// All, a thread on each.
    All,
    One,
}

/// What a matrix holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatrixMeasure {
    /// Nanoseconds.
    IdleLatency,
    /// Idle latency divided by that of the row's local memory, which is 1.
    LatencyVsLocal,
    /// Nanoseconds, with base pages at random.
    LatencyWithTlbMisses,
    /// Bytes per second.
    Bandwidth { cores: NodeCores, mix: Mix },
    /// Bandwidth of reads of a node's cores, divided by that from the row's local memory.
    ReadVsLocal,
    /// Nanoseconds that a changed line takes from cores of the row's node to cores of the column's: the median over the pairs
    /// of cores, with the least and the greatest pair as its bounds.
    Transfers(LineHome),
}

impl MatrixMeasure {
    pub fn unit(self) -> FigureUnit {
        match self {
            MatrixMeasure::IdleLatency
            | MatrixMeasure::LatencyWithTlbMisses
            | MatrixMeasure::Transfers(_) => FigureUnit::Nanoseconds,
            MatrixMeasure::LatencyVsLocal | MatrixMeasure::ReadVsLocal => FigureUnit::Ratio,
            MatrixMeasure::Bandwidth { .. } => FigureUnit::BytesPerSecond,
        }
    }

    /// Whether more is better: of bandwidth, not of latency.
    pub fn more_is_better(self) -> bool {
        matches!(self, MatrixMeasure::Bandwidth { .. } | MatrixMeasure::ReadVsLocal)
    }
}

/// What a plain number of a table counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureUnit {
    Nanoseconds,
    BytesPerSecond,
    Ratio,
}

/// Nodes with CPUs by nodes with memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeMatrix {
    pub measure: MatrixMeasure,
    /// The nodes whose CPUs measured, in ascending order.
    pub rows: Vec<NodeId>,
    /// The nodes whose memory was measured, in ascending order.
    pub columns: Vec<NodeId>,
    /// For each row a cell for each column.
    pub cells: Vec<Vec<Cell>>,
    /// The least and the greatest median; none where nothing was measured.
    pub range: Option<(f64, f64)>,
    /// The widest of its intervals: half of it, as a part of the median. None where nothing has an interval.
    pub widest: Option<Ratio>,
}

/// The bandwidths of some threads on some memory, by mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    pub workers: Workers,
    pub target: Target,
    pub threads: Reading<u32>,
    /// In the order of [`Mix::ALL`]; a mix that was not asked for is not in it.
    pub by_mix: Vec<(Mix, Reading<Estimate<BytesPerSecond>>)>,
    /// The mix with the highest bandwidth.
    pub best: Option<Mix>,
}

/// What was measured of what the firmware declares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeclaredShare {
    pub workers: Workers,
    pub target: Target,
    pub mix: Mix,
    pub measured: Reading<Estimate<BytesPerSecond>>,
    pub declared: BytesPerSecond,
    /// The median of what was measured, divided by what is declared.
    pub share: Reading<Ratio>,
}

/// Latency by the size of the working set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkingSetCurve {
    pub from: NodeId,
    pub to: NodeId,
    pub cpu: CpuId,
    /// Sizes and latencies, in ascending order of sizes.
    pub points: Vec<(Bytes, Reading<Estimate<Latency>>)>,
    /// The caches of that CPU; unavailable where nobody said what caches it has.
    pub caches: Reading<Vec<CacheStep>>,
    /// Latency far beyond the last cache: of the largest working set, if it is at least four times as large.
    pub memory: Reading<Latency>,
}

/// A cache as it shows in the curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheStep {
    pub level: u32,
    pub size: Bytes,
    /// How many CPUs share it.
    pub shared_by: u32,
    /// The median over working sets larger than the level below, of at most three quarters of this cache.
    pub latency: Reading<Latency>,
}

/// Latency against bandwidth, with where it bends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadedCurve {
    pub from: NodeId,
    pub to: NodeId,
    pub mix: Mix,
    /// Whose threads load.
    pub workers: Workers,
    pub threads: Reading<u32>,
    pub points: Reading<Vec<numawise_facts::LoadPoint>>,
    /// At the least load.
    pub unloaded: Reading<Latency>,
    /// The greatest bandwidth, and the latency there.
    pub peak: Reading<(BytesPerSecond, Latency)>,
    /// The bandwidth at which latency has doubled, on the straight line between the points before and after.
    pub doubled: Reading<BytesPerSecond>,
    /// That, or 95 % of the peak where that comes first: more load than this costs much latency for little bandwidth.
    pub knee: Reading<LoadKnee>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoadKnee {
    pub bandwidth: BytesPerSecond,
    pub latency: Latency,
    /// Of the peak.
    pub share: Ratio,
    pub why: KneeReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KneeReason {
    LatencyDoubled,
    NearPeak,
}

/// Where the memory of a line is that goes from one core to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineHome {
    /// On the node of the core that changed it.
    Owner,
    /// On the node of the core that reads it, which is another node.
    Reader,
    /// On a third node, or nobody knows on whose.
    Elsewhere,
}

/// Transfers of a kind, in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransferGroup {
    pub same_node: bool,
    pub home: LineHome,
    /// How many pairs of cores were measured.
    pub pairs: u32,
    /// How many could not be.
    pub unavailable: u32,
    /// Over the medians of the pairs.
    pub spread: Reading<LatencySpread>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencySpread {
    pub median: Latency,
    pub least: Latency,
    pub most: Latency,
}

/// Transfers from core to core, nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoreMatrix {
    /// For pairs of one node the home is [`LineHome::Owner`] in every matrix.
    pub home: LineHome,
    /// By node, then by number.
    pub cpus: Vec<CpuId>,
    /// Their nodes, where they are known.
    pub nodes: Vec<Option<NodeId>>,
    /// For each owner a cell for each reader.
    pub cells: Vec<Vec<Cell>>,
    pub range: Option<(f64, f64)>,
}

/// Two profiles, cell by cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileComparison {
    /// What it comes to; the machines first.
    pub meaning: Vec<ComparisonStatement>,
    /// What tells the machines, or how they were measured, apart.
    pub differences: Vec<ProfileDifference>,
    /// Cells of both, in the order of the profiles.
    pub cells: Vec<ComparedCell>,
    /// Cells that only the first has.
    pub only_a: Vec<CellKey>,
    /// Cells that only the second has.
    pub only_b: Vec<CellKey>,
    /// Ratios further than this from 1 are a difference.
    pub margin: f64,
}

/// One thing that a comparison of two profiles comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "statement", rename_all = "snake_case")]
pub enum ComparisonStatement {
    /// Whether the machines are of one type is not known, since one profile lacks the property.
    MachinesUnknown { property: ProfileProperty },
    /// The property tells two machines apart.
    DifferentMachines { property: ProfileProperty },
    /// Machines of one type. `changed` are properties that both know and that differ, `unknown` those that one lacks.
    SameMachineType { changed: Vec<ProfileProperty>, unknown: Vec<ProfileProperty> },
    /// There is no figure that both profiles have.
    NothingInCommon,
    /// No figure is clearly different. `figures` are those that both could measure.
    NoClearDifference { figures: u32, margin: Ratio },
    /// Figures in which the second profile is clearly better, and clearly worse.
    ClearDifferences { figures: u32, better: u32, worse: u32 },
    /// The greatest of the clear differences of latencies, or of bandwidths.
    GreatestDifference { cell: CellKey, ratio: ComparedRatio },
    /// Figures further apart than the margin, whose intervals are too wide to say so.
    Undecided { figures: u32, margin: Ratio },
    /// Figures that only one profile has.
    OnlyInOne { first: u32, second: u32 },
}

/// A line of the headers in which two profiles may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileProperty {
    Topology,
    Processor,
    Kernel,
    Firmware,
    MeasuredBy,
    Depth,
    Completeness,
    Vectors,
}

impl fmt::Display for ProfileProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ProfileProperty::Topology => "topology",
            ProfileProperty::Processor => "processor",
            ProfileProperty::Kernel => "kernel",
            ProfileProperty::Firmware => "firmware",
            ProfileProperty::MeasuredBy => "measured by",
            ProfileProperty::Depth => "depth",
            ProfileProperty::Completeness => "measured",
            ProfileProperty::Vectors => "vectors",
        })
    }
}

/// A line of the headers in which two profiles differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileDifference {
    pub property: ProfileProperty,
    pub a: Reading<String>,
    pub b: Reading<String>,
}

/// Which figure of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellKey {
    IdleLatency {
        from: NodeId,
        to: NodeId,
    },
    LatencyWithTlbMisses {
        from: NodeId,
        to: NodeId,
    },
    Bandwidth {
        workers: Workers,
        target: Target,
        mix: Mix,
    },
    WorkingSet {
        from: NodeId,
        to: NodeId,
        bytes: Bytes,
    },
    /// The greatest bandwidth of a curve under load.
    LoadedPeak {
        from: NodeId,
        to: NodeId,
        workers: Workers,
        mix: Mix,
    },
    /// The latency at a curve's least load.
    LoadedIdle {
        from: NodeId,
        to: NodeId,
        workers: Workers,
        mix: Mix,
    },
    TransferOfNodes {
        owner: Option<NodeId>,
        reader: Option<NodeId>,
        home: Option<NodeId>,
        same_node: bool,
    },
    /// Where the CPUs are known.
    Transfer {
        owner: CpuId,
        reader: CpuId,
        home: NodeId,
    },
}

impl CellKey {
    pub fn unit(self) -> FigureUnit {
        match self {
            CellKey::Bandwidth { .. } | CellKey::LoadedPeak { .. } => FigureUnit::BytesPerSecond,
            _ => FigureUnit::Nanoseconds,
        }
    }
}

/// As people read it: `idle latency from node 0 to node 1`.
impl fmt::Display for CellKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CellKey::IdleLatency { from, to } => write!(f, "idle latency from node {from} to node {to}"),
            CellKey::LatencyWithTlbMisses { from, to } => {
                write!(f, "latency with TLB misses from node {from} to node {to}")
            }
            CellKey::Bandwidth { workers, target, mix } => {
                write!(f, "{mix} bandwidth, {workers} on {target}")
            }
            CellKey::WorkingSet { from, to, bytes } => {
                write!(f, "latency in {bytes} from node {from} to node {to}")
            }
            CellKey::LoadedPeak { from, to, workers, mix } => {
                write!(f, "greatest {mix} load of {workers}, from node {from} to node {to}")
            }
            CellKey::LoadedIdle { from, to, workers, mix } => {
                write!(f, "latency at the least {mix} load of {workers}, from node {from} to node {to}")
            }
            CellKey::TransferOfNodes { owner, reader, home, same_node } => {
                let node = |id: &Option<NodeId>| id.map_or("unknown".to_owned(), |id| id.to_string());
                let what = if *same_node { "within a node" } else { "between nodes" };
                let (owner, reader, home) = (node(owner), node(reader), node(home));
                write!(f, "transfer {what}, from {owner} to {reader}, memory of {home}")
            }
            CellKey::Transfer { owner, reader, home } => {
                write!(f, "transfer from CPU {owner} to CPU {reader}, memory of node {home}")
            }
        }
    }
}

/// A figure of both profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedCell {
    pub cell: CellKey,
    pub a: Reading<Estimate<f64>>,
    pub b: Reading<Estimate<f64>>,
    /// The second divided by the first.
    pub ratio: Reading<ComparedRatio>,
    pub call: CellCall,
}

/// A ratio of two medians with its interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedRatio {
    pub ratio: Ratio,
    /// Lower and upper bound; unavailable where one of the two is a single measurement.
    pub interval: Reading<(Ratio, Ratio)>,
}

/// What may be said of a figure of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellCall {
    /// The second is better: intervals apart, and further than the margin.
    Better,
    Worse,
    /// Within the margin.
    Same,
    /// Further apart than the margin, but the intervals do not say so.
    Open,
    /// One of the two could not be measured.
    Unknown,
}
