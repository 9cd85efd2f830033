//! Which points of a grid have been repeated often enough.

use std::collections::HashMap;

use numawise_facts::{PointId, Study, UntilKnown};

use crate::summary;

/// The points that are known as well as was asked for, or were run as often as was allowed: they are run no more.
pub fn known_points(study: &Study, until: UntilKnown) -> Vec<PointId> {
    let samples = summary::samples(study);
    let mut runs: HashMap<&PointId, u32> = HashMap::new();
    for trial in study.trials.iter().filter(|trial| !trial.is_warm_up()) {
        *runs.entry(&trial.point).or_default() += 1;
    }
    let is_known = |id: &PointId| {
        runs.get(id).is_some_and(|runs| *runs >= until.most_repeats)
            || samples.get(id).is_some_and(|values| numawise_stats::is_known(values, until.half_width))
    };
    let points = study.header.points.iter().map(|point| &point.id);
    points.filter(|id| is_known(id)).cloned().collect()
}
