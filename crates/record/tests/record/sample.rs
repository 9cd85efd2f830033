//! A small study made by hand: a machine of two nodes with two CPUs each, and two points.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::notice::StudyNotice;
use numawise_facts::{
    ContrastRole, Cpu, CpuChoice, CpuFrequency, Disturbance, EquivalentTool, Exit, FrequencyFacts,
    FrequencyPolicy, FrequencySource, HostFacts, HostNoise, Levels, LineTool, Machine, MappingSnapshot,
    MemoryEvents, MemoryKind, MemoryMode, MemoryPlan, MemoryRequest, MemorySnapshot, Metric, MetricProblem,
    Node, NotRun, Observation, OtherValue, Outcome, Package, PageUse, Placement, PlacementRequest, Point,
    PointPair, PointRole, PolicyShare, PrintedLine, PrintedLines, Reading, ResidencySample, ResourceUsage,
    RunSpec, SamplerCost, Smt, Source, Strategy, StudyHeader, TaskPlacement, ThreadBinding,
    ThreadObservation, Trial, TrialFrequency,
};
use numawise_units::{
    Bytes, CpuId, CpuSet, Hertz, HostId, Microjoules, Nanoseconds, NodeId, NodeSet, Pid, Rank, Ratio, TaskId,
};

pub fn cpus(list: &str) -> CpuSet {
    list.parse().expect("a list of CPUs")
}

fn node(id: u32, list: &str) -> Node {
    Node {
        id: NodeId(id),
        cpus: cpus(list),
        near: cpus(list),
        memory: Reading::Measured(Bytes::mib(4096)),
        free: Reading::Measured(Bytes::mib(3000 + u64::from(id))),
        kind: MemoryKind::Dram,
        kind_evidence: MemoryKindEvidence::NotRead,
        distances: Reading::Measured(vec![if id == 0 { 10 } else { 20 }, if id == 0 { 20 } else { 10 }]),
    }
}

pub fn machine() -> Machine {
    Machine {
        source: Source::Synthetic("pack:2 core:2".to_owned()),
        packages: (0..2).map(|k| Package { index: k, cpus: cpus(["0-1", "2-3"][k as usize]) }).collect(),
        nodes: vec![node(0, "0-1"), node(1, "2-3")],
        cpus: (0..4)
            .map(|k| Cpu {
                id: CpuId(k),
                node: Some(NodeId(k / 2)),
                package: Some(k / 2),
                core: k,
                smt: 0,
                efficiency: Reading::unavailable("all cores are alike"),
            })
            .collect(),
        caches: vec![],
        attributes: vec![],
        // The kept files are older than these.
        devices: Reading::unavailable("they were not recorded"),
        allowed_cpus: cpus("0-3"),
        allowed_nodes: "0-1".parse().expect("a list of nodes"),
        limits: vec![],
    }
}

fn point(id: &str, role: PointRole, memory: MemoryRequest, mode: MemoryMode) -> Point {
    let nodes = if mode == MemoryMode::Interleave { "0-1" } else { "" };
    // What the kept file of version 1 has, in which nothing stood for hardware threads that nobody asked for.
    let choice = CpuChoice { smt: Smt::All, ..CpuChoice::default() };
    let request = PlacementRequest { memory, choice, ..PlacementRequest::as_the_os_does() };
    Point {
        id: id.into(),
        levels: Levels::of(&request, 4),
        role,
        request,
        placement: Placement {
            strategy: Strategy::None,
            binding: ThreadBinding::Free,
            tasks: vec![TaskPlacement {
                task: TaskId(0),
                cpus: cpus("0-3"),
                threads: vec![cpus("0-3"); 4],
                memory: MemoryPlan::new(mode, nodes.parse::<NodeSet>().expect("a list of nodes")),
                gpus: Vec::new(),
            }],
            warnings: vec![],
        },
        ranks: None,
    }
}

