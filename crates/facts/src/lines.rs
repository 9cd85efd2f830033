//! The lines that are printed to be used, each run as it is printed: against the program as it is typed without us.

use std::fmt;

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use crate::{EquivalentTool, PointId};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_name_of_its_own_that_leads_back_to_it() {
        let others = EquivalentTool::ALL.into_iter().map(LineTool::Other);
        for tool in [LineTool::Program, LineTool::Numawise].into_iter().chain(others) {
            assert_eq!(LineTool::from_name(tool.name()), Some(tool));
        }
        assert_eq!(LineTool::from_name("hwloc-bind"), None);
    }
}
