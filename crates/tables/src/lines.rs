//! What each line that is printed to be used brought, run as it is printed.

use numawise_facts::{Effect, Exit, LineTool, NotRun, PointId, StopReason};
use numawise_units::Ratio;
use serde::Serialize;

/// The lines for a placement, ours first.
#[derive(Debug, Clone, PartialEq)]
pub struct LineEffects {
    pub point: PointId,
    /// The line that they are compared with: the program as it is typed without any of them.
    pub against: String,
    pub lines: Vec<LineEffect>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineEffect {
    pub tool: LineTool,
    pub line: String,
    /// Blocks in which it and the program's own line were measured.
    pub repeats: u32,
    pub effect: Result<Effect, LineNotMeasured>,
    pub call: LineCall,
    /// The part of our line's gain that it keeps; none for ours, and where ours has none.
    pub kept: Option<Ratio>,
}

/// What a line keeps of the gain of the placement that it gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineCall {
    /// It is better than the program as it was, and may have all of the gain.
    Brings,
    /// It is better than the program as it was, and has decidedly less than half of the gain and maybe more than a tenth.
    BringsPart,
    /// It has decidedly less than half of the gain, and is not known to be better than the program as it was or has decidedly less than
    /// a tenth of the gain.
    BringsNothing,
    Open,
    NotMeasured,
}

/// Why the effect of a line is not known.
#[derive(Debug, Clone, PartialEq)]
pub enum LineNotMeasured {
    NotRun(NotRun),
    /// Its last runs failed.
    Failed(Exit),
    /// Its last runs gave no metric.
    NoMetric,
    /// Below the least number of repeats no interval is worth its name.
    TooFew {
        stopped: Option<StopReason>,
    },
    /// Runs that are all alike, or too unlike: as `stats` says it.
    NoInterval(String),
}

impl LineEffect {
    /// True where it is known to bring nothing, and where it could have been proven here and was not. What cannot be run here at all
    /// is another matter.
    #[must_use]
    pub fn may_bring_nothing(&self) -> bool {
        match &self.effect {
            Ok(_) => self.call == LineCall::BringsNothing,
            Err(LineNotMeasured::NotRun(why)) => matches!(why, NotRun::NoTime { .. }),
            Err(
                LineNotMeasured::Failed(_)
                | LineNotMeasured::NoMetric
                | LineNotMeasured::TooFew { .. }
                | LineNotMeasured::NoInterval(_),
            ) => true,
        }
    }
}

impl LineEffects {
    pub fn of(&self, tool: &str) -> Option<&LineEffect> {
        self.lines.iter().find(|line| line.tool.name() == tool)
    }

    /// Our own line.
    pub fn ours(&self) -> Option<&LineEffect> {
        self.lines.iter().find(|line| line.tool == LineTool::Numawise)
    }
}
