//! What stands in a command for what only the start knows: `{cpus}`, `{nodes}`, `{rank}`, `{host}`.

use std::ffi::OsStr;

use numawise_facts::{InputTemplate, Reason, RunSpec, TaskPlacement, TaskWord, UnknownWord};
use numawise_machine::Roots;
use numawise_study::Template;

use super::RunPlan;
use crate::Error;

#[cfg(test)]
#[path = "placeholders_tests.rs"]
mod tests;

pub const RANK: &str = "rank";
/// The number of a task on this computer.
pub const TASK: &str = "{task}";

/// Whether a run names the nodes of its CPUs, for which more of the machine is read than for a list of CPUs.
pub fn takes_nodes(command: &RunSpec, files: &[InputTemplate]) -> bool {
    let takes = |file: &InputTemplate| {
        Template::new(OsStr::new(&file.text)).names().contains(&TaskWord::Nodes.name())
    };
    command.takes(&TaskWord::Nodes.mark()) || files.iter().any(takes)
}

/// Whether it names its rank, so that the launcher's variables are read whatever is placed. Folders of input files are named by it.
pub fn takes_rank(command: &RunSpec, files: &[InputTemplate]) -> bool {
    command.takes(&rank_mark()) || !files.is_empty()
}

/// Of a rank whose launcher does not tell its number.
pub fn not_told() -> UnknownWord {
    UnknownWord { name: RANK, reason: Reason("the launcher does not tell the number in the job".into()) }
}

fn rank_mark() -> String {
    format!("{{{RANK}}}")
}

impl RunPlan {
    /// The command as a task of the plan runs it, but for `{threads}` and `{task}`, which come with the start.
    ///
    /// # Errors
    /// [`Error::Placeholder`], where what it names is not known.
    pub fn command(&self, spec: &RunSpec, task: &TaskPlacement) -> Result<RunSpec, Error> {
        let host = || numawise_linux::host::hostname(&Roots::live()).into();
        let placed = spec.placed(task, &self.machine, host)?;
        // What is not asked for need not be known.
        let rank = match self.rank(task) {
            Err(error) if spec.takes(&rank_mark()) => return Err(error.into()),
            rank => rank.map_or_else(|_| String::new(), |rank| rank.to_string()),
        };
        let filled = placed.filled(&[(&rank_mark(), rank.into())]);
        match &self.inputs {
            Some(inputs) => Ok(inputs.files(self.folder_number(inputs, task)?).in_command(&filled)),
            None => Ok(filled),
        }
    }

    /// The number of a task in its job.
    pub(super) fn rank(&self, task: &TaskPlacement) -> Result<u32, UnknownWord> {
        match self.rank_of_job {
            RankOfJob::None => Ok(task.task.0),
            RankOfJob::Told(rank) => Ok(rank),
            RankOfJob::Untold => Err(not_told()),
        }
    }
}

/// The number of this process among all ranks of its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankOfJob {
    /// No launcher started this: a task counts by its own number.
    #[default]
    None,
    Told(u32),
    /// This is a rank, and its launcher says nothing of its number.
    Untold,
}
