//! A placement as the model sees it: threads by node, cores that are shared, and which memory its threads reach by which way.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::{MemoryMode, MemoryPlan, Placement, Strategy, ThreadBinding};
use numawise_units::NodeId;

use crate::capacity::{Capacities, Source};

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;

/// Whose memory a thread uses, where the first to touch a page decides: its own, that of the first thread, or that of all threads alike.
pub const PATTERNS: usize = 3;

/// One figure for each pattern.
pub type ByPattern = [f64; PATTERNS];

/// What can be full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Memory(NodeId),
    /// The way from the CPUs of one node to the memory of another.
    Link(NodeId, NodeId),
}

/// A part of the machine with the time that it needs for all bytes of the program, in times of a node's local memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    pub part: Part,
    pub time: ByPattern,
}

/// A part of a thread's bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByteSource {
    pub shares: ByPattern,
    pub latency: f64,
    /// The time of a byte on the way, in times of a node's local memory.
    pub way: f64,
}

/// Threads on one node that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadGroup {
    pub threads: f64,
    /// Threads that share a core, in the fullest core.
    pub per_core: f64,
    /// Mean latency, against local memory.
    pub latency: ByPattern,
    /// Where their bytes come from; what is equally far stands together.
    pub sources: Vec<ByteSource>,
    /// The time that their fullest link needs for their bytes, as of a [`Load`]; of groups on several nodes, each has its own.
    pub link: ByPattern,
}

/// A placement for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct PointShape {
    pub threads: f64,
    pub groups: Vec<ThreadGroup>,
    /// Of the first thread alone: its latency, and the time of its bytes by the slowest way.
    pub first: (ByPattern, ByPattern),
    /// Cores with a thread, as a share of all.
    pub active_cores: f64,
    /// Only those that can be the fullest.
    pub memories: Vec<Load>,
    pub links: Vec<Load>,
    /// How much slower threads reach each other than on one node.
    pub apart: f64,
    /// Of first-touched pages, the share on the node of the first thread: by the patterns; none where a policy places all.
    pub first_node: Option<(NodeId, ByPattern)>,
    /// Nodes that give memory.
    pub givers: Vec<NodeId>,
    /// A figure of a part is a guess.
    pub is_guessed: bool,
}

/// Why a placement cannot be described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoShape {
    /// The system places the threads.
    ThreadsFree,
    MoreThreadsThanCpus,
    NoThreads,
    CpusUnknown,
    WeightsUnknown,
    /// No node gives memory.
    NoMemory,
    /// How fast this memory is is not known.
    MemoryUnknown(NodeId),
}

impl NoShape {
    /// As a clause behind "unavailable:".
    pub fn reason(self) -> String {
        match self {
            NoShape::ThreadsFree => "the system places the threads: only a run can tell".to_owned(),
            NoShape::MoreThreadsThanCpus => {
                "there are more threads than CPUs: only a run can tell".to_owned()
            }
            NoShape::NoThreads => "the number of threads is not known".to_owned(),
            NoShape::CpusUnknown => "the node of a CPU is not known".to_owned(),
            NoShape::WeightsUnknown => "the kernel's weights are not known".to_owned(),
            NoShape::NoMemory => "no node that may be used gives memory".to_owned(),
            NoShape::MemoryUnknown(node) => {
                format!("the bandwidth of node {node} is not known: the machine is not measured")
            }
        }
    }
}

/// Threads by the place of their node: how many there are, and how many share the fullest core.
pub type Counts = BTreeMap<usize, (f64, f64)>;

impl PointShape {
    /// # Errors
    /// Why the model cannot tell anything of it.
    pub fn of(machine: &Capacities, placement: &Placement) -> Result<PointShape, NoShape> {
        let threads: Vec<_> = placement.tasks.iter().flat_map(|task| &task.threads).collect();
        if threads.is_empty() {
            return Err(NoShape::NoThreads);
        }
        let cpus = placement.cpus();
        if threads.len() > cpus.len() {
            return Err(NoShape::MoreThreadsThanCpus);
        }
        let is_free = placement.binding == ThreadBinding::Free || placement.strategy == Strategy::None;
        let nodes = machine.cpus.values().map(|(node, _)| *node).collect::<BTreeSet<usize>>().len();
        if is_free && nodes > 1 && threads.len() < cpus.len() {
            return Err(NoShape::ThreadsFree);
        }
        let (mut counts, mut cores) = (Counts::new(), BTreeMap::<u32, f64>::new());
        for set in &threads {
            let share = 1.0 / set.len().max(1) as f64;
            for cpu in set.iter() {
                let (node, core) = machine.cpus.get(&cpu).ok_or(NoShape::CpusUnknown)?;
                counts.entry(*node).or_default().0 += share;
                *cores.entry(*core).or_default() += share;
            }
        }
        for (node, core) in machine.cpus.values() {
            if let (Some(count), Some(load)) = (counts.get_mut(node), cores.get(core)) {
                count.1 = count.1.max(*load);
            }
        }
        let first = threads.first().and_then(|set| set.first()).and_then(|cpu| machine.cpus.get(&cpu));
        let (first, _) = *first.ok_or(NoShape::CpusUnknown)?;
        let memory =
            placement.tasks.first().map_or_else(MemoryPlan::default_policy, |task| task.memory.clone());
        PointShape::of_counts(machine, &counts, first, cores.len(), &memory)
    }

