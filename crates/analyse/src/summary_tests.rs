use std::time::{Duration, Instant};

use numawise_facts::{ContrastRole, Disturbance, Metric};

use super::*;
use crate::sample::{study, two_sockets};

fn trial(why: &str) -> Trial {
    Trial {
        number: 0,
        block: 1,
        point: "os".into(),
        started: Nanoseconds(0),
        wall: Nanoseconds(1),
        outcome: Outcome::Measured { per_task: vec![1.0] },
        observation: Reading::unavailable(why.to_owned()),
        disturbances: vec![],
        left_behind: None,
        other_values: vec![],
    }
}

#[test]
fn reasons_that_differ_in_their_numbers_are_one() {
    let mut study = crate::sample::study(crate::sample::two_sockets(), &[("os", 1.0)], &[], 5);
    study.trials = [
        "it ended within 980 µs",
        "it ended within 1.02 ms",
        "it ended within 1.02 ms (17 of 20 looks)",
        "it ended within 980 µs",
        "it ended within 3 s",
        "move_pages is forbidden",
        "move_pages is forbidden",
    ]
    .map(trial)
    .to_vec();
    let expected = |reason: &'static str, trials, others| {
        let reason = Reason(reason.into());
        Notice::from(StudyNotice::NotObserved { what: ObservedFigure::Everything, reason, trials, others })
    };
    assert_eq!(
        unavailable(&study),
        [
            expected("it ended within 980 µs", 4, 2),
            expected("it ended within 1.02 ms (17 of 20 looks)", 1, 0),
            expected("move_pages is forbidden", 2, 0),
        ]
    );
}

/// The least and the greatest that a reader takes for the value of a metric, at one point.
#[test]
fn runs_never_vary_by_infinity() {
    let (least, greatest) = (*Metric::VALUES.start(), *Metric::VALUES.end());
    for values in [[least, greatest], [greatest, greatest / 2.0], [least, least * 2.0]] {
        let mut study = study(two_sockets(), &[("os", 1.0)], &[], 8);
        for (k, trial) in study.trials.iter_mut().enumerate() {
            trial.outcome = Outcome::Measured { per_task: vec![values[k % 2]] };
        }
        let points = points(&study);
        let variation = points[0].variation.measured().expect("8 runs vary by something");
        assert!(variation.0.is_finite() && variation.0 > 0.0, "{values:?}: {variation:?}");
    }
}

#[test]
fn disturbed_trials_are_left_out_while_each_point_has_enough_others() {
    let disturbed = |of: &str, count: usize| {
        let mut study = study(
            two_sockets(),
            &[("os", 1.0), ("pinned", 1.0)],
            &[("os", "pinned", ContrastRole::BothWays)],
            8,
        );
        let of = study.trials.iter_mut().filter(|trial| trial.point.0 == of && !trial.is_warm_up());
        of.take(count).for_each(|trial| trial.disturbances = vec![Disturbance::Steal(0.5)]);
        left_out(&study)
    };
    assert!(disturbed("os", 0) && disturbed("os", 3) && disturbed("pinned", 3));
    assert!(!disturbed("os", 4) && !disturbed("pinned", 4) && !disturbed("pinned", 8));
}

fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// Of so many trials, each with a reason of its own: how many reasons are told.
fn reasons(trials: usize) -> usize {
    let mut study = study(two_sockets(), &[("os", 1.0)], &[], trials as u32);
    for trial in &mut study.trials {
        trial.observation = Reading::unavailable(format!("for reason {}", letters(trial.number)));
    }
    unavailable(&study).len()
}

#[test]
fn each_trial_may_have_a_reason_of_its_own() {
    assert_eq!(reasons(200), 200);
}

/// Twenty thousand of them were compared with each other.
#[test]
#[ignore = "timing: many reasons take no longer than the trials"]
fn many_reasons_take_no_longer_than_the_trials() {
    let begun = Instant::now();
    assert_eq!(reasons(20_000), 20_000);
    eprintln!("20,000 reasons: {:?}", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

/// A point that was dropped after two blocks would else bring every disturbed trial of the others back.
#[test]
fn a_point_that_was_dropped_does_not_hold_the_others_up() {
    let points = [("os", 1.0), ("pinned", 1.0), ("remote", 2.0)];
    let mut study = study(two_sockets(), &points, &[], 9);
    study.trials.retain(|trial| trial.point.0 != "remote" || trial.block <= 2);
    for trial in study.trials.iter_mut().filter(|trial| trial.block == 3) {
        trial.disturbances = vec![Disturbance::OtherLoad(0.5)];
    }
    assert!(left_out(&study));
    study.trials.retain(|trial| trial.block <= 4);
    assert!(!left_out(&study), "nothing decides anything yet");
}

#[test]
fn an_interval_over_everything_is_no_effect_yet() {
    let estimate = |ratio: f64, low: f64, high: f64| {
        let found = numawise_stats::Estimate { ratio, low, high, noise: 0.1 };
        crate::effect_of(&found).measured().is_some()
    };
    assert!(!estimate(5.21, 0.000_002, 2_381_492.9));
    // What is wide and says which is faster, and what is open within reason.
    assert!(estimate(300.0, 11.0, 8_000.0) && estimate(1.0, 0.2, 5.0));
}
