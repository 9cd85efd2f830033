use numawise_facts::finding::{
    Advice, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, NoiseQuantity, RunGroup,
    RunGroupQuantity,
};
use numawise_facts::notice::{NotTriedReason, ObservedFigure, PlacementGroup, StudyNotice};
use numawise_facts::{
    ContrastRole, Finding, FindingId, MemoryRequest, Observation, Outcome, Reading, Strategy, Study,
};
use numawise_units::{Bytes, NodeId, NodeSet, Ratio};

use crate::analyse;
use crate::sample::{first_touch_by_one, observation, see, study, two_node_check, two_sockets, with_hbm};

fn one(finding: &Finding, quantity: EvidenceQuantity) -> &Evidence {
    finding.evidence.iter().find(|one| one.quantity == quantity).unwrap_or_else(|| panic!("{quantity:?}"))
}

fn share(evidence: &Evidence) -> f64 {
    match evidence.value.measured() {
        Some(Amount::Share(Ratio(share))) => *share,
        other => panic!("{other:?}"),
    }
}

fn found(study: &Study, id: FindingId) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == id)
}

#[test]
fn memory_on_one_node_and_threads_on_both_is_first_touch_by_one_thread() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    see(&mut study, "os", &first_touch_by_one());
    let finding = found(&study, FindingId::FirstTouchByOneThread).unwrap();
    let on_node = one(&finding, EvidenceQuantity::MemoryOnNode);
    assert_eq!((share(on_node), on_node.of), (0.99, Some(Amount::Bytes(Bytes::mib(100)))));
    let nodes = EvidenceSubject::Nodes { point: "os".into(), nodes: NodeSet::single(NodeId(0)) };
    assert_eq!(on_node.subject, nodes);
    assert_eq!(share(one(&finding, EvidenceQuantity::CpuTimeElsewhere)), 0.5);
    let faults = one(&finding, EvidenceQuantity::PageFaultsOfThread);
    assert_eq!((share(faults), faults.of), (0.98, Some(Amount::Count(4))));
    assert_eq!(faults.subject, EvidenceSubject::Thread { point: "os".into(), name: "app-0".to_owned() });
    let gain = one(&finding, EvidenceQuantity::EffectOfInterleaving);
    assert!(gain.interval.is_some() && gain.source == EvidenceSource::Contrast);
    assert!((finding.cost.measured().unwrap().ratio.0 - 1.82).abs() < 0.02);
    assert_eq!(
        finding.advice.iter().map(|step| step.advice.clone()).collect::<Vec<_>>(),
        [Advice::InitialiseInParallel { interleaving_helped: true }, Advice::InterleaveMemory]
    );
    let cure = finding.cure.unwrap();
    assert_eq!((cure.strategy, cure.memory), (Strategy::Distributed, MemoryRequest::Interleave(None)));
}

/// Four processes on a segment that their parent touched, as far as `numa_maps` shows it: 2 MiB of their own, spread.
fn forked_on_a_segment(node: u32) -> Observation {
    let mut seen = observation(&[(0, 1), (1, 1)], &[(0, 9800), (2, 70), (4, 70), (6, 60)]);
    let Reading::Measured(sample) = &mut seen.pages else { panic!() };
    sample.shared = Reading::Measured(vec![(NodeId(node), Bytes::mib(98))]);
    let Reading::Measured(threads) = &mut seen.threads else { panic!() };
    for (k, thread) in threads.iter_mut().enumerate() {
        thread.pid = numawise_units::Pid(100 + k as i32);
    }
    seen
}

#[test]
fn shared_memory_on_one_node_and_processes_on_both_is_first_touch_by_one_of_them() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    see(&mut study, "os", &forked_on_a_segment(1));
    let finding = found(&study, FindingId::FirstTouchByOneThread).unwrap();
    let on_node = one(&finding, EvidenceQuantity::MemoryOnNode);
    assert_eq!((share(on_node), on_node.of), (0.99, Some(Amount::Bytes(Bytes::mib(100)))));
    assert_eq!(share(one(&finding, EvidenceQuantity::SharedMemory)), 0.98);
    let advice: Vec<Advice> = finding.advice.into_iter().map(|step| step.advice).collect();
    assert_eq!(
        advice,
        [Advice::InitialiseSharedMemory { interleaving_helped: true }, Advice::InterleaveMemory]
    );
    assert_eq!(found(&study, FindingId::PlacementHelps), None, "it is explained");
    // Threads of one process have arrays, not segments.
    let mut threads = forked_on_a_segment(1);
    let Reading::Measured(list) = &mut threads.threads else { panic!() };
    list.iter_mut().for_each(|thread| thread.pid = numawise_units::Pid(100));
    see(&mut study, "os", &threads);
    let finding = found(&study, FindingId::FirstTouchByOneThread).unwrap();
    assert_eq!(finding.advice[0].advice, Advice::InitialiseInParallel { interleaving_helped: true });
}

