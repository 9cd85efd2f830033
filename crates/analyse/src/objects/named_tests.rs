use numawise_facts::objects::{FirstTouch, MemoryObject, ObjectUse, PlaceCount, PlaceUse};
use numawise_units::{Bytes, NodeId};

use super::*;
use crate::objects::sample::{cpu_of, object, run};
use crate::sample::{first_touch_by_one, see, two_node_check, two_sockets};

/// Touched by thread 0, used by four.
fn touched_by_one(name: &str, samples: f64) -> MemoryObject {
    let touch = FirstTouch { thread: 0, cpu: cpu_of(0), place: Some(0), samples: 100, faults: 1700 };
    let of = |thread| ObjectUse {
        thread,
        cpu: cpu_of(thread),
        node: Some(NodeId(0)),
        samples: samples / 4.0,
        reads: samples / 4.0,
    };
    MemoryObject {
        first_touch: vec![touch],
        touch_places: vec![PlaceCount { place: 0, faults: 1700 }],
        uses: (0..4).map(of).collect(),
        use_places: vec![PlaceUse { place: 1, samples, reads: samples }],
        ..object(name, Bytes::mib(64))
    }
}

/// A check in which interleaved memory is 1.5 times as fast, with what was seen of one thread that touches all memory.
fn check(objects: Option<Vec<MemoryObject>>) -> Study {
    let mut study = two_node_check(3.0, 3.0, 2.0, 3.5, 4.0, 6.0);
    see(&mut study, "os", &first_touch_by_one());
    study.objects = objects.map(|objects| run(two_sockets(), objects));
    study
}

fn finding(study: &Study) -> Finding {
    let findings = crate::analyse(study).findings;
    findings.into_iter().find(|one| one.id == FindingId::FirstTouchByOneThread).expect("NW001")
}

fn names(finding: &Finding) -> Vec<String> {
    let name = |one: &Evidence| match &one.subject {
        EvidenceSubject::Object(ObjectSubject::NamedObject(object)) => object.name.measured().cloned(),
        _ => None,
    };
    finding.evidence.iter().filter_map(name).collect()
}

#[test]
fn memory_touched_by_one_thread_names_its_objects_the_most_used_first() {
    let objects = ["a", "b", "c", "d", "rare"].iter().zip([100.0, 400.0, 200.0, 150.0, 10.0]);
    let objects = objects.map(|(name, samples)| touched_by_one(name, samples)).collect();
    let study = check(Some(objects));
    let found = finding(&study);
    assert_eq!(names(&found), ["b", "c", "d"]);
    let steps = found.advice.iter().filter_map(|step| match &step.advice {
        Advice::Object(ObjectAdvice::InitialiseObject(object)) => Some(object),
        _ => None,
    });
    let places = &study.objects.as_ref().unwrap().places;
    let at: Vec<_> =
        steps.map(|of| (of.touched_by.clone(), of.touched_at.clone(), of.used_at.clone())).collect();
    let expected =
        (Reading::Measured(0), Reading::Measured(places[0].clone()), Reading::Measured(places[1].clone()));
    assert_eq!(at, vec![expected; 3]);
}

#[test]
fn without_objects_nothing_changes() {
    let (plain, empty) = (finding(&check(None)), finding(&check(Some(vec![]))));
    assert!(names(&plain).is_empty());
    assert_eq!(plain, empty);
}

#[test]
fn where_times_are_withheld_the_largest_are_named_without_a_share_and_without_a_loop() {
    // Fewer samples than shares are said of.
    let small = MemoryObject { bytes: Bytes::mib(1), ..touched_by_one("small", 20.0) };
    let found = finding(&check(Some(vec![small, touched_by_one("large", 10.0)])));
    assert_eq!(names(&found), ["large", "small"]);
    let of_objects =
        || found.evidence.iter().filter(|one| matches!(one.quantity, EvidenceQuantity::Object(_)));
    assert!(of_objects().all(|one| one.value.measured().is_none() && one.interval.is_none()));
    assert!(!found.advice.iter().any(|step| matches!(step.advice, Advice::Object(_))));
}

#[test]
fn an_object_that_several_threads_touched_is_not_to_be_initialised_anew() {
    let mut shared = touched_by_one("shared", 800.0);
    let half = |thread| FirstTouch { thread, cpu: cpu_of(thread), place: Some(0), samples: 50, faults: 850 };
    shared.first_touch = vec![half(0), half(1)];
    let found = finding(&check(Some(vec![shared])));
    assert_eq!(names(&found), ["shared"]);
    assert!(!found.advice.iter().any(|step| matches!(step.advice, Advice::Object(_))));
}

#[test]
fn the_contrast_with_interleaved_memory_is_a_cure_that_was_tried() {
    let study = check(Some(vec![touched_by_one("u", 800.0)]));
    let judged = crate::contrasts::judge(&study);
    let run = of_check(&study, &judged, &|point| format!("run {}", point.id)).unwrap();
    let [tried] = run.trials.as_slice() else { panic!("{:?}", run.trials) };
    let between = comparison::of_interleaving(&study.header).unwrap();
    assert_eq!((tried.cure, tried.object), (ObjectCure::Interleave, None));
    assert_eq!(tried.command, format!("run {}", between.to.id));
    assert_eq!(tried.effect, judged.contrast(&between.from.id, &between.to.id).unwrap().effect);
    assert!(tried.effect.measured().is_some_and(|effect| effect.low.0 > 1.0));
}
