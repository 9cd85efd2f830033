//! What the levels of each factor bring, all other factors alike.

use std::collections::BTreeMap;

use numawise_facts::{GridStudy, Reading, Study};
use numawise_tables::{GridRow, LevelEffects};
use numawise_units::Ratio;

pub fn effects(study: &Study, grid: &GridStudy, rows: &[GridRow]) -> Vec<LevelEffects> {
    let with_several = (0..grid.factors.len()).filter(|k| grid.factors[*k].levels.len() > 1);
    with_several.map(|factor| of_factor(study, grid, rows, factor)).collect()
}

fn of_factor(study: &Study, grid: &GridStudy, rows: &[GridRow], factor: usize) -> LevelEffects {
    let values: BTreeMap<Vec<u32>, f64> = grid
        .runs
        .iter()
        .zip(rows)
        .filter_map(|(run, row)| Some((run.levels.clone(), *row.median.measured()?)))
        .collect();
    let is_rate = study.header.metric.higher_is_better();
    let gain = |first: f64, value: f64| if is_rate { value / first } else { first / value };
    let mut gains: Vec<Vec<f64>> = vec![Vec::new(); grid.factors[factor].levels.len()];
    for (levels, value) in &values {
        let mut at_first = levels.clone();
        at_first[factor] = 0;
        if let (Some(first), Some(gains)) = (values.get(&at_first), gains.get_mut(levels[factor] as usize)) {
            gains.push(gain(*first, *value));
        }
    }
    let mut largest_span: Option<(f64, f64)> = None;
    let levels = grid.factors[factor].levels.iter().zip(&gains).map(|(word, pairs)| {
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
        (word.clone(), mean)
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
