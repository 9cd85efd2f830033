//! The samples.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, NoiseQuantity,
    PinningQuantity,
};
use numawise_facts::notice::{MachineNotice, NotPinnedReason, ObservedFigure, StudyNotice};
use numawise_facts::point::ProgramParameter;
use numawise_facts::{
    Disturbance, Effect, EquivalentTool, Exit, Finding, FindingId, LineTool, Metric, MetricProblem, NotRun,
    Outcome, Point, PointId, PointRole, Reading, Reason, StopReason, Study, StudyHeader,
};
use numawise_report::check::UseFromNowOn;
use numawise_tables::{
    Analysis, ContrastCall, Expected, ExpectedEffect, LineCall, LineEffect, LineEffects, LineNotMeasured,
    MemoryMove, MoreRepeats, NotExpected, PlacedWell, Verdict, VerdictKind,
};
use numawise_units::{Bytes, Nanoseconds, NodeId, NodeSet, Ratio};

use super::Sample;
use super::build::{contrast, effect, header, on_nodes, point, summary, trials};

pub fn two_node_points() -> Vec<Point> {
    vec![
        point("os", PointRole::Baseline, 8),
        point("one-node", PointRole::Candidate, 4),
        point("pinned", PointRole::Candidate, 8),
        point("interleave", PointRole::Candidate, 8),
        point("remote", PointRole::Diagnosis, 4),
        point("copies", PointRole::Candidate, 4),
    ]
}

pub fn analysis(study: &Study, kind: VerdictKind, effect: Reading<Effect>) -> Analysis {
    let ids: Vec<PointId> = study.header.points.iter().map(|point| point.id.clone()).collect();
    let undecided = kind == VerdictKind::Undecided;
    Analysis {
        verdict: Verdict {
            kind,
            effect,
            from: ids[0].clone(),
            to: ids.last().expect("there are points").clone(),
            slight: false,
            placed_well: if kind == VerdictKind::NotAffected { PlacedWell::Yes } else { PlacedWell::No },
            not_by_its_line: false,
            more_repeats: undecided.then_some(MoreRepeats::AFew),
            caveats: vec![],
        },
        findings: vec![],
        contrasts: vec![],
        expected: Err(NotExpected::NotMeasured),
        points: ids.iter().map(|id| summary(study, id)).collect(),
        recommended: None,
        lines: None,
        sampling_cost: Reading::Measured(Ratio(0.0021)),
        stopped: study.stopped,
        pictures: vec![],
        unavailable: vec![],
    }
}

pub fn study(header: StudyHeader, values: &[f64], blocks: u32, noise: f64) -> Study {
    let trials = trials(&header.points, values, blocks, noise);
    Study { header, trials, stopped: Some(StopReason::Decided), lines: None, objects: None }
}

pub fn as_it_is() -> UseFromNowOn {
    UseFromNowOn {
        line: "./app 100".to_owned(),
        equivalents: vec![],
        comments: vec!["nothing needs to change".to_owned()],
    }
}

/// Lines of which some were measured, each with another result.
fn lines_as_run(from_now_on: &UseFromNowOn) -> LineEffects {
    let line =
        |tool: LineTool, effect: Result<Effect, LineNotMeasured>, call, kept: Option<f64>| LineEffect {
            tool,
            line: from_now_on
                .equivalents
                .iter()
                .find(|(name, _)| name == tool.name())
                .map_or_else(|| from_now_on.line.clone(), |(_, line)| line.clone()),
            repeats: if effect.is_ok() { 7 } else { 0 },
            effect,
            call,
            kept: kept.map(Ratio),
        };
    let other = LineTool::Other;
    let not_run = |why| Err(LineNotMeasured::NotRun(why));
    let no_time = NotRun::NoTime { needs: Nanoseconds(36_000_000_000), left: Nanoseconds(30_000_000_000) };
    LineEffects {
        point: "interleave".into(),
        against: "./iso3dfd 512 512 256 20 256 8 32 8".to_owned(),
        lines: vec![
            line(LineTool::Numawise, Ok(effect(1.852, 1.811, 1.894)), LineCall::Brings, None),
            line(
                other(EquivalentTool::Numactl),
                Ok(effect(1.826, 1.784, 1.869)),
                LineCall::Brings,
                Some(0.9695),
            ),
            line(other(EquivalentTool::OpenMp), not_run(no_time), LineCall::NotMeasured, None),
            line(other(EquivalentTool::OpenMpi), not_run(NotRun::StartsRanks), LineCall::NotMeasured, None),
            line(other(EquivalentTool::Srun), not_run(NotRun::StartsRanks), LineCall::NotMeasured, None),
        ],
    }
}

