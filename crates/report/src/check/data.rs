//! The data of the charts, with the texts that they show ready made.

use numawise_facts::{Outcome, Trial};
use serde_json::{Value, json as object};

use super::{Check, nodes, points, words};
use crate::{levels, notice};

/// What `charts.js` draws.
pub fn data(check: &Check) -> Value {
    object!({
        "metric": words::metric(&check.study.header.metric),
        "wall_time": matches!(check.study.header.metric, numawise_facts::Metric::WallTime),
        "margin": check.study.header.margin,
        "ratios": ratios(check),
        "points": check.study.header.points.iter().map(|point| &point.id.0).collect::<Vec<_>>(),
        "trials": trials(check),
        "nodes": nodes::bars(check),
    })
}

fn ratios(check: &Check) -> Vec<Value> {
    points::rows(check)
        .iter()
        .filter_map(|row| {
            let effect = row.effect();
            if effect.is_none() && !row.baseline {
                return None;
            }
            Some(object!({
                "point": row.point.id.0,
                "title": levels::title(&row.point.levels),
                "effect": effect,
                "call": row.call(),
                "text": row.effect_text(),
                "word": row.call_text(),
                "median": row.median,
                "n": row.point.samples.len(),
            }))
        })
        .collect()
}

/// Trials in the chart at most: more would make the page large, and more dots do not show more.
pub const TRIALS: usize = 4000;

/// Number, block, place of the point, value, and what else is to be said of it. Short, because there are many.
fn trials(check: &Check) -> Vec<Value> {
    let points = &check.study.header.points;
    let of = |trial: &Trial| {
        let mut lines = notice::disturbances(trial);
        if !matches!(trial.outcome, Outcome::Measured { .. }) {
            lines.insert(0, notice::trial_status(&check.study.header.metric, trial));
        }
        object!([
            trial.number,
            trial.block,
            points.iter().position(|point| point.id == trial.point),
            check.study.header.value(trial).filter(|value| value.is_finite()).map(short),
            !trial.disturbances.is_empty() as u8,
            lines,
        ])
    };
    check.study.trials.iter().take(TRIALS).map(of).collect()
}

/// Six digits are finer than any screen.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
