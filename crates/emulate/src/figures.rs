//! Latencies and bandwidths of a machine that was never measured: as a person says them, by the firmware, or by its distances.

use numawise_facts::notice::EmulationNotice;
use numawise_facts::{
    Attribute, AttributeKind, AttributeOrigin, Estimate, Figure, Machine, MemoryAccess, MemoryKind, Node,
    Notice, Reading,
};
use numawise_units::{Arrange, Bytes, BytesPerSecond, Latency, NodeId, NodeSet};

use crate::derive::{LOCAL, REMOTE, declared};

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;

/// Where nothing is known: public figures of two-socket servers lie around them, and what matters are the ratios.
const LOCAL_LATENCY: Latency = Latency(90.0);
const LOCAL_BANDWIDTH: BytesPerSecond = BytesPerSecond(100e9);
const NODE_MEMORY: Bytes = Bytes::mib(16 * 1024);

/// Figures by distance, the local one first; the last stands for all beyond.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceFigures<T> {
    /// For the memory of all nodes but those below.
    pub of_all: Vec<T>,
    /// For the memory of one node.
    pub of_node: Vec<(NodeId, Vec<T>)>,
}

impl<T> Default for DistanceFigures<T> {
    fn default() -> Self {
        Self { of_all: Vec::new(), of_node: Vec::new() }
    }
}

/// What a person says of a machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GivenFigures {
    pub latency: DistanceFigures<Latency>,
    pub bandwidth: DistanceFigures<BytesPerSecond>,
}

impl<T: Copy> DistanceFigures<T> {
    fn of(&self, to: NodeId, rank: usize) -> Option<T> {
        let own = self.of_node.iter().find(|(node, _)| *node == to).map(|(_, values)| values);
        let values = own.unwrap_or(&self.of_all);
        values.get(rank).or(values.last()).copied()
    }

    /// A node that is spoken of and that the machine does not have.
    fn stranger(&self, machine: &Machine) -> Option<NodeId> {
        self.of_node.iter().map(|(node, _)| *node).find(|node| machine.node(*node).is_none())
    }
}

impl GivenFigures {
    /// A node that is spoken of and that the machine does not have.
    pub fn stranger(&self, machine: &Machine) -> Option<NodeId> {
        self.latency.stranger(machine).or(self.bandwidth.stranger(machine))
    }
}

/// The machine with a latency and a bandwidth for each pair of nodes: what was measured stands; then what is given, what the firmware
/// declares, and what is assumed, which is said.
#[must_use]
pub fn with_figures(machine: Machine, given: &GivenFigures) -> (Machine, Vec<Notice>) {
    let (machine, mut notices) = with_memory(machine);
    let nodes: Vec<&Node> = machine.nodes.iter().collect();
    let mut added = Vec::new();
    let mut assumed = (false, false);
    for from in nodes.iter().filter(|node| !node.cpus.is_empty()) {
        for to in nodes.iter().filter(|node| !node.has_no_memory()) {
            let rank = rank(&machine, from.id, to.id);
            let farther = f64::from(distance(&machine, from.id, to.id)) / f64::from(LOCAL);
            if machine.measured_latency(from.id, to.id).is_none() {
                let known = given.latency.of(to.id, rank);
                let declared =
                    || declared(&machine, [AttributeKind::ReadLatency, AttributeKind::Latency], from, to);
                let known = known.or_else(|| declared().and_then(|of| of.latency()).map(|of| of.median));
                assumed.0 |= known.is_none();
                let value = known.unwrap_or(Latency(LOCAL_LATENCY.0 * farther));
                added.push(attribute(from, to, Figure::Latency(Estimate::declared(value))));
            }
            if machine.measured_bandwidth(from.id, to.id).is_none() {
                let known = given.bandwidth.of(to.id, rank);
                let declared =
                    || declared(&machine, [AttributeKind::ReadBandwidth, AttributeKind::Bandwidth], from, to);
                let known = known.or_else(|| declared().and_then(|of| of.bandwidth()).map(|of| of.median));
                assumed.1 |= known.is_none();
                let value = known.unwrap_or(BytesPerSecond(LOCAL_BANDWIDTH.0 / farther));
                added.push(attribute(from, to, Figure::Bandwidth(Estimate::declared(value))));
            }
        }
    }
    if assumed.0 {
        notices.push(EmulationNotice::LatencyAssumed { local: LOCAL_LATENCY }.into());
    }
    if assumed.1 {
        notices.push(EmulationNotice::BandwidthAssumed { local: LOCAL_BANDWIDTH }.into());
    }
    let mut machine = machine;
    machine.attributes.extend(added);
    told_by_firmware(&mut machine);
    (machine, notices)
}

/// Nodes of whose memory nothing is known have equally much.
fn with_memory(mut machine: Machine) -> (Machine, Vec<Notice>) {
    let mut nodes = NodeSet::new();
    for node in machine.nodes.iter_mut().filter(|node| node.memory.measured().is_none()) {
        node.memory = Reading::Measured(NODE_MEMORY);
        nodes.insert(node.id);
    }
    let notice =
        (!nodes.is_empty()).then(|| EmulationNotice::MemoryAssumed { nodes, each: NODE_MEMORY }.into());
    (machine, notice.into_iter().collect())
}

/// The kernel of a guest learns the kind of memory of nodes without CPUs by an HMAT only: it gets one of these figures.
fn told_by_firmware(machine: &mut Machine) {
    let has_own = machine.attributes.iter().any(|of| of.origin == AttributeOrigin::Firmware);
    let is_plain = |node: &Node| matches!(node.kind, MemoryKind::Dram | MemoryKind::Unknown);
    let needs = machine.nodes.iter().any(|node| node.cpus.is_empty() || !is_plain(node));
    if has_own || !needs {
        return;
    }
    let measured = machine.attributes.iter().filter(|of| of.origin == AttributeOrigin::Measured);
    let told: Vec<Attribute> =
        measured.map(|of| Attribute { origin: AttributeOrigin::Firmware, ..of.clone() }).collect();
    machine.attributes.extend(told);
}

fn attribute(from: &Node, to: &Node, figure: Figure) -> Attribute {
    Attribute {
        access: MemoryAccess::Read,
        origin: AttributeOrigin::Measured,
        initiator: from.cpus.clone(),
        target: to.id,
        figure,
    }
}

fn distance(machine: &Machine, from: NodeId, to: NodeId) -> u32 {
    let other = u32::from(if from == to { LOCAL } else { REMOTE });
    machine.distance(from, to).filter(|distance| (10..255).contains(distance)).unwrap_or(other)
}

/// 0 for local memory, or for the nearest memory of one that has none; 1 for the next distance, and so on.
fn rank(machine: &Machine, from: NodeId, to: NodeId) -> usize {
    let with_memory = machine.nodes.iter().filter(|node| !node.has_no_memory());
    let mut all: Vec<u32> = with_memory.map(|node| distance(machine, from, node.id)).collect();
    all.arrange();
    all.dedup();
    let own = distance(machine, from, to);
    all.iter().position(|of| *of == own).unwrap_or_default()
}
