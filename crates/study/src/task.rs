//! What one task of a run left: its time, what it printed and what it wrote.

use numawise_facts::{EndedBy, Exit, MetricFileProblem};
use numawise_launch::WrittenText;
use numawise_units::Nanoseconds;

/// One task of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRun {
    pub exit: Exit,
    /// Who ended it, where somebody did.
    pub ended_by: Option<EndedBy>,
    pub wall: Nanoseconds,
    pub output: String,
    /// How many bytes in front of the output were not kept.
    pub dropped: u64,
    /// What it wrote to the file that holds the metric, where there is one.
    pub file: Option<Result<WrittenText, MetricFileProblem>>,
}

/// What a program that takes too long is sent.
const SIGTERM: i32 = 15;

impl TaskRun {
    /// One that was ended since it took longer than `limit`: no success, whatever status it gave then.
    pub(crate) fn ended_at(mut self, limit: Nanoseconds) -> TaskRun {
        if self.exit.success() {
            self.exit = Exit::Signal(SIGTERM);
        }
        self.ended_by = Some(EndedBy::TimeLimit { limit });
        self
    }

    /// Where the metric was looked for.
    pub(crate) fn searched(&self) -> &str {
        match &self.file {
            Some(Ok(text)) => &text.added,
            Some(Err(_)) | None => &self.output,
        }
    }
}
