//! What can keep a program from running, each text once.

use std::io;
use std::path::PathBuf;

use numawise_facts::{MemoryMode, MemoryPlan, PageSize};
use numawise_units::CpuSet;

/// Why a program is not running.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("there is no program to run; expected a program after the options, for example: -- ./app args")]
    EmptyCommand,
    #[error("'{0}' holds a zero byte, which no argument or variable of a process may")]
    ZeroByte(String),
    #[error("the plan has no task; expected at least one")]
    NoTask,
    /// Status 127.
    #[error("{program}: not found{}", searched(.program, .directory))]
    NotFound { program: String, directory: PathBuf },
    /// Status 126.
    #[error("{program}: cannot be executed: {problem}")]
    NotExecutable { program: String, problem: String },
    #[error("cannot change to the directory {}: {source}", .directory.display())]
    Directory { directory: PathBuf, source: io::Error },
    #[error("sched_setaffinity to CPUs {cpus} failed: {source}; {}", affinity_advice(.source))]
    Affinity { cpus: CpuSet, source: io::Error },
    #[error("set_mempolicy({plan}) failed: {source}; {}", policy_advice(.plan, .source))]
    MemoryPolicy { plan: MemoryPlan, source: io::Error },
    #[error(
        "prctl(PR_SET_THP_DISABLE) for pages of size '{pages}' failed: {source}; try without a size of pages"
    )]
    Pages { pages: PageSize, source: io::Error },
    #[error("{call} failed: {source}{}", call_advice(.source))]
    System { call: &'static str, source: io::Error },
}

impl LaunchError {
    /// True when the program is not there, as opposed to everything else that can be wrong with it.
    pub fn is_not_found(&self) -> bool {
        matches!(self, LaunchError::NotFound { .. })
    }

    /// True when the program is there and cannot be executed.
    pub fn is_not_executable(&self) -> bool {
        matches!(self, LaunchError::NotExecutable { .. })
    }
}

fn searched(program: &str, directory: &std::path::Path) -> String {
    match program.contains('/') {
        true if program.starts_with('/') => " (no such file)".to_owned(),
        true => format!(" (no such file, seen from {})", directory.display()),
        false => " in the folders of PATH; a program in this folder is called ./NAME".to_owned(),
    }
}

fn affinity_advice(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::ENOSYS) => {
            "the call is forbidden, probably by a seccomp profile; use --place none and no list of CPUs"
        }
        _ => {
            "none of these CPUs is online and in the cpuset of our cgroup; `numawise machine` shows which may be used"
        }
    }
}

fn policy_advice(plan: &MemoryPlan, error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM) => "the call is forbidden, most likely by the seccomp profile of a container (the default one \
                              of Docker and Podman); give the container CAP_SYS_NICE (--cap-add SYS_NICE) or a profile \
                              that allows it (--security-opt seccomp=FILE), or place the CPUs only: --memory default"
            .to_owned(),
        Some(libc::ENOSYS) => "this kernel has no NUMA memory policy (CONFIG_NUMA), or a seccomp profile hides the call; \
                               place the CPUs only: --memory default"
            .to_owned(),
        Some(libc::EINVAL) => match plan.mode {
            _ if plan.balancing => format!(
                "this kernel does not take NUMA balancing (MPOL_F_NUMA_BALANCING) with the policy '{}': bind takes it since \
                 Linux 5.12, newer kernels also preferred-many, no other does; or none of the nodes {} may be used; try \
                 it without balancing",
                plan.mode, plan.nodes
            ),
            MemoryMode::WeightedInterleave => format!(
                "this kernel has no weighted interleave (MPOL_WEIGHTED_INTERLEAVE needs Linux 6.9), or none of the nodes \
                 {} may be used; try --memory interleave",
                plan.nodes
            ),
            MemoryMode::PreferredMany => format!(
                "this kernel has no policy for several preferred nodes (MPOL_PREFERRED_MANY needs Linux 5.15), or none of \
                 the nodes {} may be used; try --memory preferred:NODE",
                plan.nodes
            ),
            _ => format!(
                "nodes {} are not all online and in the cpuset of our cgroup; `numawise machine` shows which may be used",
                plan.nodes
            ),
        },
        _ => "place the CPUs only: --memory default".to_owned(),
    }
}

fn call_advice(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => "; the limit of processes is reached (ulimit -u, or pids.max of the cgroup)",
        Some(libc::EMFILE) => "; the limit of open files is reached (ulimit -n)",
        Some(libc::ENOMEM) => "; there is not enough free memory for another process",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(mode: MemoryMode, errno: i32) -> String {
        let plan = MemoryPlan::new(mode, "0-1".parse().unwrap());
        LaunchError::MemoryPolicy { plan, source: io::Error::from_raw_os_error(errno) }.to_string()
    }

    #[test]
    fn a_forbidden_policy_call_names_the_call_the_cause_and_the_way_out() {
        let text = policy(MemoryMode::Bind, libc::EPERM);
        for part in
            ["set_mempolicy(bind:0-1)", "seccomp", "CAP_SYS_NICE", "--security-opt", "--memory default"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(policy(MemoryMode::Bind, libc::ENOSYS).contains("CONFIG_NUMA"));
    }

    #[test]
    fn a_policy_that_the_kernel_lacks_names_the_kernel_that_has_it() {
        assert!(policy(MemoryMode::WeightedInterleave, libc::EINVAL).contains("Linux 6.9"));
        assert!(policy(MemoryMode::PreferredMany, libc::EINVAL).contains("Linux 5.15"));
        assert!(policy(MemoryMode::Bind, libc::EINVAL).contains("nodes 0-1 are not all online"));
    }

    #[test]
    fn a_limit_that_was_reached_is_named() {
        for (errno, part) in
            [(libc::EAGAIN, "ulimit -u"), (libc::EMFILE, "ulimit -n"), (libc::ENOMEM, "free memory")]
        {
            let error = LaunchError::System { call: "fork", source: io::Error::from_raw_os_error(errno) };
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
