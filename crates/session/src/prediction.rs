//! `predict`: a few points of a grid are run, and all others predicted from them.

use std::path::Path;

use numawise_facts::{PointId, Redactor, StopReason, Study};
use numawise_record::Record;
use numawise_study::NextTrial;
use numawise_tables::Prediction;

use crate::Error;

#[cfg(test)]
#[path = "prediction_tests.rs"]
mod tests;

/// So many points are run beyond the first ones, because they may be the best.
const MAY_BE_BEST: usize = 4;
/// The best one is run before it is recommended; each run may say that another is better, so many times at most.
const BEST: usize = 3;

/// The points that are run for a prediction, by what their trials say.
pub(crate) struct PredictionRuns {
    points: Vec<PointId>,
    /// Those of them that were chosen before there was a trial.
    first: usize,
    /// Those that were run because nothing was known to be better.
    best: usize,
}

impl PredictionRuns {
    pub fn new(study: &Study, points: u32) -> PredictionRuns {
        let points = planned(study, points);
        PredictionRuns { first: points.len(), points, best: 0 }
    }

    /// Every point once, then every point again; then the next that may be the best.
    pub fn next(&mut self, study: &Study) -> NextTrial {
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
                return NextTrial::Run(point.clone());
            }
        }
        if self.points.iter().all(|point| given_up.contains(point)) {
            return NextTrial::End(StopReason::TooManyFailures);
        }
        let next = if self.points.len() - self.first < MAY_BE_BEST {
            numawise_predict::next_point(study)
        } else {
            None
        };
        let best = || {
            let best = numawise_predict::predict(study).best;
            best.measured().filter(|best| trials(best) == 0 && !given_up.contains(best)).cloned()
        };
        let next = match next {
            None if self.best < BEST => {
                self.best += 1;
                best()
            }
            next => next,
        };
        match next {
            Some(point) => {
                self.points.push(point.clone());
                NextTrial::Run(point)
            }
            None => NextTrial::End(StopReason::Decided),
        }
    }
}

/// The points that are run first: of all others they tell most.
pub fn planned(study: &Study, points: u32) -> Vec<PointId> {
    numawise_predict::points_to_run(study, points as usize)
}

/// What the runs of a study say of all of its points.
pub fn predict(study: &Study) -> Prediction {
    numawise_predict::predict(study)
}

/// The study of a record.
///
/// # Errors
/// [`Error::Record`]; [`Error::NoGrid`] where it has no grid of points.
pub fn recorded_study(path: &Path) -> Result<Study, Error> {
    let mut study = Record::open_to_read(path)?.study()?;
    // A record of somebody else may hold what ours leave out.
    Redactor::default().study(&mut study);
    if study.header.grid.is_none() {
        return Err(Error::NoGrid { record: path.to_owned() });
    }
    Ok(study)
}