#[test]
fn shared_memory_that_was_touched_where_it_is_used_is_no_first_touch_by_one() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let mut seen = forked_on_a_segment(1);
    let Reading::Measured(sample) = &mut seen.pages else { panic!() };
    sample.shared = Reading::Measured(vec![(NodeId(0), Bytes::mib(49)), (NodeId(1), Bytes::mib(49))]);
    see(&mut study, "os", &seen);
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
}

/// Remote memory costs, but nobody waits for the threads that have it: they take less from the queue.
#[test]
fn first_touch_by_one_thread_is_no_matter_where_interleaving_brings_nothing() {
    let mut study = two_node_check(2.0, 2.0, 2.0, 2.1, 3.0, 1.5);
    see(&mut study, "os", &first_touch_by_one());
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
}

#[test]
fn spread_memory_is_not_first_touch_by_one_thread() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    see(&mut study, "os", &observation(&[(0, 50), (1, 50)], &[(0, 50), (4, 50)]));
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
}

#[test]
fn memory_beside_its_threads_is_not_first_touch_by_one_thread() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    see(&mut study, "os", &observation(&[(0, 100)], &[(0, 50), (1, 50)]));
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
}

/// The kernel picks another node for each run; in the first of two runs node 0, in the other node 1.
fn alternating(study: &mut Study, point: &str, seen: [&Observation; 2]) {
    let runs = study.trials.iter_mut().filter(|trial| trial.point.0 == point);
    for (run, trial) in runs.enumerate() {
        trial.observation = Reading::Measured(seen[run % 2].clone());
    }
}

/// Makes every second run of a point take another time.
fn second_runs_take(study: &mut Study, point: &str, seconds: f64) {
    for trial in study.trials.iter_mut().filter(|t| t.point.0 == point).skip(1).step_by(2) {
        trial.outcome =
            Outcome::Measured { per_task: vec![seconds * (1.0 + 0.001 * f64::from(trial.block))] };
    }
}

#[test]
fn memory_beside_its_threads_in_every_run_is_not_first_touch_whatever_node_the_run_got() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let on_0 = observation(&[(0, 100)], &[(0, 9000), (1, 50)]);
    let on_1 = observation(&[(1, 100)], &[(4, 9000), (5, 50)]);
    alternating(&mut study, "os", [&on_0, &on_1]);
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
    assert_eq!(found(&study, FindingId::NodeChosenAnew), None, "all runs take the same time");
}

#[test]
fn one_thread_that_works_is_not_first_touch_by_one_of_several() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let mut alone = observation(&[(0, 100)], &[(4, 9000), (0, 50)]);
    let Reading::Measured(threads) = &mut alone.threads else { panic!() };
    threads[1].cpu_time = numawise_units::Nanoseconds(1_000_000);
    threads[1].cpu_time_on[0].1 = numawise_units::Nanoseconds(1_000_000);
    see(&mut study, "os", &alone);
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
}

#[test]
fn first_touch_on_another_node_each_run_is_still_first_touch() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let other = observation(&[(0, 1), (1, 99)], &[(4, 9800), (5, 70), (0, 70), (1, 60)]);
    alternating(&mut study, "os", [&first_touch_by_one(), &other]);
    let finding = found(&study, FindingId::FirstTouchByOneThread).unwrap();
    let on_node = one(&finding, EvidenceQuantity::MemoryOnNode);
    let both = EvidenceSubject::Nodes { point: "os".into(), nodes: "0-1".parse().unwrap() };
    assert_eq!((share(on_node), &on_node.subject), (0.99, &both));
    assert_eq!(share(one(&finding, EvidenceQuantity::CpuTimeElsewhere)), 0.5);
}

