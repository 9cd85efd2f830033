//! NW053 and NW054: pages of another size, and pages that the kernel moves.

use numawise_facts::finding::{Advice, Amount, Evidence, EvidenceQuantity, SystemAdvice, SystemQuantity};
use numawise_facts::{Finding, FindingId, MemoryEvents, Point, Reading};
use numawise_units::Bytes;

use super::{Case, observed};
use crate::{comparison, summary};

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;

/// Pages of another size are decidedly better.
pub fn of_another_size(case: &Case) -> Option<Finding> {
    let gain = case.gain(comparison::of_page_size(&case.study.header))?;
    let huge = |point| of_peak(case, point, SystemQuantity::HugePages.into(), |events| &events.huge_pages);
    let mut evidence: Vec<Evidence> = [gain.between.from, gain.between.to].into_iter().map(huge).collect();
    evidence.push(gain.evidence(SystemQuantity::EffectOfPageSize.into()));
    let advice = Advice::System(SystemAdvice::UsePages { pages: gain.between.to.levels.pages });
    Some(gain.finding(FindingId::PageSize, evidence, advice))
}

/// NUMA balancing moved pages, and without it the program is decidedly better.
pub fn moved(case: &Case) -> Option<Finding> {
    let gain = case.gain(comparison::without_balancing(&case.study.header))?;
    let point = gain.between.from;
    let faults = median(case, point, |events| &events.hint_faults).map(Amount::Count);
    let evidence = vec![
        of_peak(case, point, SystemQuantity::MemoryMoved.into(), |events| &events.moved),
        observed(&point.id, SystemQuantity::HintFaults.into(), faults, None),
        gain.evidence(SystemQuantity::EffectWithoutMoving.into()),
    ];
    Some(gain.finding(FindingId::PagesMoved, evidence, Advice::System(SystemAdvice::LeavePages)))
}

/// The median of an amount of memory over the runs of a point, held against the most that the program had.
pub fn of_peak(
    case: &Case,
    point: &Point,
    quantity: EvidenceQuantity,
    of: fn(&MemoryEvents) -> &Reading<Bytes>,
) -> Evidence {
    let peak = case.baseline.peak_memory.measured().copied().map(Amount::Bytes);
    observed(&point.id, quantity, median(case, point, of).map(Amount::Bytes), peak)
}

/// The median over the runs of a point, or why the first of them does not have it.
pub fn median<T: Ord + Copy>(case: &Case, point: &Point, of: fn(&MemoryEvents) -> &Reading<T>) -> Reading<T> {
    let runs = summary::watched(case.study, point);
    summary::typical_of(runs.map(|observation| of(&observation.memory_events).clone()))
}
