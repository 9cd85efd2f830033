//! Machines that are too large to be emulated, with fewer cores in each node: all nodes, distances and figures stay.

use numawise_facts::{AttributeOrigin, Figure, Machine, Node};
use numawise_units::{BytesPerSecond, CpuId, CpuSet, Latency};

#[cfg(test)]
#[path = "reduce_tests.rs"]
mod tests;

/// QEMU's q35 machine numbers up to 255 processors without an interrupt controller of another kind; sockets that are no powers
/// of two leave numbers out.
pub const MOST_CPUS: u32 = 128;

/// CPUs of a machine that belong to nodes.
#[must_use]
pub fn cpu_count(machine: &Machine) -> u32 {
    machine.nodes.iter().map(|node| node.cpus.len() as u32).sum()
}

/// The most cores for each node with which the machine can be emulated; none where it has too many nodes with CPUs.
#[must_use]
pub fn most_cores_per_node(machine: &Machine, most_cpus: u32) -> Option<u32> {
    let largest = machine.nodes.iter().map(|node| cores(machine, node).len() as u32).max()?;
    let fits = |n: &u32| cpu_count(&with_cores_per_node(machine, *n)) <= most_cpus;
    (1..=largest).rev().find(fits)
}

/// The same machine with at most so many cores in each node, of which one hardware thread each. The lowest numbers stay.
#[must_use]
pub fn with_cores_per_node(machine: &Machine, most: u32) -> Machine {
    let kept: CpuSet =
        machine.nodes.iter().flat_map(|node| cores(machine, node).into_iter().take(most as usize)).collect();
    let mut reduced = machine.clone();
    for node in &mut reduced.nodes {
        // Who is near stays so with those that are left.
        node.cpus = node.cpus.intersection(&kept);
        node.near = node.near.intersection(&kept);
    }
    for attribute in &mut reduced.attributes {
        attribute.initiator = attribute.initiator.intersection(&kept);
    }
    reduced.cpus.retain(|cpu| kept.contains(cpu.id));
    reduced.allowed_cpus = kept;
    reduced
}

/// What one core draws where it stands for several: that all cores of a node together draw as large a part of its bandwidth as on
/// the real machine.
#[must_use]
pub fn core_bandwidth(real: &Machine, reduced: &Machine, of_core: BytesPerSecond) -> BytesPerSecond {
    let count =
        |machine: &Machine| -> usize { machine.nodes.iter().map(|node| cores(machine, node).len()).sum() };
    BytesPerSecond(of_core.0 * count(real) as f64 / count(reduced).max(1) as f64)
}

/// Divides the measured latencies by the number of hardware threads that a core stands for: the misses of so many overlap, and the
/// emulated core has one at a time. Without it a node with few cores could never draw its bandwidth. Their ratios stay.
#[must_use]
pub fn with_overlapping_misses(real: &Machine, mut reduced: Machine) -> Machine {
    let each = f64::from(cpu_count(real)) / f64::from(cpu_count(&reduced).max(1));
    for attribute in reduced.attributes.iter_mut().filter(|of| of.origin == AttributeOrigin::Measured) {
        if let Figure::Latency(latency) = &mut attribute.figure {
            *latency = latency.map(|latency| Latency(latency.0 / each));
        }
    }
    reduced
}

/// The first hardware thread of each core.
fn cores(machine: &Machine, node: &Node) -> Vec<CpuId> {
    let mut seen = Vec::new();
    let is_first = |id: &CpuId| {
        let core = machine.cpu(*id).map(|cpu| cpu.core);
        let is_new = core.is_none_or(|core| !seen.contains(&core));
        seen.extend(core.filter(|_| is_new));
        is_new
    };
    node.cpus.iter().filter(is_first).collect::<Vec<_>>()
}
