//! What the levels of each factor bring, all other factors alike.

use std::collections::BTreeMap;

use numawise_facts::{Effect, GridStudy, Reading, Study};
use numawise_tables::{GridRow, LevelEffect, LevelEffects, PointSummary, SpreadChange};
use numawise_units::Ratio;

/// Probability that all intervals of spreads hold their true ratios.
const CONFIDENCE: f64 = 0.95;
/// Seed of the test's shuffles: the same study always gives the same report.
const SEED: u64 = 1;
/// Trials of a point without which its spread says little.
const LEAST: usize = 5;
/// Of more levels spreads are not compared, and of further points trials are not taken: each comparison shuffles them two thousand times.
const MOST_LEVELS: usize = 16;
const MOST_TRIALS: usize = 200;

pub fn effects(
    study: &Study,
    grid: &GridStudy,
    rows: &[GridRow],
    summaries: &[PointSummary],
) -> Vec<LevelEffects> {
    let with_several = (0..grid.factors.len()).filter(|k| grid.factors[*k].levels.len() > 1);
    let compared: usize = with_several.clone().map(|k| grid.factors[k].levels.len() - 1).sum();
    let confidence = 1.0 - (1.0 - CONFIDENCE) / compared.max(1) as f64;
    let spread = |factor, level| spread(grid, summaries, (factor, level), confidence).into();
    with_several.map(|factor| of_factor(study, grid, rows, factor, &|level| spread(factor, level))).collect()
}

/// How trials at a level scatter about the medians of their points, against the same points at the first level.
fn spread(
    grid: &GridStudy,
    summaries: &[PointSummary],
    (factor, level): (usize, usize),
    confidence: f64,
) -> Result<SpreadChange, String> {
    if level > 0 && grid.factors[factor].levels.len() > MOST_LEVELS {
        return Err(format!("spreads are compared for {MOST_LEVELS} levels of a factor at most"));
    }
    let of_point: BTreeMap<&[u32], &[f64]> = grid
        .runs
        .iter()
        .zip(summaries)
        .filter(|(_, summary)| summary.samples.len() >= LEAST)
        .map(|(run, summary)| (run.levels.as_slice(), summary.samples.as_slice()))
        .collect();
    if level == 0 {
        if !of_point.keys().any(|levels| levels[factor] == 0) {
            return Err(format!("it needs {LEAST} valid trials of a point"));
        }
        let alike = Effect { ratio: Ratio(1.0), low: Ratio(1.0), high: Ratio(1.0) };
        return Ok(SpreadChange { ratio: alike, differs: false });
    }
    let (mut first, mut here) = (Vec::new(), Vec::new());
    let mut trials = 0;
    for (levels, samples) in of_point.iter().filter(|(levels, _)| levels[factor] as usize == level) {
        let mut at_first = levels.to_vec();
        at_first[factor] = 0;
        if let Some(at_first) = of_point.get(at_first.as_slice()).filter(|_| trials < MOST_TRIALS) {
            trials += samples.len();
            first.push(*at_first);
            here.push(*samples);
        }
    }
    if first.is_empty() {
        return Err(format!("it needs {LEAST} valid trials at points of both levels"));
    }
    let found = numawise_stats::compare_spreads(&here, &first, confidence, SEED)
        .map_err(|error| error.to_string())?;
    let ratio = Effect::new(found.ratio, found.low, found.high);
    Ok(SpreadChange { ratio, differs: found.differs })
}

fn of_factor(
    study: &Study,
    grid: &GridStudy,
    rows: &[GridRow],
    factor: usize,
    spread: &dyn Fn(usize) -> Reading<SpreadChange>,
) -> LevelEffects {
    let values: BTreeMap<Vec<u32>, (f64, Option<f64>)> = grid
        .runs
        .iter()
        .zip(rows)
        .filter_map(|(run, row)| {
            let speedup = row.speedup.measured().map(|effect| effect.ratio.0);
            Some((run.levels.clone(), (*row.median.measured()?, speedup)))
        })
        .collect();
    let is_rate = study.header.metric.higher_is_better();
    // By the speedups of the points, which come from trials of the same rounds; where there are none, by the medians of all trials.
    let gain = |first: (f64, Option<f64>), here: (f64, Option<f64>)| match (first.1, here.1) {
        (Some(first), Some(here)) => here / first,
        _ if is_rate => here.0 / first.0,
        _ => first.0 / here.0,
    };
    let mut gains: Vec<Vec<f64>> = vec![Vec::new(); grid.factors[factor].levels.len()];
    for (levels, value) in &values {
        let mut at_first = levels.clone();
        at_first[factor] = 0;
        if let (Some(first), Some(gains)) = (values.get(&at_first), gains.get_mut(levels[factor] as usize)) {
            gains.push(gain(*first, *value));
        }
    }
    let mut largest_span: Option<(f64, f64)> = None;
    let levels = grid.factors[factor].levels.iter().zip(&gains).enumerate().map(|(level, (word, pairs))| {
        if let (Some(low), Some(high)) =
            (pairs.iter().copied().reduce(f64::min), pairs.iter().copied().reduce(f64::max))
            && largest_span.is_none_or(|(least, most)| high / low > most / least)
        {
            largest_span = Some((low, high));
        }
        let mean = pairs.iter().map(|ratio| ratio.ln()).sum::<f64>() / pairs.len() as f64;
        let mean = if pairs.is_empty() {
            Reading::unavailable("no combination has both this level and the first")
        } else {
            Reading::Measured(Ratio(mean.exp()))
        };
        LevelEffect { level: word.clone(), gain: mean, spread: spread(level) }
    });
    let levels = levels.collect();
    let margin = 1.0 + study.header.margin;
    let depends = largest_span.filter(|(low, high)| *low < 1.0 / margin && *high > margin);
    LevelEffects {
        factor: grid.factors[factor].name.clone(),
        levels,
        depends: depends.map(|(low, high)| (Ratio(low), Ratio(high))),
    }
}
