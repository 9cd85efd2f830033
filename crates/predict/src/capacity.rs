//! What the machine can give: bandwidth and latency of every pair of nodes, relative to local memory; cores and hardware threads.
//!
//! All figures are ratios to the local memory of the first node with CPUs, so that a machine whose absolute figures are not known can be
//! described too: then a ratio is a guess with a wide spread, which the runs may narrow.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::{Attribute, AttributeKind, AttributeOrigin, Figure, Machine, MemoryKind, Node};
use numawise_units::{CpuId, NodeId};

#[cfg(test)]
#[path = "capacity_tests.rs"]
mod tests;

/// Where a ratio is from, which says how far it may be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Measured,
    /// By the firmware's tables.
    Declared,
    /// By the distances of the firmware, or by nothing.
    Guessed,
}

/// A ratio to local memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativeFigure {
    pub value: f64,
    pub source: Source,
}

/// A node with memory or CPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCapacity {
    pub id: NodeId,
    pub kind: MemoryKind,
    /// The bandwidth of its memory.
    pub bandwidth: RelativeFigure,
    /// Nothing says how fast its memory is, and it is no ordinary memory.
    pub is_unknown: bool,
    pub memory: Option<u64>,
    pub may_be_used: bool,
}

/// From the CPUs of a node to the memory of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairCapacity {
    pub bandwidth: RelativeFigure,
    pub latency: RelativeFigure,
}

/// The capacities of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacities {
    pub nodes: Vec<NodeCapacity>,
    /// By the place of the CPUs' node and of the memory's.
    pub pairs: Vec<Vec<PairCapacity>>,
    /// The node of each CPU, as its place, and its core.
    pub cpus: BTreeMap<CpuId, (usize, u32)>,
    /// How many cores take as much as the local memory of a node gives; measured, or a guess.
    pub saturating: RelativeFigure,
    pub cores: usize,
}

/// Without a measurement, about this part of a node's cores is enough for its bandwidth, and no fewer or more cores than these: machines have
/// memory to suit their cores.
const SATURATING: f64 = 0.35;
const FEWEST_SATURATING: f64 = 1.5;
const MOST_SATURATING: f64 = 12.0;

impl Capacities {
    /// By all that is known of the machine; `saturating` is the number of cores that take what a node gives, where that was measured.
    pub fn of(machine: &Machine, saturating: Option<f64>) -> Capacities {
        let places: BTreeMap<NodeId, usize> =
            machine.nodes.iter().enumerate().map(|(place, node)| (node.id, place)).collect();
        let reference = machine.nodes.iter().find(|node| !node.cpus.is_empty() && !node.has_no_memory());
        let reference = reference.or(machine.nodes.first());
        let pair = |from: &Node, to: &Node| PairCapacity {
            bandwidth: relative(machine, AttributeKind::ReadBandwidth, (from, to), reference),
            latency: relative(machine, AttributeKind::ReadLatency, (from, to), reference),
        };
        let pairs: Vec<Vec<PairCapacity>> = machine
            .nodes
            .iter()
            .map(|from| machine.nodes.iter().map(|to| pair(from, to)).collect())
            .collect();
        let node = |(place, node): (usize, &Node)| {
            // Who reaches it best says what it gives.
            let with_cpus = || machine.nodes.iter().enumerate().filter(|(_, from)| !from.cpus.is_empty());
            let best = with_cpus()
                .map(|(from, _)| pairs[from][place].bandwidth)
                .min_by(|one, other| one.source.cmp(&other.source).then(other.value.total_cmp(&one.value)));
            let guess = RelativeFigure { value: 1.0, source: Source::Guessed };
            let bandwidth = match best {
                Some(best) if best.source != Source::Guessed => best,
                _ => guess,
            };
            let is_ordinary = !node.cpus.is_empty() || node.kind == MemoryKind::Dram;
            NodeCapacity {
                id: node.id,
                kind: node.kind,
                bandwidth,
                is_unknown: bandwidth.source == Source::Guessed && !is_ordinary,
                memory: node.memory.measured().map(|bytes| bytes.0),
                may_be_used: machine.allowed_nodes.contains(node.id),
            }
        };
        let nodes = machine.nodes.iter().enumerate().map(node).collect();
        let cpus = machine.cpus.iter().filter_map(|cpu| {
            let place = cpu.node.and_then(|node| places.get(&node)).copied();
            Some((cpu.id, (place.or((machine.nodes.len() == 1).then_some(0))?, cpu.core)))
        });
        let cpus: BTreeMap<CpuId, (usize, u32)> = cpus.collect();
        let saturating = match saturating {
            Some(cores) if cores.is_finite() && cores >= 1.0 => {
                RelativeFigure { value: cores, source: Source::Measured }
            }
            _ => RelativeFigure { value: saturating_guess(&cpus), source: Source::Guessed },
        };
        let cores = cpus.values().map(|(_, core)| *core).collect::<BTreeSet<u32>>().len();
        Capacities { nodes, pairs, cpus, saturating, cores }
    }

