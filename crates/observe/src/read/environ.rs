//! `/proc/PID/environ`: which rank and which job a process is.

use super::file::count;

#[cfg(test)]
#[path = "environ_tests.rs"]
mod tests;

/// The environment as the process got it at its start. What it changed since is not in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Environment<'a>(pub &'a [u8]);

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

impl<'a> Environment<'a> {
    /// The value of a variable; of a name that is there twice the first counts, as for getenv(3).
    pub fn value(self, name: &str) -> Option<&'a [u8]> {
        self.0
            .split(|&byte| byte == 0)
            .find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
    }

    /// The MPI rank; none when no launcher named one.
    pub fn rank(self) -> Option<u32> {
        RANKS.iter().find_map(|name| {
            let rank = u32::try_from(count(self.value(name)?)?).ok()?;
            // A Slurm batch script has a number too, 0; only in a step it is a rank.
            let in_step = || self.value("SLURM_STEP_ID").or(self.value("SLURM_STEPID")).is_some();
            (*name != "SLURM_PROCID" || in_step()).then_some(rank)
        })
    }
}
