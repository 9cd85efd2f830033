//! Runs of the operating system's placement that something happened to, held against those that it did not happen to.

use numawise_facts::{Effect, Trial};

use super::Case;

/// Confidence of the comparison.
const CONFIDENCE: f64 = 0.95;
/// Runs on either side, at the least.
const RUNS: usize = 3;

/// How many times as good the runs are that it did not happen to.
///
/// # Errors
/// Why that cannot be told.
pub fn without(case: &Case, happened: impl Fn(&Trial) -> Option<bool>) -> Result<Effect, &'static str> {
    let trials = case.study.trials.iter().filter(|trial| trial.point == case.baseline.id);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for trial in trials.filter(|trial| !trial.is_warm_up() && !trial.is_interrupted()) {
        if let (Some(value), Some(happened)) = (case.study.header.value(trial), happened(trial)) {
            if happened { &mut with } else { &mut without }.push(value);
        }
    }
    if with.len() < RUNS || without.len() < RUNS {
        return Err("too few runs with it, or without it, to tell what it costs");
    }
    let higher = case.study.header.metric.higher_is_better();
    let (better, worse) = if higher { (&without, &with) } else { (&with, &without) };
    let found = numawise_stats::compare_groups(better, worse, CONFIDENCE)
        .map_err(|_| "the runs with it and without it cannot be compared")?;
    let effect = Effect::new(found.ratio, found.low, found.high);
    let decided = effect.low.0 > 1.0 && effect.ratio.0 > 1.0 + case.study.header.margin;
    if decided { Ok(effect) } else { Err("runs without it are not decidedly better") }
}
