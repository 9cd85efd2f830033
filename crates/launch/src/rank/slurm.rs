//! A rank that `srun` started.

use super::{Environment, Launcher, LocalRank, RankError, Reader};

#[cfg(test)]
#[path = "slurm_tests.rs"]
mod tests;

const LOCAL: &str = "SLURM_LOCALID";
const TASKS: &str = "SLURM_STEP_TASKS_PER_NODE";
const NODE: &str = "SLURM_NODEID";
const RANK: &str = "SLURM_PROCID";
const SIZE: &str = "SLURM_STEP_NUM_TASKS";

pub const NAMES: [&str; 5] = [LOCAL, TASKS, NODE, RANK, SIZE];

/// `None` also in a batch script outside `srun`: it has a local number and a rank, both 0, but no step with tasks.
pub fn rank(environment: Environment<'_>) -> Result<Option<LocalRank>, RankError> {
    let read = Reader { launcher: Launcher::Slurm, environment };
    let Some(tasks) = environment(TASKS) else { return Ok(None) };
    let Some(local_rank) = read.number(LOCAL)? else { return Ok(None) };
    let Some(node) = read.number(NODE)? else { return Err(read.missing(LOCAL, &[NODE])) };
    let tasks = tasks.to_string_lossy();
    let Some(counts) = Counts::new(&tasks) else {
        return Err(read.broken(TASKS, tasks, "counts such as 4(x2),3".to_owned()));
    };
    let Some(local_size) = counts.of(node) else {
        let expected = format!("a number below the computers in {TASKS}, which is {tasks}");
        return Err(read.broken(NODE, node, expected));
    };
    read.below(LOCAL, local_rank, TASKS, local_size)?;
    let (rank, size) = (read.number(RANK)?, read.number(SIZE)?);
    if let (Some(rank), Some(size)) = (rank, size) {
        read.below(RANK, rank, SIZE, size)?;
    }
    Ok(Some(LocalRank {
        launcher: Launcher::Slurm,
        local_rank,
        local_size,
        rank,
        size,
        size_is_assumed: false,
    }))
}

/// Tasks of each computer of a step, as `4(x2),3`: runs of (tasks, computers).
struct Counts(Vec<(u32, u32)>);

impl Counts {
    fn new(text: &str) -> Option<Counts> {
        let run = |part: &str| match part.split_once("(x") {
            Some((tasks, times)) => Some((tasks.parse().ok()?, times.strip_suffix(')')?.parse().ok()?)),
            None => Some((part.parse().ok()?, 1)),
        };
        text.split(',').map(run).collect::<Option<Vec<_>>>().map(Counts)
    }

    fn of(&self, node: u32) -> Option<u32> {
        let mut left = node;
        for (tasks, times) in &self.0 {
            if left < *times {
                return Some(*tasks);
            }
            left -= times;
        }
        None
    }
}
