//! Samples of single findings.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, ObeyedAdvice,
    ObeyedQuantity, PinningQuantity, RunGroup, RunGroupQuantity,
};
use numawise_facts::notice::StudyNotice;
use numawise_facts::{Effect, Finding, FindingId, MemoryMode, MemoryPlan, PageUse, PointId, Reading, Study};
use numawise_report::check::UseFromNowOn;
use numawise_tables::{Analysis, Contrast, ContrastCall, PlacedWell, VerdictKind};
use numawise_units::{Bytes, NodeId, NodeSet, Ratio};

use super::Sample;
use super::build::{contrast, effect, header, on_nodes};
use super::cases::{analysis, as_it_is, compared, seen, study, two_node_points};

/// `os`, `one-node`, `pinned` (over all nodes) and `interleave`.
fn four(seconds: [f64; 4]) -> Study {
    let mut points = two_node_points();
    points.truncate(4);
    study(header(&["./app", "100"], 2, points), &seconds, 8, 0.006)
}

fn contrasts(effects: [(Effect, ContrastCall); 3]) -> Vec<Contrast> {
    let of = |(to, (effect, call)): (&str, (Effect, ContrastCall))| {
        contrast("os", to, Reading::Measured(effect), call)
    };
    ["one-node", "pinned", "interleave"].into_iter().zip(effects).map(of).collect()
}

/// A gain by a placement, with the memory and the CPU time of the operating system's.
fn gains(to: &str, study: &Study, gain: Effect, memory: [u64; 2], cpu: [f64; 2]) -> Analysis {
    let mut analysis = analysis(study, VerdictKind::Affected, Reading::Measured(gain));
    (analysis.verdict.to, analysis.recommended) = (to.into(), Some(to.into()));
    analysis.points.iter_mut().for_each(|point| on_nodes(point, &memory, &cpu));
    analysis
}

fn one_node_line() -> UseFromNowOn {
    UseFromNowOn {
        line: "numawise run --place local --nodes 0 --memory bind --threads 4 --pin -- ./app 100".to_owned(),
        equivalents: vec![(
            "numactl".to_owned(),
            "OMP_NUM_THREADS=4 numactl --physcpubind=0-3 --membind=0 ./app 100".to_owned(),
        )],
        comments: vec![],
    }
}

fn of_point(point: &str) -> EvidenceSubject {
    EvidenceSubject::Point { point: point.into() }
}

fn share(quantity: EvidenceQuantity, share: f64, of: Option<Amount>, subject: EvidenceSubject) -> Evidence {
    seen(quantity, Amount::Share(Ratio(share)), of, subject)
}

pub fn node_chosen_anew() -> Sample {
    let study = four([1.31, 1.02, 1.3, 1.29]);
    let gain = effect(1.284, 1.19, 1.33);
    let mut analysis = gains("one-node", &study, gain, [1530, 6], [0.93, 0.07]);
    analysis.contrasts = contrasts([
        (gain, ContrastCall::Better),
        (effect(1.008, 0.97, 1.04), ContrastCall::Same),
        (effect(1.015, 0.98, 1.04), ContrastCall::Same),
    ]);
    let group = |group| EvidenceSubject::Runs { point: "os".into(), group };
    let runs = |count, of| {
        seen(
            EvidenceQuantity::RunGroup(RunGroupQuantity::RunsOfGroup),
            Amount::Count(count),
            Some(Amount::Count(9)),
            group(of),
        )
    };
    let median = |value, low, high, of| Evidence {
        interval: Some((Amount::Metric(low), Amount::Metric(high))),
        source: EvidenceSource::Trials,
        ..seen(
            EvidenceQuantity::RunGroup(RunGroupQuantity::MetricOfGroup),
            Amount::Metric(value),
            None,
            group(of),
        )
    };
    let apart = effect(1.52, 1.44, 1.6);
    analysis.findings = vec![Finding {
        id: FindingId::NodeChosenAnew,
        evidence: vec![
            runs(4, RunGroup::Together),
            median(1.018, 1.01, 1.03, RunGroup::Together),
            runs(5, RunGroup::Apart),
            median(1.548, 1.53, 1.56, RunGroup::Apart),
            Evidence {
                interval: Some((Amount::Ratio(apart.low), Amount::Ratio(apart.high))),
                source: EvidenceSource::Trials,
                ..seen(
                    EvidenceQuantity::RunGroup(RunGroupQuantity::EffectOfGroup),
                    Amount::Ratio(apart.ratio),
                    None,
                    group(RunGroup::Together),
                )
            },
            compared(EvidenceQuantity::EffectOfPlacement, gain, "os", "one-node"),
        ],
        cost: Reading::Measured(gain),
        cure: Some(study.header.points[1].request.clone()),
        advice: vec![AdvisedStep::tried(Advice::FixTheNode { placement: "one-node".into() }, gain)],
    }];
    Sample { name: "node-chosen-anew", study, analysis, from_now_on: one_node_line() }
}

