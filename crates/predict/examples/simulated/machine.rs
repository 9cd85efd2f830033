//! Simulated machines: nodes with cores, memory without, and what lies between.

use numawise_facts::{MemoryKind, MemoryMode, MemoryPlan};
use numawise_predict::{Capacities, Counts, NodeCapacity, PairCapacity, RelativeFigure, Source};
use numawise_units::{CpuId, NodeId, NodeSet};

/// A node without CPUs: how much bandwidth and latency it has against ordinary memory, by the CPUs of its node.
#[derive(Debug, Clone, Copy)]
pub struct Extra {
    pub kind: MemoryKind,
    pub bandwidth: f64,
    pub latency: f64,
    /// The node whose CPUs are nearest.
    pub at: usize,
}

/// Nodes with so many cores each; ratios are to local memory.
#[derive(Debug, Clone, Copy)]
pub struct SimulatedMachine {
    pub name: &'static str,
    pub nodes: usize,
    pub cores: usize,
    /// So many nodes make a socket.
    pub socket: usize,
    /// Bandwidth and latency of another node of the socket, and of another socket.
    pub near: (f64, f64),
    pub far: (f64, f64),
    pub extra: &'static [Extra],
    pub saturating: f64,
    /// How much memory makes wait before it is full: 0 is a sharp limit.
    pub queue: f64,
}

pub const TWO_SOCKETS: SimulatedMachine = SimulatedMachine {
    name: "two sockets",
    nodes: 2,
    cores: 22,
    socket: 1,
    near: (1.0, 1.0),
    far: (0.45, 1.7),
    extra: &[],
    saturating: 7.0,
    queue: 0.3,
};
pub const FOUR_NODES: SimulatedMachine = SimulatedMachine {
    name: "four nodes",
    nodes: 4,
    cores: 8,
    socket: 2,
    near: (0.55, 1.45),
    far: (0.3, 2.3),
    extra: &[],
    saturating: 4.0,
    queue: 0.3,
};
pub const SUB_NODES: SimulatedMachine = SimulatedMachine {
    name: "SNC",
    nodes: 4,
    cores: 10,
    socket: 2,
    near: (0.9, 1.15),
    far: (0.5, 1.9),
    extra: &[],
    saturating: 3.5,
    queue: 0.3,
};
const HBM: Extra = Extra { kind: MemoryKind::Hbm, bandwidth: 4.0, latency: 1.2, at: 0 };
pub const FAST_MEMORY: SimulatedMachine = SimulatedMachine {
    name: "HBM",
    nodes: 2,
    cores: 12,
    socket: 1,
    near: (1.0, 1.0),
    far: (0.4, 1.6),
    extra: &[HBM, Extra { at: 1, ..HBM }],
    saturating: 5.0,
    queue: 0.3,
};
pub const EXPANDED: SimulatedMachine = SimulatedMachine {
    name: "CXL",
    nodes: 2,
    cores: 16,
    socket: 1,
    near: (1.0, 1.0),
    far: (0.5, 1.7),
    extra: &[Extra { kind: MemoryKind::Cxl, bandwidth: 0.2, latency: 2.6, at: 0 }],
    saturating: 6.0,
    queue: 0.3,
};
/// As emulated machines are (`testbed/machines`): few cores, and limits that are sharp.
const SMALL: SimulatedMachine = SimulatedMachine {
    name: "small sockets",
    cores: 2,
    far: (0.4, 1.75),
    saturating: 1.67,
    queue: 0.02,
    ..TWO_SOCKETS
};
const SMALL_HBM: SimulatedMachine = SimulatedMachine {
    name: "small HBM",
    far: (0.57, 2.0),
    extra: &[Extra { latency: 1.5, ..HBM }, Extra { latency: 1.5, at: 1, ..HBM }],
    saturating: 1.17,
    ..SMALL
};
const SMALL_NODES: SimulatedMachine = SimulatedMachine {
    name: "small nodes",
    nodes: 4,
    socket: 2,
    near: (0.55, 1.5),
    far: (0.28, 2.35),
    ..SMALL
};
pub const MACHINES: [SimulatedMachine; 8] =
    [TWO_SOCKETS, FOUR_NODES, SUB_NODES, FAST_MEMORY, EXPANDED, SMALL, SMALL_HBM, SMALL_NODES];

