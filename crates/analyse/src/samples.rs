//! Which trials count, and as which numbers.

use numawise_facts::{Outcome, PointId, Study, Trial};

/// Disturbed trials are left out as long as this many blocks stay whole for every point.
const ENOUGH: usize = 5;

/// True when disturbed trials are left out of this study: enough undisturbed ones stay at every point. On a machine
/// that is never quiet leaving them out would leave nothing, so they count there, and the report says so.
pub fn left_out(study: &Study) -> bool {
    study.header.points.iter().all(|point| {
        let quiet = |t: &&Trial| t.point == point.id && !t.is_warm_up() && t.disturbances.is_empty();
        let measured = |t: &&Trial| matches!(t.outcome, Outcome::Measured { .. });
        study.trials.iter().filter(quiet).filter(measured).count() >= ENOUGH
    })
}

/// The trials of a point that count, in their order.
pub fn trials<'a>(study: &'a Study, point: &'a PointId) -> impl Iterator<Item = &'a Trial> {
    let left_out = left_out(study);
    study.trials.iter().filter(move |trial| {
        trial.point == *point && !trial.is_warm_up() && (!left_out || trial.disturbances.is_empty())
    })
}

/// Blocks by points: the metric for one unit of work, `None` where there is none that counts.
pub fn blocks(study: &Study) -> Vec<Vec<Option<f64>>> {
    let last = study.trials.iter().map(|trial| trial.block).max().unwrap_or(0) as usize;
    let mut blocks = vec![vec![None; study.header.points.len()]; last];
    for (column, point) in study.header.points.iter().enumerate() {
        for trial in trials(study, &point.id) {
            blocks[trial.block as usize - 1][column] = study.header.value(trial);
        }
    }
    blocks
}
