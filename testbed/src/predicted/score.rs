//! Predictions from a few points of a full study, and how far they are off.

use std::collections::HashSet;

use numawise_facts::{Outcome, Point, PointId, Study, StudyHeader, Trial};
use numawise_predict::{PredictionRuns, as_time, predict};
use numawise_tables::Prediction;

/// What the predictions of one program came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Score {
    pub machine: String,
    pub program: String,
    pub points: usize,
    pub run: usize,
    /// Runs of each point, and by how much they differ: the pooled standard deviation of the logarithm. NaN without repeats.
    pub repeats: u32,
    pub noise: f64,
    /// Of points that were not run, as shares; and whether each lies in its interval.
    pub errors: Vec<f64>,
    pub inside: usize,
    /// Points without a prediction.
    pub unavailable: usize,
    /// How much worse the point that is recommended is than the best.
    pub regret: f64,
    /// Every point in words, for who wants to look.
    pub points_in_words: Vec<String>,
}

/// The trials of some points only.
fn part(of: &Study, points: &HashSet<PointId>) -> Study {
    let trials = of.trials.iter().filter(|trial| points.contains(&trial.point)).cloned().collect();
    Study { trials, ..of.clone() }
}

fn is_measured(trial: &&Trial) -> bool {
    !trial.is_warm_up() && matches!(trial.outcome, Outcome::Measured { .. })
}

/// Of each point the best run only: what disturbs the host makes an emulated machine slower and never faster.
fn undisturbed(of: &Study) -> Study {
    let as_time = |trial: &Trial| {
        of.header.value(trial).map_or(f64::INFINITY, |value| as_time(&of.header.metric, value))
    };
    let best = |point: &Point| {
        let here = of.trials.iter().filter(is_measured).filter(|trial| trial.point == point.id);
        here.min_by(|one, other| as_time(one).total_cmp(&as_time(other))).cloned()
    };
    let trials = of.header.points.iter().filter_map(best).collect();
    let header = StudyHeader { min_repeats: 1, ..of.header.clone() };
    Study { header, trials, ..of.clone() }
}

/// Predicts from a few points, chosen as a prediction chooses them, and compares with all.
pub(crate) fn score(machine: &str, program: &str, all: &Study, first: usize) -> Score {
    let study = &undisturbed(all);
    let mut known = HashSet::new();
    let mut runs = PredictionRuns::new(&part(study, &known), first);
    while let Some(next) = runs.next(&part(study, &known)) {
        // A point that is not measured here cannot be run.
        if !known.insert(next) {
            break;
        }
    }
    let (told, truth) = (predict(&part(study, &known)), predict(study));
    Score {
        machine: machine.to_owned(),
        program: program.to_owned(),
        repeats: all.header.min_repeats,
        noise: noise(all),
        ..compared(study, &told, &truth, &known)
    }
}

/// What repeats of a point differ by.
fn noise(study: &Study) -> f64 {
    let (mut squares, mut free) = (0.0, 0.0);
    for point in &study.header.points {
        let here = study.trials.iter().filter(is_measured).filter(|trial| trial.point == point.id);
        let logs: Vec<f64> =
            here.filter_map(|trial| study.header.value(trial)).map(|value| value.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        squares += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        free += logs.len().saturating_sub(1) as f64;
    }
    (squares / free).sqrt()
}

fn compared(study: &Study, told: &Prediction, truth: &Prediction, known: &HashSet<PointId>) -> Score {
    let metric = &study.header.metric;
    let measured: HashSet<&PointId> =
        study.trials.iter().filter(is_measured).map(|trial| &trial.point).collect();
    // A placement with two names was measured twice.
    let value = |id: &PointId| {
        let tasks = &study.header.point(id)?.placement.tasks;
        let alike = study.header.points.iter().zip(&truth.points);
        let alike = alike.filter(|(point, _)| point.placement.tasks == *tasks);
        let values: Vec<f64> = alike.filter_map(|(_, of)| of.measured.measured().copied()).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let mut score = Score {
        machine: String::new(),
        program: String::new(),
        points: measured.len(),
        run: known.len(),
        repeats: 0,
        noise: f64::NAN,
        errors: Vec::new(),
        inside: 0,
        unavailable: 0,
        regret: f64::INFINITY,
        points_in_words: Vec::new(),
    };
    for point in told.points.iter().filter(|point| measured.contains(&point.point)) {
        let (Some(seen), is_run) = (value(&point.point), known.contains(&point.point)) else { continue };
        let words = match point.predicted.measured() {
            Some(figure) => {
                let error = figure.value / seen - 1.0;
                if !is_run {
                    score.errors.push(error.abs());
                    score.inside += usize::from((figure.low..=figure.high).contains(&seen));
                }
                format!("{:.4} [{:.4} {:.4}] {:+.1} %", figure.value, figure.low, figure.high, 100.0 * error)
            }
            None => {
                score.unavailable += usize::from(!is_run);
                point.predicted.reason().map(ToString::to_string).unwrap_or_default()
            }
        };
        let run = if is_run { " (run)" } else { "" };
        score.points_in_words.push(format!("{}{run}: measured {seen:.4}, predicted {words}", point.point));
    }
    let values = truth.points.iter().filter_map(|point| value(&point.point));
    let least = values.map(|value| as_time(metric, value)).fold(f64::INFINITY, f64::min);
    if let Some(chosen) = told.best.measured().and_then(value) {
        score.regret = as_time(metric, chosen) / least - 1.0;
    }
    score
}
