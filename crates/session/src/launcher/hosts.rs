//! Whether a launcher may start ranks on other computers than this one: by the hosts among its words and in the files that these
//! name, else by what a batch system or its own environment gives it.
//!
//! Too often yes does no harm: ranks of this computer then have a numawise each, as those of others.

use std::ffi::OsString;
use std::path::Path;

use numawise_facts::{Argument, RunSpec};
use numawise_launch::LauncherOption;

use super::{Environment, options, starts_by_daemon};

#[cfg(test)]
#[path = "hosts_tests.rs"]
mod tests;

/// Options with hosts, as `a:4,b:4`: of Open MPI (`-H`, `--host`) and of Hydra (`-hosts`).
const LISTS: [&str; 4] = ["H", "host", "hosts", "hostlist"];
/// Options with a file of hosts: of Open MPI, and of Hydra and Intel MPI (`-f`, `-machinefile`).
const FILES: [&str; 4] = ["hostfile", "machinefile", "default-hostfile", "f"];
/// Options that name hosts in some other way: a rank file, a running set of daemons.
const OTHERS: [&str; 4] = ["rankfile", "rf", "dvm", "dvm-uri"];
/// Variables with the path of a file of hosts: of Hydra, Intel MPI, Open MPI 4 and 5, PBS, Grid Engine, LSF and Cobalt.
const FILE_VARIABLES: [&str; 8] = [
    "HYDRA_HOST_FILE",
    "I_MPI_HYDRA_HOST_FILE",
    "OMPI_MCA_orte_default_hostfile",
    "PRTE_MCA_prte_default_hostfile",
    "PBS_NODEFILE",
    "PE_HOSTFILE",
    "LSB_DJOB_HOSTFILE",
    "COBALT_NODEFILE",
];
/// Variables with the number of computers of a job of Slurm.
const COUNT_VARIABLES: [&str; 2] = ["SLURM_JOB_NUM_NODES", "SLURM_NNODES"];
/// A file of more is not looked at: there are other computers in it.
const LONGEST_FILE: u64 = 1 << 20;
/// How a computer may be called besides by its name.
const OWN_NAMES: [&str; 4] = ["localhost", "localhost.localdomain", "127.0.0.1", "::1"];

/// Whether ranks of the launcher `command` may run on other computers than that of the name `own`.
pub fn may_be_several(
    command: &RunSpec,
    own: &str,
    environment: Environment<'_>,
    is_executable: &dyn Fn(&Argument) -> bool,
) -> bool {
    if starts_by_daemon(command) {
        return true;
    }
    let options = options(command, is_executable);
    let named: Vec<bool> = options.iter().filter_map(|option| has_others(option, command, own)).collect();
    if named.is_empty() { given(own, environment) } else { named.contains(&true) }
}

/// Whether an option names other computers; `None` for one that names none at all.
fn has_others(option: &LauncherOption<'_>, command: &RunSpec, own: &str) -> Option<bool> {
    let name = option.name.as_ref();
    let value = option.value.as_deref().unwrap_or_default();
    if LISTS.contains(&name) {
        Some(value.split(',').any(|host| is_other(host, own)))
    } else if FILES.contains(&name) {
        Some(file_has_others(&command.directory.join(value), own))
    } else {
        OTHERS.contains(&name).then_some(true)
    }
}

fn given(own: &str, environment: Environment<'_>) -> bool {
    let value = |name: &&str| environment(name).filter(|value| !value.is_empty());
    let is_several =
        |count: OsString| count.to_str().and_then(|count| count.parse().ok()).unwrap_or(1u64) > 1;
    let counted = COUNT_VARIABLES.iter().filter_map(value).any(is_several);
    counted || FILE_VARIABLES.iter().filter_map(value).any(|file| file_has_others(Path::new(&file), own))
}

/// A file with a host a line, its name first. One that cannot be read is the launcher's to complain of, and what is in a pipe is there
/// once, for the launcher.
fn file_has_others(file: &Path, own: &str) -> bool {
    if !file.metadata().is_ok_and(|facts| facts.is_file() && facts.len() <= LONGEST_FILE) {
        return true;
    }
    let Ok(text) = std::fs::read_to_string(file) else { return true };
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.filter_map(|line| line.split_whitespace().next()).any(|host| is_other(host, own))
}

/// Whether a name in a list, perhaps with a number of slots behind it, is that of another computer.
fn is_other(host: &str, own: &str) -> bool {
    // An address of IPv6 has several colons.
    let name = if host.matches(':').count() == 1 { host.split(':').next().unwrap_or_default() } else { host };
    let name = name.trim();
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_number = name.starts_with(|first: char| first.is_ascii_digit());
    let is_own = OWN_NAMES.contains(&name) || !is_number && short(name) == short(own);
    !name.is_empty() && !is_own
}
