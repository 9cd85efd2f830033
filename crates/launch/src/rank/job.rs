//! The name of a job: the same for all of its ranks on all computers, and another for each call of a launcher.

use super::{Environment, Launcher};

/// Variables whose values together name the job; each of the alternatives must be there in full.
fn names(launcher: Launcher) -> &'static [&'static [&'static str]] {
    match launcher {
        // The first is a key that mpirun of 4.x draws at random; the namespace alone is a short hash there, and whole from 5.0 on.
        Launcher::OpenMpi => {
            &[&["OMPI_MCA_orte_precondition_transports", "PMIX_NAMESPACE"], &["PMIX_NAMESPACE"]]
        }
        Launcher::Mvapich => &[&["MPIRUN_HOST", "MPIRUN_ID"]],
        // mpiexec of MPICH says nothing of it to ranks, only to its proxies.
        Launcher::Hydra => &[],
        Launcher::Jsm => &[&["PMIX_NAMESPACE"]],
        Launcher::Pals => &[&["PALS_APID"]],
        Launcher::Flux => &[&["FLUX_JOB_ID"]],
        Launcher::Slurm => &[&["SLURM_JOB_ID", "SLURM_STEP_ID"], &["SLURM_JOB_ID", "SLURM_STEPID"]],
    }
}

/// The name of the job that this launcher gave its ranks; none where it gives none.
pub fn job_name(launcher: Launcher, environment: Environment<'_>) -> Option<String> {
    let value = |name: &&str| environment(name).filter(|value| !value.is_empty());
    names(launcher).iter().find_map(|names| {
        let values: Option<Vec<_>> = names.iter().map(value).collect();
        let values: Vec<String> = values?.iter().map(|value| value.to_string_lossy().into_owned()).collect();
        Some(values.join("/"))
    })
}

/// The same from the words with which the launcher's process of this computer was started.
pub fn job_name_of_daemon(launcher: Launcher, words: &[Vec<u8>]) -> Option<String> {
    if launcher != Launcher::Hydra {
        return None;
    }
    // Where mpiexec listens, as its proxies on all computers are told.
    let at = words.iter().position(|word| word.strip_prefix(b"--") == Some(b"control-port"))?;
    Some(String::from_utf8_lossy(words.get(at + 1)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_needs_all_of_its_parts() {
        let of = |launcher, set: &[(&str, &str)]| {
            let value =
                |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).into());
            job_name(launcher, &value)
        };
        assert_eq!(
            of(Launcher::Slurm, &[("SLURM_JOB_ID", "12"), ("SLURM_STEP_ID", "0")]).as_deref(),
            Some("12/0")
        );
        assert_eq!(of(Launcher::Slurm, &[("SLURM_JOB_ID", "12")]), None);
        assert_eq!(
            of(Launcher::OpenMpi, &[("PMIX_NAMESPACE", "prterun-a-1@1")]).as_deref(),
            Some("prterun-a-1@1")
        );
        assert_eq!(of(Launcher::Flux, &[("FLUX_JOB_ID", "")]), None);
        assert_eq!(of(Launcher::Hydra, &[("PMIX_NAMESPACE", "1")]), None);
    }

    #[test]
    fn hydra_names_it_to_its_proxies() {
        let words = |line: &str| line.split(' ').map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>();
        let proxy = words("/usr/bin/hydra_pmi_proxy --control-port a:44355 --rmk user --proxy-id 0");
        assert_eq!(job_name_of_daemon(Launcher::Hydra, &proxy).as_deref(), Some("a:44355"));
        assert_eq!(job_name_of_daemon(Launcher::Hydra, &words("sh --control-port")), None);
        assert_eq!(job_name_of_daemon(Launcher::Slurm, &proxy), None);
    }
}
