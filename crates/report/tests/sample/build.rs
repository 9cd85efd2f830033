//! The parts of which samples are made.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::notice::{MachineNotice, NotTriedReason, PlacementGroup, StudyNotice};
use numawise_facts::{
    ContrastRole, Cpu, Effect, HostFacts, Levels, Machine, MemoryKind, MemoryMode, MemoryPlan, MemoryRequest,
    Metric, Node, Outcome, Package, Placement, PlacementRequest, Point, PointId, PointPair, PointRole,
    Reading, RunSpec, Source, Strategy, Study, StudyHeader, TaskPlacement, ThreadBinding, Trial,
};
use numawise_tables::{Contrast, ContrastCall, PointSummary};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, NodeSet, Pid, Ratio, TaskId};

pub fn effect(ratio: f64, low: f64, high: f64) -> Effect {
    Effect { ratio: Ratio(ratio), low: Ratio(low), high: Ratio(high) }
}

fn cpus(list: &str) -> CpuSet {
    list.parse().expect("a list of CPUs")
}

/// `nodes` nodes of four CPUs and 16 GiB each.
pub fn machine(nodes: u32) -> Machine {
    let own = |k: u32| cpus(&format!("{}-{}", 4 * k, 4 * k + 3));
    let distances = |k: u32| (0..nodes).map(|n| if n == k { 10 } else { 21 }).collect();
    let all = cpus(&format!("0-{}", 4 * nodes - 1));
    Machine {
        source: Source::Live,
        packages: (0..nodes).map(|k| Package { index: k, cpus: own(k) }).collect(),
        nodes: (0..nodes)
            .map(|k| Node {
                id: NodeId(k),
                cpus: own(k),
                near: own(k),
                memory: Reading::Measured(Bytes::mib(16 << 10)),
                free: Reading::unavailable("not asked"),
                kind: MemoryKind::Dram,
                kind_evidence: MemoryKindEvidence::NotRead,
                distances: Reading::Measured(distances(k)),
            })
            .collect(),
        cpus: (0..4 * nodes)
            .map(|k| Cpu {
                id: CpuId(k),
                node: Some(NodeId(k / 4)),
                package: Some(k / 4),
                core: k,
                smt: 0,
                efficiency: Reading::unavailable("all cores are alike"),
            })
            .collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: all,
        allowed_nodes: (0..nodes).map(NodeId).collect(),
        limits: vec![MachineNotice::CpuQuota { cpus: 6.0, file: "cpu.max".to_owned() }],
    }
}

pub fn header(command: &[&str], nodes: u32, points: Vec<Point>) -> StudyHeader {
    let pairs = points.iter().skip(1).map(|point| PointPair {
        from: points[0].id.clone(),
        to: point.id.clone(),
        role: ContrastRole::BothWays,
    });
    StudyHeader {
        tool_version: "0.1.0-sample".to_owned(),
        begun: Nanoseconds(1_735_689_600_000_000_000),
        command: RunSpec {
            command: command.iter().map(|word| (*word).into()).collect(),
            directory: "/home/user/app".into(),
        },
        machine: machine(nodes),
        host: HostFacts {
            hostname: Reading::Measured("box".to_owned()),
            kernel: Reading::Measured("6.12.4".to_owned()),
            cpu_model: Reading::Measured("Example CPU 4000 @ 2.4 GHz".to_owned()),
            environment: vec![("OMP_PROC_BIND".to_owned(), "close".to_owned())],
            numa_balancing: Reading::Measured("1".to_owned()),
            transparent_huge_pages: Reading::Measured("madvise".to_owned()),
            frequency: Reading::unavailable("there is no cpufreq here"),
            pid: Pid(4711),
        },
        metric: Metric::WallTime,
        pairs: pairs.collect(),
        points,
        not_tried: vec![
            StudyNotice::NotTried {
                placements: PlacementGroup::HighBandwidthMemory,
                reason: NotTriedReason::DoesNotFit {
                    needs: Bytes::mib(1536),
                    nodes: NodeSet::single(NodeId(1)),
                    capacity: Bytes::mib(512),
                },
            }
            .into(),
        ],
        seed: 20_250_101,
        min_repeats: 5,
        margin: 0.03,
        budget: Nanoseconds(180_000_000_000),
        start_cost: Reading::unavailable("by hand"),
        grid: None,
    }
}

/// A point of a check, by its label.
pub fn point(id: &str, role: PointRole, threads: u32) -> Point {
    let all = cpus(&format!("0-{}", threads - 1));
    let request = request(id, threads);
    let mode = match request.memory {
        MemoryRequest::Interleave(_) => MemoryMode::Interleave,
        _ => MemoryMode::Default,
    };
    Point {
        id: id.into(),
        levels: Levels::of(&request, threads),
        role,
        request,
        placement: Placement {
            strategy: Strategy::None,
            binding: ThreadBinding::Free,
            tasks: vec![TaskPlacement {
                task: TaskId(0),
                cpus: all.clone(),
                threads: vec![all; threads as usize],
                memory: MemoryPlan::new(mode, Default::default()),
                gpus: Vec::new(),
            }],
            warnings: vec![],
        },
        ranks: None,
    }
}

