//! Machines that do not exist, measured: for the tests of this crate and of `report`, which takes this file as its own.

use numawise_facts::notice::MembenchNotice;
use numawise_facts::{
    Bandwidth, BufferPages, BufferSpread, Cache, Depth, Estimate, Fingerprint, IdleLatency, LoadPoint,
    LoadedLatency, LoopChoice, LoopPath, LoopTrial, Machine, MemoryKind, MemoryLoop, Mix, Profile,
    ProfileHeader, ProfileNode, ProfileOrigin, Reading, Source, Target, Transfer, Vectors, Workers,
    WorkingSet, WorkingSets,
};
use numawise_units::{Arrange, Bytes, BytesPerSecond, CpuId, CpuSet, Latency, Nanoseconds, NodeId, NodeSet};

/// L1, L2 and L3 of every core, and how long each answers.
const CACHES: [(u64, f64); 3] = [(48 << 10, 1.2), (2 << 20, 3.9), (60 << 20, 21.5)];

pub struct Shape {
    /// Kind of memory and number of CPUs of each node.
    pub nodes: Vec<(MemoryKind, u32)>,
    /// From node to node: nanoseconds, and bytes per second that all cores of the first read.
    pub pair: fn(usize, usize) -> (f64, f64),
    pub depth: Depth,
}

impl Shape {
    /// Everything that this depth measures.
    pub fn profile(&self) -> Profile {
        let mut profile = Profile {
            arithmetic: Vec::new(),
            caches: Vec::new(),
            header: self.header(),
            latency: Vec::new(),
            working_sets: Vec::new(),
            bandwidth: Vec::new(),
            loaded: Vec::new(),
            transfers: Vec::new(),
        };
        for from in self.with_cpus() {
            for to in 0..self.nodes.len() {
                profile.latency.push(self.latency(from, to));
                self.bandwidth(from, to, &mut profile.bandwidth);
                if self.depth == Depth::Full || (self.depth == Depth::Standard && from == to) {
                    self.loaded(from, to, &mut profile.loaded);
                }
            }
        }
        if self.depth != Depth::Quick {
            let to_last = self.nodes.len() - 1;
            profile.working_sets = vec![self.working_sets(0, 0)];
            if to_last > 0 {
                profile.working_sets.push(self.working_sets(0, to_last));
            }
        }
        self.machine_bandwidth(&mut profile.bandwidth);
        if self.depth == Depth::Full {
            self.transfers(&mut profile.transfers);
        }
        profile.bandwidth.arrange_by_key(|cell| (cell.workers, cell.target, cell.mix));
        profile
    }

    fn header(&self) -> ProfileHeader {
        let node = |(k, (kind, _)): (usize, &(MemoryKind, u32))| ProfileNode {
            id: NodeId(k as u32),
            cpus: Reading::Measured(self.cpus(k)),
            memory: Reading::Measured(Bytes(64 << 30)),
            kind: *kind,
        };
        ProfileHeader {
            origin: ProfileOrigin::Numawise("0.1.0".to_owned()),
            fingerprint: Fingerprint {
                topology: Reading::Measured("0123456789abcdef".to_owned()),
                processor: Reading::Measured("Imaginary Processor 9000".to_owned()),
                kernel: Reading::Measured("6.1.0-13-amd64".to_owned()),
                firmware: Reading::Measured("Imaginary BIOS 1.2, 2025-02-03".to_owned()),
            },
            taken: Reading::Measured(1_772_366_400),
            took: Reading::Measured(Nanoseconds(93_400_000_000)),
            depth: self.depth,
            complete: true,
            nodes: self.nodes.iter().enumerate().map(node).collect(),
            vectors: Reading::Measured("avx512".to_owned()),
            notices: Vec::new(),
        }
    }

    /// The machine that the profile was taken on, with its caches; nothing else in it is true.
    pub fn machine(&self) -> Machine {
        let caches = self.with_cpus().flat_map(|node| {
            CACHES.into_iter().zip(1..).map(move |((size, _), level)| (node, level, Bytes(size)))
        });
        let caches = caches.map(|(node, level, size)| Cache { level, size, cpus: self.cpus(node) }).collect();
        Machine {
            source: Source::Live,
            packages: Vec::new(),
            nodes: Vec::new(),
            cpus: Vec::new(),
            caches,
            attributes: Vec::new(),
            devices: Reading::unavailable("not looked for"),
            allowed_cpus: CpuSet::new(),
            allowed_nodes: NodeSet::new(),
            limits: Vec::new(),
        }
    }

