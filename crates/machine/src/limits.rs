//! What keeps us from using the whole machine, and who can lift it.

mod cgroup;
mod launcher;
mod mounts;
mod shape;
mod weights;

use numawise_facts::{Limit, LimitKind, Machine};
use numawise_units::{Bytes, CpuSet, NodeSet};

use crate::sysfs::{Allowed, CPUS, NODES, STATUS};
use crate::{Policy, Roots};
use cgroup::Cgroups;

pub use launcher::{Launcher, LauncherError, launcher};
pub use weights::{WEIGHTS, global_weight};

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;

/// All limits that can be told. A file that cannot be read hides its limit; that is no error.
pub fn limits(roots: &Roots, machine: &Machine, policy: &Policy) -> Vec<Limit> {
    let cgroups = Cgroups::of_this_process(roots);
    let mut limits = Vec::new();
    limits.extend(offline(roots, machine));
    limits.extend(cpus(roots, machine, &cgroups));
    limits.extend(memory_nodes(roots, machine, &cgroups));
    limits.extend(quota(machine, &cgroups));
    limits.extend(memory(roots, &cgroups));
    limits.extend(memory_policy(policy));
    limits.extend(shape::limits(roots, machine));
    limits
}

/// The CPUs online that the cpuset of our cgroup leaves, whatever our affinity mask is.
pub fn cgroup_cpus(roots: &Roots, online: &CpuSet) -> CpuSet {
    match Cgroups::of_this_process(roots).cpuset_cpus() {
        Some((cpus, _)) => cpus.intersection(online),
        None => online.clone(),
    }
}

fn offline(roots: &Roots, machine: &Machine) -> Option<Limit> {
    let present: CpuSet = roots.try_value(&format!("{CPUS}/present"))?;
    let online = machine.online();
    let offline = present.difference(&online);
    if offline.is_empty() {
        return None;
    }
    Some(Limit {
        kind: LimitKind::OfflineCpus,
        effect: format!(
            "{} of {} CPUs are online ({online}); {offline} {} offline",
            online.len(),
            present.len(),
            if offline.len() == 1 { "is" } else { "are" },
        ),
        source: format!("{CPUS}/present and {CPUS}/online"),
        lift: format!(
            "the administrator: echo 1 > {CPUS}/cpuN/online; where that fails, SMT or CPUs are switched off at boot"
        ),
    })
}

/// The cpuset of the cgroup and the affinity mask, told apart.
fn cpus(roots: &Roots, machine: &Machine, cgroups: &Cgroups<'_>) -> Vec<Limit> {
    let online = machine.online();
    let mut limits = Vec::new();
    let cpuset = cgroups.cpuset_cpus();
    let inside = match &cpuset {
        Some((set, _)) => set.intersection(&online),
        None => online.clone(),
    };
    if let Some((_, file)) = cpuset.filter(|_| inside != online) {
        limits.push(Limit {
            kind: LimitKind::CgroupCpus,
            effect: format!(
                "the cgroup may use {} of {} CPUs ({inside})",
                inside.len(),
                online.len()
            ),
            source: file,
            lift: "whoever made the cgroup: the batch system (ask for more cores), the container (--cpuset-cpus) or \
                   systemd (AllowedCPUs=)"
                .to_owned(),
        });
    }
    let Ok(allowed) = Allowed::read(roots) else {
        return limits;
    };
    let mask = allowed.cpus.intersection(&online);
    if !inside.is_subset(&mask) {
        limits.push(Limit {
            kind: LimitKind::AffinityMask,
            effect: format!(
                "the affinity mask leaves {} of {} CPUs ({mask})",
                mask.len(),
                inside.len()
            ),
            source: format!("sched_getaffinity, Cpus_allowed_list in {STATUS}"),
            lift: format!(
                "whoever started us (taskset, numactl, srun, mpirun --bind-to); taskset -c {inside} in front of \
                 numawise undoes it"
            ),
        });
    }
    limits
}

