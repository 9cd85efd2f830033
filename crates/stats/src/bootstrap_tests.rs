use super::*;

const VALUES: [f64; 9] = [3.1, 2.9, 3.0, 3.3, 2.8, 3.05, 3.2, 2.95, 4.0];

#[test]
fn the_interval_holds_the_median_and_stays_in_the_range() {
    let i = median_interval(&VALUES, 0.95).unwrap();
    assert_eq!(i.median, 3.05);
    assert!(2.8 <= i.low && i.low < 3.05 && 3.05 < i.high && i.high <= 4.0, "{i:?}");
}

#[test]
fn the_order_of_the_values_does_not_matter() {
    let mut turned = VALUES;
    turned.reverse();
    assert_eq!(median_interval(&VALUES, 0.95), median_interval(&turned, 0.95));
}

#[test]
fn more_confidence_is_not_narrower() {
    let (a, b) = (median_interval(&VALUES, 0.6).unwrap(), median_interval(&VALUES, 0.99).unwrap());
    assert!(b.high - b.low > a.high - a.low);
}

#[test]
fn the_ends_are_those_of_the_exact_bootstrap_distribution() {
    // For five values the resampled median is the smallest with probability P(Bin(5, 1/5) >= 3) = 0.0579, which is
    // more than 2.5 %, so that the interval is the whole range; at 80 % it is not.
    let values = [1.0, 2.0, 3.0, 4.0, 5.0];
    let wide = median_interval(&values, 0.95).unwrap();
    assert_eq!((wide.low, wide.high), (1.0, 5.0));
    let narrow = median_interval(&values, 0.8).unwrap();
    assert_eq!((narrow.low, narrow.high), (2.0, 4.0));
}

#[test]
fn too_few_values_and_bad_parameters_are_refused() {
    assert!(matches!(median_interval(&[1.0], 0.95), Err(StatsError::TooFew { found: 1, .. })));
    assert!(matches!(median_interval(&[1.0, f64::NAN], 0.95), Err(StatsError::NotFinite { index: 1, .. })));
    for confidence in [0.0, 1.0, 95.0, f64::NAN] {
        assert!(matches!(median_interval(&VALUES, confidence), Err(StatsError::BadParameter { .. })));
    }
}

/// Every resample of few values, one after the other.
fn medians_of_all_resamples(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let all = n.pow(n as u32);
    let mut found: Vec<(f64, f64)> = Vec::new();
    for resample in 0..all {
        let drawn: Vec<f64> = (0..n).map(|k| sorted[resample / n.pow(k as u32) % n]).collect();
        let median = crate::median(&drawn).unwrap();
        match found.iter_mut().find(|(value, _)| *value == median) {
            Some((_, times)) => *times += 1.0 / all as f64,
            None => found.push((median, 1.0 / all as f64)),
        }
    }
    found
}

#[test]
fn the_probabilities_are_those_of_all_resamples() {
    // Sums of two of them differ from one another, so that each median has one origin.
    let values = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
    for n in 2..=values.len() {
        let mut found = resampled_medians(&values[..n]);
        let mut expected = medians_of_all_resamples(&values[..n]);
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        expected.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(found.len(), expected.len(), "{n}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-12,
                "{n}: {found:?}, {expected:?}"
            );
        }
    }
}

#[test]
fn the_probabilities_of_many_values_sum_to_one() {
    for n in [8, 9, 50, 201, 1000, 20_000, 20_001] {
        let values: Vec<f64> = (0..n).map(f64::from).collect();
        let sum: f64 = resampled_medians(&values).iter().map(|(_, probability)| probability).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{n}: {sum}");
        let found = median_interval(&values, 0.95).unwrap();
        let half = 1.96 * f64::from(n).sqrt() / 2.0;
        assert!(n < 50 || ((found.high - found.low) / (2.0 * half) - 1.0).abs() < 0.1, "{n}: {found:?}");
        assert!((found.low + found.high - 2.0 * found.median).abs() < 1e-9, "{n}: {found:?}");
    }
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