pub fn memory_out_of_reach() -> Sample {
    let study = four([2.1, 2.11, 2.09, 2.1]);
    let kind = VerdictKind::Undecided;
    let mut analysis =
        analysis(&study, kind, Reading::unavailable("the plan was not obeyed at any other placement"));
    let ids = || ["one-node", "pinned", "interleave"].map(PointId::from).to_vec();
    (analysis.verdict.to, analysis.verdict.more_repeats) = ("os".into(), None);
    analysis.verdict.placed_well = PlacedWell::NotDecided { points: ids() };
    analysis.points.iter_mut().for_each(|point| on_nodes(point, &[12, 1524], &[0.5, 0.5]));
    let found = vec![(NodeId(0), Bytes::mib(12)), (NodeId(1), Bytes::mib(1524))];
    let asked = MemoryPlan::new(MemoryMode::Bind, NodeSet::single(NodeId(0)));
    let (against, point) = (Ratio(0.992), PointId::from("one-node"));
    analysis.verdict.caveats =
        vec![StudyNotice::MemoryNotObeyed { point, asked, against, found, trials: 9 }.into()];
    let all = || Some(Amount::Bytes(Bytes::mib(1536)));
    let policy = EvidenceSubject::Policy { point: "one-node".into(), policy: "bind:1".to_owned() };
    let file = EvidenceSubject::MemoryUse {
        point: "one-node".into(),
        used_for: PageUse::File,
        file: Some("/data/mesh.bin".to_owned()),
    };
    analysis.findings = vec![Finding {
        id: FindingId::MemoryOutOfReach,
        evidence: vec![
            share(
                EvidenceQuantity::Obeyed(ObeyedQuantity::MemoryAgainstPlan),
                0.992,
                all(),
                of_point("one-node"),
            ),
            share(EvidenceQuantity::Obeyed(ObeyedQuantity::MemoryUnderPolicy), 0.81, all(), policy),
            share(EvidenceQuantity::Obeyed(ObeyedQuantity::MemoryByUse), 0.18, all(), file),
        ],
        cost: Reading::unavailable("what other places for its memory would bring could not be tried"),
        cure: None,
        advice: vec![
            Advice::Obeyed(ObeyedAdvice::LeaveMemoryPolicy).into(),
            Advice::Obeyed(ObeyedAdvice::ReadFilesThere).into(),
        ],
    }];
    let comments = vec!["as it is: nothing that was tried is known to be better".to_owned()];
    let from_now_on = UseFromNowOn { comments, ..as_it_is() };
    Sample { name: "memory-out-of-reach", study, analysis, from_now_on }
}

