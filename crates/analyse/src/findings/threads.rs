//! NW002: threads that migrate.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, PinningQuantity,
};
use numawise_facts::{Finding, FindingId, Reading};
use numawise_tables::PointSummary;
use numawise_units::Ratio;

use super::{Case, cost, plain};
use crate::comparison;
use crate::obeyed::pinned::not_pinned;
use crate::obeyed::threads::bound_by_launcher;

/// Confidence of the comparison of two spreads.
const CONFIDENCE: f64 = 0.95;
/// Seed of its permutation test, fixed so that the same study gives the same finding.
const SEED: u64 = 2;

/// Threads migrate: they were seen to change CPUs under the operating system, and pinned they are faster or vary less.
pub fn migrate(case: &Case) -> Option<Finding> {
    // Where threads may not move, it is the launcher that does.
    if bound_by_launcher(case.study) {
        return None;
    }
    let free = case.baseline;
    let comparison = comparison::of_pinning(&case.study.header)?;
    let pinned = case.point(comparison)?;
    let migrations = free.migrations.measured().copied().filter(|n| *n > 0)?;
    let faster = case.gain(Some(comparison));
    let spread = numawise_stats::compare_spread(&free.samples, &pinned.samples, CONFIDENCE, SEED).ok();
    let steadier = spread.filter(|s| s.differs && s.ratio > 1.0);
    if faster.is_none() && steadier.is_none() || not_pinned(case.study, comparison.to).is_some() {
        return None;
    }
    let mut evidence = vec![plain(
        PinningQuantity::Migrations.into(),
        Amount::Count(migrations),
        None,
        EvidenceSubject::Point { point: free.id.clone() },
        EvidenceSource::Observations,
    )];
    evidence.extend(spread_of_runs(free, pinned));
    evidence.extend(steadier.map(|s| Evidence {
        quantity: EvidenceQuantity::SpreadRatio,
        value: Reading::Measured(Amount::Ratio(Ratio(s.ratio))),
        of: None,
        interval: Some((Amount::Ratio(Ratio(s.low)), Amount::Ratio(Ratio(s.high)))),
        // How much `to` varies as compared with `from`.
        subject: EvidenceSubject::Points { from: pinned.id.clone(), to: free.id.clone() },
        source: EvidenceSource::Trials,
    }));
    evidence.extend(faster.map(|gain| gain.evidence(EvidenceQuantity::EffectOfPinning)));
    Some(Finding {
        id: FindingId::ThreadsMigrate,
        evidence,
        cost: cost(faster, "pinning makes the runs steadier; a difference in speed is not decided"),
        cure: Some(comparison.to.request.clone()),
        advice: vec![AdvisedStep {
            advice: Advice::PinThreads,
            brought: cost(faster, "a difference in speed is not decided"),
        }],
    })
}

/// How much runs of both points vary; nothing where one of them is not known.
pub fn spread_of_runs(free: &PointSummary, pinned: &PointSummary) -> Vec<Evidence> {
    [variation(free), variation(pinned)].into_iter().collect::<Option<Vec<Evidence>>>().unwrap_or_default()
}

fn variation(point: &PointSummary) -> Option<Evidence> {
    let variation = point.variation.measured()?;
    Some(plain(
        PinningQuantity::RunVariation.into(),
        Amount::Share(*variation),
        None,
        EvidenceSubject::Point { point: point.id.clone() },
        EvidenceSource::Trials,
    ))
}
