//! The truth for tests: programs on simulated machines, by other formulas than the model's. Threads take whole chunks of work in phases; memory is
//! a queue whose waiting grows as its load nears what it gives; caches hold what fits; barriers cost with the logarithm of threads.

use std::collections::BTreeMap;

use numawise_facts::MemoryMode;
use numawise_predict::Capacities;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machine::{SimulatedMachine, SimulatedPoint};

/// What a program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedKind {
    Computes,
    Streams,
    WaitsForLoads,
    Mixed,
    /// Forks and joins, with serial work between.
    Forks,
    /// Few chunks, of which some threads get one more.
    Chunks,
    /// The last thread has the most.
    Triangle,
    /// Each thread is a stage.
    Pipeline,
    /// All need a lock for a part of their work.
    Lock,
    /// Work goes to whoever is free.
    Queue,
    /// Its memory fits the caches of enough threads.
    Reuse,
    /// Loads in random order, of which the caches hold more the more threads there are.
    Spill,
    /// Everybody reads everybody's memory.
    Exchange,
}

pub const KINDS: [SimulatedKind; 13] = {
    use SimulatedKind::*;
    [
        Computes,
        Streams,
        WaitsForLoads,
        Mixed,
        Forks,
        Chunks,
        Triangle,
        Pipeline,
        Lock,
        Queue,
        Reuse,
        Spill,
        Exchange,
    ]
};

/// Whose memory a thread uses where the first to touch it decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touched {
    ByEach,
    ByFirst,
    UsedByAll,
}

/// Work, bytes (as the time of one core for them) and single loads of a phase.
#[derive(Debug, Clone, Copy)]
struct Phase {
    work: f64,
    bytes: f64,
    loads: f64,
}

#[derive(Debug)]
pub struct SimulatedProgram {
    pub kind: SimulatedKind,
    serial: f64,
    phases: Vec<Phase>,
    /// Chunks, items, or the number of threads whose caches hold everything.
    count: f64,
    locked: f64,
    barrier: f64,
    touched: Touched,
    slower_when_busy: f64,
    pub noise: f64,
}

impl SimulatedProgram {
    /// One of a kind; the same for the same seed.
    pub fn draw(kind: SimulatedKind, machine: &SimulatedMachine, seed: u64) -> SimulatedProgram {
        use SimulatedKind::*;
        let mut random = ChaCha8Rng::seed_from_u64(seed * 31 + kind as u64);
        let mut uniform = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
        let cores = (machine.nodes * machine.cores) as f64;
        let mut phase = || {
            let (work, bytes, loads) = match kind {
                Computes | Chunks | Triangle | Lock => ((0.5, 1.0), (0.0, 0.1), (0.0, 0.05)),
                Streams | Reuse => ((0.05, 0.3), (0.5, 1.0), (0.0, 0.03)),
                WaitsForLoads | Spill => ((0.05, 0.3), (0.0, 0.1), (0.5, 1.0)),
                Mixed | Forks | Pipeline | Queue | Exchange => ((0.2, 0.6), (0.1, 0.6), (0.0, 0.2)),
            };
            let of = |(low, high): (f64, f64), uniform: &mut dyn FnMut(f64, f64) -> f64| uniform(low, high);
            Phase {
                work: of(work, &mut uniform),
                bytes: of(bytes, &mut uniform),
                loads: of(loads, &mut uniform),
            }
        };
        let mut phases = vec![phase()];
        if kind == Mixed {
            phases.extend([phase(), phase()]);
        }
        let touched = match uniform(0.0, 1.0) {
            _ if kind == Exchange => Touched::UsedByAll,
            dice if dice < 0.4 => Touched::ByFirst,
            _ => Touched::ByEach,
        };
        SimulatedProgram {
            kind,
            serial: if kind == Forks { uniform(0.02, 0.15) } else { uniform(0.0, 0.012) },
            phases,
            count: match kind {
                Chunks => uniform(2.0, 8.0) * cores,
                Pipeline => uniform(20.0, 200.0),
                Reuse | Spill => uniform(0.2, 1.2) * cores,
                _ => f64::INFINITY,
            }
            .floor(),
            locked: if kind == Lock { uniform(0.02, 0.2) } else { 0.0 },
            barrier: uniform(0.0, 0.002),
            touched,
            slower_when_busy: uniform(0.0, 0.15),
            noise: uniform(0.003, 0.015),
        }
    }

    pub fn is_touched_by_first(&self) -> bool {
        self.touched == Touched::ByFirst
    }

    /// The part of the shared work that the thread with the most has.
    fn share(&self, n: f64) -> f64 {
        match self.kind {
            SimulatedKind::Chunks => (self.count / n).ceil() / self.count,
            SimulatedKind::Triangle => (2.0 * n - 1.0) / (n * n),
            SimulatedKind::Pipeline => (self.count + n - 1.0) / self.count / n,
            _ => 1.0 / n,
        }
    }

