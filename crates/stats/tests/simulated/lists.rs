//! Simulated lists of values, for the statistics that look at one or two lists rather than at a check.

use numawise_stats::{compare_spread, drift, median_interval};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{NoiseShape, World, normal};

/// `count` values of relative noise `sd` and the given shape, around 10.
fn list(shape: NoiseShape, sd: f64, count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let world = World { shape, ..World::plain(0, 1.0, sd, 1) };
    (0..count).filter_map(|index| world.run_block(index, rng)[0]).collect()
}

/// What a comparison of two spreads did over many simulated pairs of lists.
#[derive(Debug, Clone, Copy)]
pub struct SpreadRates {
    /// The lists were said to differ.
    pub differs: f64,
    /// The interval held the true ratio.
    pub covers: f64,
}

/// Compares lists of `counts` values whose spreads stand in the true ratio `ratio`, `pairs` times.
pub fn spread_rates(
    shape: NoiseShape,
    counts: (usize, usize),
    ratio: f64,
    pairs: usize,
    seed: u64,
) -> SpreadRates {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut differs, mut covers) = (0, 0);
    for index in 0..pairs {
        let a = list(shape, 0.01 * ratio, counts.0, &mut rng);
        let b = list(shape, 0.01, counts.1, &mut rng);
        let r = compare_spread(&a, &b, 0.95, index as u64).expect("simulated values are good");
        differs += usize::from(r.differs);
        covers += usize::from(r.low <= ratio && ratio <= r.high);
    }
    SpreadRates { differs: differs as f64 / pairs as f64, covers: covers as f64 / pairs as f64 }
}

/// Share of lists of `count` normal values whose 95 % bootstrap interval holds the true median.
pub fn median_coverage(count: usize, lists: usize, seed: u64) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let held = (0..lists).filter(|_| {
        let values: Vec<f64> = (0..count).map(|_| 10.0 + normal(&mut rng)).collect();
        let i = median_interval(&values, 0.95).expect("simulated values are good");
        i.low <= 10.0 && 10.0 <= i.high
    });
    held.count() as f64 / lists as f64
}

/// What is said of the drift of many simulated lists.
#[derive(Debug, Clone, Copy)]
pub struct DriftRates {
    /// There is a drift, of more than 5 %.
    pub said: f64,
    /// The interval held the true drift.
    pub covers: f64,
}

/// Lists of `count` values that change by the factor `whole` from the first to the last.
pub fn drift_rates(
    shape: NoiseShape,
    sd: f64,
    count: usize,
    whole: f64,
    lists: usize,
    seed: u64,
) -> DriftRates {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut said, mut covers) = (0, 0);
    let slope = whole.ln() / (count - 1) as f64;
    for _ in 0..lists {
        let mut values = list(shape, sd, count, &mut rng);
        values.iter_mut().enumerate().for_each(|(k, value)| *value *= (slope * k as f64).exp());
        let found = drift(&values, 0.95).expect("simulated values are good").expect("five values at least");
        said += usize::from(found.is_there() && found.ratio.ln().abs() > 1.05f64.ln());
        covers += usize::from(found.low <= whole && whole <= found.high);
    }
    DriftRates { said: said as f64 / lists as f64, covers: covers as f64 / lists as f64 }
}
