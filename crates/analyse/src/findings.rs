//! Findings: named conclusions with evidence, cost, cure and advice. One file for each family of evidence.

mod apart;
mod concentrated;
mod files;
mod frequency;
mod full;
mod hbm;
mod memory;
mod nodes;
mod noise;
mod others;
mod oversubscribed;
mod pages;
mod pinning;
mod shared;
mod spread;
mod swap;
mod threads;
mod together;

use std::cmp::Ordering;

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject,
};
use numawise_facts::{Effect, Finding, FindingId, PlacementRequest, PointId, Reading, Study};
use numawise_tables::{
    Contrast, ContrastCall, Expected, ExpectedEffect, MemoryMove, NotExpected, PointSummary, Verdict,
};
use numawise_units::Arrange;

use crate::comparison::Comparison;
use crate::contrasts::Judged;

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;

/// What a finding may look at.
struct Case<'a> {
    study: &'a Study,
    judged: &'a Judged,
    points: &'a [PointSummary],
    /// The row of the baseline.
    baseline: &'a PointSummary,
    verdict: &'a Verdict,
    expected: &'a Result<Expected, NotExpected>,
}

/// A comparison that is decided one way, with its effect.
#[derive(Clone, Copy)]
struct Decided<'a> {
    between: Comparison<'a>,
    effect: Effect,
}

impl Decided<'_> {
    fn evidence(&self, quantity: EvidenceQuantity) -> Evidence {
        of_points(quantity, self.between, Reading::Measured(self.effect))
    }

    /// The placement of the better point, where that is the second.
    fn cure(&self) -> Option<PlacementRequest> {
        Some(self.between.to.request.clone())
    }

    /// What a gain shows: it is what the baseline costs, its second point is the cure, and `advice` is what brought it.
    fn finding(self, id: FindingId, evidence: Vec<Evidence>, advice: Advice) -> Finding {
        Finding {
            id,
            evidence,
            cost: Reading::Measured(self.effect),
            cure: self.cure(),
            advice: vec![AdvisedStep::tried(advice, self.effect)],
        }
    }
}

