//! What other memory than a node's local memory costs.

use std::collections::BTreeMap;

use numawise_facts::{Estimate, MemoryKind, Mix, Profile};
use numawise_tables::{NodeCores, ProfileStatement, RemoteNodes, ValueSpan, VsLocal};
use numawise_units::{Arrange, BytesPerSecond, Latency, NodeId, Ratio};

use super::figures::{Figure, certain, has_cpus, value_span};
use super::matrices::bandwidth;

/// Nodes of which the second's memory is used from the first.
type NodePair = (NodeId, NodeId);

/// One statement on the nodes with CPUs among themselves, one on each kind of node without.
pub(super) fn statements(profile: &Profile) -> Vec<ProfileStatement> {
    let mut pairs = pairs(profile);
    pairs.retain(|(from, to)| known(profile, *from, *to));
    let (among, without): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(_, to)| has_cpus(profile, *to));
    let mut all = Vec::new();
    let nodes = profile.header.nodes.iter().filter(|node| has_cpus(profile, node.id)).count() as u32;
    all.extend(statement(profile, RemoteNodes::WithCpus { nodes }, &among));
    // In the order of the names of their kinds; what is unknown comes first.
    let mut kinds: BTreeMap<String, (MemoryKind, Vec<NodePair>)> = BTreeMap::new();
    for (from, to) in nearest(profile, without) {
        let memory = kind(profile, to);
        let name = if memory == MemoryKind::Unknown { String::new() } else { memory.to_string() };
        kinds.entry(name).or_insert((memory, Vec::new())).1.push((from, to));
    }
    for (memory, pairs) in kinds.into_values() {
        let nodes = pairs.len() as u32;
        all.extend(statement(profile, RemoteNodes::WithoutCpus { nodes, memory }, &pairs));
    }
    all
}

/// What a node's memory is made of, as far as the profile knows.
fn kind(profile: &Profile, node: NodeId) -> MemoryKind {
    let known = profile.header.nodes.iter().find(|known| known.id == node);
    known.map_or(MemoryKind::Unknown, |known| known.kind)
}

/// Every pair of different nodes of which something was asked for.
fn pairs(profile: &Profile) -> Vec<NodePair> {
    let mut pairs: Vec<NodePair> = profile.latency.iter().map(|cell| (cell.from, cell.to)).collect();
    pairs.retain(|(from, to)| from != to);
    pairs.arrange();
    pairs.dedup();
    pairs
}

fn latency(profile: &Profile, from: NodeId, to: NodeId) -> Option<Estimate<Latency>> {
    certain(&profile.latency_of(from, to)?.latency)
}

fn read_bandwidth(profile: &Profile, from: NodeId, to: NodeId) -> Option<Estimate<BytesPerSecond>> {
    certain(&bandwidth(profile, NodeCores::All, from, to, Mix::Read)?.rate)
}

/// Whether anything is known of a pair.
fn known(profile: &Profile, from: NodeId, to: NodeId) -> bool {
    latency(profile, from, to).is_some() || read_bandwidth(profile, from, to).is_some()
}

/// Of several nodes that measured the same memory, the one that waits least for it.
fn nearest(profile: &Profile, pairs: Vec<NodePair>) -> Vec<NodePair> {
    let mut nearest: BTreeMap<NodeId, (NodeId, f64)> = BTreeMap::new();
    for (from, to) in pairs {
        let latency = latency(profile, from, to).map_or(f64::INFINITY, |latency| latency.median.0);
        let best = nearest.entry(to).or_insert((from, latency));
        if latency < best.1 {
            *best = (from, latency);
        }
    }
    nearest.into_iter().map(|(to, (from, _))| (from, to)).collect()
}

/// Of a single pair its nodes are named, instead of the group.
fn statement(profile: &Profile, group: RemoteNodes, pairs: &[NodePair]) -> Option<ProfileStatement> {
    let memory = match pairs {
        [(from, to)] => RemoteNodes::Pair { from: *from, to: *to, memory: kind(profile, *to) },
        _ => group,
    };
    // The worst is the longest latency and the least bandwidth.
    let latency = vs_local(pairs, |from, to| latency(profile, from, to), |ratio, worst| ratio >= worst);
    let read_bandwidth =
        vs_local(pairs, |from, to| read_bandwidth(profile, from, to), |ratio, worst| ratio < worst);
    let known = latency.is_some() || read_bandwidth.is_some();
    known.then_some(ProfileStatement::RemoteMemory { memory, latency, read_bandwidth })
}

/// A figure of pairs of nodes vs local memory, with the pair whose ratio is the worst.
fn vs_local<T: Figure>(
    pairs: &[NodePair],
    figure: impl Fn(NodeId, NodeId) -> Option<Estimate<T>>,
    is_worse: impl Fn(f64, f64) -> bool,
) -> Option<VsLocal<T>> {
    let mut ratios = Vec::new();
    let mut worst: Option<(f64, VsLocal<T>)> = None;
    for &(from, to) in pairs {
        let (Some(remote), Some(local)) = (figure(from, to), figure(from, from)) else { continue };
        let ratio = remote.median.plain() / local.median.plain();
        ratios.push(ratio);
        if worst.is_none_or(|(worst, _)| is_worse(ratio, worst)) {
            let alone = ValueSpan::Alike(Ratio(ratio));
            worst = Some((ratio, VsLocal { ratio: alone, from, to, remote, local }));
        }
    }
    let ratio = value_span(&ratios, Ratio)?;
    worst.map(|(_, worst)| VsLocal { ratio, ..worst })
}
