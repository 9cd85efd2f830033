//! Whether one point varies more than another: a ratio of relative spreads, its interval and a test.
//!
//! Knows two lists of values of one metric; does not know that one of them was pinned.

#[cfg(test)]
#[path = "spread_tests.rs"]
mod tests;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::critical::two_sided_t;
use crate::describe::median;
use crate::error::{StatsError, checked};

/// Each list needs as many values; below, not even complete separation would be evidence at 5 %.
const MINIMUM: usize = 5;
/// Shuffles for the test; the smallest p it can give is 1 in this number plus one.
const SHUFFLES: usize = 1999;

/// How much more the first list varies than the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadRatio {
    /// Relative spread of the first over that of the second: mean absolute deviations of logs from their medians.
    pub ratio: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Probability of so large a difference, either way, had both the same spread (seeded permutation test).
    pub p: f64,
    /// The spreads differ: the test rejects and the interval excludes 1, both at the asked confidence.
    pub differs: bool,
}

/// Compares the relative spreads of two lists of positive values of one metric, at `confidence` (a share: 0.95).
///
/// The interval is Welch's on the log of the Brown-Forsythe deviations; the p-value is that of a permutation test of
/// the same statistic, shuffled by ChaCha8 seeded with `seed`. A drift common to both lists draws the ratio towards
/// 1, never away from it. Levels measured for five to sixty values: `docs/statistics.md`, "Two spreads".
///
/// # Errors
/// Fewer than five values in a list, a value that is not a finite number above 0 (block: its index; point: 0 or 1),
/// a list without any variation, or a confidence outside 0.5 to 1.
pub fn compare_spread(
    first: &[f64],
    second: &[f64],
    confidence: f64,
    seed: u64,
) -> Result<SpreadRatio, StatsError> {
    compare_spreads(&[first], &[second], confidence, seed)
}

/// The same of two sets of lists, each of whose deviations are from its own median: points of a grid at two levels of a factor.
///
/// # Errors
/// As [`compare_spread`]; lists without any variation are an error where all of a set are so.
pub fn compare_spreads(
    first: &[&[f64]],
    second: &[&[f64]],
    confidence: f64,
    seed: u64,
) -> Result<SpreadRatio, StatsError> {
    if !(0.5..1.0).contains(&confidence) {
        let expected = "a number from 0.5 to below 1";
        return Err(StatsError::BadParameter { name: "confidence", value: confidence, expected });
    }
    let mut pooled = of_set(first, 0)?;
    let size = pooled.len();
    pooled.extend(of_set(second, 1)?);
    let alpha = 1.0 - confidence;
    let observed = Comparison::new(&pooled, size);
    let half = two_sided_t(alpha, observed.df.floor().max(1.0) as usize) * observed.error;

    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Shuffles that repeat the observed split give the same figure up to rounding, and must count as ties.
    let bar = observed.studentised() * (1.0 - 1e-9);
    let as_large = (0..SHUFFLES)
        .filter(|_| {
            pooled.shuffle(&mut rng);
            Comparison::new(&pooled, size).studentised() >= bar
        })
        .count();
    let p = (as_large + 1) as f64 / (SHUFFLES + 1) as f64;
    let (low, high) = ((observed.log_ratio - half).exp(), (observed.log_ratio + half).exp());
    let differs = p <= alpha && (low > 1.0 || high < 1.0);
    Ok(SpreadRatio { ratio: observed.log_ratio.exp(), low, high, p, differs })
}

fn of_set(lists: &[&[f64]], point: usize) -> Result<Vec<f64>, StatsError> {
    let mut all = Vec::new();
    for values in lists {
        all.extend(deviations(values, point)?);
    }
    if all.iter().all(|d| *d <= f64::EPSILON) {
        let value = lists.iter().find_map(|list| list.first()).copied().unwrap_or_default();
        return Err(StatsError::NoVariation { found: all.len(), value });
    }
    Ok(all)
}

/// Absolute deviations of the logs from their median, without the one that is 0 by construction in an odd list.
fn deviations(values: &[f64], point: usize) -> Result<Vec<f64>, StatsError> {
    if let Some((block, &value)) = values.iter().enumerate().find(|(_, v)| !(**v > 0.0 && v.is_finite())) {
        return Err(StatsError::NotPositive { block, point, value });
    }
    checked("a comparison of spreads", values, MINIMUM)?;
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let middle = median(&logs)?;
    let mut away: Vec<f64> = logs.iter().map(|v| (v - middle).abs()).collect();
    if away.len() % 2 == 1 {
        away.sort_by(f64::total_cmp);
        away.remove(0);
    }
    Ok(away)
}

/// Two means of deviations, compared on the log scale.
struct Comparison {
    log_ratio: f64,
    /// Standard error of `log_ratio`, by the delta method.
    error: f64,
    /// Welch and Satterthwaite's degrees of freedom.
    df: f64,
}

impl Comparison {
    fn new(pooled: &[f64], size: usize) -> Self {
        let (mean_a, rel_a) = relative_error(&pooled[..size]);
        let (mean_b, rel_b) = relative_error(&pooled[size..]);
        let free = |n: usize| (n - 1) as f64;
        let total = rel_a + rel_b;
        let df = total * total
            / (rel_a * rel_a / free(size) + rel_b * rel_b / free(pooled.len() - size)).max(f64::MIN_POSITIVE);
        Self { log_ratio: (mean_a / mean_b).ln(), error: total.sqrt(), df }
    }

    /// |t|; infinite where one group has no deviation at all, 0 where neither side differs.
    fn studentised(&self) -> f64 {
        let size = self.log_ratio.abs();
        if size == 0.0 { 0.0 } else { size / self.error }
    }
}

/// Mean, and squared relative standard error of that mean.
fn relative_error(d: &[f64]) -> (f64, f64) {
    let n = d.len() as f64;
    let mean = d.iter().sum::<f64>() / n;
    let variance = d.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, variance / (mean * mean * n))
}