impl<'a> Case<'a> {
    fn point(&self, comparison: Comparison) -> Option<&'a PointSummary> {
        // Without a contrast nothing may be concluded from the point.
        self.contrast(comparison)?;
        self.points.iter().find(|point| point.id == comparison.to.id)
    }

    fn contrast(&self, comparison: Comparison) -> Option<&'a Contrast> {
        self.judged.contrast(&comparison.from.id, &comparison.to.id)
    }

    /// A comparison that is decided for the better.
    fn gain(&self, comparison: Option<Comparison<'a>>) -> Option<Decided<'a>> {
        self.decided(comparison?, ContrastCall::Better)
    }

    /// A comparison that is decided for the worse.
    fn loss(&self, comparison: Option<Comparison<'a>>) -> Option<Decided<'a>> {
        self.decided(comparison?, ContrastCall::Worse)
    }

    fn decided(&self, between: Comparison<'a>, call: ContrastCall) -> Option<Decided<'a>> {
        let contrast = self.contrast(between).filter(|contrast| contrast.call == call)?;
        contrast.effect.measured().map(|effect| Decided { between, effect: *effect })
    }

    /// What a move of memory could bring at most by the figures of the machine.
    fn expected_effect(&self, moved: MemoryMove) -> Option<Evidence> {
        let ExpectedEffect { from, to, latency_bound, bandwidth_bound, .. } =
            self.expected.as_ref().ok()?.effect(moved)?;
        Some(Evidence {
            quantity: EvidenceQuantity::ExpectedEffect,
            value: Reading::Measured(latency_and_bandwidth(latency_bound, bandwidth_bound)?),
            of: None,
            interval: None,
            subject: EvidenceSubject::Points { from: from.clone(), to: to.clone() },
            source: EvidenceSource::Profile,
        })
    }
}

/// All findings of a study, those whose cure brought the most first.
pub fn all(
    study: &Study,
    judged: &Judged,
    points: &[PointSummary],
    verdict: &Verdict,
    expected: &Result<Expected, NotExpected>,
) -> Vec<Finding> {
    let baseline = study.header.baseline();
    let Some(baseline) = baseline.and_then(|baseline| points.iter().find(|point| point.id == baseline.id))
    else {
        return Vec::new();
    };
    let case = Case { study, judged, points, baseline, verdict, expected };
    let rules = [
        memory::first_touch_by_one_thread,
        threads::migrate,
        pinning::helps,
        spread::idle_bandwidth,
        spread::process_per_node,
        hbm::unused,
        noise::too_noisy_or_short,
        nodes::chosen_anew,
        others::memory_out_of_reach,
        others::threads_bound,
        together::better_together,
        oversubscribed::more_threads_than_cpus,
        pages::of_another_size,
        pages::moved,
        shared::other_work,
        full::node_is_full,
        swap::memory_in_swap,
        files::read_elsewhere,
        frequency::clock_differs,
    ];
    let mut findings: Vec<Finding> = rules.iter().filter_map(|rule| rule(&case)).collect();
    findings.extend(pinning::unexplained_gain(&case, &findings));
    crate::objects::named::name_in(&mut findings, study);
    findings.arrange_by(|a, b| weight(study, b).partial_cmp(&weight(study, a)).unwrap_or(Ordering::Equal));
    findings
}

/// What goes first: a cure that one could use from now on, before another use of the machine, before what has no cost that was
/// measured; then the greater effect.
fn weight(study: &Study, finding: &Finding) -> (u8, f64) {
    let Some(effect) = finding.cost.measured() else { return (0, 0.0) };
    // Several tasks are several runs of the program at once.
    let one_run = study.header.baseline().map_or(1, |point| point.request.tasks);
    let is_candidate = finding.cure.as_ref().is_some_and(|cure| cure.tasks <= one_run);
    (if is_candidate { 2 } else { 1 }, effect.ratio.0)
}

/// The cost of what was found: an effect, or why there is none.
fn cost(effect: Option<Decided>, otherwise: &'static str) -> Reading<Effect> {
    effect.map_or_else(|| Reading::unavailable(otherwise), |decided| Reading::Measured(decided.effect))
}

/// A value without an interval.
fn plain(
    quantity: EvidenceQuantity,
    value: Amount,
    of: Option<Amount>,
    subject: EvidenceSubject,
    source: EvidenceSource,
) -> Evidence {
    Evidence { quantity, value: Reading::Measured(value), of, interval: None, subject, source }
}

/// What was seen in the runs of a point.
fn observed(
    point: &PointId,
    quantity: EvidenceQuantity,
    value: Reading<Amount>,
    of: Option<Amount>,
) -> Evidence {
    let subject = EvidenceSubject::Point { point: point.clone() };
    Evidence { quantity, value, of, interval: None, subject, source: EvidenceSource::Observations }
}

/// The effect of a contrast.
fn of_points(quantity: EvidenceQuantity, between: Comparison, effect: Reading<Effect>) -> Evidence {
    let interval = effect.measured().map(|effect| (Amount::Ratio(effect.low), Amount::Ratio(effect.high)));
    let subject = EvidenceSubject::Points { from: between.from.id.clone(), to: between.to.id.clone() };
    let value = effect.map(|effect| Amount::Ratio(effect.ratio));
    Evidence { quantity, value, of: None, interval, subject, source: EvidenceSource::Contrast }
}

/// Multiples for programs bound by latency and by bandwidth; nothing where neither is known.
fn latency_and_bandwidth(
    latency: &Reading<numawise_units::Ratio>,
    bandwidth: &Reading<numawise_units::Ratio>,
) -> Option<Amount> {
    let (latency, bandwidth) = (latency.measured().copied(), bandwidth.measured().copied());
    (latency.is_some() || bandwidth.is_some()).then_some(Amount::LatencyAndBandwidth { latency, bandwidth })
}
