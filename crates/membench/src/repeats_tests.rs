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
    assert_eq!(outcome, Outcome { estimate: expected, disturbed: false, buffers: None });
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
fn an_interval_holds_the_levels_of_all_buffers() {
    // Each buffer repeats to a thousandth, one of them at another level as a whole.
    let buffer = |level: f64| of(&[level * 0.999, level, level, level, level, level * 1.001], &[]);
    let outcome = over_buffers(&[buffer(37.0), buffer(31.0), buffer(37.2)]).unwrap();
    let Estimate { median, low, high, samples, .. } = outcome.estimate;
    assert_eq!((median, samples), (37.0, 18), "one buffer does not move it");
    assert!(low <= 31.0 && high >= 37.2, "{low} to {high}");
    assert_eq!(outcome.buffers, Some(BufferSpread { lowest: 31.0, highest: 37.2, buffers: 3, apart: true }));
    // What repetitions of one buffer explain is no level of a buffer, nor what too few of them say.
    let scattered = |level: f64| of(&[level * 0.8, level * 0.9, level, level * 1.1, level * 1.2], &[]);
    let noise = over_buffers(&[scattered(37.0), scattered(31.0), scattered(37.2)]).unwrap();
    assert!(!noise.buffers.unwrap().apart);
    assert!(!over_buffers(&[of(&[37.0], &[]), of(&[31.0], &[])]).unwrap().buffers.unwrap().apart);
    // Buffers that agree add nothing.
    let alike = over_buffers(&[buffer(37.0), buffer(37.0), buffer(37.0)]).unwrap().estimate;
    assert!(alike.high - alike.low < 0.1, "{alike:?}");
    // Of one there is no spread.
    let one = over_buffers(&[buffer(37.0)]).unwrap();
    assert_eq!(one, buffer(37.0).outcome().unwrap());
    assert_eq!(over_buffers(&[]), None);
}

#[test]
fn buffers_that_were_only_disturbed_tell_nothing_beside_quiet_ones() {
    let quiet = of(&[37.0; 5], &[]);
    let disturbed = of(&[], &[20.0; 5]);
    let outcome = over_buffers(&[quiet.clone(), disturbed.clone(), quiet]).unwrap();
    assert_eq!((outcome.disturbed, outcome.estimate.low), (false, 37.0));
    assert_eq!(outcome.buffers.unwrap().buffers, 2);
    assert!(over_buffers(&[disturbed.clone(), disturbed]).unwrap().disturbed);
}

#[test]
fn no_measurement_is_no_estimate() {
    assert_eq!(of(&[], &[]).outcome(), None);
    assert_eq!(of(&[f64::NAN, 0.0, -1.0, f64::INFINITY], &[]).outcome(), None);
    assert_eq!(of(&[7.0], &[]).outcome().unwrap().estimate.samples, 1);
}

proptest! {
    #[test]
    fn over_buffers_too(levels in prop::collection::vec(prop::collection::vec(0.1f64..1e6, 0..20), 1..5)) {
        let buffers: Vec<Repeats> = levels.iter().map(|values| of(values, &[])).collect();
        if let Some(Outcome { estimate, buffers, .. }) = over_buffers(&buffers) {
            prop_assert!(estimate.low > 0.0 && estimate.low <= estimate.median);
            prop_assert!(estimate.median <= estimate.high && estimate.high.is_finite());
            if let Some(spread) = buffers {
                prop_assert!(estimate.low <= spread.lowest && spread.highest <= estimate.high);
            }
        }
    }

    #[test]
    fn the_median_lies_in_its_interval(values in prop::collection::vec(0.1f64..1e6, 1..60)) {
        let estimate = of(&values, &[]).outcome().unwrap().estimate;
        prop_assert!(estimate.low <= estimate.median && estimate.median <= estimate.high);
    }
}