pub fn threads_bound() -> Sample {
    let study = four([2.0, 2.01, 1.2, 1.21]);
    let gain = effect(1.667, 1.61, 1.72);
    let mut analysis = gains("pinned", &study, gain, [1530, 6], [1.0, 0.0]);
    let (point, allowed) = ("os".into(), study.header.machine.allowed_cpus.clone());
    let found: numawise_units::CpuSet = "0-3".parse().expect("a list of CPUs");
    let subject = EvidenceSubject::Cpus { point: "os".into(), cpus: found.clone() };
    analysis.verdict.caveats =
        vec![StudyNotice::BoundByOthers { point, found, allowed, launcher: None }.into()];
    let interleave = effect(1.653, 1.6, 1.7);
    analysis.contrasts = contrasts([
        (effect(0.995, 0.98, 1.01), ContrastCall::Same),
        (gain, ContrastCall::Better),
        (interleave, ContrastCall::Better),
    ]);
    analysis.findings = vec![Finding {
        id: FindingId::ThreadsBoundByProgram,
        evidence: vec![
            seen(
                EvidenceQuantity::Obeyed(ObeyedQuantity::CpusOfThreads),
                Amount::Count(4),
                Some(Amount::Count(8)),
                subject,
            ),
            compared(EvidenceQuantity::EffectOfPlacement, gain, "os", "pinned"),
            compared(EvidenceQuantity::EffectOfPlacement, interleave, "os", "interleave"),
        ],
        cost: Reading::Measured(gain),
        cure: Some(study.header.points[2].request.clone()),
        advice: vec![AdvisedStep::tried(Advice::UsePlacement { placement: "pinned".into() }, gain)],
    }];
    let from_now_on = UseFromNowOn {
        line: "numawise run --place distributed --memory local --threads 8 --pin -- ./app 100".to_owned(),
        equivalents: vec![],
        comments: vec![],
    };
    Sample { name: "threads-bound", study, analysis, from_now_on }
}

pub fn better_together() -> Sample {
    let study = four([2.0, 1.1, 1.9, 1.6]);
    let (gain, all, interleave) =
        (effect(1.818, 1.77, 1.87), effect(1.053, 1.03, 1.08), effect(1.25, 1.21, 1.29));
    let mut analysis = gains("one-node", &study, gain, [1508, 28], [0.51, 0.49]);
    analysis.contrasts = contrasts([
        (gain, ContrastCall::Better),
        (all, ContrastCall::Better),
        (interleave, ContrastCall::Better),
    ]);
    analysis.findings = vec![Finding {
        id: FindingId::BetterTogether,
        evidence: vec![
            Evidence {
                source: EvidenceSource::Design,
                ..seen(
                    EvidenceQuantity::Threads,
                    Amount::Count(4),
                    Some(Amount::Count(8)),
                    of_point("one-node"),
                )
            },
            compared(EvidenceQuantity::EffectOfOneNode, gain, "os", "one-node"),
            compared(EvidenceQuantity::EffectOfInterleaving, interleave, "os", "interleave"),
            compared(EvidenceQuantity::EffectOfPlacement, all, "os", "pinned"),
        ],
        cost: Reading::Measured(gain),
        cure: Some(study.header.points[1].request.clone()),
        advice: vec![AdvisedStep::tried(Advice::KeepTogether { placement: "one-node".into() }, gain)],
    }];
    Sample { name: "better-together", study, analysis, from_now_on: one_node_line() }
}

pub fn placement_helps() -> Sample {
    let study = four([2.0, 1.8, 2.0, 1.79]);
    let gain = effect(1.111, 1.08, 1.14);
    let mut analysis = gains("one-node", &study, gain, [768, 768], [0.5, 0.5]);
    analysis.contrasts = contrasts([
        (gain, ContrastCall::Better),
        (effect(1.0, 0.98, 1.02), ContrastCall::Same),
        (effect(1.09, 1.02, 1.13), ContrastCall::Open),
    ]);
    analysis.findings = vec![Finding {
        id: FindingId::PlacementHelps,
        evidence: vec![
            compared(EvidenceQuantity::EffectOfPlacement, gain, "os", "one-node"),
            seen(
                EvidenceQuantity::Pinning(PinningQuantity::Migrations),
                Amount::Count(14),
                None,
                of_point("os"),
            ),
            share(EvidenceQuantity::Pinning(PinningQuantity::RunVariation), 0.021, None, of_point("os")),
            share(
                EvidenceQuantity::Pinning(PinningQuantity::RunVariation),
                0.008,
                None,
                of_point("one-node"),
            ),
        ],
        cost: Reading::Measured(gain),
        cure: Some(study.header.points[1].request.clone()),
        advice: vec![AdvisedStep::tried(Advice::UsePlacement { placement: "one-node".into() }, gain)],
    }];
    Sample { name: "placement-helps", study, analysis, from_now_on: one_node_line() }
}
