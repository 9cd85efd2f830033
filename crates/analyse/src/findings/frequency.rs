//! NW059: runs or placements differ because the CPUs' clock does.

use std::collections::HashSet;

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, ClockAdvice, ClockQuantity, Evidence, EvidenceSource, EvidenceSubject,
};
use numawise_facts::{Effect, Finding, FindingId, PointId, Reading, Trial};
use numawise_stats::GroupRatio;
use numawise_tables::VerdictKind;
use numawise_units::{Arrange, Hertz, Ratio};

use super::{Case, Decided, apart, plain};
use crate::comparison::Comparison;
use crate::{middle, summary, verdict};

#[cfg(test)]
#[path = "frequency_tests.rs"]
mod tests;

/// Samples of the frequency that a run needs to count: fewer may all be of its start.
const SAMPLES: u64 = 3;
/// Runs of a group, or of a placement, at the least.
const RUNS: usize = 3;
/// Frequencies closer than this are what any machine varies by.
const NOTEWORTHY: f64 = 1.03;
/// How likely as high a correlation may be by chance. With the confidence below, the rule is wrong in at most 2 of 100 checks.
const CHANCE: f64 = 0.01;
/// Confidence of the comparison of frequencies.
const CONFIDENCE: f64 = 0.99;
/// Of a difference of which the clock explains less than this part (in logs), it is not the cause.
const EXPLAINED: f64 = 0.5;
/// Seed of the permutation test, fixed so that the same study gives the same finding.
const SEED: u64 = 59;

/// Runs of the operating system's placement differ as their clock does, or a placement is better whose CPUs had a faster one.
pub fn clock_differs(case: &Case) -> Option<Finding> {
    let runs = slow_clock(case);
    let placement = faster_clock(case);
    if runs.is_none() && placement.is_none() {
        return None;
    }
    let cost = match &runs {
        Some((_, effect)) => Reading::Measured(*effect),
        None => Reading::unavailable("what the placements take at the same clock could not be tried"),
    };
    let mut evidence = runs.map(|(evidence, _)| evidence).unwrap_or_default();
    evidence.extend(placement.into_iter().flatten());
    Some(Finding { id: FindingId::ClockDiffers, evidence, cost, cure: None, advice: advice(case) })
}

/// The mean frequency of the CPUs on which a run was at work.
fn clock(trial: &Trial) -> Option<Hertz> {
    let seen = trial.observation.measured()?.frequency.measured()?;
    seen.mean().filter(|_| seen.samples() >= SAMPLES)
}

/// Runs of the baseline with a low clock are decidedly worse than the others, and the clock explains most of that.
fn slow_clock(case: &Case) -> Option<(Vec<Evidence>, Effect)> {
    let header = &case.study.header;
    let run = |trial: &Trial| Some((clock(trial)?.0 as f64, header.value(trial)?, trial.number));
    let mut runs: Vec<(f64, f64, u32)> =
        summary::trials(case.study, &case.baseline.id).filter_map(run).collect();
    let sign = if header.metric.higher_is_better() { 1.0 } else { -1.0 };
    let pairs: Vec<(f64, f64)> = runs.iter().map(|(clock, value, _)| (*clock, sign * value)).collect();
    let together = numawise_stats::rank_correlation(&pairs, SEED).ok()??;
    if together.p > CHANCE {
        return None;
    }
    runs.arrange_by(|a, b| a.0.total_cmp(&b.0));
    let clocks: Vec<f64> = runs.iter().map(|(clock, ..)| *clock).collect();
    let at = split(&clocks)?;
    let (low, high) = clocks.split_at(at);
    let ratio = mean(high) / mean(low);
    if ratio < NOTEWORTHY {
        return None;
    }
    let slow: HashSet<u32> = runs[..at].iter().map(|(.., number)| *number).collect();
    let counts: HashSet<u32> = runs.iter().map(|(.., number)| *number).collect();
    let effect =
        apart::without(case, |trial| counts.contains(&trial.number).then(|| slow.contains(&trial.number)));
    let effect = effect.ok()?;
    let share = explained(ratio, effect.ratio).filter(|share| share.0 >= EXPLAINED)?;
    let subject = EvidenceSubject::Point { point: case.baseline.id.clone() };
    let seen =
        |quantity, value, of| plain(quantity, value, of, subject.clone(), EvidenceSource::Observations);
    let hertz = |all: &[f64]| Amount::Frequency(Hertz(mean(all).round() as u64));
    let count = |of: usize| Amount::Count(of as u64);
    let evidence = vec![
        seen(ClockQuantity::RunsOfLowFrequency.into(), count(low.len()), Some(count(runs.len()))),
        seen(ClockQuantity::Frequency.into(), hertz(low), Some(hertz(high))),
        Evidence {
            quantity: ClockQuantity::EffectOfFrequency.into(),
            value: Reading::Measured(Amount::Ratio(effect.ratio)),
            of: None,
            interval: Some((Amount::Ratio(effect.low), Amount::Ratio(effect.high))),
            subject: subject.clone(),
            source: EvidenceSource::Trials,
        },
        seen(ClockQuantity::ExplainedByFrequency.into(), Amount::Share(share), None),
    ];
    Some((evidence, effect))
}

