use numawise_facts::finding::{Advice, Amount, SystemAdvice, SystemQuantity};
use numawise_facts::{Balancing, ContrastRole, Finding, FindingId, Levels, PageSize, Reading, Study};
use numawise_tables::VerdictKind;
use numawise_units::Bytes;

use crate::analyse;
use crate::sample::{observation, see, study, two_sockets};

fn found(study: &Study, id: FindingId) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == id)
}

/// The operating system, a placement that is no better, and a third point that changes something of the pages.
fn with(id: &str, seconds: f64) -> Study {
    let pairs = [("os", "pinned", ContrastRole::BothWays), ("os", id, ContrastRole::Unjudged)];
    let mut study = study(two_sockets(), &[("os", 2.0), ("pinned", 2.0), (id, seconds)], &pairs, 6);
    let point = &mut study.header.points[2];
    match id {
        "huge-pages" => point.request.pages = PageSize::Thp,
        _ => point.request.balancing = Balancing::Off,
    }
    point.levels = Levels::of(&point.request, 4);
    let mut seen = observation(&[(0, 100)], &[(0, 10), (4, 10)]);
    seen.memory_events.huge_pages = Reading::Measured(Bytes(0));
    seen.memory_events.moved = Reading::Measured(Bytes::mib(40));
    seen.memory_events.hint_faults = Reading::Measured(20_000);
    see(&mut study, "os", &seen);
    seen.memory_events.huge_pages = Reading::Measured(Bytes::mib(96));
    see(&mut study, id, &seen);
    study
}

#[test]
fn huge_pages_that_bring_something_are_a_finding_and_no_effect_of_the_placement() {
    let study = with("huge-pages", 1.6);
    let analysis = analyse(&study);
    assert_eq!(analysis.verdict.kind, VerdictKind::NotAffected);
    let finding = found(&study, FindingId::PageSize).unwrap();
    let huge: Vec<_> =
        finding.evidence.iter().filter(|one| one.quantity == SystemQuantity::HugePages.into()).collect();
    assert_eq!(huge.len(), 2);
    assert_eq!(huge[0].value, Reading::Measured(Amount::Bytes(Bytes(0))));
    assert_eq!(
        (&huge[1].value, huge[1].of),
        (&Reading::Measured(Amount::Bytes(Bytes::mib(96))), Some(Amount::Bytes(Bytes::mib(100))))
    );
    assert!((finding.cost.measured().unwrap().ratio.0 - 1.25).abs() < 0.02);
    assert_eq!(finding.cure.unwrap().pages, PageSize::Thp);
    assert_eq!(finding.advice[0].advice, Advice::System(SystemAdvice::UsePages { pages: PageSize::Thp }));
}

#[test]
fn pages_that_bring_nothing_or_cost_are_no_finding() {
    for seconds in [2.0, 2.6] {
        assert_eq!(found(&with("huge-pages", seconds), FindingId::PageSize), None, "{seconds}");
        assert_eq!(found(&with("pages-not-moved", seconds), FindingId::PagesMoved), None, "{seconds}");
    }
}

#[test]
fn pages_that_are_moved_cost_what_leaving_them_brings() {
    let study = with("pages-not-moved", 1.6);
    let finding = found(&study, FindingId::PagesMoved).unwrap();
    let one = |quantity| finding.evidence.iter().find(|one| one.quantity == quantity).unwrap();
    let moved = one(SystemQuantity::MemoryMoved.into());
    assert_eq!(
        (&moved.value, moved.of),
        (&Reading::Measured(Amount::Bytes(Bytes::mib(40))), Some(Amount::Bytes(Bytes::mib(100))))
    );
    assert_eq!(one(SystemQuantity::HintFaults.into()).value, Reading::Measured(Amount::Count(20_000)));
    assert_eq!(finding.cure.unwrap().balancing, Balancing::Off);
    assert_eq!(finding.advice[0].advice, Advice::System(SystemAdvice::LeavePages));
    assert_eq!(found(&study, FindingId::PageSize), None);
}

#[test]
fn what_was_not_counted_is_said_to_be_missing() {
    let mut study = with("huge-pages", 1.6);
    see(&mut study, "os", &observation(&[(0, 100)], &[(0, 10)]));
    let finding = found(&study, FindingId::PageSize).unwrap();
    assert_eq!(finding.evidence[0].value, Reading::unavailable("by hand"));
}
