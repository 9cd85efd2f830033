//! What a study says: contrasts, a verdict, findings. Complete tables, so that a report need not compute.

use std::fmt;

use numawise_facts::{Effect, Finding, Levels, Notice, Placement, PointId, PointRole, Reading, StopReason};
use numawise_units::{Bytes, Hertz, NodeId, Ratio};
use serde::Serialize;

use crate::{Expected, LineEffects, NotExpected, PointPicture};

/// What the interval of a contrast says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
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
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    pub from: PointId,
    pub to: PointId,
    pub effect: Reading<Effect>,
    pub call: ContrastCall,
    /// Blocks in which both were measured.
    pub repeats: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerdictKind {
    Affected,
    NotAffected,
    Undecided,
    /// What the placements differ by is of the order of what starting any program takes.
    TooShort,
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            VerdictKind::Affected => "affected",
            VerdictKind::NotAffected => "not affected",
            VerdictKind::Undecided => "undecided",
            VerdictKind::TooShort => "too short to tell",
        })
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub kind: VerdictKind,
    /// The contrast that the verdict rests on.
    pub effect: Reading<Effect>,
    pub from: PointId,
    pub to: PointId,
    /// The effect is decided, but its size lies inside the margin.
    pub slight: bool,
    pub placed_well: PlacedWell,
    /// Our line for the better placement was run as it is printed, and does not bring what the trials of that placement showed.
    pub not_by_its_line: bool,
    /// How many more repeats would decide; only while the verdict is open.
    pub more_repeats: Option<MoreRepeats>,
    /// What the verdict does not cover, or what would make it sharper.
    pub caveats: Vec<Notice>,
}

/// What a verdict means to whoever asked: the first thing that is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictCase {
    /// Another placement is better.
    Gains,
    /// Another placement is better, and the line that gives it does not bring that.
    GainNotKept,
    /// Nothing is better, and some placement is worse.
    PlacedWellSensitive,
    /// Nothing is better; whether anything is worse is open.
    PlacedWell,
    /// Some placement is worse; whether any is better is open.
    Sensitive,
    NotAffected,
    /// What the placements differ by is of the order of what starting any program takes.
    TooShort,
    CannotTell,
}

impl Verdict {
    pub fn case(&self) -> VerdictCase {
        match (self.kind, &self.placed_well) {
            (VerdictKind::Affected, PlacedWell::No) if self.not_by_its_line => VerdictCase::GainNotKept,
            (VerdictKind::Affected, PlacedWell::No) => VerdictCase::Gains,
            (VerdictKind::Affected, PlacedWell::Yes) => VerdictCase::PlacedWellSensitive,
            (VerdictKind::Affected, PlacedWell::NotDecided { .. }) => VerdictCase::Sensitive,
            (VerdictKind::NotAffected, _) => VerdictCase::NotAffected,
            (VerdictKind::TooShort, _) => VerdictCase::TooShort,
            (VerdictKind::Undecided, PlacedWell::Yes) => VerdictCase::PlacedWell,
            (VerdictKind::Undecided, PlacedWell::No | PlacedWell::NotDecided { .. }) => {
                VerdictCase::CannotTell
            }
        }
    }
}

/// Whether the program is placed well as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlacedWell {
    /// Nothing that was tried is better than what the operating system does.
    Yes,
    /// Another placement is better.
    No,
    /// It is open for these points.
    NotDecided { points: Vec<PointId> },
}

/// An estimate of what is missing to a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoreRepeats {
    About(u32),
    /// So few that no number can be given.
    AFew,
    /// More than anybody runs.
    OutOfReach,
}

/// A point with its samples and what was seen there.
#[derive(Debug, Clone, PartialEq)]
pub struct PointSummary {
    pub id: PointId,
    pub levels: Levels,
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
    /// The variation is larger than that of well-behaved programs.
    pub varies: bool,
    pub failed: u32,
    pub disturbed: u32,
    /// Memory by node, as seen in the trial with the median amount.
    pub pages: Reading<Vec<(NodeId, Bytes)>>,
    /// Share of the CPU time spent on each node.
    pub cpu_share: Reading<Vec<(NodeId, Ratio)>>,
    /// Threads seen in the last trial that was watched, helpers included.
    pub threads_seen: Reading<u32>,
    pub migrations: Reading<u64>,
    pub peak_memory: Reading<Bytes>,
    /// The mean of the CPUs' frequency in a typical run.
    pub frequency: Reading<Hertz>,
    /// The same for the CPUs of each node.
    pub frequency_by_node: Vec<(NodeId, Hertz)>,
}

/// All that a report needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    pub verdict: Verdict,
    pub findings: Vec<Finding>,
    pub contrasts: Vec<Contrast>,
    pub points: Vec<PointSummary>,
    /// What memory elsewhere costs by the measured figures of the machine, or why there is nothing to say of it.
    pub expected: Result<Expected, NotExpected>,
    /// The placement to use from now on; none when the operating system's is as good as any.
    pub recommended: Option<PointId>,
    /// What the lines for the better placement brought, also where ours did not and nothing is recommended; none where none was run.
    pub lines: Option<LineEffects>,
    /// Highest share of one CPU that sampling took in any trial.
    pub sampling_cost: Reading<Ratio>,
    pub stopped: Option<StopReason>,
    /// The operating system's placement and the one to use from now on, or the best of the others, on the machine.
    pub pictures: Vec<PointPicture>,
    /// What could not be measured, and why.
    pub unavailable: Vec<Notice>,
}