pub fn affected() -> Sample {
    let header = header(
        &["./iso3dfd", "512", "512", "256", "20", "256", "8", "32", "{threads}"],
        2,
        two_node_points(),
    );
    let mut study = study(header, &[2.41, 2.47, 2.38, 1.29, 3.92, 1.52], 12, 0.012);
    for (number, share) in [(21, 0.22), (44, 0.35)] {
        study.trials[number].disturbances.push(Disturbance::OtherLoad(share));
        study.trials[number].outcome = Outcome::Measured { per_task: vec![2.41 * (1.0 + share)] };
    }
    let gain = effect(1.868, 1.823, 1.921);
    let mut analysis = analysis(&study, VerdictKind::Affected, Reading::Measured(gain));
    analysis.verdict.to = "interleave".into();
    analysis.verdict.caveats = vec![StudyNotice::DisturbedLeftOut { trials: 2 }.into()];
    analysis.recommended = Some("interleave".into());
    analysis.contrasts = vec![
        contrast("os", "one-node", Reading::Measured(effect(0.976, 0.951, 1.002)), ContrastCall::Open),
        contrast("os", "pinned", Reading::Measured(effect(1.012, 0.994, 1.026)), ContrastCall::Same),
        contrast("os", "interleave", Reading::Measured(gain), ContrastCall::Better),
        contrast("os", "copies", Reading::Measured(effect(1.585, 1.541, 1.629)), ContrastCall::Better),
        contrast("one-node", "remote", Reading::Measured(effect(0.63, 0.618, 0.643)), ContrastCall::Worse),
    ];
    let memory: [([u64; 2], [f64; 2]); 6] = [
        ([1508, 28], [0.51, 0.49]),
        ([1536, 0], [1.0, 0.0]),
        ([1509, 27], [0.5, 0.5]),
        ([768, 768], [0.5, 0.5]),
        ([0, 1536], [1.0, 0.0]),
        ([1530, 1530], [0.5, 0.5]),
    ];
    for (point, (memory, cpu)) in analysis.points.iter_mut().zip(memory) {
        on_nodes(point, &memory, &cpu);
    }
    analysis.findings = vec![first_touch(gain), process_per_node(effect(1.585, 1.541, 1.629))];
    analysis.expected = Ok(measured());
    let from_now_on = UseFromNowOn {
        line: "numawise run --memory interleave --threads 8 -- ./iso3dfd 512 512 256 20 256 8 32 8".to_owned(),
        equivalents: [
            ("numactl", "numactl --interleave=0-1 ./iso3dfd 512 512 256 20 256 8 32 8"),
            ("openmp", "OMP_NUM_THREADS=8 OMP_PLACES='{0},{1},{2},{3},{4},{5},{6},{7}' ./iso3dfd 512 512 256 20 256 8 32 8"),
            ("mpirun-openmpi", "mpirun -n 1 --bind-to none numactl --interleave=0-1 ./iso3dfd 512 512 256 20 256 8 32 8"),
            ("srun", "srun -n 1 -c 8 --cpu-bind=none numactl --interleave=0-1 ./iso3dfd 512 512 256 20 256 8 32 8"),
        ]
        .map(|(tool, line)| (tool.to_owned(), line.to_owned()))
        .to_vec(),
        comments: vec!["OMP_PLACES places threads only; memory needs numactl or a change of the program".to_owned()],
    };
    analysis.lines = Some(lines_as_run(&from_now_on));
    Sample { name: "affected", study, analysis, from_now_on }
}

