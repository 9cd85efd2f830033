//! The identifiers against `docs/formats/notices.md`.

const SUBJECTS: [&str; 10] = [
    include_str!("notice/plan.rs"),
    include_str!("notice/machine.rs"),
    include_str!("notice/membench.rs"),
    include_str!("notice/residency.rs"),
    include_str!("notice/study.rs"),
    include_str!("notice/launch.rs"),
    include_str!("notice/session.rs"),
    include_str!("notice/emulation.rs"),
    include_str!("notice/snapshot.rs"),
    include_str!("notice/objects.rs"),
];
const DOCUMENT: &str = include_str!("../../../docs/formats/notices.md");

/// The identifiers of lines that begin so.
fn codes<'a>(text: &'a str, begin: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| line.trim_start().strip_prefix(begin)?.get(..5))
}

#[test]
fn every_identifier_stands_once_and_is_documented() {
    let mut defined: Vec<&str> = SUBJECTS.iter().flat_map(|source| codes(source, "\"")).collect();
    defined.retain(|code| code.starts_with("NW"));
    let mut documented: Vec<&str> = codes(DOCUMENT, "| `").filter(|code| code.starts_with("NW")).collect();
    assert!(defined.len() > 100, "the sources were read: {}", defined.len());
    defined.sort_unstable();
    documented.sort_unstable();
    assert_eq!(defined, documented);
    let mut once = defined.clone();
    once.dedup();
    assert_eq!(once, defined);
}

#[test]
fn no_finding_has_the_identifier_of_a_notice_or_of_another_finding() {
    let mut all: Vec<&str> = codes(DOCUMENT, "| `").chain(crate::FindingId::CODES.iter().copied()).collect();
    let found = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), found, "{all:?}");
}
