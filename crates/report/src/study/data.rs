//! What the charts of a page draw.

use std::collections::BTreeMap;

use numawise_facts::{Effect, Metric};
use numawise_tables::GridRow;
use serde_json::{Value, json as object};

use super::bars::{self, GroupedBars};
use super::curves::{CurveLine, CurveMeasure, Curves};
use super::trials::{DrawnTrials, OrderedTrial, SpreadRow, TrialMark};
use super::{ShownStudy, words};
use crate::notice;
use crate::object::each;

pub fn data(
    shown: &ShownStudy<'_>,
    curves: Option<&Curves<'_>>,
    bars: Option<&GroupedBars<'_>>,
    drawn: &DrawnTrials<'_>,
) -> Value {
    let metric = &shown.study.header.metric;
    let medians: BTreeMap<&str, Option<f64>> = (shown.tables.rows.iter())
        .map(|row| (row.point.0.as_str(), row.median.measured().copied().map(short)))
        .collect();
    // Trials name their points by places in a list of those that are drawn.
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut points = Vec::new();
    let trials: Vec<Value> = drawn
        .order
        .trials
        .iter()
        .map(|of| {
            let name = of.trial.point.0.as_str();
            let place = *places.entry(name).or_insert_with(|| {
                points.push(object!([name, medians.get(name)]));
                points.len() - 1
            });
            in_its_order(metric, of, place)
        })
        .collect();
    object!({
        "wall_time": matches!(metric, Metric::WallTime),
        "metric": words::metric(metric),
        "curves": curves.map(self::curves),
        "bars": bars.map(bars::data),
        "spread": each(&drawn.spread, spread_row),
        "points": points,
        "trials": trials,
    })
}

fn curves(of: &Curves<'_>) -> Value {
    let line = |line: &CurveLine<'_>| {
        object!({
            "name": line.name,
            "points": each(&line.points, |(at, row)| point(of.measure, *at, row)),
            "law": line.law.as_ref().map(|law| object!({
                "name": law.name,
                "points": each(&law.points, |(at, speedup)| object!([short(*at), short(*speedup)])),
            })),
        })
    };
    object!({
        "along": of.along,
        "geometric": of.is_geometric,
        "measure": match of.measure {
            CurveMeasure::Speedup => "speedup",
            CurveMeasure::Metric => "metric",
        },
        "first_workers": of.first_workers,
        "lines": each(&of.lines, line),
    })
}

/// Where it stands, its figure with the interval, its efficiency with the interval, and n; null where nothing is known.
fn point(measure: CurveMeasure, at: f64, row: &GridRow) -> Value {
    let of_effect =
        |effect: &Effect| [effect.ratio, effect.low, effect.high].map(|ratio| Some(short(ratio.0)));
    let figure = match measure {
        CurveMeasure::Speedup => row.speedup.measured().map_or([None; 3], of_effect),
        CurveMeasure::Metric => {
            [&row.median, &row.low, &row.high].map(|reading| reading.measured().copied().map(short))
        }
    };
    let efficiency = row.efficiency.measured().map_or([None; 3], of_effect);
    let [value, low, high] = figure;
    let [share, share_low, share_high] = efficiency;
    object!([at, value, low, high, share, share_low, share_high, row.repeats])
}

fn spread_row(of: &SpreadRow<'_>) -> Value {
    let dot = |(trial, off): &(&numawise_facts::Trial, f64)| {
        object!([trial.number, short(*off), TrialMark::of(trial) as u8])
    };
    object!({ "point": of.row.point, "median": short(of.median), "trials": each(&of.trials, dot) })
}

/// Number, block, place of the point, distance from its median, mark, and what else is to be said. Short, because there are many.
fn in_its_order(metric: &Metric, of: &OrderedTrial<'_>, place: usize) -> Value {
    let trial = of.trial;
    let mut lines = notice::disturbances(trial);
    if of.mark == TrialMark::Failed {
        lines.insert(0, notice::trial_status(metric, trial));
    }
    let off = of.off.map(short);
    if lines.is_empty() {
        object!([trial.number, trial.block, place, off, of.mark as u8])
    } else {
        object!([trial.number, trial.block, place, off, of.mark as u8, lines])
    }
}

/// Five digits are finer than any screen.
fn short(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}
