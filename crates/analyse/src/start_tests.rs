use numawise_facts::Reading;
use numawise_tables::{ContrastCall, VerdictKind};
use numawise_units::Nanoseconds;

use crate::analyse;
use crate::sample::two_node_check;

const START: Reading<Nanoseconds> = Reading::Measured(Nanoseconds(1_000_000));

#[test]
fn a_program_that_does_nothing_is_never_affected() {
    // 1 ms, and 0.92 of it elsewhere: clear of all noise.
    let mut study = two_node_check(0.001, 0.00092, 0.0011, 0.001, 0.0012, 0.001);
    assert_eq!(analyse(&study).verdict.kind, VerdictKind::Affected, "where the cost of a start is not known");
    study.header.start_cost = START;
    let analysis = analyse(&study);
    assert_eq!((analysis.verdict.kind, analysis.verdict.more_repeats), (VerdictKind::TooShort, None));
    assert_eq!(analysis.recommended, None);
    let called = analysis.contrasts.iter().map(|contrast| contrast.call);
    assert!(called.into_iter().all(|call| call == ContrastCall::Open || call == ContrastCall::Same));
}

#[test]
fn an_effect_beyond_starts_is_seen_in_a_short_program_too() {
    let mut study = two_node_check(0.050, 0.049, 0.020, 0.050, 0.052, 0.050);
    study.header.start_cost = START;
    let analysis = analyse(&study);
    assert_eq!(
        (analysis.verdict.kind, analysis.recommended.unwrap().0.as_str()),
        (VerdictKind::Affected, "interleave")
    );
}

#[test]
fn a_longer_program_may_differ_by_a_start() {
    let mut study = two_node_check(0.2, 0.1985, 0.1985, 0.2, 0.2, 0.2);
    study.header.start_cost = Reading::Measured(Nanoseconds(10_000_000));
    study.header.margin = 0.001;
    assert_ne!(analyse(&study).verdict.kind, VerdictKind::TooShort);
}

#[test]
fn equal_placements_of_a_short_program_are_still_not_affected() {
    let mut study = two_node_check(0.02, 0.02, 0.02, 0.02, 0.02, 0.02);
    study.header.start_cost = START;
    assert_eq!(analyse(&study).verdict.kind, VerdictKind::NotAffected);
}
