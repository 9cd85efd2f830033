//! What to run next for a prediction.

use numawise_facts::{PointId, Study};

use crate::choose::{next_point, points_to_run};
use crate::predict::predict;

/// So many points are run beyond the first ones, because they may be the best.
pub const MAY_BE_BEST: usize = 4;
/// The best one is run before it is recommended; each run may say that another is better, so many times at most.
pub const BEST: usize = 3;

/// The points that are run for a prediction, by what their trials say.
#[derive(Debug, Clone)]
pub struct PredictionRuns {
    points: Vec<PointId>,
    /// Those of them that were chosen before there was a trial.
    first: usize,
    /// Those that were run because nothing was known to be better.
    best: usize,
}

impl PredictionRuns {
    /// So many points to begin with, of each group of points that differ in threads and placement only.
    pub fn new(study: &Study, points: usize) -> PredictionRuns {
        let points = points_to_run(study, points);
        PredictionRuns { first: points.len(), points, best: 0 }
    }

    /// Every point once, then every point again; then the next that may be the best. `None` where enough was run, or all of it failed.
    pub fn next(&mut self, study: &Study) -> Option<PointId> {
        let given_up = study.all_given_up();
        let trials = |point: &PointId| {
            let here = study.trials.iter().filter(|trial| trial.point == *point);
            here.filter(|trial| !trial.is_warm_up() && !trial.is_interrupted()).count()
        };
        // What another process chose counts as chosen.
        for trial in study.trials.iter().filter(|trial| !trial.is_warm_up()) {
            if !self.points.contains(&trial.point) {
                self.points.push(trial.point.clone());
            }
        }
        for round in 1..=study.header.min_repeats as usize {
            let runs = |id: &&PointId| !given_up.contains(id) && trials(id) < round;
            if let Some(point) = self.points.iter().find(runs) {
                return Some(point.clone());
            }
        }
        if self.points.iter().all(|point| given_up.contains(point)) {
            return None;
        }
        let next = if self.points.len() - self.first < MAY_BE_BEST { next_point(study) } else { None };
        let next = match next {
            None if self.best < BEST => {
                self.best += 1;
                let best = predict(study).best;
                best.measured().filter(|best| trials(best) == 0 && !given_up.contains(best)).cloned()
            }
            next => next,
        };
        self.points.extend(next.clone());
        next
    }
}
