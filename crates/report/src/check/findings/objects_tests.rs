use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::finding::{Amount, EvidenceSource};
use numawise_units::{Bytes, Ratio};

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

fn every_advice() -> Vec<ObjectAdvice> {
    let known = CodePlace {
        file: "/wave".to_owned(),
        address: 0,
        source: SourcePlace {
            function: Reading::Measured("step".to_owned()),
            file: Reading::Measured("/src/kernel.cpp".to_owned()),
            line: Reading::Measured(88),
        },
    };
    vec![
        ObjectAdvice::TouchWhereUsed { used_at: Reading::Measured(known) },
        ObjectAdvice::InterleaveObject { nodes: "0,2".parse().unwrap() },
        ObjectAdvice::TouchByUser { number: 3 },
        ObjectAdvice::PutOnNode { node: NodeId(1) },
        ObjectAdvice::PutIntoFastMemory { nodes: "2-3".parse().unwrap() },
        ObjectAdvice::SeparatePages { page: Reading::Measured(Bytes::kib(64)) },
        ObjectAdvice::UseHugePages { from_outside: true },
        ObjectAdvice::UseHugePages { from_outside: false },
    ]
}

#[test]
fn findings_have_their_rows_in_the_manual() {
    let manual = include_str!("../../../../../docs/user/objects.md");
    for id in ALL {
        let row = format!("| {id} | {} |", name(id));
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
    assert_eq!(said(ObjectQuantity::UsedByThread, share, nowhere), "thread 3 has 49.0 % of the time with it");
    let size = said(ObjectQuantity::SizeOfObject, Amount::Bytes(Bytes::mib(700)), ObjectSubject::WholeObject);
    assert!(
        size.starts_with("it has 700 MiB; with small pages a core keeps the addresses of 12 MiB"),
        "{size}"
    );
}

#[test]
fn advice_says_what_to_do_in_which_loop() {
    let all: Vec<String> = every_advice().iter().map(advise).collect();
    assert!(all[0].contains("as the one in step (kernel.cpp:88)"), "{}", all[0]);
    assert!(all[5].contains("align each part to 64 KiB"), "{}", all[5]);
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
