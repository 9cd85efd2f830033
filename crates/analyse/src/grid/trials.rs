//! The trials of a study as a table for other programs.

use std::collections::{HashMap, HashSet};

use numawise_facts::{Metric, PointId, Study, Trial};
use numawise_tables::{OtherUnit, TrialColumn, TrialTable, TrialValues};

use super::others;

#[cfg(test)]
#[path = "trials_tests.rs"]
mod tests;

/// A row for each trial in the order in which they ran, the warm-up too: where and when it ran, what it gave, and whether it counts.
pub fn trial_table(study: &Study) -> TrialTable {
    let trials = &study.trials;
    let integers =
        |of: fn(&Trial) -> i64| TrialValues::Integers(trials.iter().map(|one| Some(of(one))).collect());
    let texts =
        |of: fn(&Trial) -> String| TrialValues::Texts(trials.iter().map(|one| Some(of(one))).collect());
    let value = |trial: &Trial| study.header.value(trial).filter(|value| value.is_finite());
    let mut all = vec![
        ("trial".to_owned(), integers(|trial| i64::from(trial.number))),
        ("block".to_owned(), integers(|trial| i64::from(trial.block))),
        ("point".to_owned(), texts(|trial| trial.point.to_string())),
        ("outcome".to_owned(), texts(|trial| trial.outcome.word().to_owned())),
        ("warm_up".to_owned(), integers(|trial| i64::from(trial.is_warm_up()))),
        ("disturbed".to_owned(), integers(|trial| i64::from(!trial.disturbances.is_empty()))),
        (
            "began_unix_seconds".to_owned(),
            TrialValues::Numbers(trials.iter().map(|trial| Some(trial.started.seconds())).collect()),
        ),
        (compared(study), TrialValues::Numbers(trials.iter().map(value).collect())),
    ];
    let figures = others::of_trials(study).into_iter();
    all.extend(figures.map(|of| (with_unit(of.name, of.unit), TrialValues::Numbers(of.values))));
    all.extend(factors(study));
    let mut names = HashSet::new();
    let columns = all.into_iter().map(|(mut name, values)| {
        // A parameter may be called like a column of ours.
        while !names.insert(name.clone()) {
            name.push('_');
        }
        TrialColumn { name, values }
    });
    TrialTable { columns: columns.collect() }
}

/// What the column of the metric that is compared is called.
fn compared(study: &Study) -> String {
    let unit = match study.header.metric {
        Metric::WallTime => OtherUnit::Seconds,
        Metric::Output { .. } | Metric::File { .. } => OtherUnit::OfProgram,
    };
    with_unit(study.header.metric_name(), unit)
}

fn with_unit(name: &str, unit: OtherUnit) -> String {
    match unit {
        OtherUnit::Seconds => format!("{name}_seconds"),
        OtherUnit::Bytes => format!("{name}_bytes"),
        OtherUnit::Joules => format!("{name}_joules"),
        OtherUnit::OfProgram => name.to_owned(),
    }
}

/// A column for each factor: numbers where all of its levels are.
fn factors(study: &Study) -> Vec<(String, TrialValues)> {
    let Some(grid) = &study.header.grid else { return Vec::new() };
    let levels: HashMap<&PointId, &[u32]> =
        grid.runs.iter().map(|run| (&run.point, run.levels.as_slice())).collect();
    let column = |(k, factor): (usize, &numawise_facts::FactorLevels)| {
        let word = |trial: &Trial| factor.levels.get(*levels.get(&trial.point)?.get(k)? as usize);
        let numbers: Option<Vec<i64>> = factor.levels.iter().map(|level| level.parse().ok()).collect();
        let values = match numbers {
            Some(_) => TrialValues::Integers(
                study.trials.iter().map(|trial| word(trial).and_then(|word| word.parse().ok())).collect(),
            ),
            None => TrialValues::Texts(study.trials.iter().map(|trial| word(trial).cloned()).collect()),
        };
        (factor.name.clone(), values)
    };
    grid.factors.iter().enumerate().map(column).collect()
}