pub fn seen(
    quantity: EvidenceQuantity,
    value: Amount,
    of: Option<Amount>,
    subject: EvidenceSubject,
) -> Evidence {
    let source = EvidenceSource::Observations;
    Evidence { quantity, value: Reading::Measured(value), of, interval: None, subject, source }
}

pub fn compared(quantity: EvidenceQuantity, effect: Effect, from: &str, to: &str) -> Evidence {
    Evidence {
        quantity,
        value: Reading::Measured(Amount::Ratio(effect.ratio)),
        of: None,
        interval: Some((Amount::Ratio(effect.low), Amount::Ratio(effect.high))),
        subject: EvidenceSubject::Points { from: from.into(), to: to.into() },
        source: EvidenceSource::Contrast,
    }
}

fn first_touch(gain: Effect) -> Finding {
    let home = || EvidenceSubject::Nodes { point: "os".into(), nodes: NodeSet::single(NodeId(0)) };
    let (latency, bandwidth) = (Some(Ratio(1.75)), Some(Ratio(0.444)));
    Finding {
        id: FindingId::FirstTouchByOneThread,
        evidence: vec![
            seen(
                EvidenceQuantity::MemoryOnNode,
                Amount::Share(Ratio(0.982)),
                Some(Amount::Bytes(Bytes::mib(1536))),
                home(),
            ),
            seen(EvidenceQuantity::CpuTimeElsewhere, Amount::Share(Ratio(0.49)), None, home()),
            seen(
                EvidenceQuantity::PageFaultsOfThread,
                Amount::Share(Ratio(0.979)),
                Some(Amount::Count(8)),
                EvidenceSubject::Thread { point: "os".into(), name: "iso3dfd".to_owned() },
            ),
            compared(EvidenceQuantity::EffectOfInterleaving, gain, "os", "interleave"),
            compared(
                EvidenceQuantity::EffectOfRemoteMemory,
                effect(0.63, 0.618, 0.643),
                "one-node",
                "remote",
            ),
            Evidence {
                source: EvidenceSource::Profile,
                ..seen(
                    EvidenceQuantity::RemoteMemory,
                    Amount::LatencyAndBandwidth { latency, bandwidth },
                    None,
                    EvidenceSubject::NodePair { cpus_of: NodeId(0), memory_of: NodeId(1) },
                )
            },
            Evidence {
                source: EvidenceSource::Profile,
                ..seen(
                    EvidenceQuantity::ExpectedEffect,
                    Amount::LatencyAndBandwidth { latency: Some(Ratio(1.0)), bandwidth: Some(Ratio(2.0)) },
                    None,
                    EvidenceSubject::Points { from: "os".into(), to: "interleave".into() },
                )
            },
        ],
        cost: Reading::Measured(gain),
        cure: Some(two_node_points()[3].request.clone()),
        advice: vec![
            Advice::InitialiseInParallel { interleaving_helped: true }.into(),
            AdvisedStep::tried(Advice::InterleaveMemory, gain),
        ],
    }
}

fn process_per_node(gain: Effect) -> Finding {
    Finding {
        id: FindingId::ProcessPerNode,
        evidence: vec![compared(EvidenceQuantity::EffectOfCopies, gain, "os", "copies")],
        cost: Reading::Measured(gain),
        cure: Some(two_node_points()[5].request.clone()),
        advice: vec![AdvisedStep::tried(Advice::RunCopies { copies: 2 }, gain), Advice::RankPerNode.into()],
    }
}

