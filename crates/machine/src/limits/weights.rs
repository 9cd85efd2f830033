//! The kernel's weights of nodes for weighted interleave: one set for all programs of the computer.

use numawise_units::NodeId;

use crate::Roots;

/// Where they are, since Linux 6.9; a file `nodeN` for each node.
pub const WEIGHTS: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";

/// The weight of a node; `None` where the kernel has none.
pub fn global_weight(roots: &Roots, node: NodeId) -> Option<u8> {
    roots.try_value(&format!("{WEIGHTS}/node{node}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    #[test]
    fn a_weight_is_read_or_is_not_there() {
        let fixture = Fixture::empty();
        assert_eq!(global_weight(&fixture.roots(), NodeId(0)), None, "a kernel before 6.9");
        for (text, expected) in
            [("1\n", Some(1)), ("255\n", Some(255)), ("256\n", None), ("\n", None), ("x", None)]
        {
            fixture.write(&format!("{WEIGHTS}/node2"), text);
            assert_eq!(global_weight(&fixture.roots(), NodeId(2)), expected, "{text:?}");
        }
    }
}
