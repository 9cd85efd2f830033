//! What one task of a run left: its time, what it printed and what it wrote.

use numawise_facts::{Exit, MetricFileProblem};
use numawise_launch::WrittenText;
use numawise_units::Nanoseconds;

/// One task of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRun {
    pub exit: Exit,
    pub wall: Nanoseconds,
    pub output: String,
    /// How many bytes in front of the output were not kept.
    pub dropped: u64,
    /// What it wrote to the file that holds the metric, where there is one.
    pub file: Option<Result<WrittenText, MetricFileProblem>>,
}

impl TaskRun {
    /// Where the metric was looked for.
    pub(crate) fn searched(&self) -> &str {
        match &self.file {
            Some(Ok(text)) => &text.added,
            Some(Err(_)) | None => &self.output,
        }
    }
}
