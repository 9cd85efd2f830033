//! Whether a launcher bound its ranks by a default of its own.

use super::{Environment, Launcher};

/// Open MPI 4's mark of a rank that was bound, by default or not. The daemons of 5.0 set no such thing.
const BOUND_BY_OPEN_MPI: &str = "OMPI_MCA_orte_bound_at_launch";

/// By these somebody asked Open MPI for CPUs: set by hand, or by the options of mpirun 4.1 that are named behind.
const ASKED_OF_OPEN_MPI: [&str; 9] = [
    "OMPI_MCA_hwloc_base_binding_policy", // --bind-to
    "OMPI_MCA_hwloc_base_bind_to_core",   // --bind-to-core
    "OMPI_MCA_hwloc_base_bind_to_socket", // --bind-to-socket
    "OMPI_MCA_hwloc_base_cpu_set",        // --cpu-set
    "OMPI_MCA_hwloc_base_cpu_list",       // --cpu-list
    "OMPI_MCA_orte_rankfile",             // --rankfile
    "OMPI_MCA_rmaps_base_cpus_per_rank",  // --cpus-per-proc
    "OMPI_MCA_rmaps_base_bycore",         // --bycore
    "OMPI_MCA_rmaps_ppr_n_persocket",     // --npersocket
];

/// What `--map-by` says, with modifiers behind colons: `slot`, `ppr:2:socket`, `node:PE=4`.
const MAPPING_OF_OPEN_MPI: &str = "OMPI_MCA_rmaps_base_mapping_policy";

/// The words of `--map-by` that leave the CPUs of a computer to Open MPI.
const MAPPING_WITHOUT_CPUS: [&str; 8] =
    ["ppr", "node", "slot", "seq", "span", "oversubscribe", "nooversubscribe", "inherit"];

/// True when the launcher says that it bound this rank, and nothing says that somebody asked for that.
///
/// Open MPI 4 alone tells. MPICH binds only when asked. Slurm writes the same into `SLURM_CPU_BIND` whoever chose, and 5.0 of
/// Open MPI, PALS, JSM and Flux write nothing of it.
pub fn is_bound_by_default(launcher: Launcher, environment: Environment<'_>) -> bool {
    let is_set = |name: &str| environment(name).is_some_and(|value| !value.is_empty());
    let mapped = environment(MAPPING_OF_OPEN_MPI).unwrap_or_default();
    launcher == Launcher::OpenMpi
        && is_set(BOUND_BY_OPEN_MPI)
        && !ASKED_OF_OPEN_MPI.into_iter().any(is_set)
        && !asks_for_cpus(&mapped.to_string_lossy())
}

/// Whether a mapping is by something inside of a computer, or gives each rank a number of CPUs.
fn asks_for_cpus(mapping: &str) -> bool {
    let says_nothing = |word: &str| {
        let word = word.to_ascii_lowercase();
        word.bytes().all(|byte| byte.is_ascii_digit()) || MAPPING_WITHOUT_CPUS.contains(&word.as_str())
    };
    !mapping.split([':', ',']).all(says_nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_is_what_nobody_asked_for() {
        let of = |launcher, set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).into());
            is_bound_by_default(launcher, &value)
        };
        let bound = (BOUND_BY_OPEN_MPI, "1");
        assert!(of(Launcher::OpenMpi, &[bound]));
        assert!(!of(Launcher::OpenMpi, &[]), "5.0 says nothing of it");
        assert!(!of(Launcher::Hydra, &[bound]), "a rank of MPICH, started by one of Open MPI");
        assert!(!of(Launcher::Slurm, &[("SLURM_CPU_BIND", "quiet,mask_cpu:0x3")]));
        for name in ASKED_OF_OPEN_MPI {
            assert!(!of(Launcher::OpenMpi, &[bound, (name, "core")]), "{name}");
        }
        for (mapping, asked) in [
            ("node", false),
            ("slot", false),
            ("SLOT:OVERSUBSCRIBE", false),
            ("ppr:2:node", false),
            ("ppr:2:socket", true),
            ("ppr:1:node:PE=4", true),
            ("slot:PE=2", true),
            ("socket", true),
            ("core,span", true),
        ] {
            assert_eq!(of(Launcher::OpenMpi, &[bound, (MAPPING_OF_OPEN_MPI, mapping)]), !asked, "{mapping}");
        }
    }
}
