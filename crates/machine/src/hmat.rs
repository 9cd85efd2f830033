//! What the firmware says of latency and bandwidth (ACPI HMAT), as far as the kernel passes it on: for every node the
//! figures of its best initiators.

use numawise_facts::{Attribute, AttributeKind, Node};
use numawise_units::{Arrange, CpuSet, NodeId};

use crate::Roots;
use crate::files::NODES;

#[cfg(test)]
#[path = "hmat_tests.rs"]
mod tests;

/// Files of an access class and what they hold: nanoseconds and 10^6 bytes per second.
const FILES: [(&str, AttributeKind); 4] = [
    ("read_latency", AttributeKind::ReadLatency),
    ("write_latency", AttributeKind::WriteLatency),
    ("read_bandwidth", AttributeKind::ReadBandwidth),
    ("write_bandwidth", AttributeKind::WriteBandwidth),
];

/// No memory answers later than after a second, or gives more than 10^16 bytes in one: such figures are the firmware's mistakes.
const MOST_NANOSECONDS: u64 = 1_000_000_000;
const MOST_RATE: u64 = 10_000_000_000;

/// The figures of all nodes that have some.
pub(crate) fn read(roots: &Roots, nodes: &[Node]) -> Vec<Attribute> {
    let mut attributes = Vec::new();
    for node in nodes {
        let Some(class) = Class::of(roots, node.id, nodes) else {
            continue;
        };
        for (file, kind) in FILES {
            // The kernel writes 0 for what the firmware does not declare.
            let value: Option<u64> = roots.try_value(&format!("{}/{file}", class.directory));
            let most = if kind.is_bandwidth() { MOST_RATE } else { MOST_NANOSECONDS };
            if let Some(value) = value.filter(|value| (1..=most).contains(value)) {
                attributes.push(Attribute::declared(kind, class.initiators.clone(), node.id, value));
            }
        }
    }
    attributes
        .arrange_by_key(|attribute| (attribute.kind() as u8, attribute.initiator.first(), attribute.target));
    attributes
}

/// The CPUs of the nodes that are linked as best initiators of `target`.
pub(crate) fn initiators(roots: &Roots, target: NodeId, nodes: &[Node]) -> CpuSet {
    Class::of(roots, target, nodes).map(|class| class.initiators).unwrap_or_default()
}

/// An access class of a node: the directory of its figures, and the CPUs that they hold for.
struct Class {
    directory: String,
    initiators: CpuSet,
}

impl Class {
    /// Class 0 is for the best of all initiators, class 1 (since Linux 5.10) for the best of those with CPUs. They differ
    /// only where a device is nearer than all CPUs, so class 1 is needed only then. It is also not to be relied on: Linux
    /// 6.12 was seen to link node 0 in class 1 of every node where the firmware names the processors of each.
    fn of(roots: &Roots, target: NodeId, nodes: &[Node]) -> Option<Self> {
        [0, 1].map(|class| format!("{NODES}/node{target}/access{class}/initiators")).into_iter().find_map(
            |directory| {
                let linked = |node: &&Node| roots.path(&format!("{directory}/node{}", node.id)).exists();
                let initiators = nodes
                    .iter()
                    .filter(|node| !node.cpus.is_empty())
                    .filter(linked)
                    .fold(CpuSet::new(), |all, node| all.union(&node.cpus));
                (!initiators.is_empty()).then_some(Class { directory, initiators })
            },
        )
    }
}
