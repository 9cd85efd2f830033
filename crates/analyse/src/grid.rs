//! A study of a grid: a row for every point, the best of them, how it scales, and what each factor brings.

mod findings;
mod knee;
mod known;
mod levels;
mod others;
mod scaling;
mod search;
mod trials;

use numawise_facts::{Effect, GridRun, GridStudy, Metric, PointId, Reading, Study};
use numawise_stats::{Better, Estimate, Family, FamilyDesign, PlannedContrast};
use numawise_tables::{BestOfGrid, CheapestPoint, GridRow, GridTables, OtherFigure, PointSummary};
use numawise_units::Ratio;

use crate::{effect_of, picture, reading, summary};

pub use known::known_points;
pub use search::{Expectations, GridSearch, SearchChoice};
pub use trials::trial_table;

#[cfg(test)]
#[path = "grid_tests.rs"]
mod tests;

/// Probability that all intervals hold their true ratios.
const CONFIDENCE: f64 = 0.95;
/// What is this much worse than the best does nearly as well.
const NEARLY: f64 = 0.95;
/// The step of the clock that times trials, in seconds.
const CLOCK: f64 = 1e-9;

/// All that is said of a study of a grid; `None` where the study is none.
pub fn grid(study: &Study) -> Option<GridTables> {
    let grid = study.header.grid.as_ref()?;
    let points = summary::points(study);
    let order = summary::by_median(study, &points);
    let blocks = summary::blocks(study);
    let against_first = family(study, &blocks, 0);
    let rows: Vec<GridRow> = grid
        .runs
        .iter()
        .zip(&points)
        .zip(others::others(study))
        .enumerate()
        .map(|(k, ((run, point), others))| row(grid, run, point, speedup(&against_first, k, point), others))
        .collect();
    let best = best(study, &blocks, &rows, &order);
    let scaling = scaling::all(study, grid, &rows, &points);
    let effects = levels::effects(study, grid, &rows, &points);
    let known = findings::Known { rows: &rows, scaling: &scaling, effects: &effects, order: &order, blocks };
    Some(GridTables {
        factors: grid.factors.clone(),
        findings: findings::all(study, grid, known),
        best,
        scaling,
        effects,
        baseline: study.header.points.first()?.id.clone(),
        trials: study.trials_beyond_warm_up() as u32,
        stopped: study.stopped,
        pictures: picture::of_grid(&study.header.machine, &points, &order),
        unavailable: summary::unavailable(study),
        rows,
    })
}

fn first_workers(grid: &GridStudy) -> Option<u32> {
    grid.runs.first().and_then(|run| run.workers)
}

fn better(study: &Study) -> Better {
    if study.header.metric.higher_is_better() { Better::Higher } else { Better::Lower }
}

/// The step of the metric, where it is ours.
fn resolution(study: &Study) -> Option<f64> {
    matches!(study.header.metric, Metric::WallTime).then_some(CLOCK)
}

/// All points against one, in these blocks.
fn family(study: &Study, blocks: &[Vec<Option<f64>>], reference: usize) -> Result<Family, String> {
    let others = (0..study.header.points.len()).filter(|other| *other != reference);
    let contrasts: Vec<PlannedContrast> =
        others.map(|other| PlannedContrast::both_ways(reference, other)).collect();
    if contrasts.is_empty() {
        return Err("there is one point only".to_owned());
    }
    let (margin, resolution) = (study.header.margin, resolution(study));
    let design = FamilyDesign { contrasts, margin, confidence: CONFIDENCE, resolution };
    numawise_stats::analyse(&design, blocks, better(study)).map_err(|e| e.to_string())
}

fn estimate(family: &Result<Family, String>, other: usize) -> Result<Estimate, String> {
    let family = family.as_ref().map_err(Clone::clone)?;
    // They are in the order of the points, without that which all are compared with.
    let reference = family.contrasts.first().map_or(0, |contrast| contrast.pair.0);
    let contrast = family.contrasts.get(if other < reference { other } else { other.saturating_sub(1) });
    let contrast = contrast.filter(|contrast| contrast.pair.1 == other);
    let contrast = contrast.ok_or_else(|| "it is compared with nothing".to_owned())?;
    contrast.estimate.as_ref().copied().map_err(ToString::to_string)
}

