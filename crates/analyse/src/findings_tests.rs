use numawise_facts::{Counts, Finding, FindingId, Reading, Study};

use crate::analyse;
use crate::sample::{first_touch_by_one, observation, see, study, two_node_check, two_sockets, with_hbm};

fn found(study: &Study, id: FindingId) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == id)
}

#[test]
fn memory_on_one_node_and_threads_on_both_is_first_touch_by_one_thread() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    see(&mut study, "os", &first_touch_by_one());
    let finding = found(&study, FindingId::FirstTouchByOneThread).unwrap();
    let evidence = finding.evidence.join("; ");
    for part in
        ["99.0 % of the program's 100 MiB lie on node 0", "50.0 % of its CPU time", "(app-0) took 98.0 %"]
    {
        assert!(evidence.contains(part), "{evidence}");
    }
    assert!((finding.cost.measured().unwrap().ratio.0 - 1.82).abs() < 0.02);
    assert!(finding.advice[0].contains("initialise") && finding.advice[1].contains("interleave"));
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

#[test]
fn a_census_that_came_too_early_says_nothing() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let mut early = first_touch_by_one();
    early.peak_memory = Reading::Measured(numawise_units::Bytes::mib(4000));
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
fn without_a_census_nothing_is_said_of_memory() {
    let mut study = two_node_check(2.0, 1.9, 1.1, 2.1, 3.0, 1.5);
    let mut blind = first_touch_by_one();
    blind.pages = Reading::unavailable("move_pages is forbidden");
    see(&mut study, "os", &blind);
    assert_eq!(found(&study, FindingId::FirstTouchByOneThread), None);
    assert!(analyse(&study).unavailable.iter().any(|text| text == "memory by node: move_pages is forbidden"));
}

#[test]
fn wandering_threads_are_found_by_their_cost() {
    let pairs = [("os", "pinned", Counts::BothWays)];
    let faster = study(two_sockets(), &[("os", 1.2), ("pinned", 1.0)], &pairs, 6);
    let mut wanders = faster.clone();
    see(&mut wanders, "os", &observation(&[], &[(0, 0)]));
    let finding = found(&wanders, FindingId::ThreadsMigrate).unwrap();
    assert!(finding.cost.measured().unwrap().ratio.0 > 1.15 && finding.evidence[0].contains("3 times"));
    let mut still = faster;
    let mut seen = observation(&[], &[(0, 0)]);
    seen.migrations = Reading::Measured(0);
    see(&mut still, "os", &seen);
    assert_eq!(found(&still, FindingId::ThreadsMigrate), None, "no thread wandered");
}

#[test]
fn idle_bandwidth_needs_the_same_threads_on_one_node_and_on_all() {
    let pairs = [("os", "one-node", Counts::BothWays), ("one-node", "all-nodes", Counts::BothWays)];
    let spread = study(two_sockets(), &[("os", 1.5), ("one-node", 1.5), ("all-nodes", 1.0)], &pairs, 6);
    let finding = found(&spread, FindingId::IdleBandwidth).unwrap();
    assert!(finding.evidence[0].contains("4 threads on 8 CPUs"), "{:?}", finding.evidence);
    assert_eq!(found(&two_node_check(1.5, 1.0, 1.0, 1.5, 1.5, 1.0), FindingId::IdleBandwidth), None);
}

#[test]
fn copies_that_get_more_done_are_told_from_far_memory() {
    let near = found(&two_node_check(1.0, 1.0, 1.0, 1.9, 1.9, 0.6), FindingId::ProcessPerNode).unwrap();
    assert!(near.evidence[1].contains("scales with threads"));
    let far = found(&two_node_check(1.0, 1.0, 1.0, 1.9, 3.0, 0.6), FindingId::ProcessPerNode).unwrap();
    assert_eq!(far.evidence.len(), 1);
    assert_eq!(found(&two_node_check(1.0, 1.0, 1.0, 1.9, 3.0, 1.0), FindingId::ProcessPerNode), None);
}

#[test]
fn hbm_is_a_finding_when_it_is_faster_or_could_not_be_tried() {
    let pairs = [("os", "hbm", Counts::BothWays)];
    let mut faster = study(with_hbm(), &[("os", 2.0), ("hbm", 1.0)], &pairs, 6);
    see(&mut faster, "os", &observation(&[(0, 100)], &[(0, 1)]));
    let finding = found(&faster, FindingId::HbmUnused).unwrap();
    assert!(finding.evidence[0].contains("nodes 2-3") && finding.evidence[0].contains("0 B of the program"));
    assert!(finding.cost.measured().is_some());
    let same = study(with_hbm(), &[("os", 1.0), ("hbm", 1.0)], &pairs, 6);
    assert_eq!(found(&same, FindingId::HbmUnused), None);
    let mut large =
        study(with_hbm(), &[("os", 1.0), ("all-nodes", 1.0)], &[("os", "all-nodes", Counts::BothWays)], 6);
    large.header.not_tried = vec!["HBM: the program needs 3 GiB, and nodes 2-3 can take 1.8 GiB".to_owned()];
    let finding = found(&large, FindingId::HbmUnused).unwrap();
    assert!(finding.cost.measured().is_none() && finding.evidence[1].contains("needs 3 GiB"));
    assert_eq!(found(&two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0), FindingId::HbmUnused), None, "no HBM");
}

#[test]
fn a_machine_that_is_never_quiet_is_a_finding() {
    let pairs = [("os", "pinned", Counts::BothWays)];
    let mut busy = study(two_sockets(), &[("os", 1.2), ("pinned", 1.2)], &pairs, 6);
    busy.trials
        .iter_mut()
        .for_each(|trial| trial.disturbances = vec![numawise_facts::Disturbance::OtherLoad(0.5)]);
    let finding = found(&busy, FindingId::TooNoisyOrShort).unwrap();
    assert!(finding.evidence[0].contains("12 of 12 runs shared the machine"), "{:?}", finding.evidence);
    busy.trials.iter_mut().skip(2).for_each(|trial| trial.disturbances.clear());
    assert_eq!(found(&busy, FindingId::TooNoisyOrShort), None, "five quiet blocks are enough");
}

#[test]
fn short_runs_say_so() {
    let pairs = [("os", "pinned", Counts::BothWays)];
    let short = study(two_sockets(), &[("os", 0.012), ("pinned", 0.012)], &pairs, 6);
    assert!(found(&short, FindingId::TooNoisyOrShort).unwrap().evidence[0].contains("a run takes 12"));
    let long = study(two_sockets(), &[("os", 1.2), ("pinned", 1.2)], &pairs, 6);
    assert_eq!(found(&long, FindingId::TooNoisyOrShort), None);
}
