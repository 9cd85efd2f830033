//! `predict`: a few points of a grid are run, and all others predicted from them.

use std::path::Path;

use numawise_facts::{PointId, Redactor, StopReason, Study};
use numawise_predict::PredictionRuns;
use numawise_record::Record;
use numawise_study::NextTrial;
use numawise_tables::Prediction;

use crate::Error;

#[cfg(test)]
#[path = "prediction_tests.rs"]
pub(crate) mod tests;

/// The next trial of a study whose other points are predicted.
pub(crate) fn next_trial(runs: &mut PredictionRuns, study: &Study) -> NextTrial {
    let failed = || {
        let given_up = study.all_given_up();
        study.trials.iter().all(|trial| given_up.contains(&trial.point))
    };
    match runs.next(study) {
        Some(point) => NextTrial::Run(point),
        None if failed() => NextTrial::End(StopReason::TooManyFailures),
        None => NextTrial::End(StopReason::Decided),
    }
}

/// The points that are run first: of all others they tell most.
pub fn planned(study: &Study, points: u32) -> Vec<PointId> {
    numawise_predict::points_to_run(study, points as usize)
}

pub(crate) use numawise_predict::{expectations, first_of_search};

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
