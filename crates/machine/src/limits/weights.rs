//! The kernel's weights of nodes for weighted interleave: one set for all programs of the computer.

use numawise_units::NodeId;

use crate::Roots;

#[cfg(test)]
mod tests;

/// Where they are, since Linux 6.9; a file `nodeN` for each node.
pub const WEIGHTS: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";

/// The weight of a node; `None` where the kernel has none.
pub fn global_weight(roots: &Roots, node: NodeId) -> Option<u8> {
    roots.try_value(&format!("{WEIGHTS}/node{node}"))
}