    /// The same by numbers of threads alone: for machines with too many CPUs to plan each of them.
    ///
    /// # Errors
    /// As [`PointShape::of`].
    pub fn of_counts(
        machine: &Capacities,
        counts: &Counts,
        first: usize,
        active_cores: usize,
        memory: &MemoryPlan,
    ) -> Result<PointShape, NoShape> {
        let threads: f64 = counts.values().map(|(threads, _)| threads).sum();
        let flows = Flows::of(machine, counts, first, memory)?;
        let mut shape = PointShape {
            threads,
            groups: Vec::new(),
            first: flows.of_first(machine, first),
            active_cores: active_cores as f64 / machine.cores.max(1) as f64,
            memories: Vec::new(),
            links: Vec::new(),
            apart: apart(machine, counts),
            first_node: flows.first_node,
            givers: Vec::new(),
            is_guessed: false,
        };
        let mut totals = BTreeMap::<usize, ByPattern>::new();
        for (&from, &(count, per_core)) in counts {
            let (mut latency, mut fullest) = ([0.0; PATTERNS], [0.0; PATTERNS]);
            let mut sources: Vec<ByteSource> = Vec::new();
            for (&to, shares) in &flows.shares[&from] {
                let pair = &machine.pairs[from][to];
                shape.is_guessed |= pair.bandwidth.source == Source::Guessed && to != from;
                let source = ByteSource {
                    shares: *shares,
                    latency: pair.latency.value,
                    way: 1.0 / pair.bandwidth.value,
                };
                match sources.iter_mut().find(|one| (one.latency, one.way) == (source.latency, source.way)) {
                    Some(alike) => {
                        alike.shares = std::array::from_fn(|pattern| alike.shares[pattern] + shares[pattern]);
                    }
                    None => sources.push(source),
                }
                let total = totals.entry(to).or_default();
                let mut link = [0.0; PATTERNS];
                for (pattern, share) in shares.iter().enumerate() {
                    latency[pattern] += share * pair.latency.value;
                    total[pattern] += share * count / threads / machine.nodes[to].bandwidth.value;
                    link[pattern] = share * count / threads / pair.bandwidth.value;
                }
                if to != from {
                    fullest = std::array::from_fn(|pattern| f64::max(fullest[pattern], link[pattern]));
                    let (from, to) = (machine.nodes[from].id, machine.nodes[to].id);
                    add(&mut shape.links, Load { part: Part::Link(from, to), time: link });
                }
            }
            let group = ThreadGroup { threads: count, per_core, latency, sources, link: fullest };
            let is_alike = |one: &ThreadGroup| {
                one.per_core == per_core && one.sources == group.sources && one.link == fullest
            };
            match shape.groups.iter_mut().find(|one| is_alike(one)) {
                Some(alike) => alike.threads += count,
                None => shape.groups.push(group),
            }
        }
        for (to, time) in totals {
            let node = &machine.nodes[to];
            if node.is_unknown {
                return Err(NoShape::MemoryUnknown(node.id));
            }
            shape.givers.push(node.id);
            add(&mut shape.memories, Load { part: Part::Memory(node.id), time });
        }
        Ok(shape)
    }
}

/// Keeps what can be the fullest, whatever the pattern is.
fn add(loads: &mut Vec<Load>, load: Load) {
    let covers = |one: &Load, other: &Load| one.time.iter().zip(&other.time).all(|(one, other)| one >= other);
    if loads.iter().any(|other| covers(other, &load)) {
        return;
    }
    loads.retain(|other| !covers(&load, other));
    loads.push(load);
}

