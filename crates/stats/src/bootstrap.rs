//! The percentile bootstrap interval of a median, for showing one point by itself.
//!
//! Decisions never rest on it: they rest on the paired contrasts of `family`.

#[cfg(test)]
#[path = "bootstrap_tests.rs"]
mod tests;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::describe::quantile_of_sorted;
use crate::error::{StatsError, checked};

/// Resamples drawn: the ends of a 95 % interval then rest on 50 draws each side.
const RESAMPLES: usize = 2000;

/// A median with its interval, in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianInterval {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// The median of `values` with a percentile bootstrap interval at `confidence` (a share: 0.95).
///
/// Two thousand resamples with replacement, drawn from ChaCha8 seeded with `seed`: the same values and seed give the
/// same interval on every machine. With five values or fewer the interval is the whole range of the list, and holds
/// the true median less often than asked for (93.75 % at best with five); `docs/statistics.md` has the figures.
///
/// # Errors
/// Fewer than two values, a value that is not finite, or a confidence outside 0.5 to 1.
pub fn median_interval(values: &[f64], confidence: f64, seed: u64) -> Result<MedianInterval, StatsError> {
    if !(0.5..1.0).contains(&confidence) {
        let expected = "a number from 0.5 to below 1";
        return Err(StatsError::BadParameter { name: "confidence", value: confidence, expected });
    }
    let mut sorted = checked("the interval of a median", values, 2)?.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut times = vec![0_usize; sorted.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            times.fill(0);
            for _ in 0..sorted.len() {
                times[rng.random_range(0..sorted.len())] += 1;
            }
            median_of_drawn(&sorted, &times)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Ok(MedianInterval {
        median: quantile_of_sorted(&sorted, 0.5),
        low: quantile_of_sorted(&medians, tail),
        high: quantile_of_sorted(&medians, 1.0 - tail),
    })
}

/// The median of a draw that holds each value so many times; the values are sorted, so that the draw need not be.
fn median_of_drawn(sorted: &[f64], times: &[usize]) -> f64 {
    let last = sorted.len() - 1;
    // Between these two places, counted from 0; they are one where the number is odd.
    let (low, high) = (last / 2, last.div_ceil(2));
    let (mut before, mut lower) = (0, None);
    for (value, times) in sorted.iter().zip(times) {
        before += times;
        if lower.is_none() && before > low {
            lower = Some(*value);
        }
        if before > high {
            let lower = lower.unwrap_or(*value);
            return lower + (value - lower) * 0.5;
        }
    }
    sorted[last]
}

/// The median of `values` with the interval between two of them that holds the true median with at least `confidence` (a share: 0.95),
/// whatever the distribution: the K-th smallest and the K-th largest, by the binomial distribution, as of the sign test. With five values or
/// fewer none is so wide, and it is their whole range.
///
/// # Errors
/// As [`median_interval`].
pub fn median_between(values: &[f64], confidence: f64) -> Result<MedianInterval, StatsError> {
    if !(0.5..1.0).contains(&confidence) {
        let expected = "a number from 0.5 to below 1";
        return Err(StatsError::BadParameter { name: "confidence", value: confidence, expected });
    }
    let mut sorted = checked("the interval of a median", values, 2)?.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    // The chance that k of n values lie below the median, in logarithms: 2^-n is no number where n is large.
    let mut chance = -(n as f64) * std::f64::consts::LN_2;
    let (mut below, mut rank) = (0.0, 0);
    for k in 0..n / 2 {
        below += chance.exp();
        if below > (1.0 - confidence) / 2.0 {
            break;
        }
        rank = k;
        chance += ((n - k) as f64 / (k + 1) as f64).ln();
    }
    Ok(MedianInterval {
        median: quantile_of_sorted(&sorted, 0.5),
        low: sorted[rank],
        high: sorted[n - 1 - rank],
    })
}
