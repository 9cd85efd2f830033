use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use super::*;

#[test]
fn few_values_are_never_known_and_calm_ones_soon() {
    assert!(!is_known(&[1.0; 5], 0.01));
    assert!(is_known(&[1.0; 6], 0.01));
    assert!(!is_known(&[0.9, 1.0, 1.1, 0.9, 1.0, 1.1], 0.05));
    assert!(is_known(&[0.9, 1.0, 1.1, 0.9, 1.0, 1.1], 0.2));
    assert!(!is_known(&[1.0, 1.0, f64::NAN, 1.0, 1.0, 1.0], 0.5));
}

/// How often the interval at which one stops holds the true median, and the mean number of values that it took.
fn coverage(sd: f64, half_width: f64, seeds: u64) -> (f64, f64) {
    let noise = Normal::new(0.0, sd).unwrap();
    let draw = |rng: &mut ChaCha8Rng| noise.inverse_cdf(rng.random_range(1e-9..1.0 - 1e-9)).exp();
    let mut held = 0.0;
    let mut taken = 0.0;
    for seed in 0..seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut values: Vec<f64> = (0..5).map(|_| draw(&mut rng)).collect();
        while !is_known(&values, half_width) && values.len() < 100 {
            values.push(draw(&mut rng));
        }
        let of = median_between(&values, CONFIDENCE).unwrap();
        held += f64::from(u8::from(of.low <= 1.0 && 1.0 <= of.high));
        taken += values.len() as f64;
    }
    (held / seeds as f64, taken / seeds as f64)
}

#[test]
fn stopping_where_it_is_known_costs_little_coverage() {
    for (sd, half_width) in [(0.01, 0.01), (0.03, 0.01), (0.03, 0.02), (0.1, 0.05)] {
        let (held, taken) = coverage(sd, half_width, 2000);
        println!("noise {sd}, half width {half_width}: holds in {held}, {taken:.1} values");
        assert!(held > 0.9, "noise {sd}, half width {half_width}: {held}");
    }
}