fn measured() -> Expected {
    Expected {
        from: NodeId(0),
        to: NodeId(1),
        latency: Reading::Measured(Ratio(1.75)),
        bandwidth: Reading::Measured(Ratio(0.444)),
        effects: vec![
            ExpectedEffect {
                from: "one-node".into(),
                to: "remote".into(),
                moved: MemoryMove::ToRemote,
                latency_bound: Reading::Measured(Ratio(0.571)),
                bandwidth_bound: Reading::Measured(Ratio(0.444)),
                seen: Reading::Measured(effect(0.63, 0.618, 0.643)),
            },
            ExpectedEffect {
                from: "os".into(),
                to: "interleave".into(),
                moved: MemoryMove::ToInterleaved,
                latency_bound: Reading::Measured(Ratio(1.0)),
                bandwidth_bound: Reading::unavailable(
                    "the profile of this machine lacks a bandwidth between nodes that the program used",
                ),
                seen: Reading::unavailable("no block has both placements"),
            },
        ],
    }
}

pub fn not_affected() -> Sample {
    let mut points = two_node_points();
    points.truncate(4);
    let study = study(header(&["./app", "100"], 2, points), &[0.801, 0.803, 0.8, 0.802], 7, 0.006);
    let mut analysis =
        analysis(&study, VerdictKind::NotAffected, Reading::Measured(effect(0.996, 0.988, 1.005)));
    analysis.contrasts = vec![
        contrast("os", "one-node", Reading::Measured(effect(1.002, 0.99, 1.013)), ContrastCall::Same),
        contrast("os", "pinned", Reading::Measured(effect(1.001, 0.993, 1.01)), ContrastCall::Same),
        contrast("os", "interleave", Reading::Measured(effect(0.996, 0.988, 1.005)), ContrastCall::Same),
    ];
    for point in &mut analysis.points {
        on_nodes(point, &[31, 29], &[0.5, 0.5]);
    }
    Sample { name: "not-affected", study, analysis, from_now_on: as_it_is() }
}

pub fn undecided() -> Sample {
    let mut points = two_node_points();
    points.truncate(4);
    let mut study = study(header(&["./app", "100"], 2, points), &[0.0142, 0.0139, 0.0144, 0.0137], 6, 0.28);
    study.stopped = Some(StopReason::BudgetSpent);
    let mut analysis = analysis(&study, VerdictKind::Undecided, Reading::Measured(effect(1.04, 0.84, 1.29)));
    analysis.verdict.placed_well = PlacedWell::NotDecided { points: vec!["interleave".into()] };
    analysis.verdict.more_repeats = Some(MoreRepeats::About(120));
    analysis.contrasts = vec![
        contrast("os", "one-node", Reading::Measured(effect(1.02, 0.81, 1.27)), ContrastCall::Open),
        contrast("os", "pinned", Reading::Measured(effect(0.99, 0.8, 1.24)), ContrastCall::Open),
        contrast("os", "interleave", Reading::Measured(effect(1.04, 0.84, 1.29)), ContrastCall::Open),
    ];
    for point in &mut analysis.points {
        point.variation = Reading::Measured(Ratio(0.17));
        point.varies = true;
    }
    let of_study = |quantity, value, of| Evidence {
        source: EvidenceSource::Trials,
        ..seen(quantity, value, of, EvidenceSubject::Study)
    };
    analysis.findings = vec![Finding {
        id: FindingId::TooNoisyOrShort,
        evidence: vec![
            of_study(EvidenceQuantity::Noise(NoiseQuantity::Repeats), Amount::Count(6), None),
            of_study(
                EvidenceQuantity::Noise(NoiseQuantity::IntervalHalfWidth),
                Amount::Share(Ratio(0.24)),
                Some(Amount::Share(Ratio(0.03))),
            ),
            of_study(
                EvidenceQuantity::Noise(NoiseQuantity::RunTime),
                Amount::Time(Nanoseconds(14_200_000)),
                None,
            ),
        ],
        cost: Reading::unavailable("noise hides what placements bring"),
        cure: None,
        advice: vec![Advice::MeasureLonger.into(), Advice::LengthenRuns.into()],
    }];
    Sample { name: "undecided", study, analysis, from_now_on: as_it_is() }
}

