//! Studies by hand, for tests: two sockets of four CPUs, with the points and pairs that a check has there.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{
    Argument, ContrastRole, Cpu, HostFacts, HostNoise, Levels, Machine, MemoryEvents, MemoryKind, MemoryPlan,
    MemoryRequest, Metric, Node, Observation, Outcome, Placement, PlacementRequest, Point, PointPair,
    PointRole, Reading, ResidencySample, ResourceUsage, RunSpec, SamplerCost, Source, Strategy, Study,
    StudyHeader, TaskPlacement, ThreadBinding, ThreadObservation, Trial,
};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, NodeSet, Pid, Ratio, TaskId};

fn node(id: u32, cpus: &str, kind: MemoryKind) -> Node {
    Node {
        id: NodeId(id),
        cpus: cpus.parse().unwrap(),
        near: cpus.parse().unwrap(),
        memory: Reading::Measured(Bytes::mib(1024)),
        free: Reading::unavailable("by hand"),
        kind,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::unavailable("by hand"),
    }
}

pub fn two_sockets() -> Machine {
    let cpu = |id| Cpu {
        id: CpuId(id),
        node: Some(NodeId(id / 4)),
        package: Some(id / 4),
        core: id,
        smt: 0,
        efficiency: Reading::unavailable("all alike"),
    };
    Machine {
        source: Source::Live,
        packages: vec![],
        nodes: vec![node(0, "0-3", MemoryKind::Dram), node(1, "4-7", MemoryKind::Dram)],
        cpus: (0..8).map(cpu).collect(),
        caches: vec![],
        attributes: vec![],
        devices: Reading::unavailable("not looked for"),
        allowed_cpus: "0-7".parse().unwrap(),
        allowed_nodes: "0-1".parse().unwrap(),
        limits: vec![],
    }
}

/// Two sockets with a node of HBM beside each.
pub fn with_hbm() -> Machine {
    let mut machine = two_sockets();
    machine.nodes.extend([node(2, "", MemoryKind::Hbm), node(3, "", MemoryKind::Hbm)]);
    machine.allowed_nodes = "0-3".parse().unwrap();
    machine
}

/// The request behind each label of a check.
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
        "os" | "fewer-threads" | "huge-pages" | "pages-not-moved" => os,
        "pinned" => pinned(Strategy::Local, MemoryRequest::Default),
        "all-nodes" => pinned(Strategy::Distributed, MemoryRequest::Local),
        "interleave" => pinned(Strategy::Distributed, MemoryRequest::Interleave(None)),
        "hbm" => pinned(Strategy::Distributed, MemoryRequest::Hbm),
        "one-node" => on_node_0(MemoryRequest::Bind(None)),
        "remote" => on_node_0(MemoryRequest::Remote),
        "copies" => PlacementRequest { tasks: 2, ..pinned(Strategy::Semi, MemoryRequest::Bind(None)) },
        other => panic!("a check has no point {other}"),
    }
}

fn point(id: &str, role: PointRole, tasks: u32, threads: u32) -> Point {
    let task = |k| TaskPlacement {
        task: TaskId(k),
        cpus: "0-7".parse().unwrap(),
        threads: vec!["0-7".parse().unwrap(); threads as usize],
        memory: MemoryPlan::default_policy(),
        gpus: Vec::new(),
    };
    let request = request(id, threads);
    Point {
        id: id.into(),
        levels: Levels::of(&request, threads),
        role,
        request,
        placement: Placement {
            strategy: Strategy::None,
            binding: ThreadBinding::Free,
            tasks: (0..tasks).map(task).collect(),
            warnings: vec![],
        },
        ranks: None,
    }
}

/// A study of `points` (name, seconds of a run): every run takes its time, give or take half a percent.
pub fn study(
    machine: Machine,
    points: &[(&str, f64)],
    pairs: &[(&str, &str, ContrastRole)],
    blocks: u32,
) -> Study {
    let role = |id: &str| match id {
        "os" => PointRole::Baseline,
        "remote" | "copies" | "fewer-threads" | "huge-pages" | "pages-not-moved" => PointRole::Diagnosis,
        _ => PointRole::Candidate,
    };
    let none = || Reading::unavailable("by hand");
    let header = StudyHeader {
        tool_version: "0.0.0".to_owned(),
        begun: Nanoseconds(0),
        command: RunSpec { command: vec![Argument::from("app")], directory: "/".into() },
        machine,
        host: HostFacts {
            hostname: none(),
            kernel: none(),
            cpu_model: none(),
            environment: vec![],
            numa_balancing: none(),
            transparent_huge_pages: none(),
            frequency: Reading::unavailable("by hand"),
            pid: Pid(1),
        },
        metric: Metric::WallTime,
        points: points
            .iter()
            .map(|(id, _)| point(id, role(id), if *id == "copies" { 2 } else { 1 }, 4))
            .collect(),
        pairs: pairs
            .iter()
            .map(|(from, to, role)| PointPair { from: (*from).into(), to: (*to).into(), role: *role })
            .collect(),
        not_tried: vec![],
        seed: 1,
        min_repeats: 5,
        margin: 0.05,
        budget: Nanoseconds(1_000_000_000_000),
        start_cost: Reading::unavailable("by hand"),
        grid: None,
    };
    let mut trials = Vec::new();
    for block in 1..=blocks {
        for (column, (id, seconds)) in points.iter().enumerate() {
            let wobble = 1.0 + 0.005 * f64::from((block * 7 + column as u32 * 5) % 11) / 5.5 - 0.005;
            let tasks = if *id == "copies" { 2 } else { 1 };
            let value = seconds * wobble * f64::from(tasks);
            trials.push(Trial {
                number: trials.len() as u32,
                block,
                point: (*id).into(),
                started: Nanoseconds(0),
                wall: Nanoseconds::from_seconds(value),
                outcome: Outcome::Measured { per_task: vec![value; tasks as usize] },
                observation: Reading::Measured(observation(&[], &[])),
                disturbances: vec![],
                left_behind: None,
                other_values: vec![],
            });
        }
    }
    Study { header, trials, stopped: None, lines: None, objects: None }
}

