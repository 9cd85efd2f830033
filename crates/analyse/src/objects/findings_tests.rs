use numawise_facts::objects::{HugePages, MemoryObject, ObjectCure, ObjectKind, TriedCure};
use numawise_facts::{Effect, Machine};
use numawise_tables::ObjectTables;
use numawise_units::{Bytes, NodeSet};

use super::super::objects;
use super::super::sample::{Done as _, Pattern, object, run};
use super::*;
use crate::sample::{two_sockets, with_hbm};

const EQUALLY: [(u32, f64); 4] = [(0, 100.0), (1, 100.0), (2, 100.0), (3, 100.0)];
const BY_ONE: [(u32, u64); 2] = [(0, 990), (2, 10)];

/// 64 MiB on node 0, which all four threads use.
fn grid(pattern: Pattern) -> MemoryObject {
    object("u", Bytes::mib(64)).lying(&[(0, 256)]).touched(&BY_ONE).used(&EQUALLY, pattern, |_| Some(0))
}

/// The node of a thread.
fn own_node(thread: u32) -> Option<u32> {
    Some(thread / 2)
}

fn tables(machine: Machine, all: Vec<MemoryObject>) -> ObjectTables {
    objects(&run(machine, all))
}

fn found(machine: Machine, object: MemoryObject) -> Vec<FindingId> {
    ids(&tables(machine, vec![object]))
}

fn ids(tables: &ObjectTables) -> Vec<FindingId> {
    tables.findings.iter().map(|of| of.finding.id).collect()
}

fn share(finding: &Finding, quantity: ObjectQuantity) -> Option<f64> {
    let one = finding.evidence.iter().find(|one| one.quantity == EvidenceQuantity::Object(quantity))?;
    match one.value.measured()? {
        Amount::Share(share) => Some(share.0),
        other => panic!("{other:?}"),
    }
}

fn advice(finding: &Finding) -> Vec<&ObjectAdvice> {
    let object = |step: &'_ AdvisedStep| matches!(step.advice, Advice::Object(_));
    assert!(finding.advice.iter().all(object));
    finding
        .advice
        .iter()
        .filter_map(|step| if let Advice::Object(one) = &step.advice { Some(one) } else { None })
        .collect()
}

fn nodes(list: &str) -> NodeSet {
    list.parse().unwrap()
}

#[test]
fn one_thread_touched_what_threads_of_several_nodes_divide() {
    let tables = tables(two_sockets(), vec![grid(Pattern::Divided)]);
    assert_eq!(ids(&tables), [FindingId::ObjectTouchedByOne]);
    let finding = &tables.findings[0].finding;
    assert_eq!(share(finding, ObjectQuantity::FaultsOfObjectByThread), Some(0.99));
    assert_eq!(share(finding, ObjectQuantity::UsedFromElsewhere), Some(0.5));
    assert_eq!(share(finding, ObjectQuantity::ObjectOnNode), Some(1.0));
    assert_eq!(share(finding, ObjectQuantity::RemoteUse), Some(0.5));
    assert_eq!(share(finding, ObjectQuantity::PartsOfNodes), Some(1.0));
    let ObjectAdvice::TouchWhereUsed { used_at } = advice(finding)[0] else { panic!("{finding:?}") };
    assert_eq!(used_at.measured().unwrap().source.line, Reading::Measured(88));
    assert_eq!(advice(finding)[1], &ObjectAdvice::InterleaveObject { nodes: nodes("0-1") });
    assert!(
        finding.cost.measured().is_none()
            && finding.advice.iter().all(|step| step.brought.measured().is_none())
    );
}

#[test]
fn where_it_is_not_known_who_touched_it_it_is_remote_to_its_users() {
    let mut untouched = grid(Pattern::Divided);
    untouched.first_touch.clear();
    assert_eq!(found(two_sockets(), untouched), [FindingId::ObjectRemote]);
    // Two threads of the same node touched it: no single one is to blame.
    let by_two = object("u", Bytes::mib(64)).lying(&[(0, 256)]).touched(&[(0, 500), (1, 500)]).used(
        &EQUALLY,
        Pattern::Divided,
        |_| Some(0),
    );
    assert_eq!(found(two_sockets(), by_two), [FindingId::ObjectRemote]);
}

#[test]
fn what_all_threads_use_all_of_is_to_be_interleaved() {
    let tables = tables(two_sockets(), vec![grid(Pattern::Everything)]);
    assert_eq!(ids(&tables), [FindingId::ObjectUsedByAll]);
    let finding = &tables.findings[0].finding;
    assert_eq!(share(finding, ObjectQuantity::PartsOfNodes), Some(0.5));
    assert_eq!(advice(finding), [&ObjectAdvice::InterleaveObject { nodes: nodes("0-1") }]);
}

