//! Shares with a judgement.

use numawise_facts::Reading;
use numawise_units::Ratio;
use serde::Serialize;

/// A share of 0 to 1, and what to think of it. There is no rating of what is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedShare {
    pub value: Reading<Ratio>,
    pub rating: Option<Rating>,
}

/// A judgement, with the thresholds that it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    pub grade: Grade,
    /// From here on it is good: at least, for an efficiency; at most, for a loss.
    pub good: Ratio,
    /// Beyond this it is bad.
    pub bad: Ratio,
    /// More is better: it is an efficiency.
    pub is_efficiency: bool,
    pub source: ThresholdSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    Good,
    LookHere,
    Bad,
}

/// Who set the threshold of `good`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdSource {
    /// POP: efficiencies of 0.8 and more are acceptable. `bad` is ours.
    Pop,
    /// Intel's Application Performance Snapshot: one cycle an instruction is acceptable. `bad` is ours.
    IntelSnapshot,
    /// The metrics of perf, in the sources of Linux: more than a fifth is worth a look. `bad` is ours.
    Perf,
    /// Ours, for want of a public one.
    Numawise,
}