    fn with_cpus(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(|k| self.nodes[*k].1 > 0)
    }

    fn cpus(&self, node: usize) -> CpuSet {
        let first: u32 = self.nodes[..node].iter().map(|(_, cpus)| cpus).sum();
        (first..first + self.nodes[node].1).map(CpuId).collect()
    }

    fn latency(&self, from: usize, to: usize) -> IdleLatency {
        let (ns, _) = (self.pair)(from, to);
        IdleLatency {
            from: NodeId(from as u32),
            to: NodeId(to as u32),
            cpu: self
                .cpus(from)
                .iter()
                .next()
                .map_or_else(|| Reading::unavailable("none"), Reading::Measured),
            pages: Reading::Measured(BufferPages::Transparent),
            bytes: Reading::Measured(Bytes(1 << 30)),
            latency: Reading::Measured(estimate(ns, Latency)),
            with_tlb_misses: Reading::Measured(estimate(ns * 1.22 + 8.0, Latency)),
            buffers: Reading::Measured(spread(ns, Latency)),
        }
    }

    fn mixes(&self) -> impl Iterator<Item = (Mix, f64)> + use<> {
        let all = if self.depth == Depth::Quick { 1 } else { Mix::ALL.len() };
        Mix::ALL.into_iter().zip([1.0, 1.03, 1.01, 0.94, 0.97, 0.58]).take(all)
    }

    fn bandwidth(&self, from: usize, to: usize, cells: &mut Vec<Bandwidth>) {
        let (_, rate) = (self.pair)(from, to);
        let (node, target) = (NodeId(from as u32), Target::Node(NodeId(to as u32)));
        for (mix, factor) in self.mixes() {
            let hmat = match (from == to, mix) {
                (true, Mix::Read) => Reading::Measured(BytesPerSecond(rate / 0.87)),
                _ => Reading::unavailable("the firmware declares no bandwidth for this pair (no HMAT)"),
            };
            let crews =
                [(Workers::Node(node), self.nodes[from].1, rate), (Workers::Core(node), 1, rate.min(13.1e9))];
            for (workers, threads, rate) in crews {
                if threads == 1 && (self.depth == Depth::Quick || (from != to && self.depth != Depth::Full)) {
                    continue;
                }
                let declared = match workers {
                    Workers::Node(_) => hmat.clone(),
                    _ => Reading::unavailable("one core is not what the firmware speaks of"),
                };
                let (with, buffers) = taken(mix, rate * factor);
                let rate = Reading::Measured(estimate(rate * factor, BytesPerSecond));
                let threads = Reading::Measured(threads);
                cells.push(Bandwidth { workers, target, mix, threads, rate, declared, with, buffers });
            }
        }
    }

    fn machine_bandwidth(&self, cells: &mut Vec<Bandwidth>) {
        let all: f64 = self.with_cpus().map(|k| (self.pair)(k, k).1).sum();
        let threads = self.nodes.iter().map(|(_, cpus)| cpus).sum();
        for (mix, factor) in self.mixes() {
            let (with, buffers) = taken(mix, all * factor * 0.98);
            cells.push(Bandwidth {
                workers: Workers::Machine,
                target: Target::Local,
                mix,
                threads: Reading::Measured(threads),
                rate: Reading::Measured(estimate(all * factor * 0.98, BytesPerSecond)),
                declared: Reading::unavailable("the firmware declares nothing for all nodes together"),
                with,
                buffers,
            });
        }
    }

