use numawise_facts::finding::{ObeyedAdvice, ObeyedQuantity};
use numawise_facts::{
    FindingId, MemoryMode, MemoryPlan, MemorySnapshot, Observation, PolicyShare, Study, ThreadBinding,
};
use numawise_units::{Bytes, CpuSet, NodeId, Ratio};

use super::*;
use crate::analyse;
use crate::sample::{observation, see, two_node_check};

fn found(study: &Study, id: FindingId) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == id)
}

fn bind(study: &mut Study, id: &str, node: u32) {
    let point = study.header.points.iter_mut().find(|point| point.id.0 == id).unwrap();
    point.placement.tasks[0].memory = MemoryPlan::new(MemoryMode::Bind, [NodeId(node)].into_iter().collect());
}

/// 100 MiB on node 1 that the program bound there itself.
fn bound_to_node_1() -> Observation {
    let mut seen = observation(&[(1, 100)], &[(0, 1)]);
    let Reading::Measured(sample) = &mut seen.pages else { panic!() };
    let policy =
        PolicyShare { policy: "bind:1".to_owned(), mappings: 1, by_node: vec![(NodeId(1), Bytes::mib(98))] };
    sample.memory = Reading::Measured(MemorySnapshot {
        by_use: vec![(PageUse::Private, NodeId(1), Bytes::mib(100))],
        by_policy: vec![policy],
        ..MemorySnapshot::default()
    });
    seen
}

#[test]
fn memory_that_the_program_binds_itself_is_a_finding_that_names_the_policy() {
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 0.6);
    assert_eq!(found(&study, FindingId::MemoryOutOfReach), None);
    bind(&mut study, "one-node", 0);
    bind(&mut study, "remote", 1);
    for id in ["os", "one-node", "remote"] {
        see(&mut study, id, &bound_to_node_1());
    }
    let finding = found(&study, FindingId::MemoryOutOfReach).unwrap();
    let [against, policy] = finding.evidence.as_slice() else { panic!("{finding:#?}") };
    assert_eq!(against.quantity, ObeyedQuantity::MemoryAgainstPlan.into());
    assert_eq!(against.subject, EvidenceSubject::Point { point: "one-node".into() });
    assert_eq!(policy.value, Reading::Measured(Amount::Share(Ratio(0.98))));
    let named = EvidenceSubject::Policy { point: "one-node".into(), policy: "bind:1".to_owned() };
    assert_eq!(policy.subject, named);
    assert_eq!(finding.advice, [Advice::Obeyed(ObeyedAdvice::LeaveMemoryPolicy).into()]);
    assert!(finding.cost.measured().is_none() && finding.cure.is_none());
    // Remote memory was never tried, so nothing may be said of its cost.
    let copies = found(&study, FindingId::ProcessPerNode).unwrap();
    assert!(copies.evidence.iter().all(|one| one.quantity != EvidenceQuantity::EffectOfRemoteMemory));
}

/// One node is node 0 there, and the program's memory is there whatever is asked for.
#[test]
fn one_thread_is_told_to_go_where_its_memory_lies() {
    let mut study = two_node_check(2.0, 2.0, 2.0, 1.2, 1.2, 2.0);
    bind(&mut study, "remote", 1);
    let mut seen = observation(&[(0, 1)], &[(4, 1)]);
    let Reading::Measured(sample) = &mut seen.pages else { panic!() };
    sample.shared = Reading::Measured(vec![(NodeId(0), Bytes::mib(99))]);
    see(&mut study, "remote", &seen);
    let finding = found(&study, FindingId::MemoryOutOfReach).unwrap();
    assert_eq!(
        finding.advice,
        [Advice::Obeyed(ObeyedAdvice::PlaceSharedMemory).into()],
        "four threads: NW050 says it"
    );
    for task in study.header.points.iter_mut().flat_map(|point| &mut point.placement.tasks) {
        task.threads.truncate(1);
    }
    let finding = found(&study, FindingId::MemoryOutOfReach).unwrap();
    assert!((finding.cost.measured().unwrap().ratio.0 - 2.0 / 1.2).abs() < 0.05);
    let effect = *finding.cost.measured().unwrap();
    let there = AdvisedStep::tried(Advice::KeepTogether { placement: "one-node".into() }, effect);
    assert_eq!(finding.advice, [there, Advice::Obeyed(ObeyedAdvice::PlaceSharedMemory).into()]);
    assert_eq!(finding.cure.unwrap().nodes.unwrap(), "0".parse().unwrap());
    assert_eq!(found(&study, FindingId::PlacementHelps), None, "it is explained");
}

