//! What threads and nodes have of something that was counted by thread and CPU.

use std::collections::BTreeMap;

use numawise_facts::objects::MemoryObject;
use numawise_facts::{ObjectRun, Reading};
use numawise_tables::objects::{NodeShare, ThreadShare};
use numawise_units::{CpuId, NodeId, Ratio};

use super::LEAST_OF_OBJECT;

/// Weights by thread and by node.
pub struct Shares<'a> {
    run: &'a ObjectRun,
    all: f64,
    by_node: BTreeMap<Option<NodeId>, f64>,
    by_thread: BTreeMap<u32, BTreeMap<Option<NodeId>, f64>>,
}

impl<'a> Shares<'a> {
    pub fn of(run: &'a ObjectRun, counted: impl Iterator<Item = (u32, CpuId, f64)>) -> Shares<'a> {
        let mut shares = Shares { run, all: 0.0, by_node: BTreeMap::new(), by_thread: BTreeMap::new() };
        for (thread, cpu, weight) in counted {
            let node = run.header.machine.node_of(cpu);
            shares.all += weight;
            *shares.by_node.entry(node).or_default() += weight;
            *shares.by_thread.entry(thread).or_default().entry(node).or_default() += weight;
        }
        shares
    }

    fn share(&self, weight: f64) -> Ratio {
        Ratio(if self.all > 0.0 { weight / self.all } else { 0.0 })
    }

    /// The largest first.
    pub fn nodes(&self) -> Vec<NodeShare> {
        let share =
            |(node, weight): (&Option<NodeId>, &f64)| NodeShare { node: *node, share: self.share(*weight) };
        let mut nodes: Vec<NodeShare> = self.by_node.iter().map(share).collect();
        nodes.sort_by(|one, other| other.share.0.total_cmp(&one.share.0).then(one.node.cmp(&other.node)));
        nodes
    }

    /// The largest first.
    pub fn threads(&self) -> Vec<ThreadShare> {
        let share = |(thread, nodes): (&u32, &BTreeMap<Option<NodeId>, f64>)| ThreadShare {
            thread: *thread,
            number: self.run.threads.get(*thread as usize).map_or(0, |of| of.number),
            node: nodes.iter().max_by(|one, other| one.1.total_cmp(other.1)).and_then(|(node, _)| *node),
            share: self.share(nodes.values().sum()),
        };
        let mut threads: Vec<ThreadShare> = self.by_thread.iter().map(share).collect();
        threads
            .sort_by(|one, other| other.share.0.total_cmp(&one.share.0).then(one.thread.cmp(&other.thread)));
        threads
    }
}

/// The share of the node that uses a part most, on average over the parts by their use.
pub fn parts_of_nodes(run: &ObjectRun, object: &MemoryObject) -> Reading<Ratio> {
    let homes: BTreeMap<u32, Option<NodeId>> = {
        let uses = object.uses.iter().map(|of| (of.thread, of.cpu, of.samples));
        Shares::of(run, uses).threads().into_iter().map(|thread| (thread.thread, thread.node)).collect()
    };
    let mut parts: BTreeMap<u8, BTreeMap<Option<NodeId>, f64>> = BTreeMap::new();
    for of in &object.parts {
        let node = homes.get(&of.thread).copied().flatten();
        *parts.entry(of.part).or_default().entry(node).or_default() += of.samples;
    }
    // In a part with one sample one node has all of it, whoever uses it: this would look like a division among them.
    let full = parts
        .values()
        .map(|nodes| (nodes.values().sum::<f64>(), nodes.values().copied().fold(0.0, f64::max)));
    let (all, most) =
        full.filter(|(all, _)| *all >= 4.0).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    if all < LEAST_OF_OBJECT {
        return Reading::unavailable("too few samples are of each of its parts");
    }
    Reading::Measured(Ratio(most / all))
}
