//! What threads and nodes have of something that was counted by thread and CPU, and how they divide it.

use std::collections::BTreeMap;

use numawise_facts::objects::MemoryObject;
use numawise_facts::{ObjectRun, Reading};
use numawise_tables::objects::{NodeShare, ThreadShare};
use numawise_units::{Arrange, CpuId, NodeId, Ratio};

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
        nodes.arrange_by(|one, other| other.share.0.total_cmp(&one.share.0).then(one.node.cmp(&other.node)));
        nodes
    }

    /// Each thread on each node, the largest first, with its weight.
    pub fn by_thread_and_node(&self) -> Vec<(ThreadShare, f64)> {
        let all = self.by_thread.iter().flat_map(|(thread, nodes)| {
            nodes.iter().map(|(node, weight)| (self.thread(*thread, *node, *weight), *weight))
        });
        let mut all: Vec<(ThreadShare, f64)> = all.collect();
        all.arrange_by(|(one, _), (other, _)| {
            let key = |of: &ThreadShare| (of.thread, of.node);
            other.share.0.total_cmp(&one.share.0).then(key(one).cmp(&key(other)))
        });
        all
    }

    fn thread(&self, thread: u32, node: Option<NodeId>, weight: f64) -> ThreadShare {
        let number = self.run.threads.get(thread as usize).map_or(0, |of| of.number);
        ThreadShare { thread, number, node, share: self.share(weight) }
    }

    /// The largest first.
    pub fn threads(&self) -> Vec<ThreadShare> {
        let share = |(thread, nodes): (&u32, &BTreeMap<Option<NodeId>, f64>)| {
            let most = nodes.iter().max_by(|one, other| one.1.total_cmp(other.1)).and_then(|(node, _)| *node);
            self.thread(*thread, most, nodes.values().sum())
        };
        let mut threads: Vec<ThreadShare> = self.by_thread.iter().map(share).collect();
        threads.arrange_by(|one, other| {
            other.share.0.total_cmp(&one.share.0).then(one.thread.cmp(&other.thread))
        });
        threads
    }
}

/// How an object is divided among the nodes that use it, at three sizes: for each the share of the node that uses a part most, on
/// average over the parts by their use.
pub struct Division {
    /// By 64ths of the object.
    pub parts: Reading<Ratio>,
    /// By pages.
    pub pages: Reading<Ratio>,
    /// By lines of pages.
    pub lines: Reading<Ratio>,
}

impl Division {
    pub fn of(run: &ObjectRun, object: &MemoryObject) -> Division {
        let uses = object.uses.iter().map(|of| (of.thread, of.cpu, of.samples));
        let threads = Shares::of(run, uses).threads();
        let homes: Homes = threads.into_iter().map(|thread| (thread.thread, thread.node)).collect();
        let parts = object.parts.iter().map(|of| (u64::from(of.part), of.thread, of.samples));
        let pages = object.lines.iter().map(|of| (u64::from(of.page), of.thread, of.samples));
        let lines = object
            .lines
            .iter()
            .map(|of| (u64::from(of.page) * 256 + u64::from(of.line), of.thread, of.samples));
        Division {
            parts: divided(&homes, parts, "too few samples are of each of its parts"),
            pages: divided(&homes, pages, "too few samples are of each of its pages"),
            lines: divided(&homes, lines, "too few samples are of each line of its pages"),
        }
    }
}

/// The node on which each thread uses the object most.
type Homes = BTreeMap<u32, Option<NodeId>>;

/// In a part with one sample one node has all of it, whoever uses it: this would look like a division among them. With four, two nodes
/// that use all of it alike have 0.69 for the one with more.
const LEAST_OF_PART: f64 = 4.0;

fn divided(
    homes: &Homes,
    uses: impl Iterator<Item = (u64, u32, f64)>,
    too_few: &'static str,
) -> Reading<Ratio> {
    let mut parts: BTreeMap<u64, BTreeMap<Option<NodeId>, f64>> = BTreeMap::new();
    for (part, thread, samples) in uses {
        let node = homes.get(&thread).copied().flatten();
        *parts.entry(part).or_default().entry(node).or_default() += samples;
    }
    let all_and_most = parts
        .values()
        .map(|nodes| (nodes.values().sum::<f64>(), nodes.values().copied().fold(0.0, f64::max)));
    let (all, most) = all_and_most
        .filter(|(all, _)| *all >= LEAST_OF_PART)
        .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    if all < LEAST_OF_OBJECT { Reading::unavailable(too_few) } else { Reading::Measured(Ratio(most / all)) }
}
