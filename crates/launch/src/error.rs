//! What can keep a program from running, each text once.

use std::io;
use std::path::PathBuf;

use numawise_facts::notice::AffinityRefusal;
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
    #[error("{}: not found{}", named(.program), searched(.program, .directory))]
    NotFound { program: String, directory: PathBuf },
    /// Status 126.
    #[error("{program}: cannot be executed: {problem}")]
    NotExecutable { program: String, problem: String },
    #[error("cannot change to the directory {}: {source}", .directory.display())]
    Directory { directory: PathBuf, source: io::Error },
    #[error("sched_setaffinity to CPUs {cpus} failed: {source}{}", affinity_text(.source))]
    Affinity { cpus: CpuSet, source: io::Error },
    #[error(
        "sched_setaffinity to CPUs {cpus} would have no effect: the call reports success whatever is asked for, so a sandbox \
         answers in place of the kernel"
    )]
    AffinityIgnored { cpus: CpuSet },
    #[error("set_mempolicy({plan}) failed: {source}{}", policy_text(.plan, .source))]
    MemoryPolicy { plan: MemoryPlan, source: io::Error },
    #[error(
        "prctl(PR_SET_THP_DISABLE) for pages of size '{pages}' failed: {source}; try without a size of pages"
    )]
    Pages { pages: PageSize, source: io::Error },
    #[error(
        "the process that supervises the program's processes (nw-supervisor) was killed from outside, and they with it; run it \
         again"
    )]
    SupervisorLost,
    #[error(
        "the library that watches programs ({file}) is not installed with numawise; expected in {} or in ../lib/numawise beside it \
         (make install puts it there)",
        folder.display()
    )]
    CollectorMissing { file: &'static str, folder: PathBuf },
    #[error(
        "the library that watches programs cannot be used, {}: {problem}; install it and numawise from one build",
        library.display()
    )]
    CollectorUnusable { library: PathBuf, problem: String },
    #[error(
        "the library that watches programs is of another numawise, {}: it writes {}, expected layout {expected}; install both \
         from one build",
        library.display(), found.as_ref().map_or("no layout that is known".to_owned(), |found| format!("layout {found}"))
    )]
    CollectorOfAnotherVersion { library: PathBuf, found: Option<String>, expected: String },
    #[error("{call} failed: {source}{}", call_advice(.source))]
    System { call: &'static str, source: io::Error },
}

impl LaunchError {
    /// The call that would give a program these CPUs is refused so.
    pub fn affinity_refused(cpus: CpuSet, by: AffinityRefusal) -> LaunchError {
        let errno = match by {
            AffinityRefusal::Ignored => return LaunchError::AffinityIgnored { cpus },
            AffinityRefusal::Forbidden => libc::EPERM,
            AffinityRefusal::Missing => libc::ENOSYS,
        };
        LaunchError::Affinity { cpus, source: io::Error::from_raw_os_error(errno) }
    }

    /// True when the program is not there, as opposed to everything else that can be wrong with it.
    pub fn is_not_found(&self) -> bool {
        matches!(self, LaunchError::NotFound { .. })
    }

    /// True when the program is there and cannot be executed.
    pub fn is_not_executable(&self) -> bool {
        matches!(self, LaunchError::NotExecutable { .. })
    }

    /// What the kernel refused, when it was to place the process.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            LaunchError::Affinity { source, .. } => Some(affinity_refusal(source)),
            LaunchError::AffinityIgnored { .. } => Some(Refusal::AffinityForbidden),
            LaunchError::MemoryPolicy { plan, source } => Some(policy_refusal(plan, source)),
            _ => None,
        }
    }
}

/// A program as a message begins with it.
fn named(program: &str) -> &str {
    if program.is_empty() { "the program's name is empty (\"\")" } else { program }
}

fn searched(program: &str, directory: &std::path::Path) -> String {
    match program.contains('/') {
        _ if program.is_empty() => "; an empty variable in quotes gives such a name".to_owned(),
        true if program.starts_with('/') => " (no such file)".to_owned(),
        true => format!(" (no such file, seen from {})", seen_from(directory).display()),
        false => " in the folders of PATH; a program in this folder is called ./NAME".to_owned(),
    }
}

