//! Nodes that are the memory of a GPU, as far as a driver says so.

use std::fs;

use numawise_units::{NodeId, NodeSet};

use crate::Roots;

#[cfg(test)]
#[path = "gpu_tests.rs"]
mod tests;

/// NVIDIA's driver: a folder for each GPU, and in it the node of its memory where the processor reaches it as a node (Power9 with
/// NVLink, Grace Hopper).
const NVIDIA: &str = "/proc/driver/nvidia/gpus";

/// The nodes that drivers name; none where no driver says anything.
pub(super) fn nodes(roots: &Roots) -> NodeSet {
    let Ok(folders) = fs::read_dir(roots.path(NVIDIA)) else { return NodeSet::new() };
    let of_gpu = |folder: fs::DirEntry| {
        let name = folder.file_name().into_string().ok()?;
        node(&roots.try_text(&format!("{NVIDIA}/{name}/numa_status"))?)
    };
    folders.flatten().filter_map(of_gpu).collect()
}

/// The node of a GPU's `numa_status`; -1 stands there for a GPU whose memory is no node.
fn node(text: &str) -> Option<NodeId> {
    let words = text.lines().find_map(|line| line.trim_start().strip_prefix("Node:"))?;
    words.trim().parse().ok().map(NodeId)
}