#[test]
fn what_lies_where_it_is_used_is_no_finding() {
    let local = |pattern| {
        object("u", Bytes::mib(64))
            .lying(&[(0, 128), (1, 128)])
            .touched(&[(0, 250), (1, 250), (2, 250), (3, 250)])
            .used(&EQUALLY, pattern, own_node)
    };
    assert_eq!(found(two_sockets(), local(Pattern::Divided)), []);
    let one_node = object("u", Bytes::mib(64)).lying(&[(0, 256)]).touched(&BY_ONE);
    assert_eq!(
        found(two_sockets(), one_node.used(&[(0, 200.0), (1, 200.0)], Pattern::Divided, |_| Some(0))),
        []
    );
}

#[test]
fn a_little_use_from_elsewhere_is_no_finding_and_a_fifth_is_one() {
    let used = |elsewhere: f64| {
        object("u", Bytes::mib(64)).lying(&[(0, 256)]).touched(&BY_ONE).used(
            &[(0, 1000.0 - elsewhere), (2, elsewhere)],
            Pattern::Divided,
            |_| Some(0),
        )
    };
    assert_eq!(found(two_sockets(), used(190.0)), []);
    assert_eq!(found(two_sockets(), used(200.0)), [FindingId::ObjectTouchedByOne]);
}

#[test]
fn an_object_with_little_of_the_time_is_no_finding() {
    let big =
        object("v", Bytes::mib(64)).lying(&[(0, 256)]).used(&[(0, 10_000.0)], Pattern::Divided, |_| Some(0));
    assert_eq!(found(two_sockets(), grid(Pattern::Divided)), [FindingId::ObjectTouchedByOne]);
    assert_eq!(ids(&tables(two_sockets(), vec![grid(Pattern::Divided), big])), [], "4 % of the time");
}

#[test]
fn memory_that_is_no_object_of_the_program_has_no_findings() {
    for kind in [ObjectKind::Stack, ObjectKind::Small, ObjectKind::Other] {
        assert_eq!(found(two_sockets(), MemoryObject { kind, ..grid(Pattern::Divided) }), [], "{kind:?}");
    }
    for kind in [ObjectKind::Mapped, ObjectKind::Shared, ObjectKind::Global] {
        let is = found(two_sockets(), MemoryObject { kind, ..grid(Pattern::Divided) });
        assert_eq!(is, [FindingId::ObjectTouchedByOne], "{kind:?}");
    }
}

#[test]
fn one_node_uses_what_lies_on_the_other() {
    let used = |by: &[(u32, f64)]| {
        object("u", Bytes::mib(64))
            .lying(&[(0, 256)])
            .touched(&BY_ONE)
            .used(by, Pattern::Divided, |_| Some(0))
    };
    let by_two = tables(two_sockets(), vec![used(&[(2, 250.0), (3, 250.0)])]);
    assert_eq!(ids(&by_two), [FindingId::ObjectRemote]);
    let finding = &by_two.findings[0].finding;
    assert_eq!(share(finding, ObjectQuantity::UsedFromNode), Some(1.0));
    assert_eq!(advice(finding), [&ObjectAdvice::PutOnNode { node: NodeId(1) }]);
    let by_one = tables(two_sockets(), vec![used(&[(3, 500.0), (0, 20.0)])]);
    assert_eq!(ids(&by_one), [FindingId::ObjectOfThreadElsewhere]);
    let finding = &by_one.findings[0].finding;
    assert!(share(finding, ObjectQuantity::UsedByThread).unwrap() > 0.95);
    let by_user = &ObjectAdvice::TouchByUser { number: 3 };
    assert_eq!(advice(finding), [by_user, &ObjectAdvice::PutOnNode { node: NodeId(1) }]);
    assert_eq!(found(two_sockets(), used(&[(0, 500.0)])), [], "the thread on its node");
}

#[test]
fn parts_that_lie_with_others_than_their_users_are_found() {
    let spread = |pattern, page: fn(u32) -> Option<u32>| {
        object("u", Bytes::mib(64)).lying(&[(0, 128), (1, 128)]).used(&EQUALLY, pattern, page)
    };
    let swapped = |thread: u32| Some(1 - thread / 2);
    assert_eq!(found(two_sockets(), spread(Pattern::Divided, swapped)), [FindingId::ObjectRemote]);
    assert_eq!(
        found(two_sockets(), spread(Pattern::Everything, swapped)),
        [],
        "nothing is better than spread"
    );
    assert_eq!(found(two_sockets(), spread(Pattern::Divided, own_node)), []);
    assert_eq!(found(two_sockets(), spread(Pattern::Divided, |_| None)), [], "nobody knows where pages lay");
}

