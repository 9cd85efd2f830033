//! Launchers of the ranks of a job.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What started this process as a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Launcher {
    OpenMpi,
    Mvapich,
    /// `mpiexec` of MPICH, of Intel MPI and of what is made of them.
    Hydra,
    /// `jsrun` of IBM's Job Step Manager.
    Jsm,
    /// `mpiexec` or `aprun` of HPE's Parallel Application Launch Service.
    Pals,
    Flux,
    Slurm,
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Launcher::OpenMpi => "Open MPI",
            Launcher::Mvapich => "MVAPICH",
            Launcher::Hydra => "MPICH or Intel MPI",
            Launcher::Jsm => "jsrun",
            Launcher::Pals => "PALS",
            Launcher::Flux => "Flux",
            Launcher::Slurm => "Slurm",
        })
    }
}