/// The folder that is meant; an empty path stands for the one that we are in.
fn seen_from(directory: &std::path::Path) -> PathBuf {
    let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    if directory.as_os_str().is_empty() { here() } else { directory.to_owned() }
}

/// What the kernel's refusal to place a process means. What can be done about it is for the face to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The call that sets CPUs is forbidden.
    AffinityForbidden,
    /// None of the CPUs is online and in the cpuset.
    NoUsableCpu,
    /// The call that sets a memory policy is forbidden.
    PolicyForbidden,
    /// The kernel has no memory policies, or the call is hidden.
    NoPolicies,
    /// The kernel does not take NUMA balancing with this policy, or the nodes may not be used.
    NoBalancing,
    /// The kernel has no weighted interleave, or the nodes may not be used.
    NoWeightedInterleave,
    /// The kernel has no policy for several preferred nodes, or the nodes may not be used.
    NoPreferredMany,
    /// Some of the nodes are not online or not in the cpuset.
    UnusableNodes,
    /// A memory policy was refused for a reason that its error says.
    PolicyFailed,
}

fn affinity_refusal(error: &io::Error) -> Refusal {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::ENOSYS) => Refusal::AffinityForbidden,
        _ => Refusal::NoUsableCpu,
    }
}

fn policy_refusal(plan: &MemoryPlan, error: &io::Error) -> Refusal {
    match (error.raw_os_error(), plan.mode) {
        (Some(libc::EPERM), _) => Refusal::PolicyForbidden,
        (Some(libc::ENOSYS), _) => Refusal::NoPolicies,
        (Some(libc::EINVAL), _) if plan.balancing => Refusal::NoBalancing,
        (Some(libc::EINVAL), MemoryMode::WeightedInterleave) => Refusal::NoWeightedInterleave,
        (Some(libc::EINVAL), MemoryMode::PreferredMany) => Refusal::NoPreferredMany,
        (Some(libc::EINVAL), _) => Refusal::UnusableNodes,
        _ => Refusal::PolicyFailed,
    }
}

fn affinity_text(error: &io::Error) -> &'static str {
    match affinity_refusal(error) {
        Refusal::AffinityForbidden => "; the call is forbidden, probably by a seccomp profile",
        _ => "; none of these CPUs is online and in the cpuset of our cgroup",
    }
}

fn policy_text(plan: &MemoryPlan, error: &io::Error) -> String {
    let (mode, nodes) = (plan.mode, &plan.nodes);
    match policy_refusal(plan, error) {
        Refusal::PolicyForbidden => {
            "; the call is forbidden, most likely by the seccomp profile of a container (the default one of Docker and Podman)"
                .to_owned()
        }
        Refusal::NoPolicies => {
            "; this kernel has no NUMA memory policy (CONFIG_NUMA), or a seccomp profile hides the call".to_owned()
        }
        Refusal::NoBalancing => format!(
            "; this kernel does not take NUMA balancing (MPOL_F_NUMA_BALANCING) with the policy '{mode}': bind takes it \
             since Linux 5.12, newer kernels also preferred-many, no other does; or none of the nodes {nodes} may be used; \
             try it without balancing"
        ),
        Refusal::NoWeightedInterleave => format!(
            "; this kernel has no weighted interleave (MPOL_WEIGHTED_INTERLEAVE needs Linux 6.9), or none of the nodes \
             {nodes} may be used"
        ),
        Refusal::NoPreferredMany => format!(
            "; this kernel has no policy for several preferred nodes (MPOL_PREFERRED_MANY needs Linux 5.15), or none of the \
             nodes {nodes} may be used"
        ),
        Refusal::UnusableNodes => format!("; nodes {nodes} are not all online and in the cpuset of our cgroup"),
        Refusal::PolicyFailed | Refusal::AffinityForbidden | Refusal::NoUsableCpu => String::new(),
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
    fn a_forbidden_policy_call_names_the_call_and_the_cause() {
        let text = policy(MemoryMode::Bind, libc::EPERM);
        for part in ["set_mempolicy(bind:0-1)", "seccomp", "container"] {
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
