//! What placements could differ by, from what was measured of the machine's memory: `docs/expected-cost.md` has the model and
//! its limits.
//!
//! Of a placement two things go in: the shares s of its CPU time by node and m of its pages by node. Every CPU is taken to
//! use all pages alike, so that a share s m of the accesses goes from one node to another.

use numawise_facts::{Machine, MemoryMode, Point, Reading, Study};
use numawise_tables::{Contrast, Expected, ExpectedEffect, MemoryMove, NotExpected, PointSummary};
use numawise_units::{NodeId, Ratio};

use crate::comparison::{self, Comparison};
use crate::inside;

#[cfg(test)]
#[path = "expected_tests.rs"]
pub(crate) mod tests;

/// Less than this share of CPU time or pages changes no figure that is shown; libraries lie about in such parts.
const LEAST: f64 = 0.01;

pub fn expected(
    study: &Study,
    points: &[PointSummary],
    contrasts: &[Contrast],
) -> Result<Expected, NotExpected> {
    let machine = &study.header.machine;
    if machine.allowed_nodes.len() < 2 {
        return Err(NotExpected::OneMemoryNode);
    }
    if !machine.is_measured() {
        return Err(NotExpected::NotMeasured);
    }
    let (from, to) = remote(study).ok_or(NotExpected::NoRemoteMemory)?;
    let latency = |node| machine.measured_latency(from, node).map(|latency| latency.median.0);
    let bandwidth = |node| machine.measured_bandwidth(from, node).map(|rate| rate.median.0);
    let vs_local = |remote: Option<f64>, local: Option<f64>| Some(Ratio(remote? / local?));
    let reading = |value: Option<Ratio>, what: &str| match value {
        Some(ratio) => Reading::Measured(ratio),
        None => Reading::unavailable(format!(
            "the profile of this machine has no {what} from node {from} to node {from} and to node {to}"
        )),
    };
    let latency = reading(vs_local(latency(to), latency(from)), "latency");
    let bandwidth = reading(vs_local(bandwidth(to), bandwidth(from)), "bandwidth");
    if latency.measured().is_none() && bandwidth.measured().is_none() {
        return Err(NotExpected::NoFigures { from, to });
    }
    let moves = [
        (MemoryMove::ToRemote, comparison::of_remote_memory(&study.header)),
        (MemoryMove::ToInterleaved, comparison::of_interleaving(&study.header)),
        (MemoryMove::ToHighBandwidth, comparison::of_high_bandwidth_memory(&study.header)),
    ];
    let effects = moves
        .into_iter()
        .filter_map(|(moved, comparison)| effect(study, points, contrasts, moved, comparison?))
        .collect();
    Ok(Expected { from, to, latency, bandwidth, effects })
}

/// Whose memory is remote to whom: as the point with remote memory has it, and where that was not tried the node that answers
/// the latest to the first node with CPUs and memory of its own.
fn remote(study: &Study) -> Option<(NodeId, NodeId)> {
    let machine = &study.header.machine;
    if let Some(comparison) = comparison::of_remote_memory(&study.header)
        && let Some(home) = home(machine, comparison.to)
        && let Some(task) = comparison.to.placement.tasks.first()
        && let Some(remote) = task.memory.nodes.first()
    {
        return Some((home, remote));
    }
    let mut homes = machine.nodes_with_allowed_cpus().map(|node| node.id);
    let home = homes.find(|home| machine.allowed_nodes.contains(*home))?;
    let elsewhere = machine.allowed_nodes.iter().filter(|node| *node != home);
    // A node of which no latency is known comes last; among equals the first is taken.
    let latency =
        |node: &NodeId| machine.measured_latency(home, *node).map_or(0.0, |latency| latency.median.0);
    elsewhere.min_by(|a, b| latency(b).total_cmp(&latency(a))).map(|remote| (home, remote))
}

/// The node on which all of a placement's CPUs are.
fn home(machine: &Machine, point: &Point) -> Option<NodeId> {
    let cpus = point.placement.cpus();
    let mut nodes = cpus.iter().map(|cpu| machine.node_of(cpu));
    let first = nodes.next()??;
    nodes.all(|node| node == Some(first)).then_some(first)
}

/// Shares of CPU time and of pages by node, each 1 together.
#[derive(Debug, Clone, PartialEq)]
struct Spread {
    cpus: Vec<(NodeId, f64)>,
    pages: Vec<(NodeId, f64)>,
}

