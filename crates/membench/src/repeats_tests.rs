use proptest::prelude::*;

use super::*;

const RULE: Rule = Rule { least: 5, most: 20, precision: 0.01 };

fn of(quiet: &[f64], disturbed: &[f64]) -> Repeats {
    let mut repeats = Repeats::new(RULE);
    quiet.iter().for_each(|&value| repeats.push(value, None));
    disturbed.iter().for_each(|&value| repeats.push(value, Some(value / 1000.0)));
    repeats
}

#[test]
fn intervals_have_the_ranks_of_the_tables() {
    // Ranks (from 0) of the lower bound in tables of the sign test's interval at 95 %.
    for (n, expected) in [
        (1, 0),
        (2, 0),
        (5, 0),
        (6, 0),
        (8, 0),
        (9, 1),
        (11, 1),
        (12, 2),
        (15, 3),
        (20, 5),
        (25, 7),
        (30, 9),
        (50, 17),
    ] {
        assert_eq!(rank(n), expected, "{n}");
    }
}

#[test]
fn equal_values_are_sure_at_once_and_scattered_ones_are_not() {
    assert!(!of(&[100.0; 4], &[]).enough());
    assert!(of(&[100.0; 5], &[]).enough());
    assert!(!of(&[100.0, 103.0, 100.0, 100.0, 100.0], &[]).enough());
    assert!(of(&[100.0, 101.9, 100.5, 100.2, 101.0], &[]).enough());
    let scattered: Vec<f64> = (0..20).map(|k| 100.0 + 10.0 * f64::from(k)).collect();
    assert!(!of(&scattered[..19], &[]).enough() && of(&scattered, &[]).enough());
}

#[test]
fn disturbed_ones_are_counted_and_left_out() {
    let outcome = of(&[10.0, 11.0, 12.0], &[90.0; 7]).outcome().unwrap();
    let expected = Estimate { median: 11.0, low: 10.0, high: 12.0, samples: 3, disturbed: 7 };
    assert_eq!(outcome, Outcome { estimate: expected, disturbed: false });
}

#[test]
fn on_a_machine_that_is_never_quiet_the_least_disturbed_count_and_that_is_told() {
    let outcome = of(&[10.0], &[40.0, 20.0, 30.0, 50.0]).outcome().unwrap();
    assert!(outcome.disturbed);
    let Estimate { median, samples, disturbed, .. } = outcome.estimate;
    assert_eq!((median, samples, disturbed), (25.0, 4, 1), "of 10, 20, 30, 40");
    let many: Vec<f64> = (1..=40).map(f64::from).collect();
    assert_eq!(of(&[], &many).outcome().unwrap().estimate.median, 5.5, "of the ten that lost least");
    assert!(of(&[], &[20.0; 200]).enough(), "there is an end");
    assert!(!of(&[], &[20.0; 199]).enough());
}

#[test]
fn no_measurement_is_no_estimate() {
    assert_eq!(of(&[], &[]).outcome(), None);
    assert_eq!(of(&[f64::NAN, 0.0, -1.0, f64::INFINITY], &[]).outcome(), None);
    assert_eq!(of(&[7.0], &[]).outcome().unwrap().estimate.samples, 1);
}

proptest! {
    #[test]
    fn the_median_lies_in_its_interval(values in prop::collection::vec(0.1f64..1e6, 1..60)) {
        let estimate = of(&values, &[]).outcome().unwrap().estimate;
        prop_assert!(estimate.low <= estimate.median && estimate.median <= estimate.high);
    }
}
