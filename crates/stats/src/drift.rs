//! Whether values of one point go up or down with their number, and by how much in all.
//!
//! Knows one list in its order; does not know what made it drift.

use crate::error::StatsError;

#[cfg(test)]
#[path = "drift_tests.rs"]
mod tests;

/// With fewer values not even all of them in order would be evidence at 5 %.
const MINIMUM: usize = 5;
/// More values than this are thinned out evenly: their pairs would fill the memory.
const MOST: usize = 1500;

/// The last of a list over its first, along a straight line through their logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    pub ratio: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Drift {
    /// True when the interval excludes 1.
    pub fn is_there(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

/// The drift of positive values in their order, at `confidence` (a share: 0.95): Theil's and Sen's slope of the logs over the number of
/// the value, the median of the slopes of all pairs, and the interval that goes with Kendall's test. `None` below five values, where there
/// is no such interval. A few outliers change nothing, whatever the distribution of the noise; what is asked is that the values are
/// independent.
///
/// # Errors
/// A value that is not a finite number above 0 (block: its index), or a confidence outside 0.5 to 1.
pub fn drift(values: &[f64], confidence: f64) -> Result<Option<Drift>, StatsError> {
    if !(0.5..1.0).contains(&confidence) {
        let expected = "a number from 0.5 to below 1";
        return Err(StatsError::BadParameter { name: "confidence", value: confidence, expected });
    }
    let logs = checked_logs(values)?;
    let logs: Vec<(f64, f64)> = logs.into_iter().enumerate().map(|(k, log)| (k as f64, log)).collect();
    let logs: Vec<(f64, f64)> = logs.iter().copied().step_by(values.len().div_ceil(MOST).max(1)).collect();
    let Some(outside) = slopes_outside(logs.len(), (1.0 - confidence) / 2.0) else { return Ok(None) };
    let pairs = logs.iter().enumerate().flat_map(|(k, a)| logs[k + 1..].iter().map(move |b| (a, b)));
    let mut slopes: Vec<f64> = pairs.map(|(a, b)| (b.1 - a.1) / (b.0 - a.0)).collect();
    slopes.sort_unstable_by(f64::total_cmp);
    let middle = (slopes[(slopes.len() - 1) / 2] + slopes[slopes.len() / 2]) / 2.0;
    let whole = |slope: f64| (slope * (values.len() - 1) as f64).exp();
    let (low, high) = (slopes[outside], slopes[slopes.len() - 1 - outside]);
    Ok(Some(Drift { ratio: whole(middle), low: whole(low), high: whole(high) }))
}

fn checked_logs(values: &[f64]) -> Result<Vec<f64>, StatsError> {
    let log = |(block, &value): (usize, &f64)| {
        let good = value.is_finite() && value > 0.0;
        if good { Ok(value.ln()) } else { Err(StatsError::NotPositive { block, point: 0, value }) }
    };
    values.iter().enumerate().map(log).collect()
}

/// How many slopes lie outside of the interval at each end: as many of `n` values in random order have at most that many pairs in
/// descending order with a probability of no more than `tail` (the exact distribution of Kendall's statistic).
fn slopes_outside(n: usize, tail: f64) -> Option<usize> {
    if n < MINIMUM {
        return None;
    }
    // The share of the orders of n values with so many inversions, from that of one value less; only the tail is needed.
    let pairs = n * (n - 1) / 2;
    let mut share = vec![1.0];
    for size in 2..=n {
        let most = (size * (size - 1) / 2).min(pairs / 2);
        let mut next = vec![0.0; most + 1];
        let mut window = 0.0;
        for (inversions, here) in next.iter_mut().enumerate() {
            window += share.get(inversions).copied().unwrap_or(0.0);
            if let Some(gone) = inversions.checked_sub(size) {
                window -= share.get(gone).copied().unwrap_or(0.0);
            }
            *here = window / size as f64;
        }
        share = next;
    }
    let mut sum = 0.0;
    let within = share.iter().take_while(|one| {
        sum += *one;
        sum <= tail
    });
    within.count().checked_sub(1)
}
