use numawise_facts::finding::{Advice, Amount, EvidenceSubject, SystemAdvice, SystemQuantity};
use numawise_facts::{Finding, FindingId, Reading, Study};
use numawise_units::{Bytes, NodeId, NodeSet};

use crate::analyse;
use crate::sample::{observation, see, two_node_check};

fn found(study: &Study) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == FindingId::NodeFull)
}

/// Every run of these points was turned away by node 0 with so many MiB, as the others were with none.
fn full(study: &mut Study, points: &[&str], mib: u64) {
    for point in ["os", "all-nodes", "interleave", "one-node", "remote", "copies"] {
        let mut seen = observation(&[(0, 60), (1, 40)], &[(0, 10), (1, 10)]);
        let away = if points.contains(&point) { vec![(NodeId(0), Bytes::mib(mib))] } else { Vec::new() };
        seen.memory_events.turned_away = Reading::Measured(away);
        see(study, point, &seen);
    }
}

#[test]
fn memory_that_a_full_node_turned_away_costs_what_a_placement_with_room_brings() {
    let mut study = two_node_check(2.0, 1.95, 1.5, 1.7, 3.0, 2.0);
    study.header.machine.nodes[0].free = Reading::Measured(Bytes::mib(60));
    full(&mut study, &["os", "interleave"], 40);
    let finding = found(&study).unwrap();
    let away = &finding.evidence[0];
    assert_eq!(
        (&away.value, away.of),
        (&Reading::Measured(Amount::Bytes(Bytes::mib(40))), Some(Amount::Bytes(Bytes::mib(100))))
    );
    let nodes = NodeSet::single(NodeId(0));
    assert_eq!(away.subject, EvidenceSubject::Nodes { point: "os".into(), nodes: nodes.clone() });
    assert_eq!(finding.evidence[1].quantity, SystemQuantity::NodeFree.into());
    // Interleaved memory is better, but there was no more room for it.
    assert!((finding.cost.measured().unwrap().ratio.0 - 2.0 / 1.7).abs() < 0.02, "{}", finding.cost);
    let advice: Vec<_> = finding.advice.iter().map(|step| &step.advice).collect();
    let placement = "one-node".into();
    assert_eq!(
        advice,
        [&Advice::UsePlacement { placement }, &Advice::System(SystemAdvice::FreeTheNode { nodes })]
    );
}

#[test]
fn without_a_better_placement_it_is_said_and_has_no_cost() {
    let mut study = two_node_check(2.0, 2.0, 2.0, 2.0, 3.0, 2.0);
    full(&mut study, &["os"], 40);
    let finding = found(&study).unwrap();
    assert!(finding.cost.to_string().contains("no placement for which there was room"), "{}", finding.cost);
    assert_eq!(finding.cure, None);
}

#[test]
fn a_little_that_is_turned_away_and_what_is_not_known_are_no_finding() {
    let mut study = two_node_check(2.0, 2.0, 1.5, 2.0, 3.0, 2.0);
    full(&mut study, &["os"], 15);
    assert_eq!(found(&study), None);
    see(&mut study, "os", &observation(&[(0, 60)], &[(0, 10)]));
    assert_eq!(found(&study), None);
}

#[test]
fn a_full_node_is_searched_for_pages_to_drop() {
    let mut study = two_node_check(2.0, 2.0, 2.0, 2.0, 3.0, 2.0);
    let mut seen = observation(&[(0, 60), (1, 40)], &[(0, 10), (1, 10)]);
    seen.memory_events.turned_away = Reading::Measured(vec![(NodeId(0), Bytes::mib(40))]);
    seen.memory_events.node_reclaims = Reading::Measured(300);
    see(&mut study, "os", &seen);
    let finding = found(&study).unwrap();
    let reclaims =
        finding.evidence.iter().find(|one| one.quantity == SystemQuantity::NodeReclaims.into()).unwrap();
    assert_eq!(reclaims.value, Reading::Measured(Amount::Count(300)));
}
