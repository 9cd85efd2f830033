//! Figures of trials by which points are not compared: those that the program gave besides, and what every trial has.

use std::collections::HashMap;

use numawise_facts::{Metric, NamedMetric, OtherValue, Outcome, Point, PointId, Reading, Study, Trial};
use numawise_tables::{OtherFigure, OtherUnit};

use crate::reading;
use crate::summary;

#[cfg(test)]
#[path = "others_tests.rs"]
mod tests;

/// Probability that an interval holds the true median.
const CONFIDENCE: f64 = 0.95;

/// What a figure is taken from.
#[derive(Clone, Copy)]
enum Taken<'a> {
    /// The k-th of the metrics that are not compared.
    Given(usize, &'a NamedMetric),
    WallTime,
    CpuTime,
    PeakMemory,
    Energy,
}

impl<'a> Taken<'a> {
    fn name(self) -> &'a str {
        match self {
            Taken::Given(_, named) => &named.name,
            Taken::WallTime => NamedMetric::OF_TRIALS[0],
            Taken::CpuTime => NamedMetric::OF_TRIALS[1],
            Taken::PeakMemory => NamedMetric::OF_TRIALS[2],
            Taken::Energy => NamedMetric::OF_TRIALS[3],
        }
    }

    fn unit(self) -> OtherUnit {
        match self {
            Taken::Given(..) => OtherUnit::OfProgram,
            Taken::WallTime | Taken::CpuTime => OtherUnit::Seconds,
            Taken::PeakMemory => OtherUnit::Bytes,
            Taken::Energy => OtherUnit::Joules,
        }
    }
}

/// What is taken of each trial besides the metric.
fn taken(study: &Study) -> Vec<Taken<'_>> {
    let given = study.header.grid.iter().flat_map(|grid| &grid.other_metrics);
    let mut all: Vec<Taken<'_>> = given.enumerate().map(|(k, named)| Taken::Given(k, named)).collect();
    if study.header.metric != Metric::WallTime {
        all.push(Taken::WallTime);
    }
    all.extend([Taken::CpuTime, Taken::PeakMemory, Taken::Energy]);
    all
}

/// A figure of every trial of a study, in their order; missing where the trial does not have it.
pub struct FigureOfTrials<'a> {
    pub name: &'a str,
    pub unit: OtherUnit,
    pub values: Vec<Option<f64>>,
}

/// All figures by which points are not compared.
pub fn of_trials(study: &Study) -> Vec<FigureOfTrials<'_>> {
    let points: HashMap<&PointId, &Point> =
        study.header.points.iter().map(|point| (&point.id, point)).collect();
    let one = |taken: Taken<'_>, trial: &Trial| {
        let point = points.get(&trial.point)?;
        value(point, trial, taken).measured().copied()
    };
    let figure = |taken: Taken<'_>| study.trials.iter().map(|trial| one(taken, trial)).collect();
    taken(study)
        .into_iter()
        .map(|taken| FigureOfTrials { name: taken.name(), unit: taken.unit(), values: figure(taken) })
        .collect()
}

/// By the points of the study in their order; the same figures at all of them.
pub fn others(study: &Study) -> Vec<Vec<OtherFigure>> {
    let all = taken(study);
    let points = study.header.points.iter().zip(summary::counting_by_point(study));
    points
        .map(|(point, trials)| all.iter().map(|taken| figure(study, point, &trials, *taken)).collect())
        .collect()
}

fn figure(study: &Study, point: &Point, trials: &[&Trial], taken: Taken<'_>) -> OtherFigure {
    let measured = trials.iter().filter(|trial| study.header.value(trial).is_some());
    let values: Vec<Reading<f64>> = measured.map(|trial| value(point, trial, taken)).collect();
    let samples: Vec<f64> = values.iter().filter_map(|value| value.measured().copied()).collect();
    let why = || {
        let missing = values.iter().find_map(Reading::reason);
        missing.map_or_else(|| "no trial that counts has it".to_owned(), |reason| reason.0.to_string())
    };
    let summary = numawise_stats::summarise(&samples).map_err(|_| why());
    let of = |figure: fn(&numawise_stats::Summary) -> f64| -> Reading<f64> {
        summary.as_ref().map(figure).map_err(Clone::clone).into()
    };
    let interval = numawise_stats::median_between(&samples, CONFIDENCE);
    let interval = interval.map_err(|error| if samples.is_empty() { why() } else { error.to_string() });
    OtherFigure {
        name: taken.name().to_owned(),
        unit: taken.unit(),
        repeats: samples.len() as u32,
        mean: of(|summary| summary.mean),
        median: of(|summary| summary.median),
        sd: reading(summary.as_ref().ok().and_then(|summary| summary.sd), "it needs two valid trials"),
        min: of(|summary| summary.min),
        low: interval.clone().map(|interval| interval.low).into(),
        high: interval.map(|interval| interval.high).into(),
    }
}

/// For one unit of work where it adds up over copies.
fn value(point: &Point, trial: &Trial, taken: Taken<'_>) -> Reading<f64> {
    let copies = f64::from(point.copies().max(1));
    match taken {
        Taken::Given(k, named) => match trial.other_values.get(k) {
            Some(OtherValue::PerTask(values)) => {
                reading(named.metric.of_unit(values), "the trial has no value of it")
            }
            Some(OtherValue::Missing(_)) => Reading::unavailable("the program gave none that can be read"),
            None => Reading::unavailable("the trial has no value of it"),
        },
        Taken::WallTime => match trial.outcome {
            Outcome::Failed { .. } => Reading::unavailable("the trial failed"),
            Outcome::Measured { .. } | Outcome::NoMetric { .. } => {
                Reading::Measured(trial.running().seconds() / copies)
            }
        },
        Taken::CpuTime => {
            trial.observation.as_ref().and_then(|of| of.usage.cpu_time().map(|time| time.seconds() / copies))
        }
        Taken::PeakMemory => trial
            .observation
            .as_ref()
            .and_then(|of| of.usage.peak_memory.as_ref().map(|bytes| bytes.0 as f64)),
        Taken::Energy => trial
            .observation
            .as_ref()
            .and_then(|of| of.energy.as_ref().map(|energy| energy.joules() / copies)),
    }
}
