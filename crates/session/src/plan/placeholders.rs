//! What stands in a command for what only the start knows: `{cpus}`, `{nodes}`, `{rank}`, `{host}`.

use std::ffi::OsString;

use numawise_facts::{RunSpec, TaskPlacement};
use numawise_machine::Roots;
use numawise_units::NodeSet;

use super::RunPlan;
use crate::Error;

#[cfg(test)]
#[path = "placeholders_tests.rs"]
mod tests;

const CPUS: &str = "{cpus}";
const NODES: &str = "{nodes}";
const RANK: &str = "{rank}";
const HOST: &str = "{host}";

/// Whether a command names the nodes of its CPUs, for which more of the machine is read than for a list of CPUs.
pub fn takes_nodes(spec: &RunSpec) -> bool {
    spec.takes(NODES)
}

/// Whether it names its rank, so that the launcher's variables are read whatever is placed.
pub fn takes_rank(spec: &RunSpec) -> bool {
    spec.takes(RANK)
}

impl RunPlan {
    /// The command as a task of the plan runs it, but for `{threads}` and `{task}`, which come with the start.
    ///
    /// # Errors
    /// [`Error::Placeholder`], where what it names is not known.
    pub fn command(&self, spec: &RunSpec, task: &TaskPlacement) -> Result<RunSpec, Error> {
        let mut values: Vec<(&str, OsString)> = vec![(CPUS, task.cpus.to_string().into())];
        if spec.takes(NODES) {
            let nodes: NodeSet = task.cpus.iter().filter_map(|cpu| self.machine.node_of(cpu)).collect();
            let reason = || format!("of none of CPUs {} the node is known", task.cpus);
            let nodes = (!nodes.is_empty()).then_some(nodes).ok_or_else(|| untold(NODES, reason()))?;
            values.push((NODES, nodes.to_string().into()));
        }
        if spec.takes(RANK) {
            let rank = match self.rank_of_job {
                RankOfJob::None => task.task.0,
                RankOfJob::Told(rank) => rank,
                RankOfJob::Untold => {
                    return Err(untold(RANK, "the launcher does not tell the number in the job".to_owned()));
                }
            };
            values.push((RANK, rank.to_string().into()));
        }
        if spec.takes(HOST) {
            let host = numawise_linux::host::hostname(&Roots::live());
            values.push((HOST, host.map_err(|error| untold(HOST, error.to_string()))?.into()));
        }
        Ok(spec.filled(&values))
    }
}

fn untold(placeholder: &'static str, reason: String) -> Error {
    Error::Placeholder { placeholder, reason }
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