pub fn header() -> StudyHeader {
    StudyHeader {
        tool_version: "0.0.0-test".to_owned(),
        begun: Nanoseconds(1_700_000_000_123_456_789),
        command: RunSpec {
            command: vec!["./app".into(), "it's; rm -rf $HOME".into(), "{threads}".into()],
            directory: "/home/user/run 1".into(),
        },
        machine: machine(),
        host: HostFacts {
            hostname: Reading::Measured("box".to_owned()),
            kernel: Reading::Measured("6.1.0".to_owned()),
            cpu_model: Reading::unavailable("/proc/cpuinfo has no model name"),
            environment: vec![("OMP_NUM_THREADS".to_owned(), "4".to_owned())],
            numa_balancing: Reading::Measured("0".to_owned()),
            transparent_huge_pages: Reading::Measured("madvise".to_owned()),
            frequency: Reading::Measured(FrequencyFacts {
                policies: vec![FrequencyPolicy {
                    cpus: cpus("0-3"),
                    driver: Reading::Measured("acpi-cpufreq".to_owned()),
                    governor: Reading::Measured("ondemand".to_owned()),
                    preference: Reading::unavailable("the driver does not give it"),
                    least: Reading::Measured(Hertz(1_200_000_000)),
                    most: Reading::Measured(Hertz(2_801_000_000)),
                    hardware_most: Reading::Measured(Hertz(2_801_000_000)),
                    base: Reading::unavailable("the driver does not give it"),
                }],
                boost: Reading::Measured(true),
                source: Reading::Measured(FrequencySource::Counted),
            }),
            pid: Pid(4711),
        },
        metric: Metric::WallTime,
        points: vec![
            point("os", PointRole::Baseline, MemoryRequest::Default, MemoryMode::Default),
            point(
                "interleave",
                PointRole::Candidate,
                MemoryRequest::Interleave(None),
                MemoryMode::Interleave,
            ),
        ],
        pairs: vec![PointPair { from: "os".into(), to: "interleave".into(), role: ContrastRole::BothWays }],
        not_tried: vec![StudyNotice::OneCpu.into()],
        seed: u64::MAX,
        min_repeats: 5,
        margin: 0.03,
        budget: Nanoseconds(180_000_000_000),
        start_cost: Reading::unavailable("by hand"),
        grid: None,
    }
}

fn frequency() -> TrialFrequency {
    TrialFrequency(vec![
        CpuFrequency {
            cpu: CpuId(0),
            samples: 12,
            mean: Hertz(2_650_000_000),
            least: Hertz(1_200_000_000),
            most: Hertz(2_801_000_000),
        },
        CpuFrequency {
            cpu: CpuId(3),
            samples: 1,
            mean: Hertz(2_700_000_000),
            least: Hertz(2_700_000_000),
            most: Hertz(2_700_000_000),
        },
    ])
}

pub fn observation() -> Observation {
    Observation {
        host: HostId::new("node017").map_or_else(|| Reading::unavailable("no name"), Reading::Measured),
        rank: Reading::Measured(Rank(3)),
        mpi_libraries: Reading::Measured(vec!["libmpi.so.40.30.4".to_owned()]),
        usage: ResourceUsage {
            user: Reading::Measured(Nanoseconds(3_900_000_000)),
            system: Reading::Measured(Nanoseconds(120_000_000)),
            peak_memory: Reading::Measured(Bytes::mib(512)),
            minor_faults: Reading::Measured(131_072),
            major_faults: Reading::Measured(0),
            voluntary_switches: Reading::Measured(12),
            involuntary_switches: Reading::Measured(7),
        },
        migrations: Reading::Measured(3),
        run_delay: Reading::unavailable("/proc/PID/schedstat: no such file"),
        several_ready: Reading::Measured(31),
        threads: Reading::Measured(vec![
            ThreadObservation {
                pid: Pid(100),
                tid: Pid(100),
                name: "app".to_owned(),
                cpu_time: Nanoseconds(2_000_000_000),
                minor_faults: 131_000,
                cpu_time_on: vec![
                    (CpuId(2), Nanoseconds(500_000_000)),
                    (CpuId(0), Nanoseconds(1_500_000_000)),
                ],
                migrations: 3,
                ready_with_others: 31,
                mask: Reading::Measured(cpus("0-3")),
            },
            ThreadObservation {
                pid: Pid(100),
                tid: Pid(101),
                name: String::new(),
                cpu_time: Nanoseconds(1_900_000_000),
                minor_faults: 72,
                cpu_time_on: vec![],
                migrations: 0,
                ready_with_others: 0,
                mask: Reading::unavailable("the thread had gone"),
            },
        ]),
        pages: Reading::Measured(ResidencySample {
            by_node: vec![(NodeId(0), Bytes::mib(400)), (NodeId(1), Bytes::mib(100))],
            shared: Reading::Measured(vec![(NodeId(1), Bytes::mib(64))]),
            memory: Reading::Measured(resident_memory()),
            method: "numa_maps".to_owned(),
            pages_seen: 128_000,
            at: Nanoseconds(900_000_000),
        }),
        noise: HostNoise {
            steal: Reading::Measured(Ratio(0.0)),
            other_load: Reading::unavailable("the first sample came too late"),
            busy_cpus: Reading::Measured(vec![
                (CpuId(0), Nanoseconds(990_000_000)),
                (CpuId(3), Nanoseconds(10_000_000)),
            ]),
        },
        memory_events: MemoryEvents {
            moved: Reading::Measured(Bytes::mib(3)),
            hint_faults: Reading::Measured(1234),
            huge_pages: Reading::Measured(Bytes::mib(64)),
            turned_away: Reading::Measured(vec![(NodeId(1), Bytes::mib(40))]),
            swapped: Reading::Measured(Bytes(0)),
            ..MemoryEvents::unavailable("this kernel does not count it")
        },
        frequency: Reading::Measured(frequency()),
        energy: Reading::Measured(Microjoules(98_765_432)),
        sampler: SamplerCost {
            samples: 40,
            cpu_time: Nanoseconds(1_200_000),
            span: Nanoseconds(1_000_000_000),
        },
    }
}