    fn working_sets(&self, from: usize, to: usize) -> WorkingSets {
        let (memory, _) = (self.pair)(from, to);
        let sizes = (12..31).flat_map(|k| [1u64 << k, 3u64 << (k - 1)]).take(37);
        let point = |bytes: u64| {
            // Of a set larger than a cache, that cache still holds a part.
            let mut ns = memory;
            for (size, answer) in CACHES.into_iter().rev() {
                let held = (0.92 * size as f64 / bytes as f64).min(1.0);
                ns = held * answer + (1.0 - held) * ns;
            }
            WorkingSet { bytes: Bytes(bytes), latency: Reading::Measured(estimate(ns, Latency)) }
        };
        WorkingSets {
            from: NodeId(from as u32),
            to: NodeId(to as u32),
            cpu: self.cpus(from).iter().next().unwrap_or(CpuId(0)),
            pages: Reading::Measured(BufferPages::Transparent),
            points: sizes.map(point).collect(),
        }
    }

    fn loaded(&self, from: usize, to: usize, curves: &mut Vec<LoadedLatency>) {
        let (ns, rate) = (self.pair)(from, to);
        for (mix, factor) in self.mixes().step_by(if self.depth == Depth::Full { 1 } else { 3 }) {
            let steps = [0.03, 0.1, 0.2, 0.35, 0.5, 0.62, 0.72, 0.8, 0.87, 0.93, 0.97, 0.99];
            let point = |u: &f64| LoadPoint {
                delay: Reading::Measured(Nanoseconds((400.0 / u) as u64)),
                bandwidth: estimate(rate * factor * u, BytesPerSecond),
                latency: estimate(ns * (1.0 + 0.25 * u + 0.09 * u.powi(5) / (1.03 - u)), Latency),
            };
            curves.push(LoadedLatency {
                from: NodeId(from as u32),
                to: NodeId(to as u32),
                mix,
                workers: Workers::Node(NodeId(from as u32)),
                threads: Reading::Measured(self.nodes[from].1 - 1),
                points: Reading::Measured(steps.iter().map(point).collect()),
                with: taken(mix, rate * factor).0,
            });
        }
    }

    fn transfers(&self, transfers: &mut Vec<Transfer>) {
        let cpus: Vec<(usize, CpuId)> = self
            .with_cpus()
            .flat_map(|k| self.cpus(k).iter().map(move |cpu| (k, cpu)).collect::<Vec<_>>())
            .collect();
        for &(one, owner) in &cpus {
            for &(other, reader) in cpus.iter().filter(|(_, cpu)| *cpu != owner) {
                let apart = f64::from(owner.0.abs_diff(reader.0) % 4);
                let ns = if one == other { 48.0 + 2.5 * apart } else { 122.0 + 4.0 * apart };
                transfers.push(Transfer {
                    owner: Reading::Measured(owner),
                    reader: Reading::Measured(reader),
                    owner_node: Reading::Measured(NodeId(one as u32)),
                    reader_node: Reading::Measured(NodeId(other as u32)),
                    home: Reading::Measured(NodeId(one as u32)),
                    same_node: one == other,
                    latency: Reading::Measured(estimate(ns, Latency)),
                });
            }
        }
    }
}

/// Which loop won for a mix, after its trials; and three buffers that hardly differ.
fn taken(mix: Mix, rate: f64) -> (Reading<LoopChoice>, Reading<BufferSpread<BytesPerSecond>>) {
    let narrow = mix == Mix::Triad || mix == Mix::NonTemporalWrite;
    let all = [Vectors::Avx512, Vectors::Avx2]
        .into_iter()
        .flat_map(|vectors| [LoopPath::Tuned, LoopPath::Straight].map(|path| MemoryLoop { vectors, path }));
    let won = |which: MemoryLoop| which.path == LoopPath::Tuned && (which.vectors == Vectors::Avx2) == narrow;
    let trial = |which: MemoryLoop| LoopTrial {
        candidate: which,
        rate: Reading::Measured(estimate(rate * if won(which) { 1.0 } else { 0.94 }, BytesPerSecond)),
    };
    let trials: Vec<LoopTrial> = all.map(trial).collect();
    let vectors = if narrow { Vectors::Avx2 } else { Vectors::Avx512 };
    let chosen = MemoryLoop { vectors, path: LoopPath::Tuned };
    (Reading::Measured(LoopChoice { chosen, trials }), Reading::Measured(spread(rate, BytesPerSecond)))
}

