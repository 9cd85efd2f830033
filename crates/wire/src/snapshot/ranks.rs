//! Which ranks of a job are watched: the list that numawise gives, and the variables in which launchers tell a process its rank, so
//! that a process that is not to be watched is left alone from its begin.

use crate::Variable;

#[cfg(test)]
#[path = "ranks_tests.rs"]
mod tests;

/// The ranks that are watched, such as `0,3-5`; without it all are.
pub const RANKS: Variable = Variable(c"NUMAWISE_SNAPSHOT_RANKS");

/// Where launchers name the MPI_COMM_WORLD of a process: all of one have the same, and those that `MPI_Comm_spawn` makes another. Open MPI and
/// other launchers of PMIx give a name; those of MPICH tell only that a process was spawned.
pub const WORLD_VARIABLES: [Variable; 2] = [Variable(c"PMIX_NAMESPACE"), Variable(c"PMI_SPAWNED")];

/// Where launchers tell a process its rank in MPI_COMM_WORLD, in the order in which they count: a launcher of MPI starts its daemons
/// through the batch system's, whose variables are then those of the daemons.
pub const RANK_VARIABLES: [Variable; 8] = [
    Variable(c"OMPI_COMM_WORLD_RANK"),
    Variable(c"MV2_COMM_WORLD_RANK"),
    Variable(c"PMI_RANK"),
    Variable(c"JSM_NAMESPACE_RANK"),
    Variable(c"PALS_RANKID"),
    Variable(c"PMIX_RANK"),
    Variable(c"FLUX_TASK_RANK"),
    Variable(c"SLURM_PROCID"),
];

/// True where a process is one of the ranks that `list` leaves out. `variable` looks the environment up. A process that is told no rank
/// (a launcher, a program that was started without one) is not left out, nor is any where the list is none.
pub fn is_left_out<'a>(list: &[u8], variable: impl Fn(Variable) -> Option<&'a [u8]>) -> bool {
    let rank = RANK_VARIABLES.into_iter().find_map(variable).and_then(number);
    rank.and_then(|rank| holds(list, rank)) == Some(false)
}

/// Whether a rank is in a list; `None` where it is no list.
fn holds(list: &[u8], rank: u32) -> Option<bool> {
    let mut found = false;
    for part in list.split(|byte| *byte == b',') {
        let mut ends = part.splitn(2, |byte| *byte == b'-');
        let first = number(ends.next()?)?;
        let last = ends.next().map_or(Some(first), number)?;
        found |= (first..=last).contains(&rank);
    }
    Some(found)
}

fn number(text: &[u8]) -> Option<u32> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u32, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        let is_digit = digit < 10;
        number.checked_mul(10)?.checked_add(digit.into()).filter(|_| is_digit)
    })
}
