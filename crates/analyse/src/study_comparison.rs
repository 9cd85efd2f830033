//! Two studies side by side, point by point.

use std::collections::{HashMap, HashSet};

use numawise_facts::{Effect, PointId, Reading, Study};
use numawise_stats::compare_groups;
use numawise_tables::{ComparedPoint, ContrastCall, StudyComparison};

use crate::summary;

#[cfg(test)]
#[path = "study_comparison_tests.rs"]
mod tests;

/// Probability that all intervals hold their true ratios. 95 % are promised; as in a check, a fifth of the error is kept: with 95 % two studies of
/// the same were told apart in up to 5.2 % of simulated pairs.
const CONFIDENCE: f64 = 0.96;

/// Points of the same name are compared: groups of runs, since the two were not run in turns. The intervals share their error probability
/// (Sidak). The margin is that of the second.
pub fn compare_studies(first: &Study, second: &Study) -> StudyComparison {
    let [of_first, of_second] = [first, second].map(|study| ids(study).collect::<HashSet<&PointId>>());
    let both: Vec<&PointId> = ids(first).filter(|id| of_second.contains(id)).collect();
    let each = CONFIDENCE.powf(1.0 / both.len().max(1) as f64);
    let samples = [first, second].map(summary::samples);
    StudyComparison {
        rows: both.into_iter().map(|point| compare(point, second, &samples, each)).collect(),
        only_first: ids(first).filter(|id| !of_second.contains(id)).cloned().collect(),
        only_second: ids(second).filter(|id| !of_first.contains(id)).cloned().collect(),
        other_machine: first.header.machine.nodes.len() != second.header.machine.nodes.len()
            || first.header.machine.allowed_cpus != second.header.machine.allowed_cpus
            || first.header.host.cpu_model.measured() != second.header.host.cpu_model.measured(),
        other_command: first.header.command.command != second.header.command.command,
    }
}

fn ids(study: &Study) -> impl Iterator<Item = &PointId> {
    study.header.points.iter().map(|point| &point.id)
}

fn compare(
    point: &PointId,
    second: &Study,
    samples: &[HashMap<&PointId, Vec<f64>>; 2],
    confidence: f64,
) -> ComparedPoint {
    let [one, other] = samples.each_ref().map(|of| of.get(point).map(Vec::as_slice).unwrap_or_default());
    let median = |values: &[f64]| -> Reading<f64> {
        numawise_stats::median(values).map_err(|error| error.to_string()).into()
    };
    // How many times as large the first is: of times, how many times as good the second.
    let ratio = compare_groups(one, other, confidence).map_err(|error| error.to_string());
    let effect = ratio.map(|of| {
        let effect = Effect::new(of.ratio, of.low, of.high);
        if second.header.metric.higher_is_better() { effect.inverse() } else { effect }
    });
    let call = effect.as_ref().map_or(ContrastCall::Open, |effect| call(effect, second.header.margin));
    ComparedPoint {
        point: point.clone(),
        first: median(one),
        second: median(other),
        repeats: [one.len() as u32, other.len() as u32],
        effect: effect.into(),
        call,
    }
}

fn call(effect: &Effect, margin: f64) -> ContrastCall {
    let (low, high, margin) = (effect.low.0, effect.high.0, 1.0 + margin);
    match () {
        () if low >= 1.0 / margin && high <= margin => ContrastCall::Same,
        () if low > 1.0 => ContrastCall::Better,
        () if high < 1.0 => ContrastCall::Worse,
        () => ContrastCall::Open,
    }
}
