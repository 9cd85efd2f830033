use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

#[test]
fn a_clear_difference_has_its_ratio_inside_the_interval_and_turns_with_the_order() {
    let there = compare_groups(&[2.0, 2.02, 1.98], &[1.0, 1.01, 0.99, 1.0], 0.95).unwrap();
    let back = compare_groups(&[1.0, 1.01, 0.99, 1.0], &[2.0, 2.02, 1.98], 0.95).unwrap();
    assert!(there.low > 1.9 && there.high < 2.1 && (there.ratio - 2.0).abs() < 0.01, "{there:?}");
    assert!((there.ratio * back.ratio - 1.0).abs() < 1e-9 && (there.low * back.high - 1.0).abs() < 1e-9);
}

#[test]
fn groups_of_equal_runs_are_rarely_told_apart() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (n, m) in [(2, 3), (3, 3), (2, 8), (6, 6)] {
        let mut run = || 1.0 + 0.05 * (random.random::<f64>() + random.random::<f64>() - 1.0);
        let false_alarms = (0..4000)
            .filter(|_| {
                let (a, b): (Vec<f64>, Vec<f64>) =
                    ((0..n).map(|_| run()).collect(), (0..m).map(|_| run()).collect());
                let found = compare_groups(&a, &b, 0.95).unwrap();
                found.low > 1.0 || found.high < 1.0
            })
            .count();
        // Three standard errors above 5 %.
        assert!(false_alarms < 242, "{n} and {m}: {false_alarms} of 4000, 200 were promised");
    }
}

#[test]
fn equal_values_do_not_make_a_tiny_difference_certain() {
    let found = compare_groups(&[1.0, 1.0, 1.0], &[1.00001, 1.00001], 0.95).unwrap();
    assert!(found.low < 1.0 && found.high > 1.0, "{found:?}");
}

#[test]
fn bad_values_are_refused() {
    assert!(matches!(compare_groups(&[1.0], &[1.0, 2.0], 0.95), Err(StatsError::TooFew { needed: 2, .. })));
    assert!(matches!(
        compare_groups(&[1.0, 0.0], &[1.0, 2.0], 0.95),
        Err(StatsError::NotPositive { block: 1, point: 0, .. })
    ));
    assert!(matches!(
        compare_groups(&[1.0, 1.0], &[1.0, f64::NAN], 0.95),
        Err(StatsError::NotPositive { point: 1, .. })
    ));
    assert!(compare_groups(&[1.0, 1.0], &[1.0, 2.0], 1.0).is_err());
}
