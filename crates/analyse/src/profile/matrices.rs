//! Nodes with CPUs by nodes with memory.

use std::collections::BTreeSet;

use numawise_facts::{Bandwidth, Estimate, IdleLatency, Mix, Profile, Reading, Target, Workers};
use numawise_tables::{Cell, MatrixMeasure, NodeCores, NodeMatrix};
use numawise_units::NodeId;

use super::figures::{both, plain, quotient, range, widest};

/// All matrices of which something was asked for; every one has the same rows and columns.
pub(super) fn matrices(profile: &Profile) -> Vec<NodeMatrix> {
    let (rows, columns) = axes(profile);
    let latency = |of: fn(&IdleLatency) -> Reading<Estimate<f64>>| {
        move |from, to| Some(of(profile.latency_of(from, to)?))
    };
    let idle = latency(|cell| plain(&cell.latency));
    let misses = latency(|cell| plain(&cell.with_tlb_misses));
    let rate = |cores, mix| move |from, to| Some(plain(&bandwidth(profile, cores, from, to, mix)?.rate));
    let read = rate(NodeCores::All, Mix::Read);
    let build = |measure, cell: &dyn Fn(NodeId, NodeId) -> Cell| {
        let line = |from: &NodeId| columns.iter().map(|to| cell(*from, *to)).collect();
        let cells: Vec<Vec<Cell>> = rows.iter().map(line).collect();
        let (range, widest) = (range(&cells), widest(&cells));
        NodeMatrix { measure, rows: rows.clone(), columns: columns.clone(), range, widest, cells }
    };
    let mut all = vec![
        build(MatrixMeasure::IdleLatency, &idle),
        build(MatrixMeasure::LatencyVsLocal, &|from, to| vs_local(&idle, from, to)),
        build(MatrixMeasure::LatencyWithTlbMisses, &misses),
    ];
    for cores in [NodeCores::All, NodeCores::One] {
        for mix in Mix::ALL {
            all.push(build(MatrixMeasure::Bandwidth { cores, mix }, &rate(cores, mix)));
            if (cores, mix) == (NodeCores::All, Mix::Read) {
                all.push(build(MatrixMeasure::ReadVsLocal, &|from, to| vs_local(&read, from, to)));
            }
        }
    }
    all.retain(|matrix| matrix.cells.iter().flatten().any(Option::is_some));
    // Beside local memory there is nothing to see where there is no other.
    all.retain(|matrix| !beside(matrix.measure) || columns.len() > 1);
    all
}

fn beside(measure: MatrixMeasure) -> bool {
    matches!(measure, MatrixMeasure::LatencyVsLocal | MatrixMeasure::ReadVsLocal)
}

/// Every node that measured, and every node that was measured.
fn axes(profile: &Profile) -> (Vec<NodeId>, Vec<NodeId>) {
    let (mut rows, mut columns) = (BTreeSet::new(), BTreeSet::new());
    for cell in &profile.latency {
        rows.insert(cell.from);
        columns.insert(cell.to);
    }
    for cell in &profile.bandwidth {
        let (Workers::Node(from) | Workers::Core(from)) = cell.workers else { continue };
        rows.insert(from);
        columns.insert(match cell.target {
            Target::Node(to) => to,
            Target::Local => from,
        });
    }
    (rows.into_iter().collect(), columns.into_iter().collect())
}

/// The bandwidth of a pair of nodes; a node's "own" is the node itself.
pub(super) fn bandwidth(
    profile: &Profile,
    cores: NodeCores,
    from: NodeId,
    to: NodeId,
    mix: Mix,
) -> Option<&Bandwidth> {
    let workers = match cores {
        NodeCores::All => Workers::Node(from),
        NodeCores::One => Workers::Core(from),
    };
    let own = || (from == to).then(|| profile.bandwidth_of(workers, Target::Local, mix)).flatten();
    profile.bandwidth_of(workers, Target::Node(to), mix).or_else(own)
}

fn vs_local(figure: &impl Fn(NodeId, NodeId) -> Cell, from: NodeId, to: NodeId) -> Cell {
    let there = figure(from, to)?;
    let own = figure(from, from).unwrap_or_else(|| {
        Reading::unavailable(format!("node {from} has no memory of its own that was measured"))
    });
    let quotient = both(&there, &own).map(|(there, own)| {
        // Of the same figure, the bounds too are 1.
        if from == to { Estimate { median: 1.0, low: 1.0, high: 1.0, ..*own } } else { quotient(there, own) }
    });
    Some(quotient)
}
