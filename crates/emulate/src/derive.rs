//! From a machine with a profile to an emulated one: its nodes, CPUs, distances and HMAT, and the time that its memory takes.

use numawise_facts::notice::EmulationNotice;
use numawise_facts::{
    AttributeKind, AttributeOrigin, Figure, Machine, MemoryKind, Node, Notice, Profile, Target, Workers,
};
use numawise_units::{Arrange, Bytes, BytesPerSecond, CpuId, CpuSet, NodeId};

use crate::Error;
use crate::machine::{EmulatedMachine, EmulatedNode, HmatRow, MachineDescription, MachineTiming, NodeTiming};

#[cfg(test)]
#[path = "derive_tests.rs"]
mod tests;

const MIB: u64 = 1 << 20;
/// A node's memory is a multiple of this, so that none of it becomes too small to be used.
const STEP_MIB: u64 = 64;
/// Of the cache of a CPU, where the machine says nothing: as in the testbed's files.
const CACHE_KIB: u32 = 256;
const CACHE_WAYS: u32 = 8;
/// The SLIT's customary distances.
pub(crate) const LOCAL: u8 = 10;
pub(crate) const REMOTE: u8 = 20;

/// What the emulated machine is to be like, besides the one it is derived from.
#[derive(Debug, Clone, PartialEq)]
pub struct EmulationRequest {
    /// Memory of all nodes together; each has its share of it.
    pub memory: Bytes,
    /// How many times slower than the real machine the guest is.
    pub scale: f64,
    /// What one core can draw; see [`core_bandwidth`].
    pub core_bandwidth: Option<BytesPerSecond>,
}

/// An emulated machine, and what it has of the real one.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedMachine {
    pub machine: EmulatedMachine,
    /// The real node of each emulated one.
    pub nodes: Vec<NodeId>,
    /// The real CPU of each emulated one.
    pub cpus: Vec<CpuId>,
    /// What is not as on the real machine.
    pub notices: Vec<Notice>,
}

