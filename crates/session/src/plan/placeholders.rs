//! What stands in a command for what only the start knows: `{cpus}`, `{nodes}`, `{rank}`, `{host}`.

use numawise_facts::{Reason, RunSpec, TaskPlacement, TaskWord, UnknownWord};
use numawise_machine::Roots;

use super::RunPlan;
use crate::Error;

#[cfg(test)]
#[path = "placeholders_tests.rs"]
mod tests;

const RANK: &str = "rank";
/// The number of a task on this computer.
pub const TASK: &str = "{task}";

/// Whether a command names the nodes of its CPUs, for which more of the machine is read than for a list of CPUs.
pub fn takes_nodes(spec: &RunSpec) -> bool {
    spec.takes(&TaskWord::Nodes.mark())
}

/// Whether it names its rank, so that the launcher's variables are read whatever is placed.
pub fn takes_rank(spec: &RunSpec) -> bool {
    spec.takes(&rank_mark())
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
        let rank = match self.rank_of_job {
            RankOfJob::None => task.task.0.to_string(),
            RankOfJob::Told(rank) => rank.to_string(),
            RankOfJob::Untold if takes_rank(spec) => {
                let reason = "the launcher does not tell the number in the job".into();
                return Err(UnknownWord { name: RANK, reason: Reason(reason) }.into());
            }
            RankOfJob::Untold => String::new(),
        };
        Ok(placed.filled(&[(&rank_mark(), rank.into())]))
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