#[test]
fn nodes_that_use_other_bytes_of_the_same_pages_share_them() {
    let counters = |pattern| {
        object("counters", Bytes::kib(16))
            .lying(&[(0, 4)])
            .touched(&[(0, 8)])
            .used(&EQUALLY, pattern, |_| Some(0))
    };
    let shared = tables(two_sockets(), vec![counters(Pattern::Lines)]);
    assert_eq!(ids(&shared), [FindingId::ObjectPagesShared]);
    let finding = &shared.findings[0].finding;
    assert_eq!(share(finding, ObjectQuantity::PagesOfNodes), Some(0.5));
    assert_eq!(share(finding, ObjectQuantity::LinesOfNodes), Some(1.0));
    assert_eq!(advice(finding), [&ObjectAdvice::SeparatePages { page: Reading::Measured(Bytes::kib(4)) }]);
    // All use the same bytes: other pages for them are no cure.
    assert_eq!(found(two_sockets(), counters(Pattern::Everything)), [FindingId::ObjectUsedByAll]);
    // Each has pages of its own.
    assert_eq!(found(two_sockets(), counters(Pattern::Divided)), [FindingId::ObjectTouchedByOne]);
}

#[test]
fn pages_are_shared_wherever_they_lie_and_by_threads_of_one_node_they_are_not() {
    let counters = |by: &[(u32, f64)]| {
        object("counters", Bytes::kib(16)).lying(&[(0, 2), (1, 2)]).used(by, Pattern::Lines, own_node)
    };
    assert_eq!(found(two_sockets(), counters(&EQUALLY)), [FindingId::ObjectPagesShared]);
    assert_eq!(found(two_sockets(), counters(&[(0, 200.0), (1, 200.0)])), []);
}

#[test]
fn with_few_samples_on_each_page_nothing_is_said_of_sharing_them() {
    let mut thin = grid(Pattern::Lines);
    // A page for each use, as in a large array that is sampled here and there.
    for (k, of) in thin.lines.iter_mut().enumerate() {
        (of.page, of.samples) = (k as u32, 3.0);
    }
    let tables = tables(two_sockets(), vec![thin]);
    assert_eq!(ids(&tables), [FindingId::ObjectUsedByAll]);
    let used = tables.rows[0].used.measured().unwrap();
    let reason = used.pages_of_nodes.reason().unwrap().to_string();
    assert_eq!(reason, "too few samples are of each of its pages");
}

#[test]
fn an_object_of_few_pages_is_not_divided_because_its_parts_are() {
    // Four threads with a quarter each of one page: by parts it is divided, by pages it cannot be.
    let mut page = object("one", Bytes::kib(4)).lying(&[(0, 1)]).touched(&[(0, 8)]).used(
        &EQUALLY,
        Pattern::Divided,
        |_| Some(0),
    );
    page.lines.iter_mut().for_each(|of| of.page = 0);
    assert_eq!(
        found(two_sockets(), page.clone()),
        [FindingId::ObjectUsedByAll],
        "the same lines of the one page"
    );
    page.lines.clear();
    assert_eq!(found(two_sockets(), page), [], "nothing is known of its pages");
}

fn huge(resident: Bytes, huge: Bytes) -> MemoryObject {
    let huge_pages = Reading::Measured(HugePages { page: Bytes::kib(4), resident, huge });
    let local = object("u", resident).lying(&[(0, 256)]).used(&[(0, 500.0)], Pattern::Divided, |_| Some(0));
    MemoryObject { huge_pages, ..local }
}

