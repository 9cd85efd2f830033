//! Whether somebody asked a launcher for CPUs, or it bound its ranks by a default of its own.

use std::borrow::Cow;

use super::{Environment, Launcher};

#[cfg(test)]
#[path = "binding_tests.rs"]
mod tests;

/// An option among the words of a launcher, without its dashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LauncherOption<'a> {
    pub name: Cow<'a, str>,
    /// What stands behind its `=`, or in the next word, which is its value where it takes one.
    pub value: Option<Cow<'a, str>>,
    /// The word behind that, where the option takes two.
    pub second: Option<Cow<'a, str>>,
}

/// Options that ask for CPUs whatever their value, with whether they have one: of mpirun of Open MPI 4.1 and 5.0, and of srun of Slurm 23.
/// Hydra has the first.
const ASKING_OPTIONS: [(&str, bool); 17] = [
    ("bind-to", true),
    ("bind-to-core", false),
    ("bind-to-socket", false),
    ("cpu-set", true),
    ("cpu-list", true),
    ("slot-list", true),
    ("rankfile", true),
    ("rf", true),
    ("cpus-per-proc", true),
    ("cpus-per-rank", true),
    ("bycore", false),
    ("bysocket", false),
    ("npersocket", true),
    ("cpu-bind", true),
    ("cpus-per-task", true),
    ("hint", true),
    ("threads-per-core", true),
];
/// Options that ask for CPUs where their value names something inside of a computer.
const MAPPING_OPTIONS: [&str; 2] = ["map-by", "ppr"];
/// Options with the name and the value of a parameter.
const PARAMETER_OPTIONS: [&str; 3] = ["mca", "prtemca", "gmca"];
/// What the variable of a parameter begins with, in Open MPI 4 and 5.
const PARAMETER_VARIABLES: [&str; 2] = ["OMPI_MCA_", "PRTE_MCA_"];

/// By these, set by whoever, Intel MPI is asked.
const ASKED_OF_INTEL: [&str; 4] =
    ["I_MPI_PIN", "I_MPI_PIN_DOMAIN", "I_MPI_PIN_PROCESSOR_LIST", "I_MPI_PIN_CELL"];
/// And srun.
const ASKED_OF_SRUN: [&str; 4] =
    ["SLURM_CPU_BIND", "SLURM_HINT", "SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK"];

/// Open MPI 4's mark of a rank that was bound, by default or not. The daemons of 5.0 set no such thing.
const BOUND_BY_OPEN_MPI: &str = "OMPI_MCA_orte_bound_at_launch";

/// Set by 5.0 in each rank.
const STARTED_BY_PRTE: &str = "PRTE_LAUNCHED";

/// By these somebody asked Open MPI for CPUs: set by hand, or by the options of mpirun 4.1 that are named behind.
const ASKED_OF_OPEN_MPI: [&str; 11] = [
    "OMPI_MCA_hwloc_base_binding_policy", // --bind-to
    "OMPI_MCA_hwloc_base_bind_to_core",   // --bind-to-core
    "OMPI_MCA_hwloc_base_bind_to_socket", // --bind-to-socket
    "OMPI_MCA_hwloc_base_cpu_set",        // --cpu-set
    "OMPI_MCA_hwloc_base_cpu_list",       // --cpu-list
    "OMPI_MCA_orte_rankfile",             // --rankfile
    "OMPI_MCA_rmaps_base_cpus_per_rank",  // --cpus-per-proc
    "OMPI_MCA_rmaps_base_bycore",         // --bycore
    "OMPI_MCA_rmaps_ppr_n_persocket",     // --npersocket
    // Of 5.0, where options reach no rank.
    "PRTE_MCA_hwloc_default_binding_policy",
    "PRTE_MCA_hwloc_default_cpu_list",
];

/// What `--map-by` says, with modifiers behind colons: `slot`, `ppr:2:socket`, `node:PE=4`.
const MAPPING_OF_OPEN_MPI: [&str; 2] =
    ["OMPI_MCA_rmaps_base_mapping_policy", "PRTE_MCA_rmaps_default_mapping_policy"];

