//! Texts of the notices of a machine: what limits us, who reported it, and who can lift it.

use numawise_facts::notice::{AffinityRefusal, EmulationNotice, MachineNotice};
use numawise_facts::{Machine, Reading};
use numawise_units::harmless::quoted;
use numawise_units::{CpuSet, NodeSet};
use serde_json::{Value, json};

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

/// All of it in one sentence without a full stop: what the limit does, who reported it, who can lift it.
pub fn sentence(notice: &MachineNotice) -> String {
    format!("{} ({}); to lift it: {}", text(notice), source(notice), lift(notice))
}

/// Of all limits of a machine.
pub fn sentences(machine: &Machine) -> Vec<String> {
    machine.limits.iter().map(sentence).collect()
}

/// The limits that are in the way of something, to follow what it says: each after a semicolon.
pub fn in_the_way(limits: &[MachineNotice]) -> String {
    limits.iter().map(|limit| format!("; {}", sentence(limit))).collect()
}

/// For scripts.
pub fn json(notice: &MachineNotice) -> Value {
    let mut value = json!(notice);
    value["text"] = json!(text(notice));
    value["source"] = json!(source(notice));
    value["lifted_by"] = json!(notice.lifted_by());
    value["lift"] = json!(lift(notice));
    value
}

/// What the limit does, as a clause.
pub fn text(notice: &MachineNotice) -> String {
    match notice {
        MachineNotice::OfflineCpus { online, offline, .. } => format!(
            "{} of {} CPUs are online ({online}); {offline} {} offline",
            online.len(),
            online.len() + offline.len(),
            if offline.len() == 1 { "is" } else { "are" },
        ),
        MachineNotice::CgroupCpus { allowed, online, .. } => {
            format!("the cgroup may use {} of {} CPUs ({allowed})", allowed.len(), online.len())
        }
        MachineNotice::AffinityMask { allowed, cgroup, .. } => {
            format!("the affinity mask leaves {} of {} CPUs ({allowed})", allowed.len(), cgroup.len())
        }
        MachineNotice::CgroupMemory { allowed, with_memory, .. } => {
            format!("memory may be taken from {} of {} nodes ({allowed})", allowed.len(), with_memory.len())
        }
        MachineNotice::CpuQuota { cpus, .. } => format!(
            "CPU quota of {cpus:.2} CPUs: more busy threads than that are throttled"
        ),
        MachineNotice::MemoryLimit { limit, memory, .. } => match memory {
            Reading::Measured(memory) => format!("the cgroup may use {limit} of {memory} of memory"),
            Reading::Unavailable { .. } => format!("the cgroup may use {limit} of memory"),
        },
        MachineNotice::InheritedPolicy { mode, nodes } => {
            let on = if nodes.is_empty() { String::new() } else { format!(" on nodes {nodes}") };
            format!("we were started with the memory policy {mode}{on}; programs inherit it")
        }
        MachineNotice::PolicyCallsForbidden => {
            "memory policies may not be set: pages go where the kernel puts them".to_owned()
        }
        MachineNotice::PolicyCallsMissing { .. } => {
            "this kernel has no memory policies: pages go where it puts them".to_owned()
        }
        MachineNotice::PolicyCallsUnknown { .. } => {
            "whether memory policies may be set is not known".to_owned()
        }
        MachineNotice::AffinityCallsRefused { by } => match by {
            AffinityRefusal::Forbidden => "threads may not be placed on CPUs: they run where the kernel puts them",
            AffinityRefusal::Missing => "threads cannot be placed on CPUs here: they run where the kernel puts them",
            AffinityRefusal::Ignored => {
                "placing threads on CPUs is reported as done and has no effect: they run where the kernel puts them"
            }
        }
        .to_owned(),
        MachineNotice::PartialCores { cores, usable, others, .. } => partial_cores(*cores, usable, others),
        MachineNotice::EfficientCores { efficient, fastest } => format!(
            "{} of {} CPUs are efficient cores ({efficient}), slower than the others ({fastest}): strategies leave them \
             out, and a program whose threads get equal shares waits for them",
            efficient.len(),
            efficient.len() + fastest.len(),
        ),
        MachineNotice::NodesWithoutMemory { nodes, .. } => {
            let their = if nodes.len() == 1 { "its" } else { "their" };
            let subject = subject(nodes, "no memory");
            format!("{subject}: what {their} CPUs touch first lies on another node, farther away")
        }
        MachineNotice::NodesWithoutCpus { nodes, .. } => format!(
            "{} that are online: no thread can be near by being there, and memory comes from there only when a policy asks \
             for it or the other nodes are full",
            subject(nodes, "no CPUs")
        ),
        MachineNotice::CpusBeyondCpuSet { last, holds, .. } => format!(
            "CPUs are numbered up to {last}: programs that use the C library's cpu_set_t, which has room for {holds}, cannot \
             ask for their mask or set it (EINVAL); numawise can"
        ),
        MachineNotice::NumberingGaps { cpus, nodes, .. } => {
            let cpus = cpus.as_ref().map(|cpus| format!("CPUs are {cpus}"));
            let nodes = nodes.as_ref().map(|nodes| format!("nodes are {nodes}"));
            let numbers: Vec<String> = cpus.into_iter().chain(nodes).collect();
            format!(
                "numbers are left out ({}): a script or a program that counts from 0 to one less than their number names \
                 some that are not there",
                numbers.join(", ")
            )
        }
        MachineNotice::Rehearsed { machine, slowdown, differences, .. } => {
            rehearsed(machine, *slowdown, differences)
        }
        MachineNotice::CpusNotRecorded { described, missing, by_cpuset } => format!(
            "{} of {} CPUs are described ({described}); the others ({missing}) were {}kept from whoever recorded it",
            described.len(),
            described.len() + missing.len(),
            if *by_cpuset { "" } else { "offline or " }
        ),
        MachineNotice::NodesNotRecorded { described, missing } => format!(
            "{} of {} nodes are described ({described}); the others ({missing}) were kept from whoever recorded it",
            described.len(),
            described.len() + missing.len(),
        ),
    }
}

