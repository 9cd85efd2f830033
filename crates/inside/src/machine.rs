//! The machine that we may use.

use numawise_facts::{Machine, MemoryKind, Node, Reading};
use numawise_units::{CpuId, Id, NodeId, NodeSet};

use crate::Error;

/// Kinds of memory that a caller may ask for.
pub const KINDS: [MemoryKind; 4] = [MemoryKind::Dram, MemoryKind::Hbm, MemoryKind::Cxl, MemoryKind::Gpu];

/// Reads the machine from the kernel's files, without hwloc: half a millisecond.
///
/// # Errors
/// Where these cannot be read.
pub fn open() -> Result<Machine, Error> {
    Ok(numawise_machine::live_without_hwloc()?)
}

/// # Errors
/// Where there is no such node.
pub fn node(machine: &Machine, node: u32) -> Result<&Node, Error> {
    machine.nodes.iter().find(|of| of.id.index() == node).ok_or_else(|| Error::NotThere {
        what: "node",
        found: node.to_string(),
        exist: machine.nodes.iter().map(|node| node.id).collect::<NodeSet>().to_string(),
    })
}

/// The node to which a CPU is local.
///
/// # Errors
/// Where there is no such CPU, or it is local to none.
pub fn node_of_cpu(machine: &Machine, cpu: u32) -> Result<NodeId, Error> {
    let of = machine.cpu(CpuId(cpu)).ok_or_else(|| Error::NotThere {
        what: "CPU",
        found: cpu.to_string(),
        exist: machine.online().to_string(),
    })?;
    of.node.ok_or_else(|| Error::Unavailable(format!("CPU {cpu} is local to no node")))
}

/// The distance that the firmware names; 10 is local.
///
/// # Errors
/// Where there is no such node, or no distance is named.
pub fn nodes_distance(machine: &Machine, from: u32, to: u32) -> Result<u32, Error> {
    let (of, to) = (node(machine, from)?, node(machine, to)?);
    known(&of.distances)?;
    let found = machine.distance(of.id, to.id);
    found.ok_or_else(|| Error::Unavailable("the kernel names no distance for it".to_owned()))
}

/// # Errors
/// Where it could not be read, with the reason.
pub fn known<T>(reading: &Reading<T>) -> Result<&T, Error> {
    match reading {
        Reading::Measured(value) => Ok(value),
        Reading::Unavailable { unavailable } => Err(Error::Unavailable(unavailable.0.to_string())),
    }
}
