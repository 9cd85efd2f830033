use super::super::sample::{construct, opened, process, simple_rank, snapshot, thread, with_openmp};
use super::*;

fn with_region(useful: f64, key: u64) -> RunSnapshot {
    let own = |states: [f64; 6]| vec![construct(key, 1, ConstructName::Parallel, states)];
    let mut first = thread(1, [useful, 0.0, 0.0, 0.0, 0.0, 0.0]);
    first.constructs = own([useful, 0.0, 0.0, 0.0, 0.0, 0.0]);
    first.constructs[0] = opened(first.constructs[0].clone(), useful, 2);
    let mut second = thread(2, [0.5, 0.0, useful - 0.5, 0.0, 0.0, 0.0]);
    second.constructs = own([0.5, 0.0, useful - 0.5, 0.0, 0.0, 0.0]);
    snapshot(&[with_openmp(process(1, useful, vec![first, second]))])
}

#[test]
fn findings_that_the_second_run_has_not_went() {
    let uneven = snapshot(&[simple_rank(0, 2, 1.0, 1.0), simple_rank(1, 2, 1.5, 0.5)]);
    let even = snapshot(&[simple_rank(0, 2, 1.25, 0.0), simple_rank(1, 2, 1.25, 0.0)]);
    let compared = compare_snapshots(&uneven, &even);
    let courses: Vec<_> = compared.findings.iter().map(|one| (one.id, one.course)).collect();
    assert!(courses.contains(&(FindingId::MpiImbalance, FindingCourse::Went)), "{courses:?}");
    assert!(courses.iter().all(|(_, course)| *course != FindingCourse::Came), "{courses:?}");
}

#[test]
fn what_one_run_has_not_is_none_and_not_zero() {
    let with = snapshot(&[simple_rank(0, 2, 1.0, 1.0), simple_rank(1, 2, 1.5, 0.5)]);
    let without = snapshot(&[process(1, 1.0, vec![thread(1, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])])]);
    let compared = compare_snapshots(&with, &without);
    let call = &compared.calls[0];
    assert_eq!(call.call, "MPI_Allreduce");
    assert!(call.runs.first.is_some() && call.runs.second.is_none());
}

#[test]
fn regions_of_the_same_place_are_one_row() {
    let same = compare_snapshots(&with_region(1.0, 5), &with_region(0.6, 5));
    assert_eq!(same.regions.len(), 1);
    let row = &same.regions[0].runs;
    assert!(row.first.as_ref().unwrap().time > row.second.as_ref().unwrap().time);
    // Without names only the address tells which it is.
    let other = compare_snapshots(&with_region(1.0, 5), &with_region(0.6, 6));
    assert_eq!(other.regions.len(), 2);
    let stayed = same.findings.iter().filter(|one| one.course == FindingCourse::Stayed).count();
    assert!(stayed > 0, "{:?}", same.findings);
}
