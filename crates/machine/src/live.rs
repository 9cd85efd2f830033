//! The machine that we run on, read in full.

use std::collections::BTreeMap;

use numawise_facts::{Machine, MemoryKind, Node, Reading, Source};
use numawise_units::{CpuId, NodeId};

use crate::hwloc::{self, Input};
use crate::limits::affinity_limit;
use crate::sysfs::{self, Figures};
use crate::{Error, Policy, Roots, limits, xml};

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;

/// The whole machine through hwloc, completed with what only the kernel's files have: which CPUs a node is local to, how
/// much of it is free, and what limits us.
///
/// # Errors
/// When hwloc is not installed or fails, or the kernel's files cannot be read.
pub fn live() -> Result<Machine, Error> {
    let text = hwloc::export(Input::Live, "this machine")?;
    let roots = Roots::live();
    let mut machine = sysfs::with_devices(&roots, together(&text, sysfs::read(&roots, Figures::Always)?)?);
    machine.limits = limits(&roots, &machine, &Policy::of_this_thread());
    machine.limits.extend(affinity_limit());
    Ok(machine)
}

/// The machine as the kernel's files describe it, with what limits us: enough for a placement, and without hwloc.
///
/// # Errors
/// When the kernel's files cannot be read.
pub fn live_without_hwloc() -> Result<Machine, Error> {
    let mut machine = without_hwloc(&Roots::live(), &Policy::of_this_thread())?;
    machine.limits.extend(affinity_limit());
    Ok(machine)
}

/// [`live_without_hwloc`] of the machine below `roots`, for a thread with this memory policy.
///
/// # Errors
/// As [`live_without_hwloc`].
pub fn without_hwloc(roots: &Roots, policy: &Policy) -> Result<Machine, Error> {
    let mut machine = sysfs::with_devices(roots, sysfs::quick(roots)?);
    machine.limits = limits(roots, &machine, policy);
    Ok(machine)
}

/// hwloc's description and the kernel's files as one machine. Nodes, their CPUs and sizes and what is allowed are the
/// kernel's, and kinds of cores too, since a plan goes by them; hwloc adds caches, localities and kinds of memory.
fn together(text: &str, kernel: Machine) -> Result<Machine, Error> {
    let hwloc = xml::machine(text, Source::Live, Some(&kernel))?;
    let mut described: BTreeMap<NodeId, Node> = hwloc.nodes.into_iter().map(|node| (node.id, node)).collect();
    let figures = kernel.attributes;
    let nodes = kernel.nodes.into_iter().map(|node| match described.remove(&node.id) {
        Some(described) => {
            let named = figures.iter().any(|figure| figure.target == node.id);
            merged(node, described, named)
        }
        None => node,
    });
    let kind_of_core: BTreeMap<CpuId, Reading<u32>> =
        kernel.cpus.into_iter().map(|cpu| (cpu.id, cpu.efficiency)).collect();
    let mut cpus = hwloc.cpus;
    for cpu in &mut cpus {
        if let Some(efficiency) = kind_of_core.get(&cpu.id) {
            cpu.efficiency = efficiency.clone();
        }
    }
    Ok(Machine {
        nodes: nodes.collect(),
        allowed_cpus: kernel.allowed_cpus.intersection(&cpus.iter().map(|cpu| cpu.id).collect()),
        allowed_nodes: kernel.allowed_nodes,
        cpus,
        ..Machine { nodes: Vec::new(), cpus: Vec::new(), ..hwloc }
    })
}

/// `named`: whether the firmware names the CPUs that the node is near to.
fn merged(kernel: Node, hwloc: Node, named: bool) -> Node {
    let (kind, kind_evidence) = match hwloc.kind {
        // Where hwloc does not know, the kernel's copy of the firmware's figures may say it.
        MemoryKind::Unknown => (kernel.kind, kernel.kind_evidence),
        kind => (kind, hwloc.kind_evidence),
    };
    // Of a node without CPUs hwloc may know by the processor what it is attached to.
    let guessed = kernel.cpus.is_empty() && !named && !hwloc.near.is_empty();
    Node { near: if guessed { hwloc.near } else { kernel.near }, kind, kind_evidence, ..kernel }
}