pub fn one_node() -> Sample {
    let points = vec![point("os", PointRole::Baseline, 4), point("pinned", PointRole::Candidate, 4)];
    let mut header = header(&["./app", "100"], 1, points);
    header.metric = Metric::Output { regex: r"([0-9.]+) MPoints/s".to_owned(), higher_is_better: true };
    header.not_tried = vec![StudyNotice::OneMemoryNode.into()];
    let study = study(header, &[412.3, 431.8], 8, 0.01);
    let gain = effect(1.047, 1.036, 1.059);
    let mut analysis = analysis(&study, VerdictKind::Affected, Reading::Measured(gain));
    analysis.findings = vec![pinning_helps(&study.header, gain)];
    analysis.expected = Err(NotExpected::OneMemoryNode);
    analysis.recommended = Some("pinned".into());
    let (point, ran, planned) = ("os".into(), 8, 4);
    analysis.verdict.caveats =
        vec![StudyNotice::ThreadCountMismatch { point, ran, planned, in_command: false }.into()];
    analysis.contrasts = vec![contrast("os", "pinned", Reading::Measured(gain), ContrastCall::Better)];
    for point in &mut analysis.points {
        on_nodes(point, &[1536], &[1.0]);
    }
    let from_now_on = UseFromNowOn {
        line: "numawise run --pin --threads 4 -- ./app 100".to_owned(),
        equivalents: vec![(
            "OMP_PLACES".to_owned(),
            "OMP_PLACES=threads OMP_PROC_BIND=close ./app 100".to_owned(),
        )],
        comments: vec![],
    };
    Sample { name: "one-node", study, analysis, from_now_on }
}

fn pinning_helps(header: &StudyHeader, gain: Effect) -> Finding {
    let of_point = |point: &str| EvidenceSubject::Point { point: point.into() };
    let share = |quantity, share, point| seen(quantity, Amount::Share(Ratio(share)), None, of_point(point));
    let (count, runs) = (Amount::Count(3), Some(Amount::Count(9)));
    Finding {
        id: FindingId::PinningHelps,
        evidence: vec![
            compared(EvidenceQuantity::EffectOfPinning, gain, "os", "pinned"),
            seen(
                EvidenceQuantity::Pinning(PinningQuantity::Migrations),
                Amount::Count(0),
                None,
                of_point("os"),
            ),
            seen(EvidenceQuantity::Pinning(PinningQuantity::RunsWithSharedCpu), count, runs, of_point("os")),
            share(EvidenceQuantity::Pinning(PinningQuantity::WaitForCpu), 0.061, "os"),
            share(EvidenceQuantity::Pinning(PinningQuantity::WaitForCpu), 0.004, "pinned"),
            share(EvidenceQuantity::Pinning(PinningQuantity::RunVariation), 0.041, "os"),
            share(EvidenceQuantity::Pinning(PinningQuantity::RunVariation), 0.006, "pinned"),
        ],
        cost: Reading::Measured(gain),
        cure: Some(header.points[1].request.clone()),
        advice: vec![AdvisedStep::tried(Advice::PinThreads, gain)],
    }
}

