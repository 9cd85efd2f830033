//! Findings: named conclusions with their evidence, their cost, and what to do.

use std::fmt;

use numawise_units::Ratio;
use serde::{Deserialize, Serialize};

use crate::Reading;

/// An effect as a ratio with its 95 % interval. Above 1: the second point is better than the first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    pub ratio: Ratio,
    pub low: Ratio,
    pub high: Ratio,
}

impl Effect {
    /// The same effect seen from the other side.
    pub fn inverse(self) -> Self {
        Effect { ratio: self.ratio.inverse(), low: self.high.inverse(), high: self.low.inverse() }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (95 % interval {} to {})", self.ratio, self.low, self.high)
    }
}

/// Stable identifiers of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FindingId {
    /// Memory first touched by one thread.
    #[serde(rename = "NW001")]
    FirstTouchByOneThread,
    /// Threads migrate or are unpinned.
    #[serde(rename = "NW002")]
    ThreadsMigrate,
    /// Half of the machine is idle memory bandwidth.
    #[serde(rename = "NW003")]
    IdleBandwidth,
    /// One process per node beats one over all.
    #[serde(rename = "NW004")]
    ProcessPerNode,
    /// HBM is there and unused.
    #[serde(rename = "NW005")]
    HbmUnused,
    /// The run was too noisy or too short to tell.
    #[serde(rename = "NW006")]
    TooNoisyOrShort,
}

impl FindingId {
    /// The identifier and the title, the same wherever a finding is shown.
    pub fn parts(self) -> (&'static str, &'static str) {
        match self {
            FindingId::FirstTouchByOneThread => ("NW001", "memory is first touched by one thread"),
            FindingId::ThreadsMigrate => ("NW002", "threads migrate"),
            FindingId::IdleBandwidth => ("NW003", "half of the machine's memory bandwidth is idle"),
            FindingId::ProcessPerNode => ("NW004", "one process per node beats one over all nodes"),
            FindingId::HbmUnused => ("NW005", "high-bandwidth memory is there and unused"),
            FindingId::TooNoisyOrShort => ("NW006", "too noisy or too short to tell"),
        }
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.parts().0)
    }
}

/// A named conclusion with its evidence, its cost, and what to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub id: FindingId,
    /// What was seen, one sentence each, with the numbers.
    pub evidence: Vec<String>,
    /// What it costs: the measured effect of the cure that was tried, or why it could not be told.
    pub cost: Reading<Effect>,
    /// What to do, one sentence each, the first the best.
    pub advice: Vec<String>,
}