impl Spread {
    /// As planned, where the plan leaves nothing open; else as seen.
    fn of(study: &Study, point: &Point, seen: &PointSummary) -> Option<Self> {
        let machine = &study.header.machine;
        let planned = || {
            let ([task], Some(home)) = (point.placement.tasks.as_slice(), home(machine, point)) else {
                return None;
            };
            let memory = match task.memory.mode {
                MemoryMode::Default | MemoryMode::Local => Some(home),
                _ => task.memory.nodes.first().filter(|_| task.memory.nodes.len() == 1),
            };
            Some(Spread { cpus: vec![(home, 1.0)], pages: vec![(memory?, 1.0)] })
        };
        let seen = || {
            let cpus = seen.cpu_share.measured()?.iter().map(|(node, share)| (*node, share.0));
            let pages = inside::pages_of_point(study, point);
            let pages = pages.measured()?.iter().map(|(node, bytes)| (*node, bytes.0 as f64));
            Some(Spread { cpus: shares(cpus)?, pages: shares(pages)? })
        };
        planned().or_else(seen)
    }

    /// The mean latency of an access, in nanoseconds: the sum of s m L over pairs of nodes.
    fn latency(&self, machine: &Machine) -> Option<f64> {
        self.pairs().try_fold(0.0, |sum, (from, to, share)| {
            Some(sum + share * machine.measured_latency(from, to)?.median.0)
        })
    }

    /// The highest rate of all accesses together, in bytes per second, at which no memory gives more than to any node's
    /// cores, and no pair of nodes more than was measured: the least of C / m over nodes and of B / (s m) over pairs.
    fn rate(&self, machine: &Machine) -> Option<f64> {
        let bandwidth = |from, to| machine.measured_bandwidth(from, to).map(|rate| rate.median.0);
        let pairs = self.pairs().map(|(from, to, share)| Some(bandwidth(from, to)? / share));
        let memories = self.pages.iter().map(|(to, share)| {
            let most = machine.nodes.iter().filter_map(|node| bandwidth(node.id, *to)).reduce(f64::max);
            Some(most? / share)
        });
        pairs.chain(memories).try_fold(f64::INFINITY, |least, rate| Some(least.min(rate?)))
    }

    fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId, f64)> {
        let of = |(from, s): &(NodeId, f64)| {
            let (from, s) = (*from, *s);
            self.pages.iter().map(move |(to, m)| (from, *to, s * m))
        };
        self.cpus.iter().flat_map(of)
    }
}

/// Parts as shares of their sum, the smallest left out; nothing where there is nothing.
fn shares(parts: impl Iterator<Item = (NodeId, f64)> + Clone) -> Option<Vec<(NodeId, f64)>> {
    let all: f64 = parts.clone().map(|(_, part)| part).sum();
    let large: Vec<(NodeId, f64)> = parts.filter(|(_, part)| *part > LEAST * all).collect();
    let sum: f64 = large.iter().map(|(_, part)| part).sum();
    (sum > 0.0).then(|| large.into_iter().map(|(node, part)| (node, part / sum)).collect())
}

fn effect(
    study: &Study,
    points: &[PointSummary],
    contrasts: &[Contrast],
    moved: MemoryMove,
    comparison: Comparison,
) -> Option<ExpectedEffect> {
    let machine = &study.header.machine;
    let contrast = contrasts.iter().find(|c| c.from == comparison.from.id && c.to == comparison.to.id)?;
    let spread = |point: &Point| {
        let seen = points.iter().find(|summary| summary.id == point.id)?;
        Spread::of(study, point, seen)
    };
    let (before, after) = (spread(comparison.from), spread(comparison.to));
    let quotient = |of: fn(&Spread, &Machine) -> Option<f64>, what: &str| -> Reading<Ratio> {
        let (Some(before), Some(after)) = (&before, &after) else {
            return Reading::unavailable("it was not seen where the program's CPUs and pages were");
        };
        match (of(before, machine), of(after, machine)) {
            (Some(before), Some(after)) => Reading::Measured(Ratio(after / before)),
            _ => Reading::unavailable(format!(
                "the profile of this machine lacks a {what} between nodes that the program used"
            )),
        }
    };
    Some(ExpectedEffect {
        from: contrast.from.clone(),
        to: contrast.to.clone(),
        moved,
        // The longer the latency, the slower the program.
        latency_bound: quotient(Spread::latency, "latency").map(Ratio::inverse),
        bandwidth_bound: quotient(Spread::rate, "bandwidth"),
        seen: contrast.effect.clone(),
    })
}
