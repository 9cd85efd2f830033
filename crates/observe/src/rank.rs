//! Which rank a process is, by what its launcher wrote into its environment.

use numawise_linux::file::count;
use numawise_linux::proc::environ::Environment;
use numawise_units::{Id, Rank};

#[cfg(test)]
#[path = "rank_tests.rs"]
mod tests;

/// Where launchers write the rank among all ranks. A launcher of MPI starts its daemons through the batch system's, so that
/// its ranks have the variables of both, and the batch system's are those of the daemons: they come last.
const RANKS: [&str; 8] = [
    "OMPI_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_RANK",
    "PMI_RANK",
    "JSM_NAMESPACE_RANK",
    "PALS_RANKID",
    "PMIX_RANK",
    "FLUX_TASK_RANK",
    "SLURM_PROCID",
];

/// Why an environment gives no rank.
pub(crate) const NO_RANK: &str = "its environment names no rank: no launcher that is known started it";

/// The MPI rank; none when no launcher named one.
pub(crate) fn rank(environment: Environment<'_>) -> Option<Rank> {
    RANKS.iter().find_map(|name| {
        let rank = u32::try_from(count(environment.value(name)?)?).ok().filter(|rank| *rank < Rank::LIMIT)?;
        // A Slurm batch script has a number too, 0; only in a step it is a rank.
        let in_step = || environment.value("SLURM_STEP_ID").or(environment.value("SLURM_STEPID")).is_some();
        (*name != "SLURM_PROCID" || in_step()).then_some(Rank(rank))
    })
}