#[test]
fn what_was_not_seen_is_not_guessed() {
    let mut study = two_node_check(1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    bind(&mut study, "one-node", 0);
    see(&mut study, "one-node", &observation(&[(1, 100)], &[(0, 1)]));
    let finding = found(&study, FindingId::MemoryOutOfReach).unwrap();
    assert!(finding.evidence[1].value.reason().is_some(), "{finding:#?}");
    assert_eq!(finding.advice, []);
}

/// Two working threads that are held to these CPUs.
fn held(cpus: [&str; 2]) -> Observation {
    let first = cpus.map(|cpus| (cpus.parse::<CpuSet>().unwrap().first().unwrap().0, 1));
    let mut seen = observation(&[], &first);
    let Reading::Measured(threads) = &mut seen.threads else { panic!() };
    for (thread, cpus) in threads.iter_mut().zip(cpus) {
        thread.mask = Reading::Measured(cpus.parse().unwrap());
    }
    seen
}

#[test]
fn a_program_that_binds_its_threads_is_told_with_what_happens_without_that_where_a_run_shows_it() {
    let mut study = two_node_check(2.0, 1.0, 1.9, 2.1, 3.0, 1.5);
    for point in study.header.points.iter_mut().filter(|point| point.id.0 != "os") {
        point.placement.binding = ThreadBinding::Pinned;
        point.placement.tasks[0].threads = vec!["0".parse().unwrap(), "4".parse().unwrap()];
        point.placement.tasks[0].cpus = "0,4".parse().unwrap();
    }
    see(&mut study, "os", &held(["1", "1"]));
    for id in ["interleave", "one-node", "remote", "copies"] {
        see(&mut study, id, &held(["1", "1"]));
    }
    see(&mut study, "all-nodes", &held(["0", "4"]));
    let finding = found(&study, FindingId::ThreadsBoundByProgram).unwrap();
    let [cpus, effect] = finding.evidence.as_slice() else { panic!("{finding:#?}") };
    assert_eq!((&cpus.value, cpus.of), (&Reading::Measured(Amount::Count(1)), Some(Amount::Count(8))));
    let without = EvidenceSubject::Points { from: "os".into(), to: "all-nodes".into() };
    assert_eq!((effect.quantity, &effect.subject), (EvidenceQuantity::EffectOfPlacement, &without));
    assert!((finding.cost.measured().unwrap().ratio.0 - 2.0).abs() < 0.05);
    let advised = AdvisedStep::tried(
        Advice::UsePlacement { placement: "all-nodes".into() },
        *finding.cost.measured().unwrap(),
    );
    assert_eq!(finding.advice, [advised], "what helps was tried");
    see(&mut study, "all-nodes", &held(["1", "1"]));
    let finding = found(&study, FindingId::ThreadsBoundByProgram).unwrap();
    assert_eq!((finding.evidence.len(), finding.cure), (1, None), "its own binding won everywhere");
    assert!(finding.cost.reason().is_some());
    assert_eq!(finding.advice, [Advice::Obeyed(ObeyedAdvice::LeaveThreads).into()]);
    // A plan that happens to have the CPU that the program takes anyway shows nothing either.
    for id in ["os", "all-nodes"] {
        see(&mut study, id, &held(["4", "4"]));
    }
    let finding = found(&study, FindingId::ThreadsBoundByProgram).unwrap();
    assert_eq!(finding.evidence.len(), 1, "{finding:#?}");
}
