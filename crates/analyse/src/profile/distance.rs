//! What other memory than a node's own costs, in sentences.

use std::collections::BTreeMap;

use numawise_facts::{MemoryKind, Mix, Profile};
use numawise_tables::NodeCores;
use numawise_units::{Latency, NodeId, Ratio};

use super::figures::span;
use super::matrices::bandwidth;
use super::meaning::{has_cpus, median, memory_of, rate, told};

/// A figure of other memory with that of local memory.
#[derive(Clone, Copy)]
struct VsLocal {
    from: NodeId,
    to: NodeId,
    there: f64,
    own: f64,
}

impl VsLocal {
    fn ratio(&self) -> f64 {
        self.there / self.own
    }
}

/// One sentence for the nodes with CPUs among themselves, one for each kind of node without.
pub(super) fn sentences(profile: &Profile) -> Vec<String> {
    let mut pairs = pairs(profile);
    pairs.retain(|(from, to)| known(profile, *from, *to));
    let (among, far): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(_, to)| has_cpus(profile, *to));
    let mut all = Vec::new();
    let nodes_with_cpus = profile.header.nodes.iter().filter(|node| has_cpus(profile, node.id)).count();
    let subject = match (among.as_slice(), nodes_with_cpus) {
        ([(from, to)], _) => format!("From node {from}, {}", memory_of(profile, *to)),
        (_, 2) => "Memory of the other node".to_owned(),
        _ => "Memory of other nodes".to_owned(),
    };
    all.extend(sentence(profile, &subject, &among));
    let mut kinds: BTreeMap<String, Vec<(NodeId, NodeId)>> = BTreeMap::new();
    for (from, to) in nearest(profile, far) {
        let kind = profile.header.nodes.iter().find(|node| node.id == to).map(|node| node.kind);
        let kind = match kind {
            None | Some(MemoryKind::Unknown) => String::new(),
            Some(kind) => format!(" ({kind})"),
        };
        kinds.entry(kind).or_default().push((from, to));
    }
    for (kind, pairs) in kinds {
        let subject = match pairs.as_slice() {
            [(from, to)] => format!("From node {from}, {}", memory_of(profile, *to)),
            many => format!("Memory of the {} nodes without CPUs{kind}, from the nearest node,", many.len()),
        };
        all.extend(sentence(profile, &subject, &pairs));
    }
    all
}

/// Every pair of different nodes of which something was asked for.
fn pairs(profile: &Profile) -> Vec<(NodeId, NodeId)> {
    let mut pairs: Vec<(NodeId, NodeId)> = profile.latency.iter().map(|cell| (cell.from, cell.to)).collect();
    pairs.retain(|(from, to)| from != to);
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Whether anything is known of a pair.
fn known(profile: &Profile, from: NodeId, to: NodeId) -> bool {
    let latency = || median(&profile.latency_of(from, to)?.latency);
    let rate = || median(&bandwidth(profile, NodeCores::All, from, to, Mix::Read)?.rate);
    latency().or_else(rate).is_some()
}

/// Of several nodes that measured the same memory, the one that waits least for it.
fn nearest(profile: &Profile, pairs: Vec<(NodeId, NodeId)>) -> Vec<(NodeId, NodeId)> {
    let mut nearest: BTreeMap<NodeId, (NodeId, f64)> = BTreeMap::new();
    for (from, to) in pairs {
        let latency = profile.latency_of(from, to).and_then(|cell| median(&cell.latency));
        let latency = latency.unwrap_or(f64::INFINITY);
        let best = nearest.entry(to).or_insert((from, latency));
        if latency < best.1 {
            *best = (from, latency);
        }
    }
    nearest.into_iter().map(|(to, (from, _))| (from, to)).collect()
}

fn sentence(profile: &Profile, subject: &str, pairs: &[(NodeId, NodeId)]) -> Option<String> {
    let latencies = vs_local(pairs, |from, to| median(&profile.latency_of(from, to)?.latency));
    let rates =
        vs_local(pairs, |from, to| median(&bandwidth(profile, NodeCores::All, from, to, Mix::Read)?.rate));
    let later = latency_clause(&latencies);
    let less = rate_clause(&rates);
    match (later, less) {
        (Some(later), Some(less)) => Some(format!("{subject} {later} and {less}.")),
        (Some(one), None) | (None, Some(one)) => Some(format!("{subject} {one}.")),
        (None, None) => None,
    }
}

fn vs_local(pairs: &[(NodeId, NodeId)], figure: impl Fn(NodeId, NodeId) -> Option<f64>) -> Vec<VsLocal> {
    let one = |&(from, to): &(NodeId, NodeId)| {
        Some(VsLocal { from, to, there: figure(from, to)?, own: figure(from, from)? })
    };
    pairs.iter().filter_map(one).collect()
}

fn latency_clause(all: &[VsLocal]) -> Option<String> {
    let ratios: Vec<f64> = all.iter().map(VsLocal::ratio).collect();
    let worst = all.iter().max_by(|one, other| one.ratio().total_cmp(&other.ratio()))?;
    let ratio = told(&ratios, |v| Ratio(v).to_string())?;
    let figures = format!("{} vs {}", Latency(worst.there), Latency(worst.own));
    Some(format!("takes {ratio} as long as local memory to answer ({})", example(&ratios, worst, &figures)))
}

fn rate_clause(all: &[VsLocal]) -> Option<String> {
    let ratios: Vec<f64> = all.iter().map(VsLocal::ratio).collect();
    let worst = all.iter().min_by(|one, other| one.ratio().total_cmp(&other.ratio()))?;
    let ratio = told(&ratios, |v| Ratio(v).to_string())?;
    let figures = format!("{} vs {}", rate(worst.there), rate(worst.own));
    Some(format!("gives {ratio} of its read bandwidth ({})", example(&ratios, worst, &figures)))
}

/// The figures behind a ratio; where ratios differ, those of the worst, with its nodes.
fn example(ratios: &[f64], worst: &VsLocal, figures: &str) -> String {
    let one = told(ratios, |_| String::new()).is_some_and(|told| told.is_empty());
    match (one, span(ratios.iter().copied())) {
        (false, Some(_)) => format!("at worst {figures}, from node {} to node {}", worst.from, worst.to),
        _ => figures.to_owned(),
    }
}