/// The file or the call that reported it.
pub fn source(notice: &MachineNotice) -> String {
    match notice {
        MachineNotice::OfflineCpus { folder, .. } => format!("{folder}/present and {folder}/online"),
        MachineNotice::CgroupCpus { file, .. }
        | MachineNotice::CpuQuota { file, .. }
        | MachineNotice::MemoryLimit { file, .. } => file.clone(),
        MachineNotice::AffinityMask { file, .. } => format!("sched_getaffinity, Cpus_allowed_list in {file}"),
        MachineNotice::CgroupMemory { cgroup_file, file, .. } => match cgroup_file {
            Some(cgroup_file) => format!("{cgroup_file}, Mems_allowed_list in {file}"),
            None => format!("Mems_allowed_list in {file}"),
        },
        MachineNotice::InheritedPolicy { .. } => "get_mempolicy".to_owned(),
        MachineNotice::PolicyCallsForbidden => {
            "get_mempolicy and set_mempolicy: operation not permitted".to_owned()
        }
        MachineNotice::PolicyCallsMissing { .. } => "get_mempolicy: not implemented".to_owned(),
        MachineNotice::PolicyCallsUnknown { problem } => format!("get_mempolicy: {problem}"),
        MachineNotice::AffinityCallsRefused { by } => match by {
            AffinityRefusal::Forbidden => "sched_setaffinity: operation not permitted",
            AffinityRefusal::Missing => "sched_setaffinity: not implemented",
            AffinityRefusal::Ignored => {
                "sched_setaffinity: success for a set without CPUs, which the kernel refuses"
            }
        }
        .to_owned(),
        MachineNotice::PartialCores { folder, .. } => {
            format!("thread_siblings_list below {folder}/cpuN/topology, and the CPUs allowed")
        }
        MachineNotice::EfficientCores { .. } => {
            "hwloc's kinds of CPUs, or the kernel's cpu_core/cpus and cpu_capacity".to_owned()
        }
        MachineNotice::NodesWithoutMemory { folder, .. } => format!("{folder}/nodeN/meminfo"),
        MachineNotice::NodesWithoutCpus { folder, .. } => format!("{folder}/nodeN/cpulist"),
        MachineNotice::CpusBeyondCpuSet { folder, .. } => format!("{folder}/online"),
        MachineNotice::NumberingGaps { files, .. } => files.join(" and "),
        MachineNotice::Rehearsed { file, .. } => file.clone(),
        MachineNotice::CpusNotRecorded { .. } => "complete_cpuset in the machine file".to_owned(),
        MachineNotice::NodesNotRecorded { .. } => "complete_nodeset in the machine file".to_owned(),
    }
}

