//! The kernel's weights of nodes for weighted interleaving: one set for all programs of the computer, root's to write.

use std::io;

use numawise_units::NodeId;

use crate::Roots;

/// Where they are, since Linux 6.9: a file for each node.
pub const FOLDER: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";

/// The file of a node's weight.
pub fn file(node: NodeId) -> String {
    format!("{FOLDER}/node{node}")
}

/// Writes the weight of a node.
///
/// # Errors
/// When the kernel has no weights, or they may not be written.
pub fn set(roots: &Roots, node: NodeId, weight: u8) -> io::Result<()> {
    std::fs::write(roots.path(&file(node)), weight.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_written_where_the_kernel_has_a_file() {
        let root = tempfile::tempdir().unwrap();
        let roots = Roots::at(root.path());
        let path = roots.path(&file(NodeId(2)));
        assert!(set(&roots, NodeId(2), 3).is_err(), "a kernel before 6.9");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        set(&roots, NodeId(2), 3).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "3");
    }
}