#[test]
fn a_large_object_without_huge_pages_is_found_where_there_are_some_to_be_had() {
    let large = huge(Bytes::mib(512), Bytes(0));
    let seen = tables(two_sockets(), vec![large.clone()]);
    assert_eq!(ids(&seen), [FindingId::ObjectWithoutHugePages]);
    let finding = &seen.findings[0].finding;
    assert_eq!(advice(finding), [&ObjectAdvice::UseHugePages { from_outside: true }]);
    let size = &finding.evidence[1];
    assert_eq!(size.value, Reading::Measured(Amount::Bytes(Bytes::mib(512))));
    assert_eq!(size.of, Some(Amount::Bytes(Bytes::mib(12))));
    let mapped = tables(two_sockets(), vec![MemoryObject { kind: ObjectKind::Mapped, ..large.clone() }]);
    assert_eq!(advice(&mapped.findings[0].finding), [&ObjectAdvice::UseHugePages { from_outside: false }]);
    for (mode, is_found) in [("always", true), ("madvise", true), ("never", false)] {
        let mut run = run(two_sockets(), vec![large.clone()]);
        run.header.host.transparent_huge_pages = Reading::Measured(mode.to_owned());
        assert_eq!(!objects(&run).findings.is_empty(), is_found, "{mode}");
    }
    let mut run = run(two_sockets(), vec![large]);
    run.header.host.transparent_huge_pages = Reading::unavailable("not there");
    assert_eq!(ids(&objects(&run)), []);
}

#[test]
fn huge_pages_are_not_missed_where_they_are_or_where_small_ones_suffice() {
    for (object, why) in [
        (huge(Bytes::mib(512), Bytes::mib(500)), "has them"),
        (huge(Bytes::mib(512), Bytes::mib(26)), "has a twentieth"),
        (huge(Bytes::mib(59), Bytes(0)), "less than five times what small pages reach"),
        (huge(Bytes(0), Bytes(0)), "has no memory"),
        (MemoryObject { kind: ObjectKind::Global, ..huge(Bytes::mib(512), Bytes(0)) }, "cannot have them"),
        (
            MemoryObject { huge_pages: Reading::unavailable("not asked"), ..huge(Bytes::mib(512), Bytes(0)) },
            "not known",
        ),
    ] {
        assert_eq!(found(two_sockets(), object), [], "{why}");
    }
    let other =
        object("v", Bytes::mib(8)).lying(&[(0, 9)]).used(&[(0, 2500.0)], Pattern::Divided, |_| Some(0));
    assert_eq!(
        ids(&tables(two_sockets(), vec![huge(Bytes::mib(512), Bytes(0)), other])),
        [],
        "a sixth of the time"
    );
}

#[test]
fn the_best_that_fits_goes_into_fast_memory() {
    let used = |name: &str, size: Bytes, samples: f64| {
        object(name, size).lying(&[(0, 256)]).used(&[(0, samples)], Pattern::Divided, |_| Some(0))
    };
    // Two fast nodes of 1 GiB. By time for each byte "dense" is the first, but the other two fit together and have more.
    let all = vec![
        used("dense", Bytes::mib(1100), 450.0),
        used("left", Bytes::mib(1024), 400.0),
        used("right", Bytes::mib(1024), 390.0),
        used("cold", Bytes::mib(1), 1.0),
    ];
    let seen = tables(with_hbm(), all);
    let choice = seen.fast_memory.measured().unwrap();
    let name = |row: usize| seen.rows[row].name.measured().unwrap().as_str();
    assert_eq!(choice.chosen.iter().map(|one| name(one.row)).collect::<Vec<_>>(), ["left", "right"]);
    assert_eq!((choice.capacity, choice.bytes, choice.candidates), (Bytes::mib(2048), Bytes::mib(2048), 4));
    assert_eq!(choice.nodes, nodes("2-3"));
    assert!(choice.is_best);
    let time = choice.memory_time;
    assert!((time.value.0 - 790.0 / 1241.0).abs() < 1e-9 && time.low < time.value && time.value < time.high);
    let of: Vec<_> = seen.findings.iter().map(|of| (of.finding.id, name(of.row))).collect();
    assert_eq!(of, [(FindingId::ObjectNotInFastMemory, "left"), (FindingId::ObjectNotInFastMemory, "right")]);
    assert_eq!(advice(&seen.findings[0].finding), [&ObjectAdvice::PutIntoFastMemory { nodes: nodes("2-3") }]);
    // Of two that have nearly the same, none is certain; what has twice the time of all others is.
    let close = tables(
        with_hbm(),
        vec![used("one", Bytes::mib(1500), 400.0), used("other", Bytes::mib(1500), 410.0)],
    );
    assert_eq!(
        close.fast_memory.measured().unwrap().chosen.iter().map(|one| one.is_certain).collect::<Vec<_>>(),
        [false]
    );
    let clear = tables(
        with_hbm(),
        vec![used("one", Bytes::mib(1500), 900.0), used("other", Bytes::mib(1500), 300.0)],
    );
    let clear = clear.fast_memory.measured().unwrap();
    assert_eq!(clear.chosen.iter().map(|one| (one.row, one.is_certain)).collect::<Vec<_>>(), [(0, true)]);
}

