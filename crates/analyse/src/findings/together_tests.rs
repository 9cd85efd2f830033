use numawise_facts::finding::EvidenceQuantity;
use numawise_facts::{FindingId, Outcome};

use super::*;
use crate::analyse;
use crate::sample::{first_touch_by_one, observation, see, two_node_check};

fn codes(study: &numawise_facts::Study) -> Vec<&'static str> {
    analyse(study).findings.iter().map(|finding| finding.id.code()).collect()
}

#[test]
fn one_node_that_beats_all_nodes_is_one_finding_with_one_advice() {
    let mut study = two_node_check(2.0, 1.9, 1.6, 1.1, 3.0, 1.5);
    see(&mut study, "os", &first_touch_by_one());
    let analysis = analyse(&study);
    assert_eq!(analysis.recommended.as_ref().map(|point| point.0.as_str()), Some("one-node"));
    let finding = analysis.findings.iter().find(|one| one.id == FindingId::BetterTogether).unwrap();
    assert!((finding.cost.measured().unwrap().ratio.0 - 2.0 / 1.1).abs() < 0.05);
    let quantities: Vec<EvidenceQuantity> = finding.evidence.iter().map(|one| one.quantity).collect();
    assert!(quantities.contains(&EvidenceQuantity::EffectOfInterleaving), "{quantities:?}");
    assert!(quantities.contains(&EvidenceQuantity::MemoryOnNode), "{quantities:?}");
    let [step] = finding.advice.as_slice() else { panic!("{finding:#?}") };
    assert_eq!(step.advice, Advice::KeepTogether { placement: "one-node".into() });
    assert_eq!(step.brought, finding.cost);
    // Interleaving brought a gain too, but proposing it would contradict the line to use.
    assert_eq!(codes(&study)[0], "NW050");
    assert!(!codes(&study).contains(&"NW001"), "{:?}", codes(&study));
}

#[test]
fn interleaving_that_is_not_known_to_gain_is_no_first_touch_by_one_thread() {
    // A producer and consumers: one node helps, remote memory harms, and interleaved memory does now this and now that.
    let mut study = two_node_check(2.0, 1.98, 1.9, 1.5, 2.4, 1.9);
    see(&mut study, "os", &first_touch_by_one());
    for trial in study.trials.iter_mut().filter(|trial| trial.point.0 == "interleave") {
        let seconds = if trial.block % 2 == 0 { 1.3 } else { 2.5 };
        trial.outcome = Outcome::Measured { per_task: vec![seconds] };
    }
    let found = codes(&study);
    assert!(found.contains(&"NW050") && !found.contains(&"NW001"), "{found:?}");
}

#[test]
fn gains_that_touch_are_advised_in_their_order() {
    // One node and interleaving are as good: memory on one node and threads on both is what is wrong.
    let mut study = two_node_check(2.0, 1.9, 1.101, 1.1, 3.0, 1.95);
    see(&mut study, "os", &first_touch_by_one());
    let analysis = analyse(&study);
    assert!(!codes(&study).contains(&"NW050"));
    let first = &analysis.findings[0];
    assert_eq!(first.id, FindingId::FirstTouchByOneThread);
    let brought: Vec<f64> =
        first.advice.iter().filter_map(|step| Some(step.brought.measured()?.ratio.0)).collect();
    assert!(brought.len() == 2 && brought[0] >= brought[1], "{brought:?}");
    assert_eq!(analysis.recommended.map(|point| point.0).as_deref(), Some("one-node"));
    assert_eq!(first.advice[0].advice, Advice::KeepTogether { placement: "one-node".into() });
    let inside = first.cure.as_ref().unwrap().nodes.as_ref().unwrap();
    assert_eq!(inside.len(), 1, "the cure is the line that is recommended");
}

#[test]
fn findings_stand_in_the_order_of_what_their_cure_brought_and_copies_after_them() {
    let mut study = two_node_check(2.0, 2.0, 1.1, 2.1, 3.0, 0.5);
    see(&mut study, "os", &first_touch_by_one());
    assert_eq!(codes(&study), ["NW001", "NW004"], "copies brought more, but are another use of the machine");
}

#[test]
fn spread_threads_that_are_as_good_say_nothing_of_togetherness() {
    let mut study = two_node_check(2.0, 1.1, 1.6, 1.1, 3.0, 1.9);
    see(&mut study, "os", &observation(&[(0, 50), (1, 50)], &[(0, 1), (4, 1)]));
    assert!(!codes(&study).contains(&"NW050"));
}

#[test]
fn one_thread_is_not_better_together() {
    let mut study = two_node_check(2.0, 1.9, 1.6, 1.1, 3.0, 1.5);
    see(&mut study, "os", &observation(&[(1, 100)], &[(0, 100)]));
    for point in &mut study.header.points {
        for task in &mut point.placement.tasks {
            task.threads.truncate(1);
        }
    }
    assert!(!codes(&study).contains(&"NW050"), "{:?}", codes(&study));
}
