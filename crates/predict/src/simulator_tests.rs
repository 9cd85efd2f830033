//! The truth for tests: programs on machines, by other formulas than the model's. Threads take whole chunks of work in phases; memory is a queue
//! whose waiting grows as its load nears what it gives; barriers cost with the logarithm of threads; runs have noise.

use std::collections::BTreeMap;

use numawise_facts::{MemoryKind, MemoryMode, MemoryPlan};
use numawise_units::{CpuId, NodeId, NodeSet};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::capacity::{Capacities, NodeCapacity, PairCapacity, RelativeFigure, Source};
use crate::choose::most_telling;
use crate::fit::{Fit, Observed};
use crate::predict::predicted;
use crate::shape::{Counts, PointShape};

/// Nodes with so many cores each, and nodes of fast memory without any; remote bandwidth and latency against local.
pub(crate) struct SimulatedMachine {
    pub nodes: usize,
    pub cores: usize,
    pub fast: usize,
    pub remote: (f64, f64),
    pub saturating: f64,
}

pub(crate) fn capacities(of: &SimulatedMachine, is_measured: bool) -> Capacities {
    let source = if is_measured { Source::Measured } else { Source::Guessed };
    let figure = |value| RelativeFigure { value, source };
    let all = of.nodes + of.fast;
    let pair = |from: usize, to: usize| {
        let is_fast = to >= of.nodes;
        let is_own = from == if is_fast { to - of.nodes } else { to };
        let local = if is_fast { (4.0, 1.2) } else { (1.0, 1.0) };
        let (bandwidth, latency) = if is_own { local } else { (of.remote.0, local.1 * of.remote.1) };
        PairCapacity { bandwidth: figure(bandwidth), latency: figure(latency) }
    };
    let node = |place: usize| NodeCapacity {
        id: NodeId(place as u32),
        kind: if place < of.nodes { MemoryKind::Dram } else { MemoryKind::Hbm },
        bandwidth: figure(if place < of.nodes { 1.0 } else { 4.0 }),
        is_unknown: false,
        memory: None,
        may_be_used: true,
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
pub(crate) struct SimulatedPoint {
    pub counts: Counts,
    pub memory: MemoryPlan,
}

pub(crate) fn grid(of: &SimulatedMachine) -> Vec<SimulatedPoint> {
    let mut points = Vec::new();
    for threads in 1..=of.nodes * of.cores {
        let local: Counts = (0..of.nodes)
            .map(|node| (node, threads.saturating_sub(node * of.cores).min(of.cores)))
            .filter(|(_, threads)| *threads > 0)
            .map(|(node, threads)| (node, (threads as f64, 1.0)))
            .collect();
        let distributed: Counts = (0..of.nodes)
            .map(|node| (node, (threads + of.nodes - 1 - node) / of.nodes))
            .filter(|(_, threads)| *threads > 0)
            .map(|(node, threads)| (node, (threads as f64, 1.0)))
            .collect();
        for counts in [local, distributed] {
            let nodes = |all: &mut dyn Iterator<Item = usize>| {
                all.map(|node| NodeId(node as u32)).collect::<NodeSet>()
            };
            let mut plans = vec![
                MemoryPlan::default_policy(),
                MemoryPlan::new(MemoryMode::Interleave, nodes(&mut (0..of.nodes))),
                MemoryPlan::new(MemoryMode::Bind, nodes(&mut std::iter::once(of.nodes - 1))),
            ];
            if of.fast > 0 {
                plans.push(MemoryPlan::new(MemoryMode::Bind, nodes(&mut (of.nodes..of.nodes + of.fast))));
            }
            points.extend(plans.into_iter().map(|memory| SimulatedPoint { counts: counts.clone(), memory }));
        }
    }
    points
}

/// What a simulated program does.
#[derive(Debug)]
struct SimulatedProgram {
    serial: f64,
    /// Work, bytes (as the time of one core for them) and single loads of each phase.
    phases: Vec<(f64, f64, f64)>,
    chunks: Option<usize>,
    barrier: f64,
    /// Memory is first touched by the first thread.
    is_serially_touched: bool,
    slower_when_busy: f64,
    noise: f64,
}

impl SimulatedProgram {
    fn draw(random: &mut ChaCha8Rng) -> SimulatedProgram {
        let mut uniform = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
        let kind = uniform(0.0, 3.0);
        let phases = (0..uniform(1.0, 4.0) as usize)
            .map(|_| match kind as usize {
                0 => (uniform(0.5, 1.0), uniform(0.0, 0.2), uniform(0.0, 0.1)),
                1 => (uniform(0.1, 0.5), uniform(0.5, 1.0), uniform(0.0, 0.05)),
                _ => (uniform(0.1, 0.5), uniform(0.0, 0.3), uniform(0.3, 1.0)),
            })
            .collect();
        SimulatedProgram {
            serial: if uniform(0.0, 1.0) < 0.5 { uniform(0.0, 0.01) } else { uniform(0.01, 0.1) },
            phases,
            chunks: (uniform(0.0, 1.0) < 0.4).then(|| uniform(100.0, 2000.0) as usize),
            barrier: uniform(0.0, 0.002),
            is_serially_touched: uniform(0.0, 1.0) < 0.4,
            slower_when_busy: uniform(0.0, 0.15),
            noise: uniform(0.003, 0.015),
        }
    }

    fn time(&self, of: &SimulatedMachine, machine: &Capacities, point: &SimulatedPoint) -> f64 {
        let n: f64 = point.counts.values().map(|(threads, _)| threads).sum();
        let first = *point.counts.keys().next().unwrap();
        let sources = |from: usize| -> Vec<(usize, f64)> {
            let named: Vec<usize> = point.memory.nodes.iter().map(|node| node.0 as usize).collect();
            match point.memory.mode {
                MemoryMode::Interleave => {
                    named.iter().map(|node| (*node, 1.0 / named.len() as f64)).collect()
                }
                MemoryMode::Bind if self.is_serially_touched => {
                    vec![(machine.nearest(first, named.into_iter()).unwrap(), 1.0)]
                }
                MemoryMode::Bind => vec![(machine.nearest(from, named.into_iter()).unwrap(), 1.0)],
                _ if self.is_serially_touched => vec![(first, 1.0)],
                _ => vec![(from, 1.0)],
            }
        };
        let share = match self.chunks {
            Some(chunks) => (chunks as f64 / n).ceil() / chunks as f64,
            None => 1.0 / n,
        };
        let clock = 1.0 + self.slower_when_busy * n / (of.nodes * of.cores) as f64;
        let mut time = self.serial + self.barrier * n.log2();
        for (work, bytes, loads) in &self.phases {
            // Rates that fit together: each thread's time for its share, given how long memory waits for all.
            let mut phase = share * (work + bytes + loads);
            for _ in 0..200 {
                let mut demand: BTreeMap<(usize, usize), f64> = BTreeMap::new();
                for (&from, (threads, _)) in &point.counts {
                    for (to, part) in sources(from) {
                        *demand.entry((from, to)).or_default() +=
                            threads * part * (bytes + 0.2 * loads) * share / phase;
                    }
                }
                let wait = |from: usize, to: usize| {
                    let at: f64 =
                        demand.iter().filter(|((_, node), _)| *node == to).map(|(_, rate)| rate).sum();
                    let memory = at / of.saturating / machine.nodes[to].bandwidth.value;
                    let link = demand.get(&(from, to)).copied().unwrap_or_default()
                        / of.saturating
                        / machine.pairs[from][to].bandwidth.value;
                    let queue = |load: f64| 1.0 + 0.3 * load.min(0.98).powi(3) / (1.0 - load.min(0.98));
                    queue(if from == to { memory } else { memory.max(link) })
                };
                let slowest = point.counts.keys().map(|&from| {
                    let of_source = |(to, part): (usize, f64)| {
                        let latency = machine.pairs[from][to].latency.value;
                        part * wait(from, to) * (bytes * (0.8 + 0.2 * latency) + loads * latency)
                    };
                    share * (work * clock + sources(from).into_iter().map(of_source).sum::<f64>())
                });
                let next = slowest.fold(0.0, f64::max);
                phase = 0.8 * phase + 0.2 * next;
            }
            time += phase;
        }
        10.0 * time
    }
}

/// What predictions of a program came to.
#[derive(Debug, Default)]
pub(crate) struct Score {
    pub errors: Vec<f64>,
    pub inside: usize,
    /// How much slower the point that is chosen is than the best.
    pub regrets: Vec<f64>,
}

impl Score {
    fn quantile(of: &[f64], share: f64) -> f64 {
        let mut sorted = of.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() - 1) as f64 * share).round() as usize]
    }

    pub fn error(&self, share: f64) -> f64 {
        Score::quantile(&self.errors, share)
    }

    pub fn regret(&self, share: f64) -> f64 {
        Score::quantile(&self.regrets, share)
    }

    pub fn coverage(&self) -> f64 {
        self.inside as f64 / self.errors.len() as f64
    }
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

