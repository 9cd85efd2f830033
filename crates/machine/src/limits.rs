//! What keeps us from using the whole machine, and who can lift it.

mod affinity;
mod launcher;
mod shape;
mod weights;

use numawise_facts::Machine;
use numawise_facts::notice::MachineNotice;
use numawise_linux::cgroup::Cgroups;
use numawise_linux::memory::MemoryInfo;
use numawise_units::{Bytes, CpuSet, NodeSet};

use crate::files::{CPUS, NODES};
use crate::sysfs::{Allowed, STATUS};
use crate::{Policy, Roots};

pub use affinity::{affinity_refusal, limit as affinity_limit};
pub use launcher::{Launcher, LauncherError, launcher};
pub use weights::{WEIGHTS, global_weight};

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;

/// Where a guest of numawise finds of which machine it is the rehearsal, as a notice in JSON.
pub const REHEARSAL: &str = "/run/numawise/rehearsal.json";

/// All limits that are known. A file that cannot be read hides its limit; that is no error.
pub fn limits(roots: &Roots, machine: &Machine, policy: &Policy) -> Vec<MachineNotice> {
    let cgroups = Cgroups::of_this_process(roots);
    let mut limits = Vec::new();
    limits.extend(offline(roots, machine));
    limits.extend(cpus(roots, machine, &cgroups));
    limits.extend(memory_nodes(roots, machine, &cgroups));
    limits.extend(quota(machine, &cgroups));
    limits.extend(memory(roots, &cgroups));
    limits.extend(memory_policy(policy));
    limits.extend(shape::limits(roots, machine));
    limits.extend(rehearsal(roots));
    limits
}

/// What numawise wrote into a guest that it started for a rehearsal. A file that is something else says nothing.
pub fn rehearsal(roots: &Roots) -> Option<MachineNotice> {
    let text = std::fs::read_to_string(roots.path(REHEARSAL)).ok()?;
    serde_json::from_str::<MachineNotice>(&text).ok().filter(MachineNotice::is_rehearsal)
}

/// The CPUs online that the cpuset of our cgroup leaves, whatever our affinity mask is.
pub fn cgroup_cpus(roots: &Roots, online: &CpuSet) -> CpuSet {
    match Cgroups::of_this_process(roots).cpuset_cpus() {
        Some((cpus, _)) => cpus.intersection(online),
        None => online.clone(),
    }
}

fn offline(roots: &Roots, machine: &Machine) -> Option<MachineNotice> {
    let present: CpuSet = roots.try_value(&format!("{CPUS}/present"))?;
    let online = machine.online();
    let offline = present.difference(&online);
    (!offline.is_empty()).then(|| MachineNotice::OfflineCpus { online, offline, folder: CPUS.to_owned() })
}

/// The cpuset of the cgroup and the affinity mask, each by itself.
fn cpus(roots: &Roots, machine: &Machine, cgroups: &Cgroups<'_>) -> Vec<MachineNotice> {
    let online = machine.online();
    let mut limits = Vec::new();
    let cpuset = cgroups.cpuset_cpus();
    let cgroup = match &cpuset {
        Some((set, _)) => set.intersection(&online),
        None => online.clone(),
    };
    if let Some((_, file)) = cpuset.filter(|_| cgroup != online) {
        let (allowed, online) = (cgroup.clone(), online.clone());
        limits.push(MachineNotice::CgroupCpus { allowed, online, file });
    }
    let Ok(allowed) = Allowed::read(roots) else {
        return limits;
    };
    let allowed = allowed.cpus.intersection(&online);
    if !cgroup.is_subset(&allowed) {
        limits.push(MachineNotice::AffinityMask { allowed, cgroup, file: STATUS.to_owned() });
    }
    limits
}

fn memory_nodes(roots: &Roots, machine: &Machine, cgroups: &Cgroups<'_>) -> Option<MachineNotice> {
    let allowed = Allowed::read(roots).ok()?.nodes?;
    let with_memory: NodeSet = machine
        .nodes
        .iter()
        .filter(|node| node.memory.measured() != Some(&Bytes(0)))
        .map(|node| node.id)
        .collect();
    let allowed = allowed.intersection(&with_memory);
    if allowed == with_memory {
        return None;
    }
    let cgroup_file = cgroups.cpuset_mems().map(|(_, file)| file);
    Some(MachineNotice::CgroupMemory { allowed, with_memory, cgroup_file, file: STATUS.to_owned() })
}

fn quota(machine: &Machine, cgroups: &Cgroups<'_>) -> Option<MachineNotice> {
    let (cpus, file) = cgroups.cpu_quota()?;
    (cpus < machine.online().len() as f64).then_some(MachineNotice::CpuQuota { cpus, file })
}

fn memory(roots: &Roots, cgroups: &Cgroups<'_>) -> Option<MachineNotice> {
    let (limit, file) = cgroups.memory_limit()?;
    let (memory, _) = crate::sysfs::memory(MemoryInfo::of_computer(roots));
    if memory.measured().is_some_and(|memory| limit >= *memory) {
        return None;
    }
    Some(MachineNotice::MemoryLimit { limit, memory, file })
}

fn memory_policy(policy: &Policy) -> Option<MachineNotice> {
    match policy {
        Policy::Default => None,
        Policy::Inherited { mode, nodes } => {
            Some(MachineNotice::InheritedPolicy { mode: mode.clone(), nodes: nodes.clone() })
        }
        Policy::Forbidden => Some(MachineNotice::PolicyCallsForbidden),
        Policy::Missing => Some(MachineNotice::PolicyCallsMissing { folder: NODES.to_owned() }),
        Policy::Unknown(problem) => Some(MachineNotice::PolicyCallsUnknown { problem: problem.clone() }),
    }
}