/// What the model is told of it.
pub fn capacities(of: &SimulatedMachine, is_measured: bool) -> Capacities {
    let source = if is_measured { Source::Measured } else { Source::Guessed };
    let figure = |value| RelativeFigure { value, source };
    let all = of.nodes + of.extra.len();
    let pair = |from: usize, to: usize| {
        let (home, (own_bandwidth, own_latency)) = match to.checked_sub(of.nodes) {
            Some(extra) => (of.extra[extra].at, (of.extra[extra].bandwidth, of.extra[extra].latency)),
            None => (to, (1.0, 1.0)),
        };
        let (bandwidth, latency) = match () {
            () if from == home => (own_bandwidth, own_latency),
            () if from / of.socket == home / of.socket => {
                (own_bandwidth.min(of.near.0), own_latency * of.near.1)
            }
            () => (own_bandwidth.min(of.far.0), own_latency * of.far.1),
        };
        PairCapacity { bandwidth: figure(bandwidth), latency: figure(latency) }
    };
    let node = |place: usize| {
        let extra = place.checked_sub(of.nodes).map(|extra| of.extra[extra]);
        NodeCapacity {
            id: NodeId(place as u32),
            kind: extra.map_or(MemoryKind::Dram, |extra| extra.kind),
            bandwidth: figure(extra.map_or(1.0, |extra| extra.bandwidth)),
            is_unknown: false,
            memory: None,
            may_be_used: true,
        }
    };
    let cpus = (0..of.nodes * of.cores).map(|cpu| (CpuId(cpu as u32), (cpu / of.cores, cpu as u32)));
    Capacities {
        nodes: (0..all).map(node).collect(),
        pairs: (0..all).map(|from| (0..all).map(|to| pair(from, to)).collect()).collect(),
        cpus: cpus.collect(),
        saturating: figure(of.saturating),
        cores: of.nodes * of.cores,
    }
}

/// Threads by node, and where memory goes.
pub struct SimulatedPoint {
    pub counts: Counts,
    pub memory: MemoryPlan,
}

impl SimulatedPoint {
    pub fn threads(&self) -> f64 {
        self.counts.values().map(|(threads, _)| threads).sum()
    }

    /// The node of the first thread.
    pub fn first(&self) -> usize {
        self.counts.keys().next().copied().unwrap_or_default()
    }
}

/// Every number of threads, each node filled before the next or all alike, with every policy.
pub fn grid(of: &SimulatedMachine) -> Vec<SimulatedPoint> {
    let mut points = Vec::new();
    for threads in 1..=of.nodes * of.cores {
        let local = |node: usize| threads.saturating_sub(node * of.cores).min(of.cores);
        let distributed = |node: usize| (threads + of.nodes - 1 - node) / of.nodes;
        let counts = |on: &dyn Fn(usize) -> usize| -> Counts {
            let all = (0..of.nodes).map(|node| (node, on(node))).filter(|(_, threads)| *threads > 0);
            all.map(|(node, threads)| (node, (threads as f64, 1.0))).collect()
        };
        for counts in [counts(&local), counts(&distributed)] {
            let nodes =
                |all: std::ops::Range<usize>| -> NodeSet { all.map(|node| NodeId(node as u32)).collect() };
            let mut plans = vec![
                MemoryPlan::default_policy(),
                MemoryPlan::new(MemoryMode::Interleave, nodes(0..of.nodes)),
                MemoryPlan::new(MemoryMode::Bind, nodes(of.nodes - 1..of.nodes)),
            ];
            if !of.extra.is_empty() {
                plans.push(MemoryPlan::new(MemoryMode::Bind, nodes(of.nodes..of.nodes + of.extra.len())));
            }
            points.extend(plans.into_iter().map(|memory| SimulatedPoint { counts: counts.clone(), memory }));
        }
    }
    points
}