/// Programs on a machine, each predicted from so many points.
fn score(of: &SimulatedMachine, is_measured: bool, programs: u64, runs: usize) -> Score {
    let (machine, truth) = (capacities(of, is_measured), capacities(of, true));
    let grid = grid(of);
    let first = |point: &SimulatedPoint| *point.counts.keys().next().unwrap();
    let shape = |point: &SimulatedPoint| {
        let active: f64 = point.counts.values().map(|(threads, _)| threads).sum();
        PointShape::of_counts(&machine, &point.counts, first(point), active as usize, &point.memory).unwrap()
    };
    let shapes: Vec<PointShape> = grid.iter().map(shape).collect();
    let chosen = most_telling(&machine, &shapes.iter().collect::<Vec<_>>(), runs);
    let mut score = Score::default();
    for seed in 0..programs {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let program = SimulatedProgram::draw(&mut random);
        let times: Vec<f64> = grid.iter().map(|point| program.time(of, &truth, point)).collect();
        let mut run = |place: usize| {
            let mut three: Vec<f64> =
                (0..3).map(|_| times[place].ln() + program.noise * normal(&mut random)).collect();
            three.sort_by(f64::total_cmp);
            let at_first_node = shapes[place]
                .first_node
                .map(|(_, patterns)| if program.is_serially_touched { patterns[1] } else { patterns[0] });
            Observed {
                shape: shapes[place].clone(),
                time: three[1],
                noise: program.noise / 3f64.sqrt(),
                at_first_node,
            }
        };
        let mut observed: Vec<Observed> = chosen.iter().map(|place| run(*place)).collect();
        let mut known = chosen.clone();
        let mut fit = Fit::of(&machine, &observed);
        let unknown =
            |known: &[usize]| (0..grid.len()).filter(|place| !known.contains(place)).collect::<Vec<_>>();
        for place in unknown(&known) {
            let interval = predicted(&fit, &shapes[place], None, program.noise / 3f64.sqrt());
            let seen = times[place].ln()
                + program.noise / 2f64.sqrt() * normal(&mut ChaCha8Rng::seed_from_u64(place as u64));
            score.errors.push((interval.middle - times[place].ln()).exp_m1().abs());
            score.inside += usize::from((interval.low..=interval.high).contains(&seen));
        }
        for _ in 0..3 {
            let middle = |place: &usize| predicted(&fit, &shapes[*place], None, 0.0).middle;
            let best = unknown(&known)
                .into_iter()
                .min_by(|one, other| middle(one).total_cmp(&middle(other)))
                .unwrap();
            let least = observed.iter().map(|one| one.time).fold(f64::INFINITY, f64::min);
            if middle(&best) > least {
                break;
            }
            let one = {
                let mut three: Vec<f64> = (0..3u64)
                    .map(|k| {
                        times[best].ln()
                            + program.noise * normal(&mut ChaCha8Rng::seed_from_u64(seed + 1000 * k))
                    })
                    .collect();
                three.sort_by(f64::total_cmp);
                Observed {
                    shape: shapes[best].clone(),
                    time: three[1],
                    noise: program.noise / 3f64.sqrt(),
                    at_first_node: None,
                }
            };
            observed.push(one);
            known.push(best);
            fit = Fit::of(&machine, &observed);
        }
        let best_run =
            (0..known.len()).min_by(|a, b| observed[*a].time.total_cmp(&observed[*b].time)).unwrap();
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        score.regrets.push(times[known[best_run]] / least - 1.0);
    }
    score
}

