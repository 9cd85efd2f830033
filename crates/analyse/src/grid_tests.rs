use numawise_facts::ContrastRole;
use numawise_facts::{FactorKind, FactorLevels, Outcome, Point, PointPair, Study, UntilKnown};

use super::*;
use crate::sample::{study as two_points, two_sockets};

/// A grid of threads (1, 2, 4, 8) and a strategy; the seconds of each point, six repeats.
pub fn grid_of(seconds: &[[f64; 4]]) -> Study {
    let strategies = ["local", "semi", "distributed"];
    let mut study = two_points(two_sockets(), &[("os", 1.0)], &[], 6);
    let (first, trials) = (study.header.points[0].clone(), study.trials.clone());
    study.header.points.clear();
    study.trials.clear();
    let mut runs = Vec::new();
    for (k, row) in seconds.iter().enumerate() {
        for (l, seconds) in row.iter().enumerate() {
            let id = format!("place={} threads={}", strategies[k], 1 << l);
            runs.push(GridRun {
                point: id.as_str().into(),
                levels: vec![k as u32, l as u32],
                workers: Some(1 << l),
                command: study.header.command.clone(),
                environment: vec![],
            });
            study.header.points.push(Point { id: id.as_str().into(), ..first.clone() });
            for trial in &trials {
                let Outcome::Measured { per_task } = &trial.outcome else { unreachable!() };
                let mut trial = trial.clone();
                // The sample's runs take a second, give or take half a percent.
                let wobble = 1.0
                    + (per_task[0] - 1.0)
                        * if (k + l + trial.block as usize).is_multiple_of(2) { 1.0 } else { -1.0 };
                trial.outcome = Outcome::Measured { per_task: vec![seconds * wobble] };
                trial.point = id.as_str().into();
                trial.number = study.trials.len() as u32;
                study.trials.push(trial);
            }
        }
    }
    let ids: Vec<_> = study.header.points.iter().map(|point| point.id.clone()).collect();
    study.header.pairs = ids[1..]
        .iter()
        .map(|to| PointPair { from: ids[0].clone(), to: to.clone(), role: ContrastRole::BothWays })
        .collect();
    let levels = |kind, name: &str, levels: &[&str]| FactorLevels {
        kind,
        name: name.to_owned(),
        levels: levels.iter().map(|level| (*level).to_owned()).collect(),
    };
    study.header.grid = Some(GridStudy {
        factors: vec![
            levels(FactorKind::Place, "place", &strategies[..seconds.len()]),
            levels(FactorKind::Threads, "threads", &["1", "2", "4", "8"]),
        ],
        runs,
        ..GridStudy::default()
    });
    study
}

fn tables(seconds: &[[f64; 4]]) -> GridTables {
    grid(&grid_of(seconds)).unwrap()
}

#[track_caller]
pub fn is_close(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found}, expected {expected}");
}

#[test]
fn a_study_that_is_no_grid_has_no_tables() {
    assert!(grid(&two_points(two_sockets(), &[("os", 1.0)], &[], 6)).is_none());
}

#[test]
fn points_that_are_known_or_were_run_often_enough_are_run_no_more() {
    let study = grid_of(&[[8.0, 4.0, 2.0, 1.0]]);
    let of = |half_width, most_repeats| known_points(&study, UntilKnown { half_width, most_repeats }).len();
    assert_eq!((of(0.02, 100), of(1e-6, 100), of(1e-6, 6)), (4, 0, 4));
}

#[test]
fn speedup_and_efficiency_are_against_the_first_point() {
    let tables = tables(&[[8.0, 4.0, 2.0, 2.0]]);
    let (first, last) = (&tables.rows[0], &tables.rows[3]);
    assert_eq!(first.speedup.measured().unwrap().ratio, Ratio(1.0));
    let speedup = last.speedup.measured().unwrap();
    is_close(speedup.ratio.0, 4.0, 0.05);
    assert!(speedup.low.0 < 4.0 && speedup.high.0 > 4.0);
    is_close(last.efficiency.measured().unwrap().ratio.0, 0.5, 0.01);
    is_close(*last.mean.measured().unwrap(), 2.0, 0.02);
    assert!(last.sd.measured().unwrap() > &0.0 && last.min.measured().unwrap() < &2.0);
    assert_eq!((last.repeats, last.failures), (6, 0));
    assert_eq!(last.levels, ["local", "8"]);
}

#[test]
fn the_best_point_is_sure_where_nothing_comes_near() {
    let clear = tables(&[[8.0, 4.0, 2.0, 1.0], [8.0, 4.4, 2.6, 1.9]]);
    let best = clear.best.measured().unwrap();
    assert_eq!(best.point.0, "place=local threads=8");
    assert!(best.is_sure && best.rivals.is_empty() && best.cheapest.is_none());
    let near = tables(&[[8.0, 4.0, 2.0, 1.96], [8.0, 4.4, 2.6, 1.96]]);
    let best = near.best.measured().unwrap();
    assert!(!best.is_sure && best.rivals.len() == 1, "{best:?}");
    let cheapest = best.cheapest.as_ref().unwrap();
    assert_eq!((cheapest.point.0.as_str(), cheapest.workers, cheapest.of), ("place=local threads=4", 4, 8));
    assert!(cheapest.share.0 > 0.96);
}

