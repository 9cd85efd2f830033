//! Time by the number of workers, and the laws that it follows or not.

use std::collections::BTreeMap;

use numawise_facts::{FactorKind, GridRun, GridStudy, Reading, Study};
use numawise_stats::{ScalingFit, ScalingLaw, ScalingTimes, fit_scaling};
use numawise_tables::{GridRow, PointSummary, ScalingModel, ScalingSeries};
use numawise_units::{Arrange, Ratio};

use super::knee;

/// Factors that change how many work.
pub const OF_WORKERS: [FactorKind; 4] =
    [FactorKind::Threads, FactorKind::Ranks, FactorKind::Copies, FactorKind::RanksTimesThreads];

/// Fewer numbers of workers than these make no curve.
const LEAST: usize = 3;

/// A series for each combination of levels of the other factors, where workers are one factor.
pub fn all(
    study: &Study,
    grid: &GridStudy,
    rows: &[GridRow],
    summaries: &[PointSummary],
) -> Vec<ScalingSeries> {
    let of_workers: Vec<usize> =
        (0..grid.factors.len()).filter(|k| OF_WORKERS.contains(&grid.factors[*k].kind)).collect();
    let [of_workers] = of_workers.as_slice() else { return Vec::new() };
    let mut series: BTreeMap<Vec<u32>, Vec<(u32, usize)>> = BTreeMap::new();
    for (k, run) in grid.runs.iter().enumerate() {
        let Some(workers) = run.workers.filter(|_| rows[k].repeats > 0) else { continue };
        series.entry(others(run, *of_workers)).or_default().push((workers, k));
    }
    let mut all = Vec::new();
    for (levels, mut points) in series {
        points.arrange();
        points.dedup_by_key(|(workers, _)| *workers);
        if points.len() < LEAST {
            continue;
        }
        let names = (0..grid.factors.len()).filter(|k| k != of_workers);
        let at = names.zip(&levels).map(|(k, level)| {
            let factor = &grid.factors[k];
            let level = factor.levels.get(*level as usize).cloned().unwrap_or_default();
            (factor.name.clone(), level)
        });
        let times = times(study, &points, summaries);
        all.push(ScalingSeries {
            at: at.collect(),
            points: points.iter().map(|(_, k)| rows[*k].point.clone()).collect(),
            amdahl: model(ScalingLaw::Amdahl, &times),
            universal: model(ScalingLaw::Universal, &times),
            knee: knee::knee(study, grid, rows, &points),
        });
    }
    all
}

fn others(run: &GridRun, of_workers: usize) -> Vec<u32> {
    run.levels.iter().enumerate().filter(|(k, _)| *k != of_workers).map(|(_, level)| *level).collect()
}

/// Of rates the times for one unit of work.
fn times(study: &Study, points: &[(u32, usize)], summaries: &[PointSummary]) -> Vec<ScalingTimes> {
    let is_rate = study.header.metric.higher_is_better();
    let of = |(workers, k): &(u32, usize)| {
        let values = summaries[*k].samples.iter();
        let times = values.map(|value| if is_rate { 1.0 / value } else { *value }).collect();
        ScalingTimes { workers: *workers as usize, times }
    };
    points.iter().map(of).collect()
}

fn model(law: ScalingLaw, times: &[ScalingTimes]) -> Reading<ScalingModel> {
    fit_scaling(law, times).map(|fit| of_fit(&fit)).map_err(|error| error.to_string()).into()
}

fn of_fit(fit: &ScalingFit) -> ScalingModel {
    ScalingModel {
        contention: Ratio(fit.contention),
        coherency: Ratio(fit.coherency),
        limit: fit.limit(),
        peak: fit.peak(),
        ratios: fit.ratios.iter().copied().map(Ratio).collect(),
        worst: Ratio(fit.worst),
        fits: fit.fits(),
    }
}