#[test]
fn fast_memory_of_another_socket_is_no_place_for_objects() {
    let choice = |by: &[(u32, f64)], near: [&str; 2]| {
        let mut machine = with_hbm();
        for (node, near) in [2, 3].into_iter().zip(near) {
            machine.nodes[node].near = near.parse().unwrap();
        }
        let u = object("u", Bytes::mib(64)).lying(&[(0, 256)]).used(by, Pattern::Divided, |_| Some(0));
        let choice = tables(machine, vec![u]).fast_memory.measured().unwrap().clone();
        (choice.nodes, choice.capacity)
    };
    let both = (nodes("2-3"), Bytes::mib(2048));
    let of_sockets = ["0-3", "4-7"];
    assert_eq!(choice(&[(0, 250.0), (1, 250.0)], of_sockets), (nodes("2"), Bytes::mib(1024)));
    assert_eq!(choice(&[(2, 500.0)], of_sockets), (nodes("3"), Bytes::mib(1024)));
    assert_eq!(choice(&[(0, 250.0), (2, 250.0)], of_sockets), both);
    assert_eq!(choice(&[(0, 490.0), (2, 10.0)], of_sockets), (nodes("2"), Bytes::mib(1024)), "next to none");
    assert_eq!(choice(&[(0, 500.0)], ["", ""]), both, "nobody knows what they are near to");
}

#[test]
fn what_is_in_fast_memory_or_does_not_fit_is_no_finding() {
    let used = |size: Bytes, on: &[(u32, u64)]| {
        object("u", size).lying(on).used(&[(0, 500.0)], Pattern::Divided, |_| Some(0))
    };
    assert_eq!(found(with_hbm(), used(Bytes::mib(64), &[(0, 256)])), [FindingId::ObjectNotInFastMemory]);
    assert_eq!(found(with_hbm(), used(Bytes::mib(64), &[(2, 256)])), []);
    assert_eq!(
        found(with_hbm(), used(Bytes::mib(64), &[(2, 150), (3, 50), (0, 56)])),
        [],
        "most of it is there"
    );
    assert_eq!(found(with_hbm(), used(Bytes::mib(3000), &[(0, 256)])), [], "it does not fit");
    assert_eq!(found(two_sockets(), used(Bytes::mib(64), &[(0, 256)])), [], "there is none");
    let mut forbidden = with_hbm();
    forbidden.allowed_nodes = nodes("0-1");
    assert_eq!(found(forbidden, used(Bytes::mib(64), &[(0, 256)])), [], "it may not be used");
    let mut full = with_hbm();
    full.nodes.iter_mut().for_each(|node| node.free = Reading::Measured(Bytes::mib(20)));
    assert_eq!(found(full, used(Bytes::mib(64), &[(0, 256)])), [], "others use it");
}

#[test]
fn what_a_tried_cure_brought_stands_with_it() {
    let trial = |object, cure, ratio: f64| TriedCure {
        object,
        cure,
        command: "numawise run --memory interleave -- ./wave".to_owned(),
        effect: Reading::Measured(Effect::new(ratio, ratio - 0.1, ratio + 0.1)),
    };
    let mut seen = run(two_sockets(), vec![grid(Pattern::Divided)]);
    seen.trials = vec![
        trial(None, ObjectCure::Interleave, 1.5),
        trial(Some(7), ObjectCure::TouchWhereUsed, 9.0),
        trial(None, ObjectCure::PutIntoFastMemory, 3.0),
    ];
    let brought = |seen: &ObjectRun| {
        let finding = objects(seen).findings[0].finding.clone();
        let steps: Vec<_> =
            finding.advice.iter().map(|step| step.brought.measured().map(|effect| effect.ratio.0)).collect();
        (steps, finding.cost.measured().map(|effect| effect.ratio.0))
    };
    assert_eq!(brought(&seen), (vec![None, Some(1.5)], Some(1.5)), "another object's trial is not its own");
    seen.trials.push(trial(Some(0), ObjectCure::TouchWhereUsed, 1.8));
    seen.trials.push(trial(Some(0), ObjectCure::Interleave, 1.6));
    assert_eq!(brought(&seen), (vec![Some(1.8), Some(1.6)], Some(1.8)), "its own before that of all memory");
    seen.trials.truncate(1);
    seen.trials[0].effect = Reading::unavailable("the program failed");
    let finding = objects(&seen).findings[0].finding.clone();
    assert_eq!(finding.advice[1].brought.reason().unwrap().to_string(), "the program failed");
    assert!(finding.cost.measured().is_none());
}
