//! Whether the program of a study uses MPI, by what was seen of it.

use std::path::Path;

use numawise_facts::{RunSpec, Study};

#[cfg(test)]
#[path = "mpi_tests.rs"]
mod tests;

/// Commands that start ranks, whatever follows their name after a dot or a dash (`mpiexec.hydra`, `mpirun-openmpi-gcc`).
const LAUNCHERS: [&str; 10] =
    ["mpirun", "mpiexec", "orterun", "prterun", "srun", "aprun", "jsrun", "ibrun", "palsrun", "ccc_mprun"];

/// True where a launcher starts the program, a launcher's variables say which rank it is, or a process had a library of MPI mapped.
pub fn uses_mpi(study: &Study) -> bool {
    let mut seen = study.trials.iter().filter_map(|trial| trial.observation.measured());
    is_launcher(&study.header.command)
        || seen.any(|observation| {
            let libraries = observation.mpi_libraries.measured();
            libraries.is_some_and(|names| !names.is_empty()) || observation.rank.measured().is_some()
        })
}

/// The first word is the name of a launcher, with its folder or without. What stands before one (`env`, `time`) is not looked
/// through: its ranks have a library of MPI mapped.
fn is_launcher(command: &RunSpec) -> bool {
    let Some(first) = command.command.first().map(ToString::to_string) else { return false };
    let name = Path::new(&first).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split(['.', '-']).next().unwrap_or_default();
    LAUNCHERS.contains(&stem)
}