/// The bandwidth that a profile has of one core with the memory of its node: the greatest of all nodes.
pub fn core_bandwidth(profile: &Profile) -> Option<BytesPerSecond> {
    let one_core = profile.bandwidth.iter().filter(|row| match (row.workers, row.target) {
        (Workers::Core(_), Target::Local) => true,
        (Workers::Core(from), Target::Node(to)) => from == to,
        _ => false,
    });
    let rates = one_core.filter_map(|row| row.rate.measured()).map(|rate| rate.median);
    rates.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Derives an emulated machine from one whose latencies and bandwidths were measured.
///
/// # Errors
/// When a pair of nodes was not measured, a node's memory is unknown, or QEMU cannot emulate what comes out.
pub fn derive(name: &str, machine: &Machine, request: &EmulationRequest) -> Result<DerivedMachine, Error> {
    let mut notices = Vec::new();
    let nodes = numbered(machine);
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    if ids.iter().map(|id| id.0).ne(0..ids.len() as u32) {
        notices.push(EmulationNotice::NodesRenumbered { nodes: ids.clone() }.into());
    }
    let cpus: Vec<CpuId> = nodes.iter().flat_map(|node| node.cpus.iter()).collect();
    if cpus.iter().map(|id| id.0).ne(0..cpus.len() as u32) {
        notices.push(EmulationNotice::CpusRenumbered { cpus: cpus.clone() }.into());
    }
    let left_out = machine.online().difference(&cpus.iter().copied().collect());
    if !left_out.is_empty() {
        notices.push(EmulationNotice::CpusLeftOut { cpus: left_out }.into());
    }
    let siblings: CpuSet = machine.cpus.iter().filter(|cpu| cpu.smt > 0).map(|cpu| cpu.id).collect();
    if !siblings.is_empty() {
        notices.push(EmulationNotice::HardwareThreadsAsCores { cpus: siblings }.into());
    }
    let memory = memory_mib(&nodes, request.memory, &mut notices)?;
    let hmat = hmat(machine, &nodes);
    let kinds = nodes.iter().filter(|node| !matches!(node.kind, MemoryKind::Dram | MemoryKind::Unknown));
    if hmat.is_empty() && kinds.clone().count() > 0 {
        let nodes = kinds.map(|node| node.id).collect();
        notices.push(EmulationNotice::MemoryKindsLost { nodes }.into());
    }
    let mut next_cpu = 0;
    let emulated = nodes.iter().zip(memory).map(|(node, memory_mib)| {
        let first = next_cpu;
        next_cpu += node.cpus.len() as u32;
        let initiator = (node.cpus.is_empty() && !hmat.is_empty()).then(|| nearest(machine, &nodes, node));
        EmulatedNode { cpus: (first..next_cpu).collect(), memory_mib, initiator: initiator.flatten() }
    });
    let node: Vec<EmulatedNode> = emulated.collect();
    let description = MachineDescription {
        summary: format!("derived from {name}: {} nodes, {} CPUs", nodes.len(), cpus.len()),
        distances: distances(machine, &ids, &mut notices),
        node,
        hmat,
        timing: Some(timing(machine, &nodes, request, &mut notices)?),
        kernel_command_line: Vec::new(),
    };
    let machine = EmulatedMachine::checked(name, description)?;
    Ok(DerivedMachine { machine, nodes: ids, cpus, notices })
}

fn has_memory(node: &Node) -> bool {
    !node.has_no_memory()
}

/// The nodes in the order in which the kernel of the guest numbers them: those with CPUs first, and first of all one with
/// memory too. Nodes with neither are left out.
fn numbered(machine: &Machine) -> Vec<&Node> {
    let mut nodes: Vec<&Node> =
        machine.nodes.iter().filter(|node| !node.cpus.is_empty() || has_memory(node)).collect();
    nodes.arrange_by_key(|node| (node.cpus.is_empty(), node.id));
    if let Some(first) = nodes.iter().position(|node| !node.cpus.is_empty() && has_memory(node)) {
        nodes[..=first].rotate_right(1);
    }
    nodes
}

/// The nodes' shares of the memory that the guest gets.
fn memory_mib(nodes: &[&Node], all: Bytes, notices: &mut Vec<Notice>) -> Result<Vec<u64>, Error> {
    let real = |node: &&Node| node.memory.measured().copied().ok_or(Error::MemoryUnknown { node: node.id });
    let real: Vec<Bytes> = nodes.iter().map(real).collect::<Result<_, _>>()?;
    let sum: Bytes = real.iter().copied().sum();
    let share = |bytes: &Bytes| {
        let steps = (all.0 as f64 * (bytes.0 as f64 / sum.0.max(1) as f64) / (STEP_MIB * MIB) as f64).round();
        if bytes.0 == 0 { 0 } else { (steps as u64).max(1) * STEP_MIB }
    };
    let shares: Vec<u64> = real.iter().map(share).collect();
    let emulated = Bytes::mib(shares.iter().sum());
    if emulated != sum {
        notices.push(EmulationNotice::MemoryScaled { real: sum, emulated }.into());
    }
    Ok(shares)
}

fn distances(machine: &Machine, nodes: &[NodeId], notices: &mut Vec<Notice>) -> Vec<Vec<u8>> {
    let mut assumed = false;
    let mut of = |from: NodeId, to: NodeId| {
        if from == to {
            return LOCAL;
        }
        let given = machine.distance(from, to).and_then(|distance| u8::try_from(distance).ok());
        given.filter(|distance| (LOCAL + 1..u8::MAX).contains(distance)).unwrap_or_else(|| {
            assumed = true;
            REMOTE
        })
    };
    let rows = nodes.iter().map(|from| nodes.iter().map(|to| of(*from, *to)).collect()).collect();
    if assumed {
        notices.push(EmulationNotice::DistancesAssumed { distance: u32::from(REMOTE) }.into());
    }
    rows
}

/// What the firmware declares of a pair, as the first of these kinds; what rounds to nothing is none.
pub(crate) fn declared(
    machine: &Machine,
    kinds: [AttributeKind; 2],
    from: &Node,
    to: &Node,
) -> Option<Figure> {
    let of_pair = machine.attributes.iter().filter(|attribute| {
        (attribute.origin, attribute.target) == (AttributeOrigin::Firmware, to.id)
            && attribute.initiator.intersects(&from.cpus)
            && kinds.contains(&attribute.kind())
    });
    of_pair.map(|attribute| attribute.figure).find(|figure| figure.in_units_of_the_kernel() >= 1.0)
}

/// What the firmware declares, where it does so for all pairs; else nothing, since the kernel takes all or none.
fn hmat(machine: &Machine, nodes: &[&Node]) -> Vec<HmatRow> {
    let rows = (0..).zip(nodes).filter(|(_, node)| !node.cpus.is_empty()).map(|(initiator, from)| {
        let values = |kinds: [AttributeKind; 2]| -> Option<Vec<u32>> {
            let value = |to: &&Node| match declared(machine, kinds, from, to) {
                _ if !has_memory(to) => Some(0.0),
                figure => figure.map(|figure| figure.in_units_of_the_kernel()),
            };
            nodes.iter().map(|to| value(to).map(|value| value.round() as u32)).collect()
        };
        Some(HmatRow {
            initiator,
            latency_ns: values([AttributeKind::ReadLatency, AttributeKind::Latency])?,
            bandwidth_mib_s: values([AttributeKind::ReadBandwidth, AttributeKind::Bandwidth])?,
        })
    });
    rows.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The emulated number of the node with CPUs that is nearest to one without.
fn nearest(machine: &Machine, nodes: &[&Node], to: &Node) -> Option<u32> {
    let with_cpus = (0..).zip(nodes).filter(|(_, node)| !node.cpus.is_empty());
    with_cpus
        .min_by_key(|(_, node)| {
            let latency = machine.measured_latency(node.id, to.id).map_or(f64::MAX, |l| l.median.0);
            (!node.cpus.intersects(&to.near), (latency * 1e3) as u64, machine.distance(node.id, to.id))
        })
        .map(|(number, _)| number)
}

fn timing(
    machine: &Machine,
    nodes: &[&Node],
    request: &EmulationRequest,
    notices: &mut Vec<Notice>,
) -> Result<MachineTiming, Error> {
    let gbps = |from: &Node, to: &Node| {
        machine
            .measured_bandwidth(from.id, to.id)
            .map(|rate| rate.median.0 / 1e9)
            .ok_or(Error::NotMeasured { from: from.id, to: to.id })
    };
    let latency = |from: &Node, to: &Node| {
        machine
            .measured_latency(from.id, to.id)
            .map(|latency| latency.median.0)
            .ok_or(Error::NotMeasured { from: from.id, to: to.id })
    };
    let with_cpus: Vec<&Node> = nodes.iter().copied().filter(|node| !node.cpus.is_empty()).collect();
    // A node gives at most what it gives to those that get most of it.
    let mut node_gbps = Vec::new();
    for to in nodes {
        let rates = with_cpus.iter().filter(|_| has_memory(to)).map(|from| gbps(from, to));
        let most = rates.collect::<Result<Vec<_>, _>>()?.into_iter().fold(0.0, f64::max);
        node_gbps.push(if has_memory(to) { most } else { 1.0 });
    }
    let mut rows = Vec::new();
    for (from, own_gbps) in nodes.iter().zip(&node_gbps) {
        let mut row = NodeTiming { gbps: *own_gbps, latency_ns: Vec::new(), link_gbps: Vec::new() };
        for (to, most) in nodes.iter().zip(&node_gbps).filter(|_| !from.cpus.is_empty()) {
            let (latency_ns, rate) =
                if has_memory(to) { (latency(from, to)?, gbps(from, to)?) } else { (0.0, *most) };
            row.latency_ns.push(latency_ns);
            row.link_gbps.push(if from.id == to.id || rate >= *most { 0.0 } else { rate });
        }
        rows.push(row);
    }
    let core_gbps = request.core_bandwidth.map_or_else(
        || {
            // Half of a node's CPUs draw all that its fastest memory gives, as on most machines.
            let share = |from: &&Node| {
                let rates = nodes.iter().filter(|to| has_memory(to)).filter_map(|to| gbps(from, to).ok());
                rates.fold(0.0, f64::max) / (from.cpus.len() as f64 / 2.0).max(1.0)
            };
            let assumed = with_cpus.iter().map(share).fold(0.0, f64::max);
            notices.push(
                EmulationNotice::CoreBandwidthAssumed { bandwidth: BytesPerSecond(assumed * 1e9) }.into(),
            );
            assumed
        },
        |rate| rate.0 / 1e9,
    );
    let cache_kib = cache_kib(machine);
    Ok(MachineTiming { scale: request.scale, core_gbps, cache_kib, cache_ways: CACHE_WAYS, node: rows })
}

/// The largest cache that a core has for itself.
fn cache_kib(machine: &Machine) -> u32 {
    let cores = |cpus: &CpuSet| {
        let mut cores: Vec<u32> =
            machine.cpus.iter().filter(|c| cpus.contains(c.id)).map(|c| c.core).collect();
        cores.dedup();
        cores.len()
    };
    let private =
        machine.caches.iter().filter(|cache| cores(&cache.cpus) == 1).map(|cache| cache.size.0 / 1024);
    private.max().and_then(|kib| u32::try_from(kib).ok()).filter(|kib| *kib > 0).unwrap_or(CACHE_KIB)
}
