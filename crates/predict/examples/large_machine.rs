//! How long it takes to predict the placements of a machine with 393,216 hardware threads (its nodes stand for their CPUs, which are more than a
//! set of CPUs holds):
//! `cargo run --release -p numawise-predict --example large_machine`.

use std::time::Instant;

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{Cpu, Machine, MemoryKind, MemoryMode, MemoryPlan, Node, Reading, Source};
use numawise_predict::{Capacities, Counts, Fit, Observed, PointShape, predicted};
use numawise_units::{Bytes, CpuId, CpuSet, NodeId, NodeSet};

const NODES: u32 = 128;
const CORES: u32 = 1536;
const SMT: u32 = 2;

fn machine() -> Machine {
    let node = |id: u32| Node {
        id: NodeId(id),
        cpus: CpuSet::single(CpuId(id)),
        near: CpuSet::single(CpuId(id)),
        memory: Reading::Measured(Bytes(1 << 40)),
        free: Reading::unavailable("a description"),
        kind: MemoryKind::Dram,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::Measured((0..NODES).map(|other| if other == id { 10 } else { 21 }).collect()),
    };
    let cpu = |id: u32| Cpu {
        id: CpuId(id),
        node: Some(NodeId(id)),
        package: None,
        core: id,
        smt: 0,
        efficiency: Reading::unavailable("all are alike"),
    };
    let cpus: Vec<Cpu> = (0..NODES).map(cpu).collect();
    Machine {
        source: Source::Synthetic("128 nodes".to_owned()),
        packages: Vec::new(),
        nodes: (0..NODES).map(node).collect(),
        allowed_cpus: cpus.iter().map(|cpu| cpu.id).collect(),
        allowed_nodes: (0..NODES).map(NodeId).collect(),
        cpus,
        caches: Vec::new(),
        attributes: Vec::new(),
        devices: Reading::unavailable("a description"),
        limits: Vec::new(),
    }
}

/// Threads by node, each node filled before the next or all alike.
fn counts(threads: u32, is_local: bool) -> Counts {
    let of = |node: u32| {
        let all = CORES * SMT;
        if is_local {
            threads.saturating_sub(node * all).min(all)
        } else {
            (threads + NODES - 1 - node) / NODES
        }
    };
    let per_core = |threads: u32| if threads > CORES { 2.0 } else { 1.0 };
    let all = (0..NODES).map(|node| (node as usize, of(node))).filter(|(_, threads)| *threads > 0);
    all.map(|(node, threads)| (node, (f64::from(threads), per_core(threads)))).collect()
}

fn main() {
    let machine = machine();
    let begun = Instant::now();
    let mut capacities = Capacities::of(&machine, Some(24.0));
    capacities.cores = (NODES * CORES) as usize;
    let nodes: NodeSet = (0..NODES).map(NodeId).collect();
    let policies = [
        MemoryPlan::default_policy(),
        MemoryPlan::new(MemoryMode::Interleave, nodes),
        MemoryPlan::new(MemoryMode::Bind, NodeSet::single(NodeId(NODES - 1))),
    ];
    let mut levels: Vec<u32> = (0..18).map(|power| 1 << power).collect();
    levels.extend((1..=2 * NODES).map(|half| half * CORES));
    let mut shapes = Vec::new();
    for &threads in &levels {
        for is_local in [true, false] {
            let counts = counts(threads, is_local);
            let active: f64 = counts.values().map(|(threads, per_core)| threads / per_core).sum();
            for memory in &policies {
                let shape = PointShape::of_counts(&capacities, &counts, 0, active as usize, memory);
                shapes.push(shape.expect("every node has memory"));
            }
        }
    }
    let described = begun.elapsed();
    let step = shapes.len() / 8;
    let run = |k: usize| {
        let shape = shapes[k * step].clone();
        let time = (0.01 + 1e4 / shape.threads).ln();
        Observed { shape, time, noise: 0.01, at_first_node: None }
    };
    let runs: Vec<Observed> = (0..8).map(run).collect();
    let fit = Fit::of(&capacities, &runs);
    let fitted = begun.elapsed();
    let best = shapes
        .iter()
        .map(|shape| predicted(&fit, shape, None, 0.01))
        .min_by(|one, other| one.middle.total_cmp(&other.middle));
    println!(
        "{} hardware threads, {} placements: described after {:.2} s, fitted after {:.2} s, predicted after {:.2} s; the best takes {:.3} s",
        NODES * CORES * SMT,
        shapes.len(),
        described.as_secs_f64(),
        fitted.as_secs_f64(),
        begun.elapsed().as_secs_f64(),
        best.map_or(f64::NAN, |best| best.middle.exp())
    );
}