/// Who can lift it, and how.
pub fn lift(notice: &MachineNotice) -> String {
    let fixed = match notice {
        MachineNotice::OfflineCpus { folder, .. } => {
            return format!(
                "the administrator: echo 1 > {folder}/cpuN/online; where that fails, SMT or CPUs are switched off at boot"
            );
        }
        MachineNotice::AffinityMask { cgroup, .. } => {
            return format!(
                "whoever started us (taskset, numactl, srun, mpirun --bind-to); taskset -c {cgroup} in front of numawise \
                 undoes it"
            );
        }
        MachineNotice::NodesWithoutCpus { nodes, .. } => {
            return format!(
                "you: numawise run --memory bind:{nodes} (or hbm, preferred, weighted) takes memory from there"
            );
        }
        MachineNotice::PolicyCallsMissing { folder } => {
            return format!("a kernel built with CONFIG_NUMA ({folder} shows it)");
        }
        MachineNotice::CpusBeyondCpuSet { holds, .. } => {
            return format!(
                "whoever writes the program: CPU_ALLOC instead of cpu_set_t; or run it on CPUs below {holds}"
            );
        }
        MachineNotice::CgroupCpus { .. } => {
            "the batch system (ask for more cores), the container (--cpuset-cpus) or systemd \
             (AllowedCPUs=)"
        }
        MachineNotice::CgroupMemory { .. } => {
            "the batch system, the container (--cpuset-mems) or systemd (AllowedMemoryNodes=)"
        }
        MachineNotice::CpuQuota { .. } => {
            "the container (--cpus), the pod (limits.cpu) or systemd (CPUQuota=)"
        }
        MachineNotice::MemoryLimit { .. } => {
            "the batch system (--mem), the container (--memory) or systemd (MemoryMax=)"
        }
        MachineNotice::InheritedPolicy { .. } => {
            "whoever started us (numactl, the batch system); numactl --localalloc in front of numawise undoes it"
        }
        MachineNotice::PolicyCallsForbidden => {
            "the container: --cap-add SYS_NICE or a seccomp profile that allows set_mempolicy, mbind and get_mempolicy"
        }
        MachineNotice::AffinityCallsRefused { by: AffinityRefusal::Forbidden } => {
            "the container or sandbox: a seccomp profile that allows sched_setaffinity"
        }
        MachineNotice::AffinityCallsRefused { .. } => {
            "whoever runs the sandbox or the emulated kernel; run the program outside of it"
        }
        MachineNotice::PolicyCallsUnknown { .. } => {
            "find out why the call fails: strace -e get_mempolicy numactl --show"
        }
        MachineNotice::PartialCores { .. } => {
            "whoever cut the machine so: whole cores in Slurm (--exclusive, --threads-per-core), in Kubernetes \
             (full-pcpus-only), or in the list of the cpuset"
        }
        MachineNotice::EfficientCores { .. } => "you: numawise run --efficient-cores takes them too",
        MachineNotice::NodesWithoutMemory { .. } => {
            "whoever owns the machine: memory modules in the empty slots, or the firmware's settings"
        }
        MachineNotice::NumberingGaps { .. } => {
            "nobody, the firmware and the kernel number so; take the numbers shown, or relative ones (numawise run -C +0-3)"
        }
        MachineNotice::Rehearsed { .. } => "nobody here; the same command on the real machine",
        MachineNotice::CpusNotRecorded { .. } => {
            "record the machine again, outside of any container or cpuset and with all CPUs online"
        }
        MachineNotice::NodesNotRecorded { .. } => {
            "record the machine again, outside of any container or cpuset"
        }
    };
    fixed.to_owned()
}

/// What was rehearsed, and what of the real machine is not in it.
fn rehearsed(machine: &str, slowdown: f64, differences: &[EmulationNotice]) -> String {
    let differences = differences.iter().map(|one| format!("; {}", super::emulation::text(one)));
    format!(
        "this is a rehearsal: the machine is emulated, to be like {}. Memory takes {slowdown} times as long as there, by latency and \
         bandwidth of each pair of nodes. Ratios between placements mean something, times and rates do not; not modelled are out-of-order \
         execution, shared caches, coherence, turbo and the TLB{}",
        quoted(machine),
        differences.collect::<String>()
    )
}

fn partial_cores(cores: u32, usable: &CpuSet, others: &CpuSet) -> String {
    let (noun, have) = if cores == 1 { ("core", "has") } else { ("cores", "have") };
    format!(
        "{cores} {noun} {have} hardware threads that may be used (CPUs {usable}) and others that may not (CPUs {others}): \
         whoever gets those shares the core with us"
    )
}

/// `node 3 has no memory`.
fn subject(nodes: &NodeSet, what: &str) -> String {
    if nodes.len() == 1 { format!("node {nodes} has {what}") } else { format!("nodes {nodes} have {what}") }
}
