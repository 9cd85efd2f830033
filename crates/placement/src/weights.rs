//! Weights for interleaving that share pages as the nodes' bandwidths stand to one another.
//!
//! The formula: for s = 1, 2, ..., 255 each node's weight is its bandwidth over the largest, times s, rounded, at least 1. The
//! first s is taken for which every node's share of the pages is within 2 % of its share of the bandwidth; small weights
//! interleave finely. Where every bandwidth is at least a fifth of the largest there is such an s: at s = 255 a weight of 51 or
//! more is off by at most 0.5 of it, 0.98 %, and so is the sum of all, together less than 2 %. (For two nodes a tenth is
//! enough, since the larger one's weight is exact.) Where there is none, the s with the least error is taken. No weights that
//! come out have a common divisor: the smaller ones, with the same shares, would have come first.
//!
//! Which bandwidth: where every node was measured, what the cores of the nearest node read from it, for programs read more than
//! they write, and reads are measured by every profile; nothing is taken off for writes, which differ by kind of memory and are
//! no program's whole traffic. Where not all were measured, what the firmware declares of every node, as the kernel counts
//! it: the lesser of reading and writing. The two are not mixed, since a declared bandwidth is what the parts could give at
//! most and a measured one what they gave: a node with the former would get too much compared with one of the latter.
//!
//! The kernel's own reduction (mode `auto` since Linux 6.16, `reduce_interleave_weights` in mm/mempolicy.c) works the same way
//! with a fixed scale of 32 for the sum of all and rounds down, which is up to half off for a slow node.

use numawise_facts::notice::PlanNotice;
use numawise_facts::{Attribute, AttributeOrigin, Estimate, Machine, MemoryAccess, NodeWeight, Notice};
use numawise_units::{BytesPerSecond, NodeId, NodeSet, Ratio};

use crate::once;

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;

/// The largest error of a share, in millionths of it, that is good enough to stop at.
const GOOD: u128 = 20_000;

/// What weights are derived from.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandwidths {
    pub origin: AttributeOrigin,
    /// By node in ascending order; none is 0.
    pub of: Vec<(NodeId, Estimate<BytesPerSecond>)>,
}

/// The bandwidths of `nodes`, all from one origin; the nodes of which none is known where there is no such origin.
pub fn bandwidths(machine: &Machine, nodes: &NodeSet) -> Result<Bandwidths, NodeSet> {
    let from = |origin| -> Vec<(NodeId, Option<Estimate<BytesPerSecond>>)> {
        nodes.iter().map(|node| (node, bandwidth(machine, node, origin))).collect()
    };
    let origins = [AttributeOrigin::Measured, AttributeOrigin::Firmware].map(|origin| (origin, from(origin)));
    for (origin, known) in &origins {
        let of: Option<Vec<(NodeId, Estimate<BytesPerSecond>)>> =
            known.iter().map(|(node, value)| Some((*node, (*value)?))).collect();
        if let Some(of) = of {
            return Ok(Bandwidths { origin: *origin, of });
        }
    }
    // What is wanting is said of the origin that tells more.
    let unknown = origins.map(|(_, known)| -> NodeSet {
        known.iter().filter(|(_, value)| value.is_none()).map(|(node, _)| *node).collect()
    });
    let [measured, declared] = unknown;
    Err(if measured.len() < declared.len() { measured } else { declared })
}

/// The weights of `nodes`; none where the bandwidth of one is not known, or where there is but one node.
pub fn plan(machine: &Machine, nodes: &NodeSet, warnings: &mut Vec<Notice>) -> Vec<NodeWeight> {
    if nodes.len() < 2 {
        return Vec::new();
    }
    let known = match bandwidths(machine, nodes) {
        Ok(known) => known,
        Err(unknown) => {
            let machine_is_measured = machine.is_measured();
            once(warnings, PlanNotice::BandwidthUnknown { nodes: unknown, machine_is_measured });
            return Vec::new();
        }
    };
    let values: Vec<u64> = known.of.iter().map(|(_, bandwidth)| in_megabytes(bandwidth)).collect();
    let (reduced, error) = reduced(&values);
    let weights: Vec<NodeWeight> =
        known.of.iter().zip(reduced).map(|((node, _), weight)| NodeWeight { node: *node, weight }).collect();
    let error = (error > GOOD).then_some(Ratio(error as f64 / 1e6));
    once(warnings, PlanNotice::WeightsNeeded { weights: weights.clone(), origin: known.origin, error });
    weights
}

