//! The samples.

use numawise_facts::{
    Disturbance, Effect, Exit, Finding, FindingId, MachineNotice, Metric, Outcome, Point, PointId, PointRole,
    Reading, StopReason, Study, StudyHeader,
};
use numawise_report::check::UseFromNowOn;
use numawise_tables::{Analysis, ContrastCall, Expected, ExpectedEffect, Verdict, VerdictKind};
use numawise_units::{NodeId, Ratio};

use super::Sample;
use super::build::{contrast, effect, header, on_nodes, point, summary, trials};

fn two_node_points() -> Vec<Point> {
    vec![
        point("os", "as the operating system does it", PointRole::Baseline, 8),
        point("one-node", "one node, its CPUs and its memory", PointRole::Candidate, 4),
        point("pinned", "all nodes, threads pinned, local memory", PointRole::Candidate, 8),
        point("interleave", "all nodes, memory interleaved", PointRole::Candidate, 8),
        point("remote", "CPUs of one node, memory of another", PointRole::Diagnosis, 4),
        point("copies", "one copy on each node at the same time", PointRole::Candidate, 4),
    ]
}

fn analysis(study: &Study, kind: VerdictKind, effect: Reading<Effect>, text: &str) -> Analysis {
    let ids: Vec<PointId> = study.header.points.iter().map(|point| point.id.clone()).collect();
    Analysis {
        verdict: Verdict {
            kind,
            effect,
            from: ids[0].clone(),
            to: ids.last().expect("there are points").clone(),
            placed_well: Reading::Measured(kind == VerdictKind::NotAffected),
            text: text.to_owned(),
            caveats: vec![],
        },
        findings: vec![],
        contrasts: vec![],
        expected: Reading::unavailable("not measured yet: numawise machine measure measures it"),
        points: ids.iter().map(|id| summary(study, id)).collect(),
        metric: "wall time, s".to_owned(),
        higher_is_better: false,
        recommended: None,
        sampling_cost: Reading::Measured(Ratio(0.0021)),
        stopped: study.stopped,
        unavailable: vec![],
    }
}

fn study(header: StudyHeader, values: &[f64], blocks: u32, noise: f64) -> Study {
    let trials = trials(&header.points, values, blocks, noise);
    Study { header, trials, stopped: Some(StopReason::Decided) }
}

fn as_it_is() -> UseFromNowOn {
    UseFromNowOn {
        line: "./app 100".to_owned(),
        equivalents: vec![],
        comments: vec!["nothing needs to change".to_owned()],
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
    let mut analysis = analysis(
        &study,
        VerdictKind::Affected,
        Reading::Measured(gain),
        "Placement matters here: all nodes, memory interleaved is 1.87x (95 % interval 1.82x to 1.92x) as fast as as the \
         operating system does it.",
    );
    analysis.verdict.to = "interleave".into();
    analysis.verdict.caveats = vec!["2 trials were disturbed by other load and are left out".to_owned()];
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
    analysis.findings = vec![
        Finding {
            id: FindingId::FirstTouchByOneThread,
            evidence: vec![
                "98.2 % of the program's 1.5 GiB lie on node 0".to_owned(),
                "49.0 % of its CPU time is spent on other nodes".to_owned(),
                "one of 8 threads (iso3dfd) took 97.9 % of the page faults".to_owned(),
                "the same threads with interleaved memory are 1.87x (95 % interval 1.82x to 1.92x) as fast".to_owned(),
            ],
            cost: Reading::Measured(gain),
            advice: vec![
                "initialise the large arrays in parallel, in a loop over the same indices with the same static schedule as \
                 the loops that use them, and pin the threads; each page then lies where it is used, which should bring at \
                 least what interleaving brought"
                    .to_owned(),
                "without changing the program: interleave its memory over the nodes (--memory interleave)".to_owned(),
            ],
        },
        Finding {
            id: FindingId::ProcessPerNode,
            evidence: vec!["one copy on each node does 1.58x the work of one copy over all nodes".to_owned()],
            cost: Reading::Measured(effect(1.585, 1.541, 1.629)),
            advice: vec!["run one process per node, for example one MPI rank per node with 4 threads".to_owned()],
        },
    ];
    analysis.expected = Reading::Measured(measured());
    let from_now_on = UseFromNowOn {
        line: "numawise run --memory interleave --threads 8 -- ./iso3dfd 512 512 256 20 256 8 32 8".to_owned(),
        equivalents: [
            ("numactl", "numactl --interleave=0-1 ./iso3dfd 512 512 256 20 256 8 32 8"),
            ("OMP_PLACES", "OMP_NUM_THREADS=8 OMP_PLACES='{0},{1},{2},{3},{4},{5},{6},{7}' ./iso3dfd 512 512 256 20 256 8 32 8"),
            ("mpirun", "mpirun -n 1 --bind-to none numactl --interleave=0-1 ./iso3dfd 512 512 256 20 256 8 32 8"),
            ("srun", "srun -n 1 -c 8 --cpu-bind=none numactl --interleave=0-1 ./iso3dfd 512 512 256 20 256 8 32 8"),
        ]
        .map(|(tool, line)| (tool.to_owned(), line.to_owned()))
        .to_vec(),
        comments: vec!["OMP_PLACES places threads only; memory needs numactl or a change of the program".to_owned()],
    };
    Sample { name: "affected", study, analysis, from_now_on }
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
                latency_bound: Reading::Measured(Ratio(0.571)),
                bandwidth_bound: Reading::Measured(Ratio(0.444)),
                seen: Reading::Measured(effect(0.63, 0.618, 0.643)),
            },
            ExpectedEffect {
                from: "os".into(),
                to: "interleave".into(),
                latency_bound: Reading::Measured(Ratio(1.0)),
                bandwidth_bound: Reading::unavailable(
                    "the profile of this machine lacks a bandwidth between nodes that the program used",
                ),
                seen: Reading::unavailable("no block has both placements"),
            },
        ],
        text: "measured on this machine: to CPUs of node 0 the memory of node 1 takes 1.75x as long to answer as their own and \
               gives 0.44x the bandwidth of their own; with all its memory there a program could take at most 1.75x as long if \
               it is bound by latency, and 2.25x if it is bound by bandwidth; seen: 1.59x"
            .to_owned(),
    }
}