    pub fn place(&self, node: NodeId) -> Option<usize> {
        self.nodes.iter().position(|one| one.id == node)
    }

    /// The node among these places that is nearest to a place, as the kernel takes them.
    pub fn nearest(&self, from: usize, among: impl Iterator<Item = usize>) -> Option<usize> {
        let latency = |to: &usize| self.pairs[from][*to].latency.value;
        among.min_by(|one, other| latency(one).total_cmp(&latency(other)).then(one.cmp(other)))
    }
}

/// By the cores of a node on average.
fn saturating_guess(cpus: &BTreeMap<CpuId, (usize, u32)>) -> f64 {
    let cores: BTreeSet<(usize, u32)> = cpus.values().copied().collect();
    let nodes: BTreeSet<usize> = cores.iter().map(|(node, _)| *node).collect();
    let of_node = cores.len() as f64 / nodes.len().max(1) as f64;
    (SATURATING * of_node).clamp(FEWEST_SATURATING, MOST_SATURATING)
}

/// A figure of a pair against that of the reference's local memory.
fn relative(
    machine: &Machine,
    kind: AttributeKind,
    (from, to): (&Node, &Node),
    reference: Option<&Node>,
) -> RelativeFigure {
    for (origin, source) in
        [(AttributeOrigin::Measured, Source::Measured), (AttributeOrigin::Firmware, Source::Declared)]
    {
        let here = figure(machine, origin, kind, (from, to));
        let local = reference.and_then(|node| figure(machine, origin, kind, (node, node)));
        if let (Some(here), Some(local)) = (here, local) {
            return RelativeFigure { value: here / local, source };
        }
    }
    let distance = machine.distance(from.id, to.id).map(f64::from).filter(|distance| *distance >= 10.0);
    let latency = if from.id == to.id { 1.0 } else { distance.unwrap_or(20.0) / 10.0 };
    let value = if kind == AttributeKind::ReadLatency { latency } else { 1.0 / latency };
    RelativeFigure { value, source: Source::Guessed }
}

/// The figure of reads, or of accesses in general.
fn figure(
    machine: &Machine,
    origin: AttributeOrigin,
    kind: AttributeKind,
    (from, to): (&Node, &Node),
) -> Option<f64> {
    let general = match kind {
        AttributeKind::ReadBandwidth => AttributeKind::Bandwidth,
        _ => AttributeKind::Latency,
    };
    let meant = |kind: AttributeKind| {
        let one = move |a: &&Attribute| {
            a.origin == origin && a.target == to.id && a.kind() == kind && a.initiator.intersects(&from.cpus)
        };
        machine.attributes.iter().find(one)
    };
    let value = match meant(kind).or_else(|| meant(general))?.figure {
        Figure::Latency(latency) => latency.median.0,
        Figure::Bandwidth(bandwidth) => bandwidth.median.0,
    };
    (value.is_finite() && value > 0.0).then_some(value)
}
