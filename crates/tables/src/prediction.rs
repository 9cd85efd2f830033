//! What a few runs of a program say of the placements that were not run.

use numawise_facts::{FactorLevels, PointId, Reading};
use numawise_units::{NodeId, Ratio};

/// All points of a grid with their times, measured or predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    pub factors: Vec<FactorLevels>,
    /// In the order of the points of the study.
    pub points: Vec<PredictedPoint>,
    /// The point with the best figure, measured where there is one, else predicted.
    pub best: Reading<PointId>,
    /// Points that were run.
    pub run: u32,
    /// Of the points that were run, how far each was from what the others say of it: the median and the largest.
    pub errors: Reading<PredictionErrors>,
}

/// How far predictions were off, as shares of what was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictionErrors {
    pub median: Ratio,
    pub largest: Ratio,
}

/// A point with its figures: the metric for one unit of work.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictedPoint {
    pub point: PointId,
    /// In the order of the factors.
    pub levels: Vec<String>,
    /// Of all processes.
    pub threads: Option<u32>,
    /// Trials that count.
    pub runs: u32,
    /// Their median.
    pub measured: Reading<f64>,
    /// What the other runs say of it: of a point that was run as if it had not been.
    pub predicted: Reading<PredictedFigure>,
    /// What its time is made of, the greatest part first; shares of 1.
    pub parts: Reading<Vec<TimePart>>,
}

impl PredictedPoint {
    /// What was measured, or else predicted.
    pub fn figure(&self) -> Option<f64> {
        self.measured.measured().copied().or_else(|| self.predicted.measured().map(|figure| figure.value))
    }

    /// How far the prediction is off, as a share of what was measured.
    pub fn error(&self) -> Reading<Ratio> {
        let both = self.predicted.clone().zip(self.measured.clone());
        both.map(|(predicted, measured)| Ratio(predicted.value / measured - 1.0))
    }
}

/// A figure that was not measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictedFigure {
    pub value: f64,
    /// Where a run would lie with 95 %.
    pub low: f64,
    pub high: f64,
}

/// A part of a predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimePart {
    pub bound: TimeBound,
    pub share: Ratio,
}

/// What takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeBound {
    /// Work of one thread while the others wait.
    Serial,
    Compute,
    /// Waiting for single loads.
    Latency,
    /// The bandwidth that a core takes.
    CoreBandwidth,
    MemoryBandwidth(NodeId),
    /// From the CPUs of one node to the memory of another.
    LinkBandwidth(NodeId, NodeId),
    /// What each further thread costs.
    Synchronisation,
    /// No more threads are at work at a time: a lock, a quota, CPUs that others use.
    ThreadLimit,
}

/// Another machine than that of the runs, as far as its profile tells.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherMachineFacts {
    /// The file, as it was typed.
    pub profile: String,
    pub nodes: u32,
    pub cores: u32,
    /// How fast a core computes, against one of the machine of the runs.
    pub compute: Reading<Ratio>,
}
