//! What happened in the course of a check: the machine became slower or faster, and points were dropped for want of time.

use numawise_facts::notice::StudyNotice;
use numawise_facts::{Effect, Outcome, Point, PointId, Study};
use numawise_units::Arrange;

use crate::{contrasts, summary};

#[cfg(test)]
#[path = "course_tests.rs"]
mod tests;

/// The interval of a drift holds it in so many checks.
const CONFIDENCE: f64 = 0.95;

/// How much better or worse the baseline became from its first repeat to its last, where that is more than chance and than what matters.
pub fn drifted(study: &Study) -> Option<StudyNotice> {
    let header = &study.header;
    let point = header.baseline()?;
    let values: Vec<f64> =
        summary::trials(study, &point.id).filter_map(|trial| header.value(trial)).collect();
    let found = numawise_stats::drift(&values, CONFIDENCE).ok()?.filter(|found| found.is_there())?;
    if found.ratio.ln().abs() <= header.margin.ln_1p() {
        return None;
    }
    let grew = Effect::new(found.ratio, found.low, found.high);
    let effect = if header.metric.higher_is_better() { grew } else { grew.inverse() };
    Some(StudyNotice::Drifted { point: point.id.clone(), effect, repeats: values.len() as u32 })
}

/// The points that a check went on without: a later block has no run of them, though nothing failed there. (The last block may have
/// been broken off.)
pub fn dropped(study: &Study) -> impl Iterator<Item = StudyNotice> {
    let last = study.trials.iter().map(|trial| trial.block).max().unwrap_or(0);
    let blocks = |point: &Point| -> Vec<u32> {
        let here = study.trials.iter().filter(|trial| !trial.is_warm_up() && trial.point == point.id);
        let mut blocks: Vec<u32> = here.map(|trial| trial.block).collect();
        blocks.arrange();
        blocks.dedup();
        blocks
    };
    let baseline = study.header.baseline().map(blocks).unwrap_or_default();
    let last_failed = |point: &Point| {
        let last = study.trials.iter().rev().find(|trial| trial.point == point.id);
        last.is_some_and(|trial| !matches!(trial.outcome, Outcome::Measured { .. }))
    };
    study.header.points.iter().filter_map(move |point| {
        let ran = blocks(point);
        let gone_on = baseline.iter().any(|block| *block < last && !ran.contains(block));
        let dropped = gone_on && !last_failed(point) && !was_finished(study, point, &ran);
        dropped.then(|| StudyNotice::RanLess {
            point: point.id.clone(),
            ran: ran.len() as u32,
            baseline: baseline.len() as u32,
        })
    })
}

/// Whether a point was known well enough when it ran last, in the last of these blocks.
fn was_finished(study: &Study, point: &Point, ran: &[u32]) -> bool {
    let Some(last) = ran.last().copied().filter(|last| *last >= study.header.min_repeats) else {
        return false;
    };
    let mut then = study.clone();
    then.trials.retain(|trial| trial.block <= last);
    let ran_then =
        |point: &Point| then.trials.iter().any(|trial| trial.block == last && trial.point == point.id);
    let gone: Vec<PointId> =
        then.header.points.iter().filter(|point| !ran_then(point)).map(|point| point.id.clone()).collect();
    contrasts::finished(&then, &gone).contains(&point.id)
}