fn memory_nodes(roots: &Roots, machine: &Machine, cgroups: &Cgroups<'_>) -> Option<Limit> {
    let allowed = Allowed::read(roots).ok()?.nodes?;
    let there: NodeSet = machine
        .nodes
        .iter()
        .filter(|node| node.memory.measured() != Some(&Bytes(0)))
        .map(|node| node.id)
        .collect();
    let ours = allowed.intersection(&there);
    if ours == there {
        return None;
    }
    let file = match cgroups.cpuset_mems() {
        Some((_, file)) => format!("{file}, Mems_allowed_list in {STATUS}"),
        None => format!("Mems_allowed_list in {STATUS}"),
    };
    Some(Limit {
        kind: LimitKind::CgroupMems,
        effect: format!("memory may be taken from {} of {} nodes ({ours})", ours.len(), there.len()),
        source: file,
        lift: "whoever made the cgroup: the batch system, the container (--cpuset-mems) or systemd \
               (AllowedMemoryNodes=)"
            .to_owned(),
    })
}

fn quota(machine: &Machine, cgroups: &Cgroups<'_>) -> Option<Limit> {
    let (cpus, file) = cgroups.cpu_quota()?;
    if cpus >= machine.online().len() as f64 {
        return None;
    }
    Some(Limit {
        kind: LimitKind::CpuQuota,
        effect: format!(
            "all threads together get the time of {cpus:.2} CPUs; more threads than that are stopped for parts of \
             every period"
        ),
        source: file,
        lift: "whoever made the cgroup: the container (--cpus), the pod (limits.cpu) or systemd (CPUQuota=)"
            .to_owned(),
    })
}

fn memory(roots: &Roots, cgroups: &Cgroups<'_>) -> Option<Limit> {
    let (limit, file) = cgroups.memory_limit()?;
    let (total, _) = crate::sysfs::memory(roots.try_text("/proc/meminfo").as_deref());
    if total.measured().is_some_and(|total| limit >= *total) {
        return None;
    }
    let of = total.measured().map_or(String::new(), |total| format!(" of {total}"));
    Some(Limit {
        kind: LimitKind::MemoryLimit,
        effect: format!("the cgroup may use {limit}{of} of memory"),
        source: file,
        lift: "whoever made the cgroup: the batch system (--mem), the container (--memory) or systemd (MemoryMax=)"
            .to_owned(),
    })
}

fn memory_policy(policy: &Policy) -> Option<Limit> {
    let source = "get_mempolicy".to_owned();
    match policy {
        Policy::Default => None,
        Policy::Inherited { mode, nodes } => {
            let on = if nodes.is_empty() { String::new() } else { format!(" on nodes {nodes}") };
            Some(Limit {
                kind: LimitKind::MemoryPolicy,
                effect: format!("we were started with the memory policy {mode}{on}; programs inherit it"),
                source,
                lift: "whoever started us (numactl, the batch system); numactl --localalloc in front of numawise undoes it"
                    .to_owned(),
            })
        }
        Policy::Forbidden => Some(Limit {
            kind: LimitKind::PolicyCalls,
            effect: "memory policies may not be set: pages go where the kernel puts them".to_owned(),
            source: "get_mempolicy and set_mempolicy: operation not permitted".to_owned(),
            lift:
                "the container: --cap-add SYS_NICE or a seccomp profile that allows set_mempolicy, mbind and \
                   get_mempolicy"
                    .to_owned(),
        }),
        Policy::Missing => Some(Limit {
            kind: LimitKind::PolicyCalls,
            effect: "this kernel has no memory policies: pages go where it puts them".to_owned(),
            source: "get_mempolicy: not implemented".to_owned(),
            lift: format!("a kernel built with CONFIG_NUMA ({NODES} shows it)"),
        }),
        Policy::Unknown(problem) => Some(Limit {
            kind: LimitKind::PolicyCalls,
            effect: "whether memory policies may be set is not known".to_owned(),
            source: format!("get_mempolicy: {problem}"),
            lift: "find out why the call fails: strace -e get_mempolicy numactl --show".to_owned(),
        }),
    }
}
