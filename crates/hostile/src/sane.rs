//! What makes sense in what a reader accepted. The bounds are those of Linux and of machines that can be built, and stand here
//! apart from those of the readers.

use numawise_facts::activity::CodeAddress;
use numawise_facts::{Activity, Figure, Machine, Profile, Reading};
use numawise_units::harmless::is_harmful;
use numawise_units::{Bytes, CpuSet, NodeSet};

/// `CONFIG_NR_CPUS` of x86-64 is 8192 at most.
const MOST_CPUS: u32 = 8192;
/// `CONFIG_NODES_SHIFT` is 10 at most.
const MOST_NODES: u32 = 1024;
/// Addresses have 57 bits at most.
const MOST_MEMORY: u64 = 1 << 57;
/// Nanoseconds of one access, and bytes in a second: beyond a second and 10^16 nothing was measured.
const MOST_NANOSECONDS: f64 = 1e9;
const MOST_BANDWIDTH: f64 = 1e16;
/// As many characters as a message may have.
const LONGEST_MESSAGE: usize = 4000;

/// What is wrong with the text of an error.
pub(crate) fn message(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return Some("the error has no text".to_owned());
    }
    if let Some(control) = text.chars().find(|c| is_harmful(*c) && *c != '\n') {
        return Some(format!("the error holds the character {control:?}: {:.400?}", text));
    }
    let length = text.chars().count();
    (length > LONGEST_MESSAGE).then(|| format!("the error has {length} characters: {:.200}", text))
}

/// What makes no sense in what the collector left of a process.
pub(crate) fn activity(activity: &Activity) -> Option<String> {
    let size = activity.mpi.measured().and_then(|mpi| mpi.rank.measured()).map(|rank| (rank.rank, rank.size));
    if let Some((rank, size)) = size.filter(|(rank, size)| rank >= size) {
        return Some(format!("rank {rank} of {size}"));
    }
    let is_foreign =
        |at: &Reading<CodeAddress>| at.measured().is_some_and(|at| at.file as usize >= activity.files.len());
    for thread in activity.threads.measured().into_iter().flatten() {
        if thread.calls.iter().any(|site| {
            is_foreign(&site.at)
                || !site.call.starts_with("MPI_")
                || site.calls.count == 0
                || site.communicator.is_some_and(|number| usize::from(number) >= activity.communicators.len())
        }) {
            return Some("a call of nothing, or at no place".to_owned());
        }
        if thread.peers.iter().any(|peer| size.is_some_and(|(_, size)| peer.rank >= size)) {
            return Some("messages to a rank that is not there".to_owned());
        }
        if thread.constructs.iter().any(|construct| {
            is_foreign(&construct.at) || construct.team.measured().is_some_and(|team| team.least > team.most)
        }) {
            return Some("a construct at no place, or with a team of no size".to_owned());
        }
        let stays = thread.cpus.measured().map_or(&[] as &[_], |stays| &stays.cpus);
        if let Some((cpu, _)) = stays.iter().find(|(cpu, _)| cpu.0 >= MOST_CPUS) {
            return Some(format!("a thread on CPU {cpu}"));
        }
        if let Some(end) = thread.end.measured().filter(|end| **end < thread.begin) {
            return Some(format!("a thread from {} to {end}", thread.begin));
        }
    }
    None
}

