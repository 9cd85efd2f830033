//! Commands that start the ranks of a job, perhaps on other computers.

use std::path::Path;

use numawise_facts::RunSpec;

#[cfg(test)]
#[path = "launcher_tests.rs"]
mod tests;

/// The words that start ranks.
const LAUNCHERS: [&str; 14] = [
    "mpirun",
    "mpiexec",
    "mpiexec.hydra",
    "mpiexec.openmpi",
    "mpiexec.mpich",
    "mpirun.openmpi",
    "mpirun.mpich",
    "orterun",
    "prterun",
    "prun",
    "srun",
    "jsrun",
    "aprun",
    "mpirun_rsh",
];

/// What launchers start beside the ranks.
const DAEMONS: [&str; 7] =
    ["orted", "prted", "prte", "hydra_pmi_proxy", "hydra_bstrap_proxy", "pmi_proxy", "slurmstepd"];

/// The launcher that a command begins with.
pub fn of(command: &RunSpec) -> Option<&str> {
    let name = Path::new(command.command.first()?.as_os_str()).file_name()?.to_str()?;
    LAUNCHERS.contains(&name).then_some(name)
}

/// True for the program of a launcher or of a daemon that it starts.
pub fn is_own_process(program: &str) -> bool {
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    LAUNCHERS.contains(&name) || DAEMONS.contains(&name)
}