pub fn not_affected() -> Sample {
    let mut points = two_node_points();
    points.truncate(4);
    let study = study(header(&["./app", "100"], 2, points), &[0.801, 0.803, 0.8, 0.802], 7, 0.006);
    let mut analysis = analysis(
        &study,
        VerdictKind::NotAffected,
        Reading::Measured(effect(0.996, 0.988, 1.005)),
        "Placement does not matter here: no placement that was tried differs by more than 3.0 %. The largest difference is \
         all nodes, memory interleaved: 0.996x (95 % interval 0.988x to 1.005x).",
    );
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
    let mut analysis = analysis(
        &study,
        VerdictKind::Undecided,
        Reading::Measured(effect(1.04, 0.84, 1.29)),
        "It cannot be told yet whether placement matters: all nodes, memory interleaved is 1.040x (95 % interval 0.84x to \
         1.29x) as fast as as the operating system does it; about 120 more repeats would decide.",
    );
    analysis.verdict.placed_well = Reading::unavailable("not decided yet for interleave");
    analysis.contrasts = vec![
        contrast("os", "one-node", Reading::Measured(effect(1.02, 0.81, 1.27)), ContrastCall::Open),
        contrast("os", "pinned", Reading::Measured(effect(0.99, 0.8, 1.24)), ContrastCall::Open),
        contrast("os", "interleave", Reading::Measured(effect(1.04, 0.84, 1.29)), ContrastCall::Open),
    ];
    for point in &mut analysis.points {
        point.variation = Reading::Measured(Ratio(0.17));
    }
    analysis.findings = vec![Finding {
        id: FindingId::TooNoisyOrShort,
        evidence: vec![
            "after 6 repeats the widest interval is still plus or minus 24.0 %, and differences of 3.0 % count".to_owned(),
            "a run takes 14.20 ms, of which starting the program and touching its memory are a large part".to_owned(),
        ],
        cost: Reading::unavailable("noise has no cost, it hides costs"),
        advice: vec!["give the program more to do, or let it time its main loop and print that (--metric)".to_owned()],
    }];
    Sample { name: "undecided", study, analysis, from_now_on: as_it_is() }
}