#[test]
fn runs_that_differ_by_the_node_that_they_got_say_so_with_both_groups() {
    let mut study = two_node_check(1.0, 1.4, 1.4, 1.0, 1.9, 1.0);
    let near = observation(&[(0, 100)], &[(0, 9000)]);
    let far = observation(&[(0, 100)], &[(4, 9000)]);
    alternating(&mut study, "os", [&near, &far]);
    second_runs_take(&mut study, "os", 1.8);
    let finding = found(&study, FindingId::NodeChosenAnew).unwrap();
    let runs = one(&finding, RunGroupQuantity::RunsOfGroup.into());
    assert_eq!((&runs.value, runs.of), (&Reading::Measured(Amount::Count(3)), Some(Amount::Count(6))));
    let medians = finding.evidence.iter().filter(|e| e.quantity == RunGroupQuantity::MetricOfGroup.into());
    assert_eq!(medians.filter(|e| e.interval.is_some()).count(), 2, "{finding:#?}");
    let effect = one(&finding, RunGroupQuantity::EffectOfGroup.into());
    let Some(Amount::Ratio(Ratio(ratio))) = effect.value.measured() else { panic!() };
    assert!((ratio - 1.8).abs() < 0.02, "{ratio}");
    let EvidenceSubject::Runs { group, .. } = effect.subject else { panic!() };
    assert!([RunGroup::Together, RunGroup::CpusOn(NodeId(0))].contains(&group));
    // Half of the runs gain 1.8.
    let cost = finding.cost.measured().unwrap();
    assert!((cost.ratio.0 - 1.8f64.sqrt()).abs() < 0.02 && cost.low.0 > 1.0, "{cost}");
    assert_eq!(finding.cure.unwrap().nodes, Some(NodeSet::single(NodeId(0))));
    assert_eq!(finding.advice[0].advice, Advice::FixTheNode { placement: "one-node".into() });
    assert!(finding.advice[0].brought.reason().is_some(), "the median of os is as good");
}

#[test]
fn threads_on_both_nodes_are_on_neither_whatever_their_runs_take() {
    let mut study = two_node_check(1.0, 1.4, 1.4, 1.0, 1.9, 1.0);
    let rather_near = observation(&[(0, 100)], &[(0, 3000), (1, 2500), (4, 2500), (5, 2000)]);
    let rather_far = observation(&[(0, 100)], &[(0, 2500), (1, 2000), (4, 3000), (5, 2500)]);
    alternating(&mut study, "os", [&rather_near, &rather_far]);
    second_runs_take(&mut study, "os", 1.8);
    assert_eq!(found(&study, FindingId::NodeChosenAnew), None);
}

#[test]
fn a_single_slow_run_on_another_node_is_chance() {
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    see(&mut study, "os", &observation(&[(0, 100)], &[(0, 9000)]));
    let slow = study.trials.iter_mut().find(|t| t.point.0 == "os").unwrap();
    slow.observation = Reading::Measured(observation(&[(0, 100)], &[(4, 9000)]));
    slow.outcome = Outcome::Measured { per_task: vec![3.0] };
    assert_eq!(found(&study, FindingId::NodeChosenAnew), None);
}

#[test]
fn a_sample_that_came_too_early_says_nothing() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let mut early = first_touch_by_one();
    early.usage.peak_memory = Reading::Measured(numawise_units::Bytes::mib(4000));
    see(&mut study, "os", &early);
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
}

#[test]
fn memory_on_one_node_that_costs_nothing_is_no_finding() {
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.9, 1.9, 1.0);
    see(&mut study, "os", &first_touch_by_one());
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
}

#[test]
fn without_a_sample_nothing_is_said_of_memory() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let mut blind = first_touch_by_one();
    blind.pages = Reading::unavailable("move_pages is forbidden");
    see(&mut study, "os", &blind);
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
    let reason = numawise_facts::Reason("move_pages is forbidden".into());
    let (what, trials) = (ObservedFigure::MemoryByNode, 6);
    let missing = StudyNotice::NotObserved { what, reason, trials, others: 0 };
    assert!(analyse(&study).unavailable.contains(&missing.into()));
}

#[test]
fn wandering_threads_are_found_by_their_cost() {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let faster = study(two_sockets(), &[("os", 1.2), ("pinned", 1.0)], &pairs, 6);
    let mut wanders = faster.clone();
    see(&mut wanders, "os", &observation(&[], &[(0, 0)]));
    let finding = found(&wanders, FindingId::ThreadsMigrate).unwrap();
    assert!(finding.cost.measured().unwrap().ratio.0 > 1.15);
    assert_eq!(finding.evidence[0].value, Reading::Measured(Amount::Count(3)));
    assert_eq!(finding.cure.unwrap().binding, numawise_facts::ThreadBinding::Pinned);
    let mut still = faster;
    let mut seen = observation(&[], &[(0, 0)]);
    seen.migrations = Reading::Measured(0);
    see(&mut still, "os", &seen);
    assert_eq!(found(&still, FindingId::ThreadsMigrate), None, "no thread wandered");
}

#[test]
fn idle_bandwidth_needs_the_same_threads_on_one_node_and_on_all() {
    let pairs =
        [("os", "one-node", ContrastRole::BothWays), ("one-node", "all-nodes", ContrastRole::BothWays)];
    let spread = study(two_sockets(), &[("os", 1.5), ("one-node", 1.5), ("all-nodes", 1.0)], &pairs, 6);
    let finding = found(&spread, FindingId::IdleBandwidth).unwrap();
    let threads = one(&finding, EvidenceQuantity::Threads);
    assert_eq!((&threads.value, threads.of), (&Reading::Measured(Amount::Count(4)), Some(Amount::Count(8))));
    assert_eq!(found(&two_node_check(1.5, 1.0, 1.0, 1.5, 1.5, 1.0), FindingId::IdleBandwidth), None);
}

