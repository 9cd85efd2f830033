//! What a study says: contrasts, a verdict, findings. Complete tables, so that a report need not compute.

use std::fmt;

use numawise_facts::{Effect, Finding, Placement, PointId, PointRole, Reading, StopReason};
use numawise_units::{Bytes, NodeId, Ratio};
use serde::{Deserialize, Serialize};

use crate::Expected;

/// What the interval of a contrast says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContrastCall {
    Better,
    Worse,
    /// Inside the margin of practical equivalence.
    Same,
    /// The interval does not tell yet.
    Open,
}

/// Two points compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    pub from: PointId,
    pub to: PointId,
    pub effect: Reading<Effect>,
    pub call: ContrastCall,
    /// Blocks in which both were measured.
    pub repeats: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    Affected,
    NotAffected,
    Undecided,
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            VerdictKind::Affected => "affected",
            VerdictKind::NotAffected => "not affected",
            VerdictKind::Undecided => "undecided",
        })
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub kind: VerdictKind,
    /// The contrast that the verdict rests on.
    pub effect: Reading<Effect>,
    pub from: PointId,
    pub to: PointId,
    /// True when nothing that was tried is better than what the operating system does; unavailable while open.
    pub placed_well: Reading<bool>,
    /// The verdict in a sentence or two.
    pub text: String,
    /// What the verdict does not cover, or what would make it sharper.
    pub caveats: Vec<String>,
}

/// A point with its samples and what was seen there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointSummary {
    pub id: PointId,
    pub title: String,
    pub role: PointRole,
    pub placement: Placement,
    /// The metric for one unit of work, trial by trial; disturbed and failed ones left out.
    pub samples: Vec<f64>,
    pub median: Reading<f64>,
    /// Interval of the median, 95 %.
    pub median_low: Reading<f64>,
    pub median_high: Reading<f64>,
    /// Standard deviation as a share of the mean.
    pub variation: Reading<Ratio>,
    pub failed: u32,
    pub disturbed: u32,
    /// Memory by node, the median trial's census.
    pub pages: Reading<Vec<(NodeId, Bytes)>>,
    /// Share of the CPU time spent on each node.
    pub cpu_share: Reading<Vec<(NodeId, Ratio)>>,
    /// Threads seen in the last trial that was watched, helpers included.
    pub threads_seen: Reading<u32>,
    pub migrations: Reading<u64>,
    pub peak_memory: Reading<Bytes>,
}

/// All that a report needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    pub verdict: Verdict,
    pub findings: Vec<Finding>,
    pub contrasts: Vec<Contrast>,
    pub points: Vec<PointSummary>,
    /// What memory elsewhere costs by what was measured of the machine; unavailable where it was not, or where there is none.
    pub expected: Reading<Expected>,
    /// The metric's name and unit as shown: "wall time, s".
    pub metric: String,
    pub higher_is_better: bool,
    /// The placement to use from now on; none when the operating system's is as good as any.
    pub recommended: Option<PointId>,
    /// Highest share of one CPU that sampling took in any trial.
    pub sampling_cost: Reading<Ratio>,
    pub stopped: Option<StopReason>,
    /// What could not be measured, and why.
    pub unavailable: Vec<String>,
}