fn request(id: &str, threads: u32) -> PlacementRequest {
    let os = PlacementRequest { threads: Some(threads), ..PlacementRequest::as_the_os_does() };
    let pinned = |strategy, memory| PlacementRequest {
        strategy,
        binding: ThreadBinding::Pinned,
        memory,
        ..os.clone()
    };
    let on_node_0 = |memory| PlacementRequest {
        nodes: Some(NodeSet::single(NodeId(0))),
        ..pinned(Strategy::Local, memory)
    };
    match id {
        "os" => os,
        "interleave" => pinned(Strategy::Distributed, MemoryRequest::Interleave(None)),
        "one-node" => on_node_0(MemoryRequest::Bind(None)),
        "remote" => on_node_0(MemoryRequest::Remote),
        "copies" => PlacementRequest { tasks: 2, ..pinned(Strategy::Semi, MemoryRequest::Bind(None)) },
        _ => pinned(Strategy::Distributed, MemoryRequest::Local),
    }
}

/// Numbers between -1 and 1 that look random and are the same every time.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    }
}

/// A warm-up and `blocks` blocks; `values` are the true times of the points in seconds, `noise` a share of them.
pub fn trials(points: &[Point], values: &[f64], blocks: u32, noise: f64) -> Vec<Trial> {
    let mut random = Noise(42);
    let mut trials: Vec<Trial> = Vec::new();
    let mut started = 1_735_689_601_000_000_000;
    for block in 0..=blocks {
        for k in 0..points.len() {
            // Another order in each block.
            let which = (k * 5 + block as usize * 3) % points.len();
            let which = if points.len().is_multiple_of(5) { k } else { which };
            let seconds = values[which] * (1.0 + noise * random.next());
            let wall = Nanoseconds::from_seconds(seconds);
            trials.push(Trial {
                number: trials.len() as u32,
                block,
                point: points[which].id.clone(),
                started: Nanoseconds(started),
                wall,
                outcome: Outcome::Measured { per_task: vec![seconds] },
                observation: Reading::unavailable("this is a sample"),
                disturbances: vec![],
                left_behind: None,
                other_values: vec![],
            });
            started += wall.0 + 20_000_000;
        }
    }
    trials
}

pub fn contrast(from: &str, to: &str, effect: Reading<Effect>, call: ContrastCall) -> Contrast {
    Contrast { from: from.into(), to: to.into(), effect, call, repeats: 12 }
}

/// The row of a point from its trials; the interval is the range of the middle half.
pub fn summary(study: &Study, id: &PointId) -> PointSummary {
    let point = study.header.point(id).expect("the point is there");
    let of_point = || study.trials.iter().filter(|t| t.point == *id && !t.is_warm_up());
    let mut samples: Vec<f64> = of_point().filter_map(|t| study.header.value(t)).collect();
    let in_order = samples.clone();
    samples.sort_by(f64::total_cmp);
    let at = |share: f64| {
        if samples.is_empty() {
            Reading::unavailable("no trial of it succeeded")
        } else {
            Reading::Measured(samples[(share * (samples.len() - 1) as f64).round() as usize])
        }
    };
    PointSummary {
        id: id.clone(),
        levels: point.levels.clone(),
        role: point.role,
        placement: point.placement.clone(),
        median: at(0.5),
        median_low: at(0.25),
        median_high: at(0.75),
        variation: Reading::Measured(Ratio(0.01)),
        varies: false,
        failed: of_point().filter(|t| !matches!(t.outcome, Outcome::Measured { .. })).count() as u32,
        disturbed: of_point().filter(|t| !t.disturbances.is_empty()).count() as u32,
        pages: Reading::unavailable("/proc/PID/numa_maps cannot be read here"),
        cpu_share: Reading::unavailable("the trials are too short"),
        threads_seen: Reading::Measured(point.threads()),
        migrations: Reading::Measured(12),
        peak_memory: Reading::Measured(Bytes::mib(1536)),
        frequency: Reading::unavailable("there is no cpufreq here"),
        frequency_by_node: vec![],
        samples: in_order,
    }
}

/// Memory in MiB and shares of CPU time, node by node.
pub fn on_nodes(summary: &mut PointSummary, memory: &[u64], cpu: &[f64]) {
    let node = |k: usize| NodeId(k as u32);
    summary.pages =
        Reading::Measured(memory.iter().enumerate().map(|(k, mib)| (node(k), Bytes::mib(*mib))).collect());
    summary.cpu_share =
        Reading::Measured(cpu.iter().enumerate().map(|(k, share)| (node(k), Ratio(*share))).collect());
}