#[test]
fn each_strategy_has_its_curve_with_laws_that_fit_or_not() {
    let amdahl = |n: f64| 8.0 * (0.1 + 0.9 / n);
    let tables = tables(&[[1.0, 2.0, 4.0, 8.0].map(amdahl), [8.0, 4.0, 4.0, 4.0]]);
    assert_eq!(tables.scaling.len(), 2);
    let [one, other] = &tables.scaling[..] else { unreachable!() };
    assert_eq!(one.at, [("place".to_owned(), "local".to_owned())]);
    let fit = one.amdahl.measured().unwrap();
    is_close(fit.contention.0, 0.1, 0.01);
    is_close(fit.limit.unwrap(), 10.0, 1.0);
    assert!(fit.fits);
    assert!(!other.amdahl.measured().unwrap().fits, "{:?}", other.amdahl);
}

#[test]
fn levels_are_compared_with_all_else_alike() {
    let tables = tables(&[[8.0, 4.0, 2.0, 1.0], [4.0, 2.0, 1.0, 0.5]]);
    let place = &tables.effects[0];
    assert_eq!(place.factor, "place");
    is_close(place.levels[1].gain.measured().unwrap().0, 2.0, 0.02);
    assert_eq!(place.depends, None);
    let tables = self::tables(&[[8.0, 4.0, 2.0, 1.0], [4.0, 2.0, 4.0, 2.0]]);
    let (low, high) = tables.effects[0].depends.unwrap();
    is_close(low.0, 0.5, 0.01);
    is_close(high.0, 2.0, 0.02);
}

#[test]
fn what_a_level_brings_is_the_speedup_that_its_points_have() {
    let mut study = grid_of(&[[8.0, 4.0, 2.0, 1.0]]);
    // The machine becomes slow from round to round, and the last round has no value of one point: its median is of other rounds.
    for trial in &mut study.trials {
        let Outcome::Measured { per_task } = &mut trial.outcome else { unreachable!() };
        per_task[0] *= 1.0 + 0.2 * f64::from(trial.block);
    }
    study.trials.retain(|trial| trial.block < 5 || trial.point.0 != "place=local threads=2");
    let tables = grid(&study).unwrap();
    let by_medians = tables.rows[0].median.measured().unwrap() / tables.rows[1].median.measured().unwrap();
    let speedup = tables.rows[1].speedup.measured().unwrap().ratio.0;
    assert!((by_medians - speedup).abs() > 0.05, "{by_medians} {speedup}");
    let threads = tables.effects.iter().find(|effects| effects.factor == "threads").unwrap();
    is_close(threads.levels[1].gain.measured().unwrap().0, speedup, 1e-9);
}

#[test]
fn a_point_without_values_is_no_best_and_says_why() {
    let mut study = grid_of(&[[8.0, 4.0, 2.0, 1.0]]);
    study.trials.retain(|trial| trial.point.0 != "place=local threads=8");
    let tables = grid(&study).unwrap();
    let last = &tables.rows[3];
    assert_eq!(last.repeats, 0);
    assert!(last.mean.measured().is_none() && last.speedup.measured().is_none());
    assert_eq!(tables.best.measured().unwrap().point.0, "place=local threads=4");
    study.trials.clear();
    assert!(grid(&study).unwrap().best.measured().is_none());
}

#[test]
fn a_level_at_which_trials_scatter_less_is_told_from_one_that_is_alike() {
    let mut study = grid_of(&[[8.0, 4.0, 2.0, 1.0], [8.0, 4.0, 2.0, 1.0], [8.0, 4.0, 2.0, 1.0]]);
    for trial in &mut study.trials {
        let Outcome::Measured { per_task } = &mut trial.outcome else { unreachable!() };
        if trial.point.0.starts_with("place=semi") {
            // Ten times as far from the round figure.
            let round = 2.0_f64.powf(per_task[0].log2().round());
            per_task[0] = round * (per_task[0] / round).powf(10.0);
        }
    }
    let tables = grid(&study).unwrap();
    let spread = |level: usize| *tables.effects[0].levels[level].spread.measured().unwrap();
    assert!(spread(1).differs && spread(1).ratio.low.0 > 3.0, "{:?}", spread(1));
    assert!(!spread(2).differs && spread(2).ratio.low.0 < 1.0, "{:?}", spread(2));
    study.trials.retain(|trial| trial.block <= 4);
    let few = grid(&study).unwrap().effects[0].levels[1].spread.clone();
    assert!(few.reason().is_some_and(|reason| reason.0.contains("it needs 5 valid trials")), "{few:?}");
}
