//! The percentile bootstrap interval of a median, for showing one point by itself.
//!
//! Decisions never rest on it: they rest on the paired contrasts of `family`.

#[cfg(test)]
#[path = "bootstrap_tests.rs"]
mod tests;

use statrs::function::beta::beta_reg;
use statrs::function::factorial::ln_binomial;

use crate::describe::quantile_of_sorted;
use crate::error::{StatsError, checked};

/// So many standard deviations of the place of a resample's median are looked at on each side; what lies beyond has a probability below 1e-14.
const FAR: f64 = 8.0;

/// A median with its interval, in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianInterval {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// The median of `values` with its percentile bootstrap interval at `confidence` (a share: 0.95).
///
/// The distribution of the median of a resample is known (Efron 1979, section 3; Maritz and Jarrett 1978), so that nothing is drawn: the
/// interval is that of infinitely many resamples. With five values or fewer it is the whole range of the list, and holds
/// the true median less often than asked for (93.75 % at best with five); `docs/statistics.md` has the figures.
///
/// # Errors
/// Fewer than two values, a value that is not finite, or a confidence outside 0.5 to 1.
pub fn median_interval(values: &[f64], confidence: f64) -> Result<MedianInterval, StatsError> {
    let sorted = sorted(values, confidence)?;
    let mut medians = resampled_medians(&sorted);
    medians.sort_by(|a, b| a.0.total_cmp(&b.0));
    let tail = (1.0 - confidence) / 2.0;
    Ok(MedianInterval {
        median: quantile_of_sorted(&sorted, 0.5),
        low: first_beyond(tail, medians.iter()).unwrap_or(sorted[sorted.len() - 1]),
        high: first_beyond(tail, medians.iter().rev()).unwrap_or(sorted[0]),
    })
}

/// The first value at which the probabilities so far sum up to `tail`.
fn first_beyond<'a>(tail: f64, mut medians: impl Iterator<Item = &'a (f64, f64)>) -> Option<f64> {
    let mut sum = 0.0;
    let beyond = medians.find(|(_, probability)| {
        sum += probability;
        sum >= tail
    });
    beyond.map(|(value, _)| *value)
}

/// What the intervals of a median are made of, or why there is none.
fn sorted(values: &[f64], confidence: f64) -> Result<Vec<f64>, StatsError> {
    if !(0.5..1.0).contains(&confidence) {
        let expected = "a number from 0.5 to below 1";
        return Err(StatsError::BadParameter { name: "confidence", value: confidence, expected });
    }
    let mut sorted = checked("the interval of a median", values, 2)?.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(sorted)
}

/// What the median of a resample with replacement of n sorted values can be, and how likely each is.
///
/// With an odd n it is one of the values: the median is at most the k-th if at least (n + 1) / 2 of n draws are. With an even n it is the
/// mean of two, the i-th and the j-th; for i < j half of the draws are at most the i-th, one at least being it, and half at least the j-th.
fn resampled_medians(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let (count, lower) = (n as f64, n.div_ceil(2));
    // The chance that a draw is one of the first `k` values.
    let share = |k: usize| k as f64 / count;
    // The chance that the lower of the two middle draws is one of the first `k` values.
    let among = |k: usize| match k {
        0 => 0.0,
        k if k == n => 1.0,
        k => beta_reg(lower as f64, (n - lower + 1) as f64, share(k)),
    };
    let reach = (FAR / 2.0 * count.sqrt()).ceil() as usize + 1;
    let looked_at = (n / 2).saturating_sub(reach)..(n / 2 + reach).min(n);
    let lower_is = |k: usize| among(k + 1) - among(k);
    if n % 2 == 1 {
        return looked_at.map(|k| (sorted[k], lower_is(k))).collect();
    }
    let half = count / 2.0;
    let ways = ln_binomial(n as u64, lower as u64);
    // Logarithm of the chance that the largest of `half` draws is value k; turned round, that the smallest is the k-th from the end.
    let largest = |k: usize| half * share(k + 1).ln() + (-(share(k) / share(k + 1)).powf(half)).ln_1p();
    let mut medians = Vec::new();
    for i in looked_at.clone() {
        let here = ways + largest(i);
        let of_pairs = (i + 1..looked_at.end).map(|j| {
            let probability = (here + largest(n - 1 - j)).exp();
            ((sorted[i] + sorted[j]) / 2.0, probability)
        });
        medians.extend(of_pairs);
        let in_pairs = (here + half * share(n - 1 - i).ln()).exp();
        medians.push((sorted[i], (lower_is(i) - in_pairs).max(0.0)));
    }
    medians
}

/// The median of `values` with the interval between two of them that holds the true median with at least `confidence` (a share: 0.95),
/// whatever the distribution: the K-th smallest and the K-th largest, by the binomial distribution, as of the sign test. With five values or
/// fewer none is so wide, and it is their whole range.
///
/// # Errors
/// As [`median_interval`].
pub fn median_between(values: &[f64], confidence: f64) -> Result<MedianInterval, StatsError> {
    let sorted = sorted(values, confidence)?;
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