/// Loosely: a change that makes predictions worse fails, another draw of programs does not.
fn check(of: &SimulatedMachine, is_measured: bool) {
    let score = score(of, is_measured, 8, 8);
    let (middle, far) = (score.error(0.5), score.error(0.95));
    assert!(middle < 0.03 && far < 0.15, "error {middle:.3}, {far:.3}");
    assert!((0.85..=1.0).contains(&score.coverage()), "inside {:.3}", score.coverage());
    let (middle, far) = (score.regret(0.5), score.regret(0.95));
    assert!(middle < 0.01 && far < 0.06, "slower than the best by {middle:.3}, {far:.3}");
}

pub(crate) const TWO_SOCKETS: SimulatedMachine =
    SimulatedMachine { nodes: 2, cores: 22, fast: 0, remote: (0.45, 1.7), saturating: 7.0 };
const FOUR_NODES: SimulatedMachine =
    SimulatedMachine { nodes: 4, cores: 8, fast: 0, remote: (0.3, 2.0), saturating: 4.0 };
const FAST_MEMORY: SimulatedMachine =
    SimulatedMachine { nodes: 2, cores: 12, fast: 2, remote: (0.4, 1.6), saturating: 5.0 };

#[test]
fn two_sockets_that_were_measured() {
    check(&TWO_SOCKETS, true);
}

#[test]
fn two_sockets_without_a_measurement() {
    check(&TWO_SOCKETS, false);
}

#[test]
fn four_nodes() {
    check(&FOUR_NODES, true);
}

#[test]
fn fast_memory() {
    check(&FAST_MEMORY, true);
}
