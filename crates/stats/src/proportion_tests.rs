use super::*;

/// The values were computed apart from this code.
#[test]
fn the_interval_is_that_of_wilson() {
    let half = proportion(50.0, 100.0).unwrap();
    assert_eq!(half.value, 0.5);
    assert!((half.low - 0.403_831_530_365_996).abs() < 1e-9, "{half:?}");
    assert!((half.high - 0.596_168_469_634_004).abs() < 1e-9, "{half:?}");
}

#[test]
fn none_and_all_of_a_few_draws_are_not_certain() {
    let none = proportion(0.0, 10.0).unwrap();
    assert_eq!((none.value, none.low), (0.0, 0.0));
    assert!((0.25..0.31).contains(&none.high), "{none:?}");
    let all = proportion(10.0, 10.0).unwrap();
    assert_eq!((all.value, all.high), (1.0, 1.0));
    assert!((all.low - (1.0 - none.high)).abs() < 1e-12, "{all:?}");
}

#[test]
fn a_sum_of_fractions_that_is_rounded_upwards_is_all() {
    let parts: f64 = std::iter::repeat_n(0.1, 10_000).sum();
    assert!(parts > 1000.0, "or the case is not met");
    assert_eq!(proportion(parts, 1000.0).unwrap().value, 1.0);
}

#[test]
fn what_is_no_share_is_none() {
    for (part, all) in
        [(0.0, 0.0), (2.0, 1.0), (-1.0, 4.0), (1.0, f64::NAN), (f64::NAN, 1.0), (1.0, f64::INFINITY)]
    {
        assert_eq!(proportion(part, all), None, "{part} of {all}");
    }
}

/// Draws of a known share: the interval holds it about as often as it says.
#[test]
fn the_interval_covers_the_share() {
    use rand::{RngExt, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    for share in [0.02, 0.3, 0.5, 0.93] {
        let covers = (0..4000).filter(|_| {
            let part = (0..400).filter(|_| random.random::<f64>() < share).count();
            let found = proportion(part as f64, 400.0).unwrap();
            (found.low..=found.high).contains(&share)
        });
        let covered = covers.count() as f64 / 4000.0;
        assert!((0.93..0.975).contains(&covered), "{share}: {covered}");
    }
}
