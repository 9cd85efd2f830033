//! Memory objects of a run: where each lies, who touched it first, who uses it, and how much of the time for memory it takes.

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{DataSource, ObjectKind, TouchMethod};
use numawise_facts::{Finding, ObjectRun, RankSet, Reading};
use numawise_units::{Bytes, Cycles, Nanoseconds, NodeId, NodeSet, Pid, Rank, Ratio};

/// All that is said of the objects of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectTables {
    /// Those with the most time for memory first, then the largest. Without those of which next to nothing was seen.
    pub rows: Vec<ObjectRow>,
    /// Objects that are in none of the rows, and their bytes.
    pub left_out: (u64, Bytes),
    /// The findings of each row stand with it.
    pub findings: Vec<ObjectFinding>,
    /// What watching cost, of the CPU time of the program.
    pub cost: Reading<Ratio>,
    /// Samples in which memory was waited for: what shares of time are of.
    pub time_samples: Reading<u64>,
    /// What to put into the fast memory; unavailable where the machine has none, or too little is known.
    pub fast_memory: Reading<FastMemoryChoice>,
}

/// The objects that fit into the fast memory together and have the most of the time for memory.
#[derive(Debug, Clone, PartialEq)]
pub struct FastMemoryChoice {
    pub nodes: NodeSet,
    /// What these have free; of recorded machines all that they have.
    pub capacity: Bytes,
    /// Those with the most time first.
    pub chosen: Vec<ChosenObject>,
    /// Of all that were chosen.
    pub bytes: Bytes,
    pub memory_time: ShareInterval,
    /// Objects from which it was chosen.
    pub candidates: u64,
    /// No other choice has more time, as far as samples say; else the search was given up.
    pub is_best: bool,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenObject {
    /// Index of [`ObjectTables::rows`].
    pub row: usize,
    /// It is chosen too where its time is at the lower end of its interval and that of all others at the upper end of theirs.
    pub is_certain: bool,
}

/// A finding and the row that it is of.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectFinding {
    /// Index of [`ObjectTables::rows`].
    pub row: usize,
    pub finding: Finding,
}

/// The objects of a job, rank by rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankObjects {
    /// Ranks that do the same with the same objects, by the lowest of each.
    pub groups: Vec<ObjectsOfRanks>,
    /// What following them cost, of the CPU time of all ranks.
    pub cost: Reading<Ratio>,
}

/// Ranks that are alike, and the objects of one of them, which stands for all.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectsOfRanks {
    /// None where no launcher named one: all processes of the program together.
    pub ranks: RankSet,
    /// The one that stands for all: the first of which enough is known.
    pub like: Option<Rank>,
    /// What is of that one.
    pub run: ObjectRun,
    pub tables: ObjectTables,
    /// Of each row of the tables its share of the time for memory of all of these ranks together: known from fewer samples of each.
    pub times: Vec<Reading<ShareInterval>>,
    /// Of each row what ranks have of their own time with it; none where that is withheld.
    pub shares: Vec<Option<ShareOfRanks>>,
}

/// The ranks with the least and the most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareOfRanks {
    pub least: (Rank, Ratio),
    pub most: (Rank, Ratio),
}

/// One object.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectRow {
    /// Index in the objects of the run.
    pub object: usize,
    pub kind: ObjectKind,
    pub process: Pid,
    /// Of its process; none where no launcher named one.
    pub rank: Option<Rank>,
    pub name: Reading<String>,
    /// The innermost place of its allocation that is the program's own: with a line, where there is one.
    pub allocated: Reading<CodePlace>,
    /// Where that was called from, for objects that one line allocates and several call.
    pub called_at: Option<CodePlace>,
    pub count: u64,
    pub bytes: Bytes,
    /// Both are estimates: some of its allocations stand for others.
    pub is_estimate: bool,
    pub begun: Nanoseconds,
    pub ended: Reading<Nanoseconds>,
    /// At the moment when it had the most bytes. The largest part first.
    pub pages: Reading<Vec<NodeShare>>,
    /// The same over time.
    pub residence: Reading<Vec<ResidenceMoment>>,
    /// What of its memory is in huge pages.
    pub huge: Reading<Ratio>,
    pub first_touch: Reading<TouchRow>,
    pub used: Reading<UseRow>,
    /// As the processor sampled them.
    pub loads: Reading<LoadRow>,
    pub memory_time: Reading<ShareInterval>,
}

/// Where the data of loads came from.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadRow {
    pub samples: u64,
    /// The largest share first.
    pub sources: Vec<SourceShare>,
    /// Of those of which it is told: from a cache or memory of another node.
    pub remote: Reading<Ratio>,
    /// Found modified in the cache of another core.
    pub modified: Ratio,
    /// On average.
    pub latency: Reading<Cycles>,
}

/// What came from one place.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceShare {
    pub from: DataSource,
    /// Of the loads that were sampled.
    pub share: Ratio,
    /// On average.
    pub latency: Reading<Cycles>,
}

/// Where an object lay at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidenceMoment {
    /// Since the begin of the run.
    pub at: Nanoseconds,
    pub bytes: Bytes,
    /// Of the pages that had memory, by node. None had any where it is empty.
    pub nodes: Vec<NodeShare>,
}

/// A part of an object that has to do with a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeShare {
    /// Missing for CPUs that belong to no node that is known.
    pub node: Option<NodeId>,
    pub share: Ratio,
}

/// A share, with its interval of 95 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareInterval {
    pub value: Ratio,
    pub low: Ratio,
    pub high: Ratio,
}

/// Who touched the pages of an object first.
#[derive(Debug, Clone, PartialEq)]
pub struct TouchRow {
    pub faults: u64,
    pub method: TouchMethod,
    /// The largest share first.
    pub threads: Vec<ThreadShare>,
    pub nodes: Vec<NodeShare>,
    /// Each thread on each node, the largest share first.
    pub touchers: Vec<Toucher>,
    /// Where most of that was.
    pub place: Reading<CodePlace>,
}

/// A thread that touched pages first, on one node.
#[derive(Debug, Clone, PartialEq)]
pub struct Toucher {
    pub of: ThreadShare,
    /// Where most of that was.
    pub place: Reading<CodePlace>,
}

/// What one thread has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadShare {
    /// Index in the threads of the run.
    pub thread: u32,
    /// By when it was first seen in its process.
    pub number: u32,
    /// Where it did most of that.
    pub node: Option<NodeId>,
    pub share: Ratio,
}

/// Who uses an object.
#[derive(Debug, Clone, PartialEq)]
pub struct UseRow {
    pub samples: f64,
    pub threads: Vec<ThreadShare>,
    pub nodes: Vec<NodeShare>,
    /// Each thread on each node, the largest share first.
    pub users: Vec<ObjectUser>,
    pub reads: Ratio,
    /// Of those of which it is known where the page lay.
    pub remote: Reading<Ratio>,
    /// The places with most of that, and their shares.
    pub places: Vec<(CodePlace, Ratio)>,
    /// See `ObjectQuantity::PartsOfNodes`; unavailable where too few samples are of each part.
    pub parts_of_nodes: Reading<Ratio>,
    /// The same of pages.
    pub pages_of_nodes: Reading<Ratio>,
    /// The same of lines of pages.
    pub lines_of_nodes: Reading<Ratio>,
}

/// A thread that uses an object, on one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectUser {
    pub of: ThreadShare,
    /// What of that reads.
    pub reads: Ratio,
}