pub fn one_node() -> Sample {
    let points = vec![
        point("os", "as the operating system does it", PointRole::Baseline, 4),
        point("pinned", "threads pinned", PointRole::Candidate, 4),
    ];
    let mut header = header(&["./app", "100"], 1, points);
    header.metric = Metric::Output { regex: r"([0-9.]+) MPoints/s".to_owned(), higher_is_better: true };
    header.not_tried = vec!["one node, interleave, remote, copies: this machine has one node".to_owned()];
    let study = study(header, &[412.3, 431.8], 8, 0.01);
    let mut analysis = analysis(
        &study,
        VerdictKind::Affected,
        Reading::Measured(effect(1.047, 1.036, 1.059)),
        "Placement matters here: threads pinned is 1.047x (95 % interval 1.036x to 1.059x) as fast as as the operating \
         system does it.",
    );
    analysis.expected = Reading::unavailable("there is one node that we may take memory from");
    analysis.metric = "'([0-9.]+) MPoints/s' in the output".to_owned();
    analysis.higher_is_better = true;
    analysis.recommended = Some("pinned".into());
    analysis.verdict.caveats =
        vec!["memory placement cannot matter on this machine: it has one node".to_owned()];
    analysis.contrasts =
        vec![contrast("os", "pinned", Reading::Measured(effect(1.047, 1.036, 1.059)), ContrastCall::Better)];
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
    let study = Study { header, trials: vec![], stopped: Some(StopReason::Interrupted) };
    let why = "no block has both placements";
    let mut analysis = analysis(
        &study,
        VerdictKind::Undecided,
        Reading::unavailable(why),
        "It cannot be told whether placement matters: no block has both placements.",
    );
    analysis.verdict.placed_well = Reading::unavailable("nothing was measured");
    analysis.sampling_cost = Reading::unavailable("no trial was watched");
    analysis.contrasts = vec![contrast("os", "one-node", Reading::unavailable(why), ContrastCall::Open)];
    for point in &mut analysis.points {
        point.variation = Reading::unavailable("it takes two samples");
        point.threads_seen = Reading::unavailable("no trial was watched");
        point.migrations = Reading::unavailable("no trial was watched");
        point.peak_memory = Reading::unavailable("no trial was watched");
    }
    analysis.unavailable = vec![
        "threads: /proc is hidden here (hidepid=2)".to_owned(),
        "memory by node: /proc is hidden here (hidepid=2)".to_owned(),
    ];
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
                exit: Exit::Signal(9),
                output_tail: "reading input ... done\n\u{1b}[31mout of memory\u{1b}[0m\n".to_owned(),
            },
            _ => Outcome::NoMetric {
                problem: "'t=([0-9.]+)' matches nothing in the output".to_owned(),
                output_tail: String::new(),
            },
        };
    }
    let mut analysis = analysis(
        &study,
        VerdictKind::Undecided,
        Reading::Measured(effect(0.96, 0.92, 1.01)),
        "It cannot be told yet whether placement matters: all nodes, threads pinned, local memory is 0.960x (95 % interval \
         0.92x to 1.01x) as fast as as the operating system does it; a few more repeats may decide.",
    );
    analysis.verdict.placed_well = Reading::unavailable("not decided yet for one-node, pinned");
    analysis.contrasts = vec![
        contrast(
            "os",
            "one-node",
            Reading::unavailable("no trial of one-node succeeded"),
            ContrastCall::Open,
        ),
        contrast("os", "pinned", Reading::Measured(effect(0.96, 0.92, 1.01)), ContrastCall::Open),
    ];
    analysis.unavailable = vec!["point one-node: the program failed there (killed by signal 9)".to_owned()];
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
    header.not_tried = vec![EVIL.to_owned()];
    header.host.hostname = Reading::Measured(EVIL.to_owned());
    header.host.environment = vec![(EVIL.to_owned(), EVIL.to_owned())];
    header.machine.limits = vec![MachineNotice::CpuQuota { cpus: 6.0, file: EVIL.to_owned() }];
    header.points[1].id = PointId(EVIL.to_owned());
    sample.analysis.metric = format!("'{EVIL}' in the output");
    sample.analysis.verdict.text = EVIL.to_owned();
    sample.analysis.verdict.caveats = vec![EVIL.to_owned()];
    sample.analysis.verdict.to = PointId(EVIL.to_owned());
    sample.analysis.points[1].id = PointId(EVIL.to_owned());
    sample.analysis.points[1].title = EVIL.to_owned();
    sample.analysis.contrasts[0].to = PointId(EVIL.to_owned());
    sample.analysis.unavailable = vec![EVIL.to_owned()];
    sample.analysis.findings = vec![Finding {
        id: FindingId::ThreadsMigrate,
        evidence: vec![EVIL.to_owned()],
        cost: Reading::unavailable(EVIL),
        advice: vec![EVIL.to_owned()],
    }];
    for trial in sample.study.trials.iter_mut().filter(|trial| trial.point.0 == "one-node") {
        trial.point = PointId(EVIL.to_owned());
    }
    sample.study.trials[9].outcome =
        Outcome::NoMetric { problem: EVIL.to_owned(), output_tail: format!("{EVIL}\n{EVIL}") };
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
            point(
                &name,
                "threads spread over some of the nodes, each pinned to its core, memory local",
                role,
                32,
            )
        })
        .collect();
    let values: Vec<f64> = (0..14).map(|k| 900.0 / (1.0 + f64::from(k) * 0.22)).collect();
    let study = study(header(&["./solver", "--input", "mesh.h5"], 8, points), &values, 1428, 0.03);
    let mut analysis = analysis(
        &study,
        VerdictKind::Affected,
        Reading::Measured(effect(3.86, 3.81, 3.92)),
        "Placement matters here.",
    );
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
