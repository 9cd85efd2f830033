use numawise_facts::{GridStudy, MetricProblem, Observation, Outcome};
use numawise_units::{Microjoules, Nanoseconds};

use super::*;
use crate::sample::{observation, study as two_points, two_sockets};

fn named(name: &str, higher_is_better: bool) -> NamedMetric {
    let metric = Metric::Output { regex: "(.)".to_owned(), higher_is_better };
    NamedMetric { name: name.to_owned(), metric }
}

/// Two points of six trials of a second, with two metrics besides; the trials have no copies.
fn study() -> Study {
    let mut study = two_points(two_sockets(), &[("os", 1.0), ("interleave", 2.0)], &[], 6);
    study.header.grid = Some(GridStudy {
        factors: vec![],
        runs: vec![],
        other_metrics: vec![named("rate", true), named("steps", false)],
        ..GridStudy::default()
    });
    for trial in &mut study.trials {
        let steps = match trial.block {
            1 => OtherValue::Missing(MetricProblem::NoMatch),
            block => OtherValue::PerTask(vec![f64::from(block), 1.0]),
        };
        trial.other_values = vec![OtherValue::PerTask(vec![3.0, 4.0]), steps];
    }
    study
}

#[test]
fn rates_add_up_the_longest_counts_and_what_a_trial_lacks_is_left_out() {
    let points = others(&study());
    let [rate, steps, ..] = &points[1][..] else { panic!("{points:?}") };
    assert_eq!((rate.name.as_str(), rate.unit, rate.repeats), ("rate", OtherUnit::OfProgram, 6));
    assert_eq!((&rate.mean, &rate.sd), (&Reading::Measured(7.0), &Reading::Measured(0.0)));
    // Half of 2, 3, 4, 5 and 6, of five trials.
    assert_eq!(
        (steps.repeats, &steps.median, &steps.min),
        (5, &Reading::Measured(2.0), &Reading::Measured(1.0))
    );
    assert_eq!((&steps.low, &steps.high), (&Reading::Measured(1.0), &Reading::Measured(3.0)));
}

#[test]
fn what_every_trial_has_is_there_once_and_missing_is_missing() {
    let names = |study: &Study| others(study)[0].iter().map(|of| of.name.clone()).collect::<Vec<_>>();
    let mut study = study();
    assert_eq!(names(&study), ["rate", "steps", "cpu_time", "peak_memory", "energy"]);
    study.header.metric = named("rate", true).metric;
    assert_eq!(names(&study), ["rate", "steps", "wall_time", "cpu_time", "peak_memory", "energy"]);
    for trial in &mut study.trials {
        trial.wall = Nanoseconds(3_000_000_000);
        trial.observation = Reading::unavailable("it was too short");
    }
    let figures = &others(&study)[0];
    assert_eq!(figures[2].median, Reading::Measured(3.0));
    assert_eq!(figures[5].median, Reading::unavailable("it was too short"));
    assert_eq!(figures[3].median, Reading::unavailable("it was too short"));
    assert_eq!(figures[4].mean, Reading::unavailable("it was too short"));
    for trial in &mut study.trials {
        trial.outcome =
            Outcome::Failed { failure: numawise_facts::Exit::Code(1).into(), output_tail: String::new() };
    }
    assert_eq!(others(&study)[0][2].median, Reading::unavailable("no trial that counts has it"));
    let wall = of_trials(&study).into_iter().find(|of| of.name == "wall_time").unwrap();
    assert!(wall.values.iter().all(Option::is_none), "{:?}", wall.values);
}

#[test]
fn energy_is_that_of_a_unit_of_work() {
    let mut study = study();
    for trial in &mut study.trials {
        let energy = Reading::Measured(Microjoules(3_000_000));
        trial.observation = Reading::Measured(Observation { energy, ..observation(&[(0, 100)], &[]) });
    }
    let figures = &others(&study)[0];
    let energy = figures.iter().find(|of| of.name == "energy").unwrap();
    assert_eq!((energy.unit, &energy.median), (OtherUnit::Joules, &Reading::Measured(3.0)));
}