/// What makes no sense in a machine.
pub(crate) fn machine(machine: &Machine) -> Option<String> {
    let online = machine.online();
    if machine.cpus.is_empty() || machine.nodes.is_empty() {
        return Some("it has no CPU or no node".to_owned());
    }
    if machine.cpus.windows(2).any(|pair| pair[0].id >= pair[1].id)
        || machine.nodes.windows(2).any(|pair| pair[0].id >= pair[1].id)
    {
        return Some("CPUs or nodes are not in order, or twice".to_owned());
    }
    let all_nodes: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    if !machine.allowed_cpus.is_subset(&online) || !machine.allowed_nodes.is_subset(&all_nodes) {
        return Some("more is allowed than there is".to_owned());
    }
    let mut taken = CpuSet::new();
    for node in &machine.nodes {
        if node.cpus.intersects(&taken) || !node.cpus.is_subset(&online) {
            return Some(format!("a CPU of node {} belongs to another one, or is not there", node.id));
        }
        taken = taken.union(&node.cpus);
        for bytes in [&node.memory, &node.free] {
            if let Reading::Measured(Bytes(bytes @ MOST_MEMORY..)) = bytes {
                return Some(format!("node {} has {bytes} bytes of memory", node.id));
            }
        }
        if let Reading::Measured(row) = &node.distances
            && (row.len() != machine.nodes.len()
                || row.iter().any(|distance| !(1..=65_535).contains(distance)))
        {
            return Some(format!("the distances of node {} are {row:?}", node.id));
        }
    }
    cpus(&online).or_else(|| nodes(&all_nodes)).or_else(|| attributes(machine))
}

fn attributes(machine: &Machine) -> Option<String> {
    machine.attributes.iter().find_map(|attribute| {
        let sane = match attribute.figure {
            Figure::Latency(latency) => latency.median.0 > 0.0 && latency.median.0 <= MOST_NANOSECONDS,
            Figure::Bandwidth(rate) => rate.median.0 > 0.0 && rate.median.0 <= MOST_BANDWIDTH,
        };
        let known = machine.node(attribute.target).is_some();
        (!sane || !known).then(|| format!("a figure is {attribute:?}"))
    })
}

pub(crate) fn cpus(cpus: &CpuSet) -> Option<String> {
    cpus.last().filter(|last| last.0 >= MOST_CPUS).map(|last| format!("it has CPU {last}"))
}

pub(crate) fn nodes(nodes: &NodeSet) -> Option<String> {
    nodes.last().filter(|last| last.0 >= MOST_NODES).map(|last| format!("it has node {last}"))
}

/// What makes no sense in a profile.
pub(crate) fn profile(profile: &Profile) -> Option<String> {
    let mut latencies: Vec<f64> = Vec::new();
    let mut rates: Vec<f64> = Vec::new();
    for cell in &profile.latency {
        for reading in [&cell.latency, &cell.with_tlb_misses] {
            latencies.extend(reading.measured().iter().flat_map(|e| [e.low.0, e.median.0, e.high.0]));
        }
    }
    for cell in &profile.bandwidth {
        rates.extend(cell.rate.measured().iter().flat_map(|e| [e.low.0, e.median.0, e.high.0]));
        rates.extend(cell.declared.measured().map(|rate| rate.0));
    }
    for point in profile.loaded.iter().filter_map(|curve| curve.points.measured()).flatten() {
        latencies.extend([point.latency.low.0, point.latency.median.0, point.latency.high.0]);
        rates.extend([point.bandwidth.low.0, point.bandwidth.median.0, point.bandwidth.high.0]);
    }
    for transfer in &profile.transfers {
        latencies.extend(transfer.latency.measured().map(|e| e.median.0));
    }
    let bad = |figures: &[f64], most: f64| {
        figures.iter().copied().find(|figure| !(*figure > 0.0 && *figure <= most))
    };
    if let Some(figure) = bad(&latencies, MOST_NANOSECONDS) {
        return Some(format!("a latency is {figure} ns"));
    }
    if let Some(figure) = bad(&rates, MOST_BANDWIDTH) {
        return Some(format!("a bandwidth is {figure} bytes in a second"));
    }
    let ids: NodeSet = profile.header.nodes.iter().map(|node| node.id).filter(|id| id.0 < 65_536).collect();
    if ids.len() != profile.header.nodes.len() {
        return Some("a node is there twice".to_owned());
    }
    nodes(&ids).or_else(|| {
        profile.header.nodes.iter().find_map(|node| {
            let memory = node.memory.measured().filter(|bytes| bytes.0 >= MOST_MEMORY);
            memory
                .map(|bytes| format!("a node has {} bytes", bytes.0))
                .or_else(|| cpus(node.cpus.measured()?))
        })
    })
}