/// Nothing but the times could be had, and not even those for one point.
pub fn nothing_available() -> Sample {
    let mut points = two_node_points();
    points.truncate(2);
    let mut header = header(&["./app", "100"], 2, points);
    let gone = || Reading::unavailable("/proc is hidden here (hidepid=2)");
    header.host.hostname = Reading::unavailable("gethostname is forbidden here");
    header.host.kernel = gone();
    header.host.cpu_model = gone();
    header.host.environment.clear();
    header.machine.nodes[1].memory = Reading::unavailable("/sys is hidden here");
    header.machine.nodes[1].distances = Reading::unavailable("/sys is hidden here");
    let study =
        Study { header, trials: vec![], stopped: Some(StopReason::Interrupted), lines: None, objects: None };
    let why = "no block has both placements";
    let mut analysis = analysis(&study, VerdictKind::Undecided, Reading::unavailable(why));
    analysis.verdict.placed_well = PlacedWell::NotDecided { points: vec!["one-node".into()] };
    analysis.sampling_cost = Reading::unavailable("no trial was watched");
    analysis.contrasts = vec![contrast("os", "one-node", Reading::unavailable(why), ContrastCall::Open)];
    for point in &mut analysis.points {
        point.variation = Reading::unavailable("it needs two valid trials");
        point.threads_seen = Reading::unavailable("no trial was watched");
        point.migrations = Reading::unavailable("no trial was watched");
        point.peak_memory = Reading::unavailable("no trial was watched");
    }
    let reason = Reason("/proc is hidden here (hidepid=2)".into());
    let hidden =
        |what| StudyNotice::NotObserved { what, reason: reason.clone(), trials: 12, others: 0 }.into();
    analysis.unavailable = vec![hidden(ObservedFigure::Threads), hidden(ObservedFigure::MemoryByNode)];
    Sample { name: "nothing-available", study, analysis, from_now_on: as_it_is() }
}

pub fn failed() -> Sample {
    let mut points = two_node_points();
    points.truncate(3);
    let mut study = study(header(&["./app", "100"], 2, points), &[1.2, 1.3, 1.25], 5, 0.01);
    study.stopped = Some(StopReason::TooManyFailures);
    for (k, trial) in study.trials.iter_mut().filter(|t| t.point.0 == "one-node").enumerate() {
        trial.outcome = match k % 2 {
            0 => Outcome::Failed {
                failure: Exit::Signal(9).into(),
                output_tail: "reading input ... done\n\u{1b}[31mout of memory\u{1b}[0m\n".to_owned(),
            },
            _ => Outcome::NoMetric { problem: MetricProblem::NoMatch, output_tail: String::new() },
        };
    }
    let mut analysis = analysis(&study, VerdictKind::Undecided, Reading::Measured(effect(0.96, 0.92, 1.01)));
    analysis.verdict.placed_well =
        PlacedWell::NotDecided { points: vec!["one-node".into(), "pinned".into()] };
    analysis.contrasts = vec![
        contrast(
            "os",
            "one-node",
            Reading::unavailable("no trial of one-node succeeded"),
            ContrastCall::Open,
        ),
        contrast("os", "pinned", Reading::Measured(effect(0.96, 0.92, 1.01)), ContrastCall::Open),
    ];
    analysis.unavailable =
        vec![StudyNotice::ProgramFailed { point: "one-node".into(), failure: Exit::Signal(9).into() }.into()];
    Sample { name: "failed", study, analysis, from_now_on: as_it_is() }
}

