//! The lines that are printed to be used, each run as it is printed: against the program as it is typed without us.
//!
//! They are a study of their own, with a point for each line, started alike: by a shell, in the environment that we were given.

use std::fmt;

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use crate::{
    ContrastRole, EquivalentTool, Levels, MemoryPlan, Placement, PlacementRequest, Point, PointId, PointPair,
    PointRole, Reading, StopReason, Strategy, Study, StudyHeader, TaskPlacement, ThreadBinding, Trial,
};

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;

/// Whose words a line is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineTool {
    /// None: the program as it is typed without anything before it. The others are compared with it.
    Program,
    Numawise,
    Other(EquivalentTool),
}

impl LineTool {
    pub fn name(self) -> &'static str {
        match self {
            LineTool::Program => "program",
            LineTool::Numawise => "numawise",
            LineTool::Other(tool) => tool.name(),
        }
    }

    pub fn from_name(name: &str) -> Option<LineTool> {
        let others = EquivalentTool::ALL.into_iter().map(LineTool::Other);
        [LineTool::Program, LineTool::Numawise].into_iter().chain(others).find(|tool| tool.name() == name)
    }

    /// The label of its point.
    pub fn point(self) -> PointId {
        PointId(self.name().to_owned())
    }
}

impl fmt::Display for LineTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A line, without credentials, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedLine {
    pub tool: LineTool,
    pub line: String,
    /// Why it is not run; nothing for one that is.
    pub not_run: Option<NotRun>,
}

/// Why a line is not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotRun {
    NotInstalled {
        program: String,
    },
    /// It starts the ranks of a job, which this check does not.
    StartsRanks,
    /// One of several lines of this tool, which belong together.
    SeveralLines,
    /// It changes the whole machine.
    ChangesTheMachine,
    /// The line begins with the name of our program, and this file has another.
    OtherName {
        found: String,
    },
    /// Some word of the command is not UTF-8, so that no line can hold it.
    NotText,
    /// The least number of repeats would take `needs`.
    NoTime {
        needs: Nanoseconds,
        left: Nanoseconds,
    },
}

/// The lines of a study with the trials that they had.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedLines {
    /// The placement that they give.
    pub point: PointId,
    /// The program's own is the first.
    pub lines: Vec<PrintedLine>,
    /// Counted from 0, as are their blocks from 1; their points are named as the tools.
    pub trials: Vec<Trial>,
    pub stopped: Option<StopReason>,
}

impl PrintedLines {
    /// The least number of repeats: below it no interval is worth its name.
    pub const LEAST_REPEATS: u32 = 5;

    pub fn line(&self, tool: LineTool) -> Option<&PrintedLine> {
        self.lines.iter().find(|line| line.tool == tool)
    }

    /// Those that are run.
    pub fn run(&self) -> impl Iterator<Item = &PrintedLine> {
        self.lines.iter().filter(|line| line.not_run.is_none())
    }

    /// The study that they are: every line that is run as a point, compared with the program's own.
    pub fn study(&self, of: &StudyHeader) -> Study {
        let points: Vec<Point> = self.run().map(|line| point(line.tool)).collect();
        let compared = points.iter().filter(|point| point.role != PointRole::Baseline);
        let pairs = compared.map(|to| PointPair {
            from: LineTool::Program.point(),
            to: to.id.clone(),
            role: ContrastRole::BothWays,
        });
        let header = StudyHeader {
            pairs: pairs.collect(),
            points,
            not_tried: Vec::new(),
            min_repeats: Self::LEAST_REPEATS,
            start_cost: Reading::unavailable("what a line takes to start is part of its effect"),
            ..of.clone()
        };
        Study { header, trials: self.trials.clone(), stopped: self.stopped, lines: None }
    }
}

/// A line as a point: nothing is placed but by the words of the line.
fn point(tool: LineTool) -> Point {
    let request = PlacementRequest::as_the_os_does();
    let task = TaskPlacement {
        task: numawise_units::TaskId(0),
        cpus: numawise_units::CpuSet::default(),
        threads: Vec::new(),
        memory: MemoryPlan::default_policy(),
    };
    Point {
        id: tool.point(),
        levels: Levels::of(&request, 1),
        role: match tool {
            LineTool::Program => PointRole::Baseline,
            LineTool::Numawise => PointRole::Candidate,
            LineTool::Other(_) => PointRole::Diagnosis,
        },
        request,
        placement: Placement {
            strategy: Strategy::None,
            binding: ThreadBinding::Free,
            tasks: vec![task],
            warnings: Vec::new(),
        },
    }
}