fn spread<T>(value: f64, unit: impl Fn(f64) -> T) -> BufferSpread<T> {
    BufferSpread { lowest: value * 0.995, highest: value * 1.004, buffers: 3, apart: false }.map(unit)
}

/// A figure with an interval of about a third of a percent to each side.
pub fn estimate<T>(value: f64, unit: impl Fn(f64) -> T) -> Estimate<T> {
    let half = 0.003 + (value.to_bits() >> 40) as f64 % 5.0 * 0.0005;
    let (low, high) = (unit(value * (1.0 - half)), unit(value * (1.0 + half)));
    Estimate { median: unit(value), low, high, samples: 7, disturbed: 0 }
}

pub fn two_sockets() -> Shape {
    Shape {
        nodes: vec![(MemoryKind::Dram, 8); 2],
        pair: |from, to| if from == to { (80.1, 95.2e9) } else { (140.2, 38.1e9) },
        depth: Depth::Full,
    }
}

/// Two sockets, each with a node of HBM that has no CPUs.
pub fn hbm() -> Shape {
    Shape {
        nodes: vec![(MemoryKind::Dram, 8), (MemoryKind::Dram, 8), (MemoryKind::Hbm, 0), (MemoryKind::Hbm, 0)],
        pair: |from, to| match (to % 2 == from, to >= 2) {
            (true, false) => (108.3, 118.0e9),
            (false, false) => (181.9, 52.4e9),
            (true, true) => (127.5, 341.0e9),
            (false, true) => (204.2, 61.7e9),
        },
        depth: Depth::Standard,
    }
}

/// Eight nodes in two packages, as with sub-NUMA clusters.
pub fn eight() -> Shape {
    Shape {
        nodes: vec![(MemoryKind::Dram, 8); 8],
        pair: |from, to| match (from == to, from / 4 == to / 4) {
            (true, _) => (92.4 + from as f64, 41.3e9),
            (false, true) => (118.0 + 3.0 * from.abs_diff(to) as f64, 33.9e9),
            (false, false) => {
                (201.0 + 2.0 * from.abs_diff(to) as f64, 11.2e9 - 2e8 * from.abs_diff(to) as f64)
            }
        },
        depth: Depth::Full,
    }
}

#[allow(dead_code, reason = "`report` draws it")]
pub fn sixteen() -> Shape {
    Shape { nodes: vec![(MemoryKind::Dram, 4); 16], depth: Depth::Quick, ..eight() }
}

/// One node, nothing but what `--quick` measures.
pub fn quick() -> Shape {
    Shape { nodes: vec![(MemoryKind::Dram, 2)], pair: |_, _| (96.4, 21.7e9), depth: Depth::Quick }
}

/// One node of which almost nothing could be had.
pub fn poor() -> Profile {
    let shape = Shape { nodes: vec![(MemoryKind::Dram, 2)], pair: |_, _| (96.4, 21.7e9), depth: Depth::Full };
    let mut profile = shape.profile();
    let header = &mut profile.header;
    header.complete = false;
    header.fingerprint.firmware = Reading::unavailable("/sys/class/dmi/id/bios_version: permission denied");
    header.vectors = Reading::unavailable("the source does not say");
    header.notices = vec![MembenchNotice::OtherProgramsRan { cpus: 0.7 }.into()];
    profile.latency[0].pages = Reading::Measured(BufferPages::Small);
    profile.latency[0].with_tlb_misses = Reading::unavailable("stopped before it was measured");
    for cell in &mut profile.bandwidth {
        cell.declared = Reading::unavailable("the firmware declares nothing (no HMAT)");
        if cell.mix != Mix::Read {
            cell.rate = Reading::unavailable("a quarter of the node's free memory is less than the caches");
            cell.with = Reading::unavailable("a quarter of the node's free memory is less than the caches");
            cell.buffers =
                Reading::unavailable("a quarter of the node's free memory is less than the caches");
        }
    }
    for curve in &mut profile.loaded {
        curve.points = Reading::unavailable("the node has but one core that may be used");
    }
    for point in &mut profile.working_sets[0].points[20..] {
        point.latency = Reading::unavailable("stopped before it was measured");
    }
    for transfer in &mut profile.transfers {
        transfer.latency = Reading::unavailable("stopped before it was measured");
    }
    profile
}