fn speedup(family: &Result<Family, String>, point: usize, of: &PointSummary) -> Reading<Effect> {
    match point {
        // What has no value is not as fast as itself either.
        0 if of.samples.is_empty() => Reading::unavailable("no run of this point gave a value"),
        0 => Reading::Measured(Effect::new(1.0, 1.0, 1.0)),
        _ => estimate(family, point).map_or_else(Reading::unavailable, |estimate| effect_of(&estimate)),
    }
}

fn row(
    grid: &GridStudy,
    run: &GridRun,
    point: &PointSummary,
    speedup: Reading<Effect>,
    others: Vec<OtherFigure>,
) -> GridRow {
    let samples = &point.samples;
    let summary = numawise_stats::summarise(samples).map_err(|e| e.to_string());
    let of = |figure: fn(&numawise_stats::Summary) -> f64| -> Reading<f64> {
        summary.as_ref().map(figure).map_err(Clone::clone).into()
    };
    let efficiency = match (first_workers(grid), run.workers) {
        (Some(first), Some(workers)) if workers > 0 => speedup.as_ref().map(|effect| {
            let scaled = |ratio: Ratio| Ratio(ratio.0 * f64::from(first) / f64::from(workers));
            Effect { ratio: scaled(effect.ratio), low: scaled(effect.low), high: scaled(effect.high) }
        }),
        _ => Reading::unavailable("the number of threads is no factor and was not given"),
    };
    let sd = summary.as_ref().ok().and_then(|summary| summary.sd);
    GridRow {
        point: run.point.clone(),
        levels: grid.levels(run).map(str::to_owned).collect(),
        workers: run.workers,
        repeats: samples.len() as u32,
        failures: point.failed,
        disturbed: point.disturbed,
        mean: of(|summary| summary.mean),
        median: point.median.clone(),
        sd: reading(sd, "it needs two valid trials"),
        min: of(|summary| summary.min),
        low: point.median_low.clone(),
        high: point.median_high.clone(),
        speedup,
        efficiency,
        others,
    }
}

/// The point with the best median, and which of the others are not known to be worse; `order` has all with a median, the best first.
fn best(
    study: &Study,
    blocks: &[Vec<Option<f64>>],
    rows: &[GridRow],
    order: &[usize],
) -> Reading<BestOfGrid> {
    let Some((&best, others)) = order.split_first() else {
        return Reading::unavailable("no trial was valid");
    };
    let family = family(study, blocks, best);
    let is_rival = |k: &&usize| estimate(&family, **k).map_or(true, |estimate| estimate.high >= 1.0);
    let rivals: Vec<PointId> = others.iter().filter(is_rival).map(|k| rows[*k].point.clone()).collect();
    Reading::Measured(BestOfGrid {
        point: rows[best].point.clone(),
        is_sure: rivals.is_empty() && !others.is_empty(),
        rivals,
        cheapest: cheapest(rows, &rows[best], better(study)),
    })
}

/// The point with the fewest workers that does nearly as well as the best.
fn cheapest(rows: &[GridRow], best: &GridRow, better: Better) -> Option<CheapestPoint> {
    let (of, median) = (best.workers?, *best.median.measured()?);
    let share = |row: &GridRow| {
        let value = *row.median.measured()?;
        Some(if better == Better::Higher { value / median } else { median / value })
    };
    let near = rows.iter().filter_map(|row| Some((row, row.workers?, share(row)?)));
    let near = near.filter(|(_, workers, share)| *workers < of && *share >= NEARLY);
    let (row, workers, share) =
        near.min_by(|one, other| one.1.cmp(&other.1).then(other.2.total_cmp(&one.2)))?;
    Some(CheapestPoint { point: row.point.clone(), workers, of, share: Ratio(share) })
}