    /// What the caches of so many threads leave of the accesses.
    fn missed(&self, n: f64) -> f64 {
        match self.kind {
            // Of a sweep all or nothing is held, but for threads with less than the others.
            SimulatedKind::Reuse => 0.15 + 0.85 / (1.0 + (n / self.count).powi(8)),
            SimulatedKind::Spill => 1.0 - 0.8 * (n / self.count).min(1.0),
            _ => 1.0,
        }
    }

    fn sources(&self, machine: &Capacities, point: &SimulatedPoint, from: usize) -> Vec<(usize, f64)> {
        let named: Vec<usize> = point.memory.nodes.iter().map(|node| node.0 as usize).collect();
        let even = |of: &[usize]| of.iter().map(|node| (*node, 1.0 / of.len() as f64)).collect();
        let giver = |from: usize| match point.memory.mode {
            MemoryMode::Bind => machine.nearest(from, named.iter().copied()).unwrap_or(from),
            _ => from,
        };
        match (point.memory.mode, self.touched) {
            (MemoryMode::Interleave, _) => even(&named),
            (_, Touched::ByFirst) => vec![(giver(point.first()), 1.0)],
            (_, Touched::ByEach) => vec![(giver(from), 1.0)],
            (_, Touched::UsedByAll) => {
                let all = point.counts.iter();
                all.map(|(node, (threads, _))| (giver(*node), threads / point.threads())).collect()
            }
        }
    }

    /// Seconds, without noise.
    pub fn time(&self, of: &SimulatedMachine, machine: &Capacities, point: &SimulatedPoint) -> f64 {
        let n = point.threads();
        let phases: f64 = self.phases.iter().map(|phase| self.phase(of, machine, point, phase)).sum();
        let all: f64 = self.phases.iter().map(|phase| phase.work + phase.bytes + phase.loads).sum();
        10.0 * (phases + all * (self.serial + self.barrier * n.log2()))
    }

    /// Rates that fit together: each thread's time for its share, given how long memory waits for all.
    fn phase(
        &self,
        of: &SimulatedMachine,
        machine: &Capacities,
        point: &SimulatedPoint,
        what: &Phase,
    ) -> f64 {
        let n = point.threads();
        let (share, missed) = (self.share(n), self.missed(n));
        let clock = 1.0 + self.slower_when_busy * n / (of.nodes * of.cores) as f64;
        let (bytes, loads) = (what.bytes * missed, what.loads * missed);
        // The longer the phase, the less memory is asked for at a time, and the less long a phase takes: they meet once.
        let next = |phase: f64| {
            let mut demand: BTreeMap<(usize, usize), f64> = BTreeMap::new();
            for (&from, (threads, _)) in &point.counts {
                for (to, part) in self.sources(machine, point, from) {
                    let rate = threads * part * (bytes + 0.2 * loads) / n / phase;
                    *demand.entry((from, to)).or_default() += rate;
                }
            }
            let wait = |from: usize, to: usize| {
                let at: f64 = demand.iter().filter(|((_, node), _)| *node == to).map(|(_, rate)| rate).sum();
                let memory = at / of.saturating / machine.nodes[to].bandwidth.value;
                let link = demand.get(&(from, to)).copied().unwrap_or_default()
                    / of.saturating
                    / machine.pairs[from][to].bandwidth.value;
                let queue = |load: f64| 1.0 + of.queue * load.min(0.999).powi(3) / (1.0 - load.min(0.999));
                queue(if from == to { memory } else { memory.max(link) })
            };
            let of_node = |from: usize| {
                let of_source = |(to, part): (usize, f64)| {
                    let latency = machine.pairs[from][to].latency.value;
                    part * wait(from, to) * (bytes * (0.8 + 0.2 * latency) + loads * latency)
                };
                let memory: f64 = self.sources(machine, point, from).into_iter().map(of_source).sum();
                what.work * clock + memory
            };
            self.joined(point, share, &of_node)
        };
        let all = what.work + what.bytes + what.loads;
        let (mut least, mut most) = ((1e-4 * all).ln(), (1e3 * all).ln());
        for _ in 0..40 {
            let middle = 0.5 * (least + most);
            if next(middle.exp()) > middle.exp() { least = middle } else { most = middle }
        }
        most.exp()
    }

    /// The time of all threads together, by what each would take for all work.
    fn joined(&self, point: &SimulatedPoint, share: f64, of_node: &dyn Fn(usize) -> f64) -> f64 {
        let slowest = point.counts.keys().map(|&from| share * of_node(from)).fold(0.0, f64::max);
        match self.kind {
            SimulatedKind::Queue => {
                1.0 / point.counts.iter().map(|(&from, (threads, _))| threads / of_node(from)).sum::<f64>()
            }
            SimulatedKind::Lock => {
                // Threads wait for the lock as customers of a closed queue do: by mean values, one thread after the other.
                let n = point.threads();
                let (outside, inside) = ((1.0 - self.locked) * slowest * n, self.locked * slowest * n);
                let (mut waiting, mut time) = (0.0, slowest);
                for customers in 1..=n as usize {
                    let response = inside * (1.0 + waiting);
                    let rate = customers as f64 / (outside + response);
                    waiting = rate * response;
                    time = 1.0 / rate;
                }
                time
            }
            _ => slowest,
        }
    }
}
