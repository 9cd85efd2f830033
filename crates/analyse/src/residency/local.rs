//! How much of a task's memory is local to it, and what is far.

use numawise_facts::{PageUse, Reading};
use numawise_tables::{LocalShare, MemoryTable, RemoteMemory, ShareSpan};
use numawise_units::{Arrange, Bytes, CpuSet, NodeId, NodeSet, Ratio};

use super::threads::SampledThread;
use super::topology::Topology;

/// A node where less of the CPU time is used than this is not one where a task runs: helper threads are anywhere.
const RUNS: f64 = 0.01;

/// Which share of a task's CPU time is used on which node; the sum is 1.
pub struct Weights {
    pub by_node: Vec<(NodeId, f64)>,
    pub span: ShareSpan,
    /// Where its threads are that have worked since they began, also those that wait now: what is near to them is not far from the task.
    pub at_home: NodeSet,
}

impl Weights {
    pub fn nodes(&self) -> NodeSet {
        self.by_node.iter().map(|(node, _)| *node).collect()
    }

    /// One for each column.
    pub fn columns(&self, topology: &Topology) -> Vec<Ratio> {
        let of =
            |node: NodeId| self.by_node.iter().find(|(known, _)| *known == node).map_or(0.0, |(_, s)| *s);
        topology.columns().iter().map(|column| Ratio(of(column.node))).collect()
    }
}

/// From the CPU time over `span`; where no thread used any, from that since the threads began.
pub fn weights(seen: &Reading<Vec<SampledThread>>, span: ShareSpan) -> Reading<Weights> {
    seen.as_ref().and_then(|seen| weights_of(seen, span))
}

fn weights_of(seen: &[SampledThread], span: ShareSpan) -> Reading<Weights> {
    if seen.iter().all(|seen| seen.row.node.is_none()) {
        return Reading::unavailable(
            "the machine does not say to which nodes the CPUs of its threads belong",
        );
    }
    let recent = by_node(seen.iter().filter_map(|seen| Some((seen.row.node?, seen.used?.0))));
    let since_begin = by_node(seen.iter().filter_map(|seen| Some((seen.row.node?, seen.row.cpu_time.0))));
    let at_home = since_begin.iter().flatten().map(|(node, _)| *node).collect();
    let begin = || since_begin.map(|by_node| (by_node, ShareSpan::SinceBegin));
    match recent.map(|by_node| (by_node, span)).or_else(begin) {
        Some((by_node, span)) => Reading::Measured(Weights { by_node, span, at_home }),
        None => Reading::unavailable("none of its threads has used any CPU time yet"),
    }
}

fn by_node(used: impl Iterator<Item = (NodeId, u64)>) -> Option<Vec<(NodeId, f64)>> {
    let mut by_node: Vec<(NodeId, f64)> = Vec::new();
    for (node, used) in used {
        match by_node.iter_mut().find(|(known, _)| *known == node) {
            Some((_, sum)) => *sum += used as f64,
            None => by_node.push((node, used as f64)),
        }
    }
    let all: f64 = by_node.iter().map(|(_, used)| used).sum();
    by_node.retain(|(_, used)| *used > 0.0 && *used >= RUNS * all);
    let kept: f64 = by_node.iter().map(|(_, used)| used).sum();
    by_node.iter_mut().for_each(|(_, used)| *used /= kept);
    by_node.arrange_by_key(|(node, _)| *node);
    (!by_node.is_empty()).then_some(by_node)
}

/// The share of CPU time used where the memory of a column is local.
pub fn time_at(weights: &Weights, column: usize, topology: &Topology) -> f64 {
    let near = topology.local_to(column);
    weights.by_node.iter().filter(|(node, _)| near.contains(*node)).map(|(_, share)| share).sum()
}

/// Whether one of its threads, working or waiting, is near to the memory of a column.
fn is_near(weights: &Weights, column: usize, topology: &Topology) -> bool {
    time_at(weights, column, topology) > 0.0 || weights.at_home.intersects(topology.local_to(column))
}

pub fn share(
    memory: &Reading<MemoryTable>,
    weights: &Reading<Weights>,
    topology: &Topology,
) -> Reading<LocalShare> {
    memory.as_ref().zip(weights.as_ref()).and_then(|(memory, weights)| share_of(memory, weights, topology))
}

fn share_of(memory: &MemoryTable, weights: &Weights, topology: &Topology) -> Reading<LocalShare> {
    if memory.total == Bytes(0) {
        return Reading::unavailable("it has no pages of its own");
    }
    let (mut near, mut alike) = (0.0, 0.0);
    for (column, bytes) in memory.by_node.iter().enumerate() {
        alike += time_at(weights, column, topology) * bytes.0 as f64;
        if is_near(weights, column, topology) {
            near += bytes.0 as f64;
        }
    }
    let of_all = |bytes: f64| Ratio((bytes / memory.total.0 as f64).min(1.0));
    Reading::Measured(LocalShare { at_most: of_all(near), if_alike: of_all(alike), weighed: weights.span })
}

pub fn remote(
    memory: &Reading<MemoryTable>,
    weights: &Reading<Weights>,
    mask: &Reading<CpuSet>,
    topology: &Topology,
) -> Reading<Vec<RemoteMemory>> {
    let reach = mask.measured().map(|mask| topology.nodes_of(mask));
    let both = memory.as_ref().zip(weights.as_ref());
    both.map(|(memory, weights)| remote_of(memory, weights, reach.as_ref(), topology))
}

fn remote_of(
    memory: &MemoryTable,
    weights: &Weights,
    reach: Option<&NodeSet>,
    topology: &Topology,
) -> Vec<RemoteMemory> {
    let file = memory.rows.iter().find(|row| row.used_for == PageUse::File);
    let mut all: Vec<RemoteMemory> = Vec::new();
    for (column, bytes) in memory.by_node.iter().enumerate() {
        if *bytes == Bytes(0) || is_near(weights, column, topology) {
            continue;
        }
        let node = topology.columns()[column].node;
        let (nearest, distance) = nearest(weights, node, topology);
        all.push(RemoteMemory {
            node,
            bytes: *bytes,
            file: file.map_or(Bytes(0), |row| row.by_node[column]),
            may_run: reach.is_some_and(|reach| reach.intersects(topology.local_to(column))),
            nearest,
            distance,
        });
    }
    all.arrange_by_key(|remote| (std::cmp::Reverse(remote.bytes), remote.node));
    all
}

/// From which of its nodes a task reaches `to` the soonest.
fn nearest(weights: &Weights, to: NodeId, topology: &Topology) -> (Option<NodeId>, Reading<Ratio>) {
    let all: Vec<(NodeId, Reading<Ratio>)> =
        weights.by_node.iter().map(|(node, _)| (*node, topology.distance(*node, to))).collect();
    let known = all.iter().filter_map(|(node, distance)| Some((*node, *distance.measured()?)));
    match known.min_by(|a, b| a.1.0.total_cmp(&b.1.0)) {
        Some((node, distance)) => (Some(node), Reading::Measured(distance)),
        None => match all.into_iter().next() {
            Some((_, distance)) => (None, distance),
            None => (None, Reading::unavailable("none of its threads runs anywhere")),
        },
    }
}
