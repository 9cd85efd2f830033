//! What limits us by the way the machine is built or cut: nobody took it from us, and programs trip over it all the same.

use std::collections::BTreeMap;

use numawise_facts::notice::MachineNotice;
use numawise_facts::{Machine, Node};
use numawise_units::{Bytes, CpuSet, Id, IdSet, NodeSet};

use crate::Roots;
use crate::files::{CPUS, NODES};

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;

/// CPUs that the C library's `cpu_set_t` has room for (`CPU_SETSIZE`).
const CPU_SETSIZE: u32 = 1024;

/// All that is known of this machine.
pub(super) fn limits(roots: &Roots, machine: &Machine) -> Vec<MachineNotice> {
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
fn partial_cores(machine: &Machine) -> Option<MachineNotice> {
    let mut cores: BTreeMap<u32, CpuSet> = BTreeMap::new();
    for cpu in &machine.cpus {
        cores.entry(cpu.core).or_default().insert(cpu.id);
    }
    let ours = &machine.allowed_cpus;
    let partly = |cpus: &&CpuSet| cpus.intersects(ours) && !cpus.is_subset(ours);
    let partial: Vec<&CpuSet> = cores.values().filter(partly).collect();
    let all = partial.iter().fold(CpuSet::new(), |all, cpus| all.union(cpus));
    (!all.is_empty()).then(|| MachineNotice::PartialCores {
        cores: partial.len() as u32,
        usable: all.intersection(ours),
        others: all.difference(ours),
        folder: CPUS.to_owned(),
    })
}

fn efficient_cores(machine: &Machine) -> Option<MachineNotice> {
    let usable = machine.cpus.iter().filter(|cpu| machine.allowed_cpus.contains(cpu.id));
    let mut ranks: BTreeMap<u32, CpuSet> = BTreeMap::new();
    for cpu in usable {
        ranks.entry(*cpu.efficiency.measured()?).or_default().insert(cpu.id);
    }
    let (_, fastest) = ranks.pop_last()?;
    let efficient = ranks.values().fold(CpuSet::new(), |all, cpus| all.union(cpus));
    (!efficient.is_empty()).then_some(MachineNotice::EfficientCores { efficient, fastest })
}

fn without_memory(machine: &Machine) -> Option<MachineNotice> {
    let empty = |node: &&Node| node.memory.measured() == Some(&Bytes(0)) && !node.cpus.is_empty();
    let nodes: NodeSet = machine.nodes.iter().filter(empty).map(|node| node.id).collect();
    (!nodes.is_empty()).then(|| MachineNotice::NodesWithoutMemory { nodes, folder: NODES.to_owned() })
}

fn without_cpus(machine: &Machine) -> Option<MachineNotice> {
    let bare = |node: &&Node| node.cpus.is_empty() && node.memory.measured() != Some(&Bytes(0));
    let nodes: NodeSet = machine.nodes.iter().filter(bare).map(|node| node.id).collect();
    (!nodes.is_empty()).then(|| MachineNotice::NodesWithoutCpus { nodes, folder: NODES.to_owned() })
}

fn many_cpus(machine: &Machine) -> Option<MachineNotice> {
    let last = machine.cpus.last()?.id;
    let folder = CPUS.to_owned();
    (last.0 >= CPU_SETSIZE).then_some(MachineNotice::CpusBeyondCpuSet { last, holds: CPU_SETSIZE, folder })
}

/// Numbers that nobody has. CPUs that are offline do have one.
fn gaps(roots: &Roots, machine: &Machine) -> Option<MachineNotice> {
    let present: CpuSet = roots.try_value(&format!("{CPUS}/present")).unwrap_or_else(|| machine.online());
    let nodes: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    let (cpus, nodes) = (Some(present).filter(has_gap), Some(nodes).filter(has_gap));
    let files = vec![format!("{CPUS}/present"), format!("{NODES}/online")];
    (cpus.is_some() || nodes.is_some()).then_some(MachineNotice::NumberingGaps { cpus, nodes, files })
}

fn has_gap<T: Id>(set: &IdSet<T>) -> bool {
    set.last().is_some_and(|last| set.len() <= last.index() as usize)
}