fn resident_memory() -> MemorySnapshot {
    let policy =
        |policy: &str, mappings, by_node| PolicyShare { policy: policy.to_owned(), mappings, by_node };
    let interleaved = vec![(NodeId(0), Bytes::mib(100)), (NodeId(1), Bytes::mib(100))];
    MemorySnapshot {
        by_use: vec![
            (PageUse::Private, NodeId(0), Bytes::mib(400)),
            (PageUse::Private, NodeId(1), Bytes::mib(100)),
            (PageUse::File, NodeId(0), Bytes::mib(3)),
        ],
        by_policy: vec![
            policy("default", 7, vec![(NodeId(0), Bytes::mib(303))]),
            policy("interleave:0-1", 1, interleaved.clone()),
            policy("bind:1", 2, vec![]),
        ],
        largest: vec![MappingSnapshot {
            address: 0xffff_ffff_ff60_0000,
            used_for: PageUse::Private,
            policy: "interleave:0-1".to_owned(),
            page: Bytes(4096),
            by_node: interleaved,
            file: Some("/tmp/it's \"one\"".to_owned()),
        }],
        mappings: 10,
    }
}

pub fn trial(number: u32) -> Trial {
    let outcome = match number % 7 {
        5 => {
            Outcome::Failed { failure: Exit::Signal(11).into(), output_tail: "Segmentation fault".to_owned() }
        }
        6 => Outcome::NoMetric { problem: MetricProblem::NoMatch, output_tail: "done\n".to_owned() },
        _ => Outcome::Measured { per_task: vec![1.0 + f64::from(number) / 3.0] },
    };
    Trial {
        number,
        block: number / 2,
        point: if number.is_multiple_of(2) { "os" } else { "interleave" }.into(),
        started: Nanoseconds(1_700_000_001_000_000_000 + u64::from(number)),
        wall: Nanoseconds(1_000_000_000 + u64::from(number)),
        outcome,
        observation: match number % 5 {
            4 => Reading::unavailable("it ended before the first sample"),
            _ => Reading::Measured(observation()),
        },
        disturbances: match number % 3 {
            0 => vec![],
            1 => vec![numawise_facts::Disturbance::Steal(0.12), numawise_facts::Disturbance::OtherLoad(0.4)],
            _ => vec![
                numawise_facts::Disturbance::Stopped(Nanoseconds(3_000_000_000)),
                numawise_facts::Disturbance::WatcherStopped(Nanoseconds(4)),
                numawise_facts::Disturbance::Suspended(Nanoseconds(5)),
                numawise_facts::Disturbance::ClockSet(Nanoseconds(6)),
            ],
        },
        left_behind: number.is_multiple_of(2).then(|| numawise_facts::LeftProcesses {
            processes: 70,
            names: vec!["sleep".to_owned(), "a 'b'".to_owned()],
        }),
        other_values: match number % 4 {
            3 => vec![OtherValue::PerTask(vec![2.5, 1e-3]), OtherValue::Missing(MetricProblem::NoMatch)],
            _ => vec![],
        },
    }
}

/// The lines of the study, without their runs.
pub fn lines() -> PrintedLines {
    let line = |tool, line: &str, not_run| PrintedLine { tool, line: line.to_owned(), not_run };
    PrintedLines {
        point: "interleave".into(),
        lines: vec![
            line(LineTool::Program, "./app 4", None),
            line(LineTool::Numawise, "numawise run --memory interleave --threads 4 -- ./app 4", None),
            line(LineTool::Other(EquivalentTool::Numactl), "numactl --interleave=0-1 ./app 4", None),
            line(
                LineTool::Other(EquivalentTool::Taskset),
                "taskset -c 0-3 ./app 4",
                Some(NotRun::NotInstalled { program: "taskset".to_owned() }),
            ),
        ],
        trials: Vec::new(),
        stopped: None,
    }
}

/// The run of a line with this number, of all kinds.
pub fn line_run(number: u32) -> Trial {
    let tool = lines().run().nth(number as usize % 3).map(|line| line.tool.point());
    let output_tail = "no such option\n".to_owned();
    Trial {
        number,
        block: 1 + number / 3,
        point: tool.expect("three lines are run"),
        started: Nanoseconds(1_700_000_100_000_000_000 + u64::from(number)),
        wall: Nanoseconds(1_000_000_000 + u64::from(number)),
        outcome: match number {
            5 => Outcome::Failed { failure: Exit::Code(1).into(), output_tail },
            6 => Outcome::NoMetric { problem: MetricProblem::NoMatch, output_tail },
            _ => Outcome::Measured { per_task: vec![1.0 + f64::from(number) / 100.0] },
        },
        observation: Reading::unavailable(Trial::LINE_NOT_OBSERVED),
        disturbances: if number == 4 { vec![Disturbance::OtherLoad(0.25)] } else { vec![] },
        left_behind: None,
        other_values: vec![],
    }
}
