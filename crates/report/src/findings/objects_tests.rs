use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::finding::{Amount, EvidenceQuantity, EvidenceSource};
use numawise_facts::{FindingId, Reading};
use numawise_units::{Bytes, Ratio};

use super::super::title;
use super::*;

const ALL: [FindingId; 7] = [
    FindingId::ObjectTouchedByOne,
    FindingId::ObjectRemote,
    FindingId::ObjectUsedByAll,
    FindingId::ObjectOfThreadElsewhere,
    FindingId::ObjectPagesShared,
    FindingId::ObjectNotInFastMemory,
    FindingId::ObjectWithoutHugePages,
];

fn said(quantity: ObjectQuantity, value: Amount, subject: ObjectSubject) -> String {
    let one = Evidence {
        quantity: EvidenceQuantity::Object(quantity),
        value: Reading::Measured(value),
        of: Some(Amount::Bytes(Bytes::mib(12))),
        interval: None,
        subject: EvidenceSubject::Object(subject),
        source: EvidenceSource::Samples,
    };
    super::sentence(quantity, &one)
}

fn place(function: &str, line: u32) -> Reading<CodePlace> {
    Reading::Measured(CodePlace {
        file: "/wave".to_owned(),
        address: 0,
        source: SourcePlace {
            function: Reading::Measured(function.to_owned()),
            file: Reading::Measured("/src/kernel.cpp".to_owned()),
            line: Reading::Measured(line),
        },
    })
}

/// An object that a finding of the whole program names.
fn of_program() -> NamedObject {
    NamedObject {
        name: Reading::Measured("u".to_owned()),
        kind: ObjectKind::Heap,
        allocated: place("Grid", 41),
        touched_by: Reading::Measured(0),
        touched_at: place("fill", 17),
        used_at: place("step", 88),
    }
}

fn every_advice() -> Vec<ObjectAdvice> {
    vec![
        ObjectAdvice::TouchWhereUsed { used_at: place("step", 88) },
        ObjectAdvice::InterleaveObject { nodes: "0,2".parse().unwrap() },
        ObjectAdvice::TouchByUser { number: 3 },
        ObjectAdvice::PutOnNode { node: NodeId(1) },
        ObjectAdvice::PutIntoFastMemory { nodes: "2-3".parse().unwrap() },
        ObjectAdvice::SeparatePages { page: Reading::Measured(Bytes::kib(64)) },
        ObjectAdvice::UseHugePages { from_outside: true },
        ObjectAdvice::UseHugePages { from_outside: false },
        ObjectAdvice::InitialiseObject(Box::new(of_program())),
    ]
}

#[test]
fn findings_have_their_rows_in_the_manual() {
    let manual = include_str!("../../../../docs/user/findings.md");
    for id in ALL {
        let row = format!("| {id} | {} |", title(id));
        assert!(manual.contains(&row), "no row: {row}");
    }
}

#[test]
fn evidence_names_what_it_is_of() {
    let share = Amount::Share(Ratio(0.49));
    let node = || ObjectSubject::NodeOfObject { node: NodeId(2) };
    let thread = ObjectSubject::ThreadOfObject { number: 3, node: Some(NodeId(1)) };
    assert_eq!(said(ObjectQuantity::ObjectOnNode, share, node()), "49.0 % of it lie on node 2");
    assert_eq!(
        said(ObjectQuantity::FaultsOfObjectByThread, share, thread),
        "thread 3 on node 1 took 49.0 % of its page faults"
    );
    let nowhere = ObjectSubject::ThreadOfObject { number: 3, node: None };
    assert_eq!(said(ObjectQuantity::UsedByThread, share, nowhere), "thread 3: 49.0 % of its use");
    let size = said(ObjectQuantity::SizeOfObject, Amount::Bytes(Bytes::mib(700)), ObjectSubject::WholeObject);
    assert!(
        size.starts_with("its size is 700 MiB; with small pages the TLB of a core covers 12 MiB"),
        "{size}"
    );
}

#[test]
fn advice_says_what_to_do_in_which_loop() {
    let all: Vec<String> = every_advice().iter().map(advise).collect();
    assert!(all[0].contains("as the one in step (kernel.cpp:88)"), "{}", all[0]);
    assert!(all[5].contains("align each part to 64 KiB"), "{}", all[5]);
    let expected = "initialise u, now in fill (kernel.cpp:17), in a loop that is divided among the threads as the one in step (kernel.cpp:88)";
    assert!(all[8].starts_with(expected), "{}", all[8]);
    let unknown = ObjectAdvice::SeparatePages { page: Reading::unavailable("not asked") };
    assert!(advise(&unknown).contains("align each part to a page ("));
}

/// What a cure can be tried with is what `numawise run` takes.
#[test]
fn options_are_those_of_run() {
    let all: Vec<Option<String>> = every_advice().iter().map(options).collect();
    let expected = [
        None,
        Some("--memory interleave:0,2"),
        None,
        Some("--memory preferred:1"),
        Some("--memory hbm"),
        None,
        Some("--page-size thp"),
        None,
        None,
    ];
    assert_eq!(all.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    for option in all.iter().flatten() {
        let value = option.split(' ').nth(1).unwrap();
        let parses = value.parse::<numawise_facts::MemoryRequest>().is_ok()
            || value.parse::<numawise_facts::PageSize>().is_ok();
        assert!(parses, "{option}");
    }
}

#[test]
fn words_of_json_are_those_of_the_values() {
    let json = serde_json::to_value(every_advice()).unwrap();
    assert_eq!(json[1], serde_json::json!({"interleave_object": {"nodes": "0,2"}}));
    assert_eq!(json[5], serde_json::json!({"separate_pages": {"page": 65536}}));
    assert_eq!(json[7], serde_json::json!({"use_huge_pages": {"from_outside": false}}));
    for id in ALL {
        assert_eq!(serde_json::to_value(id).unwrap(), id.code());
    }
}

#[test]
fn an_object_of_the_program_is_named_with_what_is_known_of_it() {
    let of = |value: Reading<Amount>, object: NamedObject| Evidence {
        quantity: EvidenceQuantity::Object(ObjectQuantity::NamedByTime),
        value,
        of: Some(Amount::Bytes(Bytes::mib(12))),
        interval: None,
        subject: EvidenceSubject::Object(ObjectSubject::NamedObject(Box::new(object))),
        source: EvidenceSource::Samples,
    };
    let share = Reading::Measured(Amount::Share(Ratio(0.49)));
    let full = of(share.clone(), of_program());
    assert_eq!(
        super::sentence(ObjectQuantity::NamedByTime, &full),
        "u, 12 MiB, allocated in Grid (kernel.cpp:41): 49.0 % of the time for memory; first touched by thread 0 in fill \
         (kernel.cpp:17); used in step (kernel.cpp:88)"
    );
    let by_accesses = super::sentence(ObjectQuantity::NamedByAccesses, &full);
    assert!(by_accesses.contains("49.0 % of the accesses in loops"), "{by_accesses}");
    let unknown = || Reading::unavailable("stripped");
    let bare = NamedObject {
        name: Reading::unavailable("stripped"),
        allocated: unknown(),
        touched_by: Reading::unavailable("several threads"),
        touched_at: unknown(),
        used_at: unknown(),
        kind: ObjectKind::Mapped,
    };
    let bare = of(Reading::unavailable("too few samples"), bare);
    assert_eq!(super::sentence(ObjectQuantity::NamedByTime, &bare), "mapped, 12 MiB");
}
