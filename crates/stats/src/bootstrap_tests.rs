use super::*;

const VALUES: [f64; 9] = [3.1, 2.9, 3.0, 3.3, 2.8, 3.05, 3.2, 2.95, 4.0];

#[test]
fn the_interval_holds_the_median_and_stays_in_the_range() {
    let i = median_interval(&VALUES, 0.95, 1).unwrap();
    assert_eq!(i.median, 3.05);
    assert!(2.8 <= i.low && i.low < 3.05 && 3.05 < i.high && i.high <= 4.0, "{i:?}");
}

#[test]
fn the_same_seed_gives_the_same_interval_and_order_does_not_matter() {
    let mut turned = VALUES;
    turned.reverse();
    assert_eq!(median_interval(&VALUES, 0.95, 7), median_interval(&VALUES, 0.95, 7));
    assert_eq!(median_interval(&VALUES, 0.95, 7), median_interval(&turned, 0.95, 7));
}

#[test]
fn more_confidence_is_not_narrower() {
    let (a, b) = (median_interval(&VALUES, 0.6, 3).unwrap(), median_interval(&VALUES, 0.99, 3).unwrap());
    assert!(b.high - b.low > a.high - a.low);
}

#[test]
fn the_ends_are_those_of_the_exact_bootstrap_distribution() {
    // For five values the resampled median is the smallest with probability P(Bin(5, 1/5) >= 3) = 0.0579, which is
    // more than 2.5 %, so that the interval is the whole range; at 80 % it is not.
    let values = [1.0, 2.0, 3.0, 4.0, 5.0];
    let wide = median_interval(&values, 0.95, 11).unwrap();
    assert_eq!((wide.low, wide.high), (1.0, 5.0));
    let narrow = median_interval(&values, 0.8, 11).unwrap();
    assert_eq!((narrow.low, narrow.high), (2.0, 4.0));
}

#[test]
fn too_few_values_and_bad_parameters_are_refused() {
    assert!(matches!(median_interval(&[1.0], 0.95, 1), Err(StatsError::TooFew { found: 1, .. })));
    assert!(matches!(
        median_interval(&[1.0, f64::NAN], 0.95, 1),
        Err(StatsError::NotFinite { index: 1, .. })
    ));
    for confidence in [0.0, 1.0, 95.0, f64::NAN] {
        assert!(matches!(median_interval(&VALUES, confidence, 1), Err(StatsError::BadParameter { .. })));
    }
}

#[test]
fn the_median_of_a_draw_needs_no_sorting() {
    let sorted = [1.0, 2.5, 2.5, 4.0, 9.0, 11.0];
    for times in
        [[6, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 6], [1, 1, 1, 1, 1, 1], [2, 0, 1, 3, 0, 0], [3, 0, 0, 0, 0, 3]]
    {
        let draw: Vec<f64> =
            sorted.iter().zip(times).flat_map(|(value, times)| vec![*value; times]).collect();
        assert_eq!(median_of_drawn(&sorted, &times), quantile_of_sorted(&draw, 0.5), "{times:?}");
    }
    assert_eq!(median_of_drawn(&sorted[..3], &[1, 1, 1]), 2.5);
    assert_eq!(median_of_drawn(&sorted[..5], &[3, 0, 0, 1, 1]), 1.0);
}

#[test]
fn the_interval_between_two_values_has_the_ranks_of_the_tables() {
    // P(X <= rank - 1) of the binomial distribution with n and 1/2 is 2.5 % at most, and P(X <= rank) is more.
    for (n, rank) in
        [(2, 1), (5, 1), (6, 1), (8, 1), (9, 2), (12, 3), (15, 4), (20, 6), (30, 10), (50, 18), (100, 40)]
    {
        let values: Vec<f64> = (1..=n).rev().map(f64::from).collect();
        let found = median_between(&values, 0.95).unwrap();
        assert_eq!((found.low, found.high), (f64::from(rank), f64::from(n + 1 - rank)), "{n}");
        assert_eq!(found.median, f64::from(n + 1) / 2.0);
    }
    let many: Vec<f64> = (0..100_001).map(f64::from).collect();
    let found = median_between(&many, 0.95).unwrap();
    // 1.96 sqrt(n) / 2 on each side.
    assert!((found.low - (50_000.0 - 310.0)).abs() < 3.0 && (found.high - 50_310.0).abs() < 3.0, "{found:?}");
    assert!(median_between(&[1.0], 0.95).is_err() && median_between(&[1.0, 2.0], 1.0).is_err());
}