/// Whole 10^6 bytes per second, at least 1.
fn in_megabytes(bandwidth: &Estimate<BytesPerSecond>) -> u64 {
    ((bandwidth.median.0 / 1e6).round() as u64).max(1)
}

/// What a node gives to the CPUs that are nearest to it, by one origin.
fn bandwidth(machine: &Machine, target: NodeId, origin: AttributeOrigin) -> Option<Estimate<BytesPerSecond>> {
    let of_target = |a: &&Attribute| a.target == target && a.origin == origin;
    let to_target: Vec<&Attribute> = machine.attributes.iter().filter(of_target).collect();
    let near = machine.node(target).map(|node| node.near.clone()).unwrap_or_default();
    let nearest: Vec<&Attribute> =
        to_target.iter().copied().filter(|attribute| attribute.initiator.intersects(&near)).collect();
    let from = if nearest.is_empty() { to_target } else { nearest };
    let of_initiator = |one: &Attribute| {
        let bandwidth = |access: MemoryAccess| {
            let mut same = from.iter().filter(|a| a.access == access && a.initiator == one.initiator);
            same.find_map(|a| a.figure.bandwidth()).filter(|rate| rate.median.0 > 0.0)
        };
        let (read, write) = (bandwidth(MemoryAccess::Read), bandwidth(MemoryAccess::Write));
        match (origin, read, write) {
            (AttributeOrigin::Measured, read, _) => read,
            (AttributeOrigin::Firmware, Some(read), Some(write)) => {
                Some(if write.median.0 < read.median.0 { write } else { read })
            }
            (AttributeOrigin::Firmware, read, write) => {
                read.or(write).or_else(|| bandwidth(MemoryAccess::Both))
            }
        }
    };
    let bandwidths = from.iter().filter_map(|one| of_initiator(one));
    bandwidths.max_by(|a, b| a.median.0.total_cmp(&b.median.0))
}

/// Small weights in the ratio of `bandwidths`, none of which is 0, and the largest error of a share in millionths of it.
fn reduced(bandwidths: &[u64]) -> (Vec<u8>, u128) {
    let most = u128::from(bandwidths.iter().copied().max().unwrap_or(1));
    let scaled = |scale: u128| -> Vec<u8> {
        let weight = |bandwidth: &u64| (2 * u128::from(*bandwidth) * scale + most) / (2 * most);
        bandwidths.iter().map(|bandwidth| weight(bandwidth).clamp(1, 255) as u8).collect()
    };
    let mut best = (Vec::new(), u128::MAX);
    for scale in 1..=255 {
        let weights = scaled(scale);
        let error = worst_error(bandwidths, &weights);
        if error < best.1 {
            best = (weights, error);
        }
        if best.1 <= GOOD {
            break;
        }
    }
    best
}

fn worst_error(bandwidths: &[u64], weights: &[u8]) -> u128 {
    let total: u128 = bandwidths.iter().map(|b| u128::from(*b)).sum();
    let sum: u128 = weights.iter().map(|w| u128::from(*w)).sum();
    let error = |(bandwidth, weight): (&u64, &u8)| {
        let (got, wanted) = (u128::from(*weight) * total, u128::from(*bandwidth) * sum);
        got.abs_diff(wanted) * 1_000_000 / wanted.max(1)
    };
    bandwidths.iter().zip(weights).map(error).max().unwrap_or(0)
}
