//! NW006: too noisy or too short to tell.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceSource, EvidenceSubject, NoiseQuantity,
};
use numawise_facts::{Disturbance, Finding, FindingId, Metric, Reading, Trial};
use numawise_tables::VerdictKind;
use numawise_units::{Nanoseconds, Ratio};

use super::{Case, plain};
use crate::{middle, summary};

/// Runs shorter than this are ruled by process start and the first page faults rather than by the program's work: both
/// take some milliseconds, and 100 ms keeps them at a few percent.
const SHORT: Nanoseconds = Nanoseconds(100_000_000);

/// The verdict is open and the intervals are wider than the margin; or the hypervisor disturbed the runs throughout; or the
/// runs are so short that they measure something else.
pub fn too_noisy_or_short(case: &Case) -> Option<Finding> {
    let all = [
        (noisy(case), Advice::MeasureLonger),
        (busy(case).into_iter().collect(), Advice::RepeatWhenQuiet),
        (short(case).into_iter().collect(), Advice::LengthenRuns),
    ];
    let found: Vec<(Vec<Evidence>, Advice)> = all.into_iter().filter(|(seen, _)| !seen.is_empty()).collect();
    let advice: Vec<Advice> = found.iter().map(|(_, advice)| advice.clone()).collect();
    let evidence: Vec<Evidence> = found.into_iter().flat_map(|(seen, _)| seen).collect();
    let cost = Reading::unavailable("noise hides what placements bring");
    (!evidence.is_empty()).then_some(Finding {
        id: FindingId::TooNoisyOrShort,
        evidence,
        cost,
        cure: None,
        advice: advice.into_iter().map(AdvisedStep::from).collect(),
    })
}

fn noisy(case: &Case) -> Vec<Evidence> {
    if case.verdict.kind != VerdictKind::Undecided {
        return Vec::new();
    }
    let noise =
        case.judged.family.as_ref().and_then(|family| numawise_stats::noise(&case.judged.design, family));
    let Some(noise) = noise else { return Vec::new() };
    let of_study =
        |quantity, value, of| plain(quantity, value, of, EvidenceSubject::Study, EvidenceSource::Trials);
    let repeats = case.judged.contrasts.iter().map(|c| c.repeats).max().unwrap_or(0);
    let margin = Amount::Share(Ratio(case.study.header.margin));
    vec![
        of_study(NoiseQuantity::Repeats.into(), Amount::Count(repeats.into()), None),
        Evidence {
            interval: widest(case),
            ..of_study(
                NoiseQuantity::IntervalHalfWidth.into(),
                Amount::Share(Ratio(noise.half_width)),
                Some(margin),
            )
        },
        of_study(NoiseQuantity::RunToRunDeviation.into(), Amount::Share(Ratio(noise.spread)), None),
    ]
}

/// The widest interval of all contrasts.
fn widest(case: &Case) -> Option<(Amount, Amount)> {
    let effects = case.judged.contrasts.iter().filter_map(|contrast| contrast.effect.measured());
    let widest = effects.max_by(|a, b| (a.high.0 / a.low.0).total_cmp(&(b.high.0 / b.low.0)))?;
    Some((Amount::Ratio(widest.low), Amount::Ratio(widest.high)))
}

/// The hypervisor took so much that it could not be left out. What other programs took has a finding of its own.
fn busy(case: &Case) -> Option<Evidence> {
    let counted = case.study.trials.iter().filter(|trial| !trial.is_warm_up());
    let stolen = |trial: &&Trial| trial.disturbances.iter().any(|of| matches!(of, Disturbance::Steal(_)));
    let disturbed = counted.clone().filter(|trial| summary::is_uncertain(trial)).filter(stolen).count();
    if disturbed == 0 || summary::left_out(case.study) {
        return None;
    }
    Some(plain(
        NoiseQuantity::StolenRuns.into(),
        Amount::Count(disturbed as u64),
        Some(Amount::Count(counted.count() as u64)),
        EvidenceSubject::Study,
        EvidenceSource::Observations,
    ))
}

fn short(case: &Case) -> Option<Evidence> {
    let point = &case.baseline.id;
    let walls = summary::trials(case.study, point).map(|trial| trial.wall).collect();
    let short = |wall: &Nanoseconds| *wall < SHORT || case.verdict.kind == VerdictKind::TooShort;
    let typical = middle(walls).filter(|wall| short(wall) && case.study.header.metric == Metric::WallTime)?;
    Some(plain(
        NoiseQuantity::RunTime.into(),
        Amount::Time(typical),
        None,
        EvidenceSubject::Point { point: point.clone() },
        EvidenceSource::Trials,
    ))
}
