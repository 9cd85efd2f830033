//! What a study of a grid says: its points, the best of them, how it scales.

use numawise_facts::{Effect, FactorLevels, Finding, Notice, PointId, Reading, StopReason};
use numawise_units::Ratio;

use crate::PointPicture;

/// All that is said of a study of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridTables {
    pub factors: Vec<FactorLevels>,
    /// In the order of the points.
    pub rows: Vec<GridRow>,
    /// What speedups are against.
    pub baseline: PointId,
    pub best: Reading<BestOfGrid>,
    /// One for each combination of levels of the other factors.
    pub scaling: Vec<ScalingSeries>,
    pub effects: Vec<LevelEffects>,
    /// The greatest cost first.
    pub findings: Vec<Finding>,
    pub trials: u32,
    pub stopped: Option<StopReason>,
    /// The best and the worst point on the machine.
    pub pictures: Vec<PointPicture>,
    /// What could not be measured, and why.
    pub unavailable: Vec<Notice>,
}

/// A point with what its trials gave: the metric for one unit of work.
#[derive(Debug, Clone, PartialEq)]
pub struct GridRow {
    pub point: PointId,
    /// In the order of the factors.
    pub levels: Vec<String>,
    /// Threads of all processes.
    pub workers: Option<u32>,
    /// Trials that count.
    pub repeats: u32,
    pub failures: u32,
    pub disturbed: u32,
    pub mean: Reading<f64>,
    pub median: Reading<f64>,
    /// Standard deviation.
    pub sd: Reading<f64>,
    pub min: Reading<f64>,
    /// 95 % interval of the median.
    pub low: Reading<f64>,
    pub high: Reading<f64>,
    /// Against the baseline; all intervals of the study hold together with 95 %. That of the baseline is 1.
    pub speedup: Reading<Effect>,
    /// The speedup divided by how many times as many workers there are.
    pub efficiency: Reading<Effect>,
    /// What its trials gave besides, in the same order at all points.
    pub others: Vec<OtherFigure>,
}

/// A figure of the trials of a point by which points are not compared.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherFigure {
    pub name: String,
    pub unit: OtherUnit,
    /// Trials that count and have it.
    pub repeats: u32,
    pub mean: Reading<f64>,
    pub median: Reading<f64>,
    pub sd: Reading<f64>,
    pub min: Reading<f64>,
    /// 95 % interval of the median.
    pub low: Reading<f64>,
    pub high: Reading<f64>,
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherUnit {
    Seconds,
    Bytes,
    Joules,
    /// That of the program, which printed it.
    OfProgram,
}

/// The best point.
#[derive(Debug, Clone, PartialEq)]
pub struct BestOfGrid {
    pub point: PointId,
    /// No other point may be as good: all intervals against it lie below 1.
    pub is_sure: bool,
    /// Those of which the data do not say that they are worse, the best first.
    pub rivals: Vec<PointId>,
    /// The point with the fewest workers that is at most so much worse; none where workers are not known, or it is the best itself.
    pub cheapest: Option<CheapestPoint>,
}

/// A point that does nearly as well with fewer workers.
#[derive(Debug, Clone, PartialEq)]
pub struct CheapestPoint {
    pub point: PointId,
    pub workers: u32,
    /// Of the best point.
    pub of: u32,
    /// How much of the best point's performance it has.
    pub share: Ratio,
}

/// Time by the number of workers, the other factors at one level each.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingSeries {
    /// The levels of the other factors, with their names.
    pub at: Vec<(String, String)>,
    /// With increasing workers.
    pub points: Vec<PointId>,
    pub amdahl: Reading<ScalingModel>,
    pub universal: Reading<ScalingModel>,
    /// None where the data show no such place.
    pub knee: Option<ScalingKnee>,
}

/// A law of scaling as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingModel {
    /// The serial share (Amdahl), or contention.
    pub contention: Ratio,
    /// What keeping every pair of workers in step costs.
    pub coherency: Ratio,
    /// The speedup that no number of workers exceeds, where there is one.
    pub limit: Option<f64>,
    /// The number of workers from which on more make it slower, where there is one.
    pub peak: Option<f64>,
    /// Measured over fitted time, for each point.
    pub ratios: Vec<Ratio>,
    /// Off by most.
    pub worst: Ratio,
    pub fits: bool,
}

/// A level of a factor against the first.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelEffect {
    pub level: String,
    /// The geometric mean over all combinations that have both; above 1 is better.
    pub gain: Reading<Ratio>,
    /// How much more its trials scatter about the medians of their points.
    pub spread: Reading<SpreadChange>,
}

/// A ratio of relative spreads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadChange {
    /// The intervals of all levels of a study hold together with 95 %.
    pub ratio: Effect,
    /// It is no accident of these trials.
    pub differs: bool,
}

/// Where more workers begin to bring less.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingKnee {
    /// The last number of workers before it.
    pub workers: u32,
    /// How many times as fast twice as many workers make it, from the first number to this one, and from this one to the last.
    pub before: Ratio,
    pub after: Ratio,
    /// What of the machine is used up there.
    pub reasons: Vec<UsedUp>,
}

/// What of the machine is used up at a number of workers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UsedUp {
    /// A thread is on each of so many cores of a node.
    CoresOfNode(u32),
    /// A thread is on each core of the machine: more share cores.
    Cores(u32),
    /// A thread is on each CPU of the machine: more share CPUs.
    Cpus(u32),
    /// About so many cores of a node read as much as all of its memory gives, as the machine's profile has it.
    MemoryBandwidth(f64),
}

/// What the levels of a factor bring on average, all other factors alike.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelEffects {
    pub factor: String,
    pub levels: Vec<LevelEffect>,
    /// The least and the largest over combinations, where they lie on both sides of 1 by more than the margin: what a level brings depends
    /// on the other factors.
    pub depends: Option<(Ratio, Ratio)>,
}