/// Where ascending frequencies fall into two groups that are alike inside and apart from one another (the greatest variance between
/// the groups). By frequency alone: which runs are better has no say in it.
fn split(clocks: &[f64]) -> Option<usize> {
    let last = clocks.len().checked_sub(RUNS)?;
    let between = |at: &usize| {
        let (low, high) = clocks.split_at(*at);
        let apart = mean(high) - mean(low);
        low.len() as f64 * high.len() as f64 * apart * apart
    };
    (RUNS..=last).max_by(|a, b| between(a).total_cmp(&between(b)))
}

/// The placement that is to be used had a faster clock than the operating system's: how much of the gain that can be.
fn faster_clock(case: &Case) -> Option<Vec<Evidence>> {
    if case.verdict.kind != VerdictKind::Affected {
        return None;
    }
    let header = &case.study.header;
    let contrast = verdict::gain(header, case.judged)?;
    let between = Comparison { from: header.point(&contrast.from)?, to: header.point(&contrast.to)? };
    let gain: Decided = case.gain(Some(between))?;
    let clocks = |point: &PointId| -> Vec<f64> {
        summary::trials(case.study, point).filter_map(|trial| Some(clock(trial)?.0 as f64)).collect()
    };
    let ratio = faster(&clocks(&between.to.id), &clocks(&between.from.id))?;
    let share = explained(ratio.ratio, gain.effect.ratio)?;
    let subject = EvidenceSubject::Points { from: between.from.id.clone(), to: between.to.id.clone() };
    let source = EvidenceSource::Observations;
    let typical = |point: &PointId| {
        let runs = summary::trials(case.study, point).filter_map(clock).collect();
        Some(plain(
            ClockQuantity::Frequency.into(),
            Amount::Frequency(middle(runs)?),
            None,
            EvidenceSubject::Point { point: point.clone() },
            EvidenceSource::Observations,
        ))
    };
    let mut evidence: Vec<Evidence> =
        [&between.from.id, &between.to.id].into_iter().filter_map(typical).collect();
    evidence.extend([
        Evidence {
            quantity: ClockQuantity::FrequencyRatio.into(),
            value: Reading::Measured(Amount::Ratio(Ratio(ratio.ratio))),
            of: None,
            interval: Some((Amount::Ratio(Ratio(ratio.low)), Amount::Ratio(Ratio(ratio.high)))),
            subject: subject.clone(),
            source: source.clone(),
        },
        plain(ClockQuantity::ExplainedByFrequency.into(), Amount::Share(share), None, subject, source),
    ]);
    Some(evidence)
}

/// How many times as fast the first clocks are as the second, where that is decided and more than any machine varies by.
fn faster(first: &[f64], second: &[f64]) -> Option<GroupRatio> {
    if first.len() < RUNS || second.len() < RUNS {
        return None;
    }
    let found = numawise_stats::compare_groups(first, second, CONFIDENCE).ok()?;
    (found.low > 1.0 && found.ratio >= NOTEWORTHY).then_some(found)
}

/// The part of an effect that a clock so many times as fast explains at most: all of it for a program that only computes.
fn explained(clock: f64, effect: Ratio) -> Option<Ratio> {
    (effect.0 > 1.0).then(|| Ratio((clock.ln() / effect.0.ln()).clamp(0.0, 1.0)))
}

fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len() as f64
}

/// What to do about the clock: nothing of it could be tried, since it needs root.
fn advice(case: &Case) -> Vec<AdvisedStep> {
    let facts = case.study.header.host.frequency.measured();
    let policies = facts.map(|facts| facts.policies.as_slice()).unwrap_or_default();
    let other =
        |governor: &Reading<String>| governor.measured().is_some_and(|governor| governor != "performance");
    let mut all = Vec::new();
    if policies.iter().any(|policy| other(&policy.governor)) {
        all.push(Advice::Clock(ClockAdvice::UsePerformanceGovernor).into());
    }
    all.push(Advice::Clock(ClockAdvice::SteadyClock).into());
    all
}
