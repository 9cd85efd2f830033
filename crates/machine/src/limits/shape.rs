//! What limits us by the way the machine is built or cut: nobody took it from us, and programs trip over it all the same.

use std::collections::BTreeMap;

use numawise_facts::{Limit, LimitKind, Machine, Node};
use numawise_units::{Bytes, CpuSet, Id, IdSet, NodeSet};

use crate::Roots;
use crate::sysfs::{CPUS, NODES};

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;

/// CPUs that the C library's `cpu_set_t` has room for (`CPU_SETSIZE`).
const CPU_SETSIZE: u32 = 1024;

/// All that can be told of this machine.
pub(super) fn limits(roots: &Roots, machine: &Machine) -> Vec<Limit> {
    let all = [
        partial_cores(machine),
        efficient_cores(machine),
        without_memory(machine),
        without_cpus(machine),
        many_cpus(machine),
        gaps(roots, machine),
    ];
    all.into_iter().flatten().collect()
}

/// Cores that we share with somebody: one hardware thread is ours, its partner is not.
fn partial_cores(machine: &Machine) -> Option<Limit> {
    let mut cores: BTreeMap<u32, CpuSet> = BTreeMap::new();
    for cpu in &machine.cpus {
        cores.entry(cpu.core).or_default().insert(cpu.id);
    }
    let ours = &machine.allowed_cpus;
    let partly = |cpus: &&CpuSet| cpus.intersects(ours) && !cpus.is_subset(ours);
    let partial: Vec<&CpuSet> = cores.values().filter(partly).collect();
    let all = partial.iter().fold(CpuSet::new(), |all, cpus| all.union(cpus));
    if all.is_empty() {
        return None;
    }
    let (mine, others) = (all.intersection(ours), all.difference(ours));
    let (cores, have) = if partial.len() == 1 { ("core", "has") } else { ("cores", "have") };
    Some(Limit {
        kind: LimitKind::PartialCores,
        effect: format!(
            "{} {cores} {have} hardware threads that may be used (CPUs {mine}) and others that may not (CPUs {others}): \
             whoever gets those shares the core with us",
            partial.len(),
        ),
        source: format!("thread_siblings_list below {CPUS}/cpuN/topology, beside the CPUs allowed"),
        lift: "whoever cut the machine so: whole cores in Slurm (--exclusive, --threads-per-core), in Kubernetes \
               (full-pcpus-only), or in the list of the cpuset"
            .to_owned(),
    })
}

fn efficient_cores(machine: &Machine) -> Option<Limit> {
    let usable = machine.cpus.iter().filter(|cpu| machine.allowed_cpus.contains(cpu.id));
    let mut ranks: BTreeMap<u32, CpuSet> = BTreeMap::new();
    for cpu in usable {
        ranks.entry(*cpu.efficiency.measured()?).or_default().insert(cpu.id);
    }
    let (_, fastest) = ranks.pop_last()?;
    let slower = ranks.values().fold(CpuSet::new(), |all, cpus| all.union(cpus));
    if slower.is_empty() {
        return None;
    }
    Some(Limit {
        kind: LimitKind::EfficientCores,
        effect: format!(
            "{} of {} CPUs are efficient cores ({slower}), slower than the others ({fastest}): strategies leave them \
             out, and a program whose threads get equal shares waits for them",
            slower.len(),
            slower.len() + fastest.len(),
        ),
        source: "hwloc's kinds of CPUs, /sys/devices/cpu_core/cpus or cpu_capacity".to_owned(),
        lift: "you: numawise run --efficient-cores takes them too".to_owned(),
    })
}

fn without_memory(machine: &Machine) -> Option<Limit> {
    let empty = |node: &&Node| node.memory.measured() == Some(&Bytes(0)) && !node.cpus.is_empty();
    let nodes: NodeSet = machine.nodes.iter().filter(empty).map(|node| node.id).collect();
    let (subject, their) = subject(&nodes, "no memory")?;
    Some(Limit {
        kind: LimitKind::NodesWithoutMemory,
        effect: format!("{subject}: what {their} CPUs touch first lies on another node, farther away"),
        source: format!("{NODES}/nodeN/meminfo"),
        lift: "whoever owns the machine: memory modules in the empty slots, or the firmware's settings"
            .to_owned(),
    })
}

fn without_cpus(machine: &Machine) -> Option<Limit> {
    let bare = |node: &&Node| node.cpus.is_empty() && node.memory.measured() != Some(&Bytes(0));
    let nodes: NodeSet = machine.nodes.iter().filter(bare).map(|node| node.id).collect();
    let (subject, _) = subject(&nodes, "no CPUs")?;
    Some(Limit {
        kind: LimitKind::NodesWithoutCpus,
        effect: format!(
            "{subject} that are online: no thread can be near by being there, and memory comes from there only when a \
             policy asks for it or the other nodes are full"
        ),
        source: format!("{NODES}/nodeN/cpulist"),
        lift: format!(
            "you: numawise run --memory bind:{nodes} (or hbm, preferred, weighted) takes memory from there"
        ),
    })
}

/// `node 3 has no memory`, and how to say what is theirs.
fn subject(nodes: &NodeSet, what: &str) -> Option<(String, &'static str)> {
    match nodes.len() {
        0 => None,
        1 => Some((format!("node {nodes} has {what}"), "its")),
        _ => Some((format!("nodes {nodes} have {what}"), "their")),
    }
}

fn many_cpus(machine: &Machine) -> Option<Limit> {
    let last = machine.cpus.last()?.id.0;
    if last < CPU_SETSIZE {
        return None;
    }
    Some(Limit {
        kind: LimitKind::ManyCpus,
        effect: format!(
            "CPUs are numbered up to {last}: programs that use the C library's cpu_set_t, which has room for \
             {CPU_SETSIZE}, cannot ask for their mask or set it (EINVAL); numawise can"
        ),
        source: format!("{CPUS}/online"),
        lift: "whoever writes the program: CPU_ALLOC instead of cpu_set_t; or run it on CPUs below 1024"
            .to_owned(),
    })
}

/// Numbers that nobody has. CPUs that are offline do have one.
fn gaps(roots: &Roots, machine: &Machine) -> Option<Limit> {
    let present: CpuSet = roots.try_value(&format!("{CPUS}/present")).unwrap_or_else(|| machine.online());
    let nodes: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    let told = [
        has_gap(&present).then(|| format!("CPUs are {present}")),
        has_gap(&nodes).then(|| format!("nodes are {nodes}")),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    if told.is_empty() {
        return None;
    }
    Some(Limit {
        kind: LimitKind::NumberingGaps,
        effect: format!(
            "numbers are left out ({}): a script or a program that counts from 0 to one less than their number names \
             some that are not there",
            told.join(", ")
        ),
        source: format!("{CPUS}/present and {NODES}/online"),
        lift: "nobody, the firmware and the kernel number so; take the numbers shown, or relative ones (numawise run -C \
               +0-3)"
            .to_owned(),
    })
}

fn has_gap<T: Id>(set: &IdSet<T>) -> bool {
    set.last().is_some_and(|last| set.len() <= last.index() as usize)
}