#[test]
fn copies_that_get_more_done_are_not_mistaken_for_remote_memory() {
    let near = found(&two_node_check(1.0, 1.0, 1.0, 1.9, 1.9, 0.6), FindingId::ProcessPerNode).unwrap();
    assert_eq!(near.evidence[1].quantity, EvidenceQuantity::EffectOfRemoteMemory);
    assert_eq!(near.cure.unwrap().tasks, 2);
    let far = found(&two_node_check(1.0, 1.0, 1.0, 1.9, 3.0, 0.6), FindingId::ProcessPerNode).unwrap();
    assert_eq!(far.evidence.len(), 1);
    assert_eq!(found(&two_node_check(1.0, 1.0, 1.0, 1.9, 3.0, 1.0), FindingId::ProcessPerNode), None);
}

#[test]
fn hbm_is_a_finding_when_it_is_faster_or_could_not_be_tried() {
    let pairs = [("os", "hbm", ContrastRole::BothWays)];
    let mut faster = study(with_hbm(), &[("os", 2.0), ("hbm", 1.0)], &pairs, 6);
    see(&mut faster, "os", &observation(&[(0, 100)], &[(0, 1)]));
    let finding = found(&faster, FindingId::HbmUnused).unwrap();
    assert_eq!(finding.evidence[0].value, Reading::Measured(Amount::Bytes(Bytes(0))));
    let nodes = "2-3".parse().unwrap();
    assert_eq!(finding.evidence[0].subject, EvidenceSubject::Nodes { point: "os".into(), nodes });
    assert!(finding.cost.measured().is_some());
    let same = study(with_hbm(), &[("os", 1.0), ("hbm", 1.0)], &pairs, 6);
    assert_eq!(found(&same, FindingId::HbmUnused), None);
    let mut large = study(
        with_hbm(),
        &[("os", 1.0), ("all-nodes", 1.0)],
        &[("os", "all-nodes", ContrastRole::BothWays)],
        6,
    );
    let reason = NotTriedReason::DoesNotFit {
        needs: Bytes::mib(3072),
        nodes: "2-3".parse().unwrap(),
        capacity: Bytes::mib(1843),
    };
    let placements = PlacementGroup::HighBandwidthMemory;
    large.header.not_tried = vec![StudyNotice::NotTried { placements, reason: reason.clone() }.into()];
    let finding = found(&large, FindingId::HbmUnused).unwrap();
    assert!(finding.cost.measured().is_none() && finding.cure.is_none());
    assert_eq!(finding.evidence[1].source, EvidenceSource::NotTried(reason));
    assert_eq!(found(&two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0), FindingId::HbmUnused), None, "no HBM");
}

#[test]
fn a_machine_that_is_never_quiet_is_a_finding() {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let mut busy = study(two_sockets(), &[("os", 1.2), ("pinned", 1.2)], &pairs, 6);
    busy.trials
        .iter_mut()
        .for_each(|trial| trial.disturbances = vec![numawise_facts::Disturbance::Steal(0.5)]);
    let finding = found(&busy, FindingId::TooNoisyOrShort).unwrap();
    let runs = one(&finding, NoiseQuantity::StolenRuns.into());
    assert_eq!((&runs.value, runs.of), (&Reading::Measured(Amount::Count(12)), Some(Amount::Count(12))));
    busy.trials.iter_mut().skip(2).for_each(|trial| trial.disturbances.clear());
    assert_eq!(found(&busy, FindingId::TooNoisyOrShort), None, "five quiet blocks are enough");
}

#[test]
fn short_runs_say_so() {
    let pairs = [("os", "pinned", ContrastRole::BothWays)];
    let short = study(two_sockets(), &[("os", 0.012), ("pinned", 0.012)], &pairs, 6);
    let finding = found(&short, FindingId::TooNoisyOrShort).unwrap();
    let Some(Amount::Time(time)) = one(&finding, NoiseQuantity::RunTime.into()).value.measured() else {
        panic!()
    };
    assert!((11_900_000..12_100_000).contains(&time.0), "{time}");
    assert_eq!(finding.advice, [Advice::LengthenRuns.into()]);
    let long = study(two_sockets(), &[("os", 1.2), ("pinned", 1.2)], &pairs, 6);
    assert_eq!(found(&long, FindingId::TooNoisyOrShort), None);
}
