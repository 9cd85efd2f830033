//! Which of an MPI job's ranks on this computer we are, from the environment that its launcher gives.
//!
//! Every rank plans for all ranks of its computer and takes its own part: no rank has to ask another, if each knows its
//! place among those here (the local rank) and their number.

use std::ffi::OsString;

use numawise_facts::Launcher;
use numawise_units::harmless::quoted;

mod binding;
mod job;
mod slurm;
#[cfg(test)]
#[path = "rank_tests.rs"]
mod tests;

pub use binding::{LauncherOption, asked_binding, is_bound_by_default};
pub use job::{job_name, job_name_of_daemon};

/// What looks a variable up.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Our place among the ranks of this computer, and of the job where that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocalRank {
    pub launcher: Launcher,
    /// From 0, below `local_size`.
    pub local_rank: u32,
    pub local_size: u32,
    pub rank: Option<u32>,
    pub size: Option<u32>,
    /// The launcher does not tell how many ranks are here; it is what an even spread over the computers gives.
    pub size_is_assumed: bool,
}

/// Why the environment of a rank does not tell our place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RankError {
    #[error(
        "{name} of {launcher} is '{found}'; expected {expected}; start numawise through the launcher, or unset it"
    )]
    Value { launcher: Launcher, name: &'static str, found: String, expected: String },
    #[error(
        "{launcher} has set {present}, but none of {missing}; start numawise through the launcher, or unset {present}"
    )]
    Missing { launcher: Launcher, present: &'static str, missing: String },
    /// A rank of a launcher that tells nothing of its computer.
    #[error(
        "{present} says that this is a rank of an MPI job, and no variable tells which one of this computer; start the job \
         with the launcher of Open MPI, MPICH, Intel MPI, Slurm, Flux or PALS, or unset {present}"
    )]
    NoLocalRank { present: &'static str },
}

impl RankError {
    /// True when nothing is broken: the launcher does not tell what a plan for several ranks needs.
    pub fn is_only_untold(&self) -> bool {
        matches!(self, RankError::NoLocalRank { .. })
    }
}

/// The variables of a launcher; of several names for one thing the first that is set counts.
struct Names {
    launcher: Launcher,
    local_rank: &'static str,
    local_size: &'static [&'static str],
    rank: &'static str,
    size: &'static [&'static str],
}

/// In the order in which they are asked. A launcher of MPI starts its daemons through the batch system's, so that its
/// ranks have the variables of both, and the batch system's are those of the daemons: it comes first. Open MPI's and
/// Hydra's as printed by mpirun 4.1 and mpiexec 4.0; MVAPICH's from its manual; PALS' as HPE's mpiexec and Slurm's plugin
/// cray_shasta set them; JSM's from programs that read them.
const TABLE: [Names; 5] = [
    Names {
        launcher: Launcher::OpenMpi,
        local_rank: "OMPI_COMM_WORLD_LOCAL_RANK",
        local_size: &["OMPI_COMM_WORLD_LOCAL_SIZE"],
        rank: "OMPI_COMM_WORLD_RANK",
        size: &["OMPI_COMM_WORLD_SIZE"],
    },
    Names {
        launcher: Launcher::Mvapich,
        local_rank: "MV2_COMM_WORLD_LOCAL_RANK",
        local_size: &["MV2_COMM_WORLD_LOCAL_SIZE"],
        rank: "MV2_COMM_WORLD_RANK",
        size: &["MV2_COMM_WORLD_SIZE"],
    },
    Names {
        launcher: Launcher::Hydra,
        local_rank: "MPI_LOCALRANKID",
        local_size: &["MPI_LOCALNRANKS"],
        rank: "PMI_RANK",
        size: &["PMI_SIZE"],
    },
    Names {
        launcher: Launcher::Jsm,
        local_rank: "JSM_NAMESPACE_LOCAL_RANK",
        local_size: &["JSM_NAMESPACE_LOCAL_SIZE"],
        rank: "JSM_NAMESPACE_RANK",
        size: &["JSM_NAMESPACE_SIZE"],
    },
    Names {
        launcher: Launcher::Pals,
        local_rank: "PALS_LOCAL_RANKID",
        local_size: &["PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE"],
        rank: "PALS_RANKID",
        size: &["PALS_SIZE", "PMI_SIZE"],
    },
];

const FLUX_LOCAL: &str = "FLUX_TASK_LOCAL_ID";
const FLUX_RANK: &str = "FLUX_TASK_RANK";
const FLUX_SIZE: &str = "FLUX_JOB_SIZE";
const FLUX_NODES: &str = "FLUX_JOB_NNODES";

/// Variables that say only that this is a rank.
const BARE: [&str; 2] = ["PMIX_RANK", "PMI_RANK"];

/// Our place among the ranks of this computer; `None` when we are none.
///
/// # Errors
/// When a launcher's variables are there, and broken or too few.
pub fn rank(environment: Environment<'_>) -> Result<Option<LocalRank>, RankError> {
    for names in &TABLE {
        if let Some(found) = from_names(names, environment)? {
            return Ok(Some(found));
        }
    }
    if let Some(found) = flux(environment)? {
        return Ok(Some(found));
    }
    if let Some(found) = slurm::rank(environment)? {
        return Ok(Some(found));
    }
    match BARE.into_iter().find(|name| environment(name).is_some()) {
        Some(present) => Err(RankError::NoLocalRank { present }),
        None => Ok(None),
    }
}