/// The mean over pairs of nodes of threads, each against its own node.
fn apart(machine: &Capacities, counts: &Counts) -> f64 {
    let all: f64 = counts.values().map(|(threads, _)| threads).sum();
    // What is spread over many nodes costs as over some of them.
    const MOST: usize = 16;
    let some: Vec<(usize, f64)> =
        counts.iter().take(MOST).map(|(place, (threads, _))| (*place, *threads)).collect();
    let looked_at: f64 = some.iter().map(|(_, threads)| threads).sum();
    let mean: f64 = some
        .iter()
        .flat_map(|(from, one)| {
            some.iter().map(move |(to, other)| one * other * machine.pairs[*from][*to].latency.value)
        })
        .sum();
    if all > 0.0 { mean / (looked_at * looked_at) } else { 1.0 }
}

/// For the threads of each node, which share of their bytes comes from which, by pattern.
struct Flows {
    shares: BTreeMap<usize, BTreeMap<usize, ByPattern>>,
    first_node: Option<(NodeId, ByPattern)>,
}

impl Flows {
    fn of(
        machine: &Capacities,
        counts: &Counts,
        first: usize,
        memory: &MemoryPlan,
    ) -> Result<Flows, NoShape> {
        let may_give = |place: &usize| {
            let node = &machine.nodes[*place];
            node.may_be_used && node.memory != Some(0)
        };
        let named: Vec<usize> =
            memory.nodes.iter().filter_map(|node| machine.place(node)).filter(may_give).collect();
        let spread_over = match memory.mode {
            MemoryMode::Interleave => named.iter().map(|place| (*place, 1.0)).collect(),
            MemoryMode::WeightedInterleave if memory.weights.is_empty() => {
                return Err(NoShape::WeightsUnknown);
            }
            MemoryMode::WeightedInterleave => memory
                .weights
                .iter()
                .filter_map(|of| Some((machine.place(of.node)?, f64::from(of.weight))))
                .collect(),
            _ => Vec::<(usize, f64)>::new(),
        };
        let weights: f64 = spread_over.iter().map(|(_, weight)| weight).sum();
        if weights > 0.0 {
            let shares: BTreeMap<usize, ByPattern> =
                spread_over.into_iter().map(|(to, weight)| (to, [weight / weights; PATTERNS])).collect();
            let shares = counts.keys().map(|from| (*from, shares.clone())).collect();
            return Ok(Flows { shares, first_node: None });
        }
        // The first to touch a page decides, among the nodes that the policy allows.
        let all = || 0..machine.nodes.len();
        let giver = |from: usize| {
            let ordinary = |place: &usize| !machine.nodes[*place].is_unknown || named.contains(place);
            match memory.mode {
                MemoryMode::Default | MemoryMode::Local => {
                    machine.nearest(from, all().filter(may_give).filter(ordinary))
                }
                _ => machine.nearest(from, named.iter().copied()),
            }
            .ok_or(NoShape::NoMemory)
        };
        let threads: f64 = counts.values().map(|(threads, _)| threads).sum();
        let master = giver(first)?;
        let mut spread = BTreeMap::<usize, f64>::new();
        let mut own = BTreeMap::new();
        for (&from, (count, _)) in counts {
            let to = giver(from)?;
            own.insert(from, to);
            *spread.entry(to).or_default() += count / threads;
        }
        let of = |from: &usize| {
            let mut shares = BTreeMap::<usize, ByPattern>::new();
            shares.entry(own[from]).or_default()[0] = 1.0;
            shares.entry(master).or_default()[1] = 1.0;
            for (to, share) in &spread {
                shares.entry(*to).or_default()[2] = *share;
            }
            shares
        };
        let at_first = spread.get(&master).copied().unwrap_or_default();
        let givers: BTreeSet<usize> = own.values().copied().chain([master]).collect();
        Ok(Flows {
            shares: counts.keys().map(|from| (*from, of(from))).collect(),
            first_node: (givers.len() > 1).then(|| (machine.nodes[master].id, [at_first, 1.0, at_first])),
        })
    }

    /// What one thread alone meets on this node.
    fn of_first(&self, machine: &Capacities, first: usize) -> (ByPattern, ByPattern) {
        let (mut latency, mut way) = ([0.0; PATTERNS], [0.0; PATTERNS]);
        for (&to, shares) in self.shares.get(&first).into_iter().flatten() {
            let pair = &machine.pairs[first][to];
            for (pattern, share) in shares.iter().enumerate() {
                latency[pattern] += share * pair.latency.value;
                way[pattern] = f64::max(way[pattern], share / pair.bandwidth.value);
            }
        }
        (latency, way)
    }
}