/// The words of `--map-by` that leave the CPUs of a computer to Open MPI.
const MAPPING_WITHOUT_CPUS: [&str; 8] =
    ["ppr", "node", "slot", "seq", "span", "oversubscribe", "nooversubscribe", "inherit"];

/// Whether a rank was bound without that anybody asked for it: the launcher says that it bound it, or has a default that binds, and neither the
/// environment nor the launcher's own words, where they are known, ask.
///
/// Open MPI binds by default: 4 says so and hands its options on, 5 writes nothing of it into the environment, so that its words have to be
/// known. MPICH binds only when asked. Slurm writes the same into `SLURM_CPU_BIND` whoever chose, and PALS, JSM and Flux write nothing of it.
pub fn is_bound_by_default(
    launcher: Launcher,
    environment: Environment<'_>,
    words: Option<&[LauncherOption<'_>]>,
) -> bool {
    let is_set = |name: &str| environment(name).is_some_and(|value| !value.is_empty());
    let bound = match words {
        _ if is_set(BOUND_BY_OPEN_MPI) => true,
        Some(words) => is_set(STARTED_BY_PRTE) && asked_in_words(words).is_none(),
        None => false,
    };
    launcher == Launcher::OpenMpi && bound && asked_in_environment(environment).is_none()
}

/// By what somebody asked a launcher, srun or an `mpirun`, for the CPUs of its ranks: an option as it stands among its words, or a variable.
/// An option that asks for none (`--bind-to none`) was asked for too.
pub fn asked_binding(
    words: &[LauncherOption<'_>],
    is_srun: bool,
    environment: Environment<'_>,
) -> Option<String> {
    let others = if is_srun { ASKED_OF_SRUN } else { ASKED_OF_INTEL };
    let of_open_mpi = || asked_in_environment(environment).filter(|_| !is_srun);
    let set = || others.iter().find_map(|name| shown(name, environment));
    asked_in_words(words).or_else(of_open_mpi).or_else(set)
}

/// `NAME=VALUE`, where it has one.
fn shown(name: &str, environment: Environment<'_>) -> Option<String> {
    let value = environment(name).filter(|value| !value.is_empty())?;
    Some(format!("{name}={}", value.to_string_lossy()))
}

/// The variable by which Open MPI was asked.
fn asked_in_environment(environment: Environment<'_>) -> Option<String> {
    let maps =
        |name: &&&str| environment(name).is_some_and(|mapped| asks_for_cpus(&mapped.to_string_lossy()));
    let mapped = MAPPING_OF_OPEN_MPI.iter().filter(maps);
    mapped.chain(&ASKED_OF_OPEN_MPI).find_map(|name| shown(name, environment))
}

fn asked_in_words(words: &[LauncherOption<'_>]) -> Option<String> {
    words.iter().find_map(|LauncherOption { name, value, second }| {
        let value = value.as_deref().unwrap_or_default();
        if let Some((name, has_value)) = ASKING_OPTIONS.iter().find(|(known, _)| known == name) {
            return Some(if *has_value { format!("--{name} {value}") } else { format!("--{name}") });
        }
        if MAPPING_OPTIONS.contains(&name.as_ref()) && asks_for_cpus(value) {
            return Some(format!("--{name} {value}"));
        }
        let second = second.as_deref().filter(|_| PARAMETER_OPTIONS.contains(&name.as_ref()))?;
        let is_parameter = |variable: &&str| {
            PARAMETER_VARIABLES.iter().any(|begin| variable.strip_prefix(begin) == Some(value))
        };
        let asks = ASKED_OF_OPEN_MPI.iter().any(&is_parameter)
            || MAPPING_OF_OPEN_MPI.iter().any(is_parameter) && asks_for_cpus(second);
        asks.then(|| format!("--{name} {value} {second}"))
    })
}

/// Whether a mapping is by something inside of a computer, or gives each rank a number of CPUs.
fn asks_for_cpus(mapping: &str) -> bool {
    let says_nothing = |word: &str| {
        let word = word.to_ascii_lowercase();
        word.bytes().all(|byte| byte.is_ascii_digit()) || MAPPING_WITHOUT_CPUS.contains(&word.as_str())
    };
    !mapping.split([':', ',']).all(says_nothing)
}