/// The variables by which a launcher tells a rank that it is one.
pub fn rank_variables(launcher: Launcher) -> [&'static str; 2] {
    match TABLE.iter().find(|names| names.launcher == launcher) {
        Some(names) => [names.local_rank, names.rank],
        None if launcher == Launcher::Flux => [FLUX_LOCAL, FLUX_RANK],
        None => ["SLURM_LOCALID", "SLURM_PROCID"],
    }
}

/// True for the variables that [`rank`] reads: a process that has one was started by a launcher.
pub fn is_rank_variable(name: &str) -> bool {
    let known = |names: &Names| {
        [names.local_rank, names.rank].contains(&name)
            || names.local_size.contains(&name)
            || names.size.contains(&name)
    };
    TABLE.iter().any(known)
        || [FLUX_LOCAL, FLUX_RANK, FLUX_SIZE, FLUX_NODES].contains(&name)
        || slurm::NAMES.contains(&name)
        || BARE.contains(&name)
}

fn from_names(names: &Names, environment: Environment<'_>) -> Result<Option<LocalRank>, RankError> {
    let read = Reader { launcher: names.launcher, environment };
    let Some(local_rank) = read.number(names.local_rank)? else { return Ok(None) };
    let Some((size_name, local_size)) = read.first(names.local_size)? else {
        // PALS through Slurm tells the number of ranks here in Slurm's own variables only.
        if names.launcher == Launcher::Pals
            && let Some(found) = slurm::rank(environment)?
        {
            return Ok(Some(found));
        }
        return Err(read.missing(names.local_rank, names.local_size));
    };
    read.below(names.local_rank, local_rank, size_name, local_size)?;
    let rank = read.number(names.rank)?;
    let size = read.first(names.size)?;
    if let (Some(rank), Some((size_name, size))) = (rank, size) {
        read.below(names.rank, rank, size_name, size)?;
    }
    Ok(Some(LocalRank {
        launcher: names.launcher,
        local_rank,
        local_size,
        rank,
        size: size.map(|(_, size)| size),
        size_is_assumed: false,
    }))
}

/// Flux tells the ranks and computers of the whole job. By default it gives each computer a block, the first ones one
/// rank more where the ranks do not divide.
fn flux(environment: Environment<'_>) -> Result<Option<LocalRank>, RankError> {
    let read = Reader { launcher: Launcher::Flux, environment };
    let Some(local_rank) = read.number(FLUX_LOCAL)? else { return Ok(None) };
    let Some(size) = read.number(FLUX_SIZE)? else { return Err(read.missing(FLUX_LOCAL, &[FLUX_SIZE])) };
    let Some(nodes) = read.number(FLUX_NODES)? else { return Err(read.missing(FLUX_LOCAL, &[FLUX_NODES])) };
    if nodes == 0 || nodes > size {
        return Err(read.broken(
            FLUX_NODES,
            nodes,
            format!("a number from 1 to {FLUX_SIZE}, which is {size}"),
        ));
    }
    read.below(FLUX_LOCAL, local_rank, FLUX_SIZE, size)?;
    let rank = read.number(FLUX_RANK)?;
    if let Some(rank) = rank {
        read.below(FLUX_RANK, rank, FLUX_SIZE, size)?;
    }
    let (least, more) = (size / nodes, size % nodes);
    // The computers before ours hold `rank - local_rank` ranks where each has a block.
    let in_a_larger_block = rank.is_some_and(|rank| rank.saturating_sub(local_rank) < more * (least + 1));
    let even = least + u32::from(in_a_larger_block);
    Ok(Some(LocalRank {
        launcher: Launcher::Flux,
        local_rank,
        local_size: even.max(local_rank + 1),
        rank,
        size: Some(size),
        size_is_assumed: nodes > 1,
    }))
}

/// Reads the numbers of one launcher.
struct Reader<'a> {
    launcher: Launcher,
    environment: Environment<'a>,
}

impl Reader<'_> {
    fn number(&self, name: &'static str) -> Result<Option<u32>, RankError> {
        let Some(text) = (self.environment)(name) else { return Ok(None) };
        let text = text.to_string_lossy();
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(self.broken(name, text, "a number from 0".to_owned())),
        }
    }

    fn first(&self, names: &[&'static str]) -> Result<Option<(&'static str, u32)>, RankError> {
        for name in names {
            if let Some(number) = self.number(name)? {
                return Ok(Some((name, number)));
            }
        }
        Ok(None)
    }

    fn below(&self, name: &'static str, value: u32, limit_name: &str, limit: u32) -> Result<(), RankError> {
        if value < limit {
            Ok(())
        } else {
            Err(self.broken(name, value, format!("a number below {limit_name}, which is {limit}")))
        }
    }

    fn broken(&self, name: &'static str, found: impl ToString, expected: String) -> RankError {
        RankError::Value {
            launcher: self.launcher,
            name,
            found: quoted(&found.to_string()),
            expected: quoted(&expected),
        }
    }

    fn missing(&self, present: &'static str, missing: &[&str]) -> RankError {
        RankError::Missing { launcher: self.launcher, present, missing: missing.join(", ") }
    }
}