/// What was seen: memory in MiB by node, and for each thread its CPU and its page faults.
pub fn observation(pages: &[(u32, u64)], threads: &[(u32, u64)]) -> Observation {
    let thread = |(k, (cpu, faults)): (usize, &(u32, u64))| ThreadObservation {
        pid: Pid(100),
        tid: Pid(100 + k as i32),
        name: format!("app-{k}"),
        cpu_time: Nanoseconds(1_000_000_000),
        minor_faults: *faults,
        cpu_time_on: vec![(CpuId(*cpu), Nanoseconds(1_000_000_000))],
        migrations: 0,
        ready_with_others: 0,
        mask: Reading::unavailable("by hand"),
    };
    fn none<T>() -> Reading<T> {
        Reading::unavailable("by hand")
    }
    Observation {
        host: Reading::unavailable("by hand"),
        rank: Reading::unavailable("by hand"),
        mpi_libraries: Reading::unavailable("by hand"),
        usage: ResourceUsage {
            user: Reading::Measured(Nanoseconds(0)),
            system: Reading::Measured(Nanoseconds(0)),
            peak_memory: Reading::Measured(Bytes::mib(100)),
            minor_faults: none(),
            major_faults: none(),
            voluntary_switches: none(),
            involuntary_switches: none(),
        },
        migrations: Reading::Measured(3),
        run_delay: Reading::unavailable("by hand"),
        several_ready: Reading::unavailable("by hand"),
        threads: Reading::Measured(threads.iter().enumerate().map(thread).collect()),
        pages: Reading::Measured(ResidencySample {
            by_node: pages.iter().map(|(node, mib)| (NodeId(*node), Bytes::mib(*mib))).collect(),
            shared: Reading::unavailable("by hand"),
            memory: Reading::unavailable("by hand"),
            method: "by hand".to_owned(),
            pages_seen: 1,
            at: Nanoseconds(0),
        }),
        noise: HostNoise {
            steal: Reading::Measured(Ratio(0.0)),
            other_load: Reading::Measured(Ratio(0.0)),
            busy_cpus: none(),
        },
        memory_events: MemoryEvents::unavailable("by hand"),
        energy: Reading::unavailable("by hand"),
        frequency: none(),
        sampler: SamplerCost {
            samples: 9,
            cpu_time: Nanoseconds(1_000_000),
            span: Nanoseconds(1_000_000_000),
        },
    }
}

/// Threads that were ready to run in so many of the samples that found several ready, `several` of all `samples`.
pub fn ready_together(samples: u64, several: u64, threads: &[u64]) -> Observation {
    let places: Vec<(u32, u64)> = (0..threads.len() as u32).map(|k| (k % 8, 1)).collect();
    let mut seen = observation(&[], &places);
    seen.sampler.samples = samples;
    seen.several_ready = Reading::Measured(several);
    let Reading::Measured(all) = &mut seen.threads else { unreachable!("threads were put there") };
    for (thread, ready) in all.iter_mut().zip(threads) {
        thread.ready_with_others = *ready;
    }
    seen
}

/// Puts the same observation on every trial of a point.
pub fn see(study: &mut Study, point: &str, seen: &Observation) {
    for trial in study.trials.iter_mut().filter(|trial| trial.point.0 == point) {
        trial.observation = Reading::Measured(seen.clone());
    }
}

/// The pairs of a check on two nodes, threads on all CPUs.
pub const PAIRS: [(&str, &str, ContrastRole); 5] = [
    ("os", "all-nodes", ContrastRole::BothWays),
    ("os", "interleave", ContrastRole::BothWays),
    ("os", "one-node", ContrastRole::GainOnly),
    ("one-node", "remote", ContrastRole::BothWays),
    ("os", "copies", ContrastRole::Unjudged),
];

/// A check on two nodes with the times of all its points.
pub fn two_node_check(os: f64, all: f64, interleave: f64, one: f64, remote: f64, copies: f64) -> Study {
    let points = [
        ("os", os),
        ("all-nodes", all),
        ("interleave", interleave),
        ("one-node", one),
        ("remote", remote),
        ("copies", copies),
    ];
    study(two_sockets(), &points, &PAIRS, 6)
}

/// As iso3dfd is seen when one thread initialises its memory: all on node 0, threads on both.
pub fn first_touch_by_one() -> Observation {
    observation(&[(0, 99), (1, 1)], &[(0, 9800), (2, 70), (4, 70), (6, 60)])
}