/// Every text that comes from outside tries to be markup, or to steer the terminal.
pub fn hostile() -> Sample {
    const EVIL: &str = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\
                        <!-- ]]> & \"quoted\" 'single' \u{1b}]0;owned\u{7} \u{202e}reversed {p|rich} ${HOME} `id`";
    let mut sample = not_affected();
    let header = &mut sample.study.header;
    header.command.command = vec!["./app".into(), EVIL.into()];
    header.command.directory = format!("/tmp/{EVIL}").into();
    header.tool_version = EVIL.to_owned();
    header.metric = Metric::Output { regex: EVIL.to_owned(), higher_is_better: false };
    let evil = || PointId(EVIL.to_owned());
    let (levels, problem) = (header.points[1].levels.clone(), EVIL.to_owned());
    let limits = vec![MachineNotice::CpuQuota { cpus: 6.0, file: EVIL.to_owned() }];
    header.not_tried = vec![StudyNotice::CannotBePlaced { point: evil(), levels, problem, limits }.into()];
    header.host.hostname = Reading::Measured(EVIL.to_owned());
    header.host.environment = vec![(EVIL.to_owned(), EVIL.to_owned())];
    header.machine.limits = vec![MachineNotice::CpuQuota { cpus: 6.0, file: EVIL.to_owned() }];
    header.points[1].id = PointId(EVIL.to_owned());
    header.points[1].levels.parameters =
        vec![ProgramParameter { name: EVIL.to_owned(), value: EVIL.to_owned() }];
    sample.analysis.verdict.caveats = vec![
        StudyNotice::NotPinned { point: evil(), reason: NotPinnedReason::Processes { processes: 4 } }.into(),
    ];
    sample.analysis.verdict.to = PointId(EVIL.to_owned());
    sample.analysis.points[1].id = PointId(EVIL.to_owned());
    sample.analysis.points[1].levels.clone_from(&sample.study.header.points[1].levels);
    sample.analysis.contrasts[0].to = PointId(EVIL.to_owned());
    let reason = Reason(EVIL.into());
    sample.analysis.unavailable = vec![
        StudyNotice::NotObserved { what: ObservedFigure::Everything, reason, trials: 1, others: 0 }.into(),
    ];
    sample.analysis.findings = vec![Finding {
        id: FindingId::ThreadsMigrate,
        evidence: vec![seen(
            EvidenceQuantity::PageFaultsOfThread,
            Amount::Share(Ratio(0.9)),
            Some(Amount::Count(8)),
            EvidenceSubject::Thread { point: evil(), name: EVIL.to_owned() },
        )],
        cost: Reading::unavailable(EVIL),
        cure: None,
        advice: vec![Advice::PinThreads.into()],
    }];
    for trial in sample.study.trials.iter_mut().filter(|trial| trial.point.0 == "one-node") {
        trial.point = PointId(EVIL.to_owned());
    }
    sample.study.trials[9].outcome = Outcome::NoMetric {
        problem: MetricProblem::NotANumber { text: EVIL.to_owned() },
        output_tail: format!("{EVIL}\n{EVIL}"),
    };
    sample.from_now_on = UseFromNowOn {
        line: EVIL.to_owned(),
        equivalents: vec![(EVIL.to_owned(), EVIL.to_owned())],
        comments: vec![EVIL.to_owned()],
    };
    Sample { name: "hostile", ..sample }
}

/// Eight nodes, many placements, twenty thousand trials, long names.
pub fn large() -> Sample {
    let points: Vec<Point> = (0..14)
        .map(|k| {
            let role = if k == 0 { PointRole::Baseline } else { PointRole::Candidate };
            let name = if k == 0 { "os".to_owned() } else { format!("distributed-over-{k}-nodes-pinned") };
            point(&name, role, 32)
        })
        .collect();
    let values: Vec<f64> = (0..14).map(|k| 900.0 / (1.0 + f64::from(k) * 0.22)).collect();
    let study = study(header(&["./solver", "--input", "mesh.h5"], 8, points), &values, 1428, 0.03);
    let mut analysis = analysis(&study, VerdictKind::Affected, Reading::Measured(effect(3.86, 3.81, 3.92)));
    for k in 1..14u32 {
        let ratio = 1.0 + f64::from(k) * 0.22;
        let to = analysis.points[k as usize].id.0.clone();
        let measured = Reading::Measured(effect(ratio, ratio * 0.985, ratio * 1.016));
        analysis.contrasts.push(contrast("os", &to, measured, ContrastCall::Better));
        let memory: Vec<u64> = (0..8).map(|n| 400 * u64::from(n < k) + 50).collect();
        on_nodes(&mut analysis.points[k as usize], &memory, &[0.125; 8]);
    }
    on_nodes(&mut analysis.points[0], &[6400, 10, 10, 10, 10, 10, 10, 10], &[0.125; 8]);
    Sample { name: "large", study, analysis, from_now_on: as_it_is() }
}
