//! Two groups of runs of one point that were told apart by something else than the metric: a ratio and its interval.

use crate::critical::two_sided_t;
use crate::describe::mean;
use crate::error::{StatsError, checked};

#[cfg(test)]
#[path = "groups_tests.rs"]
mod tests;

/// A single value has no spread to hold a difference against.
const MINIMUM: usize = 2;
/// Values that are all alike to this share are equal as far as any clock tells; a spread of zero would make every difference certain.
const RESOLUTION: f64 = 1e-4;

/// How many times as large the values of the first group are as those of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupRatio {
    /// Of geometric means.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
}

/// Compares the levels of two groups at `confidence` (a share: 0.95): the wider of Welch's interval and Student's
/// on the difference of the means of logs. Welch's alone is wrong by chance in 9 of 100 cases where two runs meet eight, since two values
/// that happen to agree look certain; Student's alone is where the spreads differ.
///
/// The runs of a group share what they were told apart by, not a block, so that nothing is paired.
///
/// # Errors
/// Fewer than two values in a group, a value that is not a finite number above 0 (block: its index; point: 0 or 1), or a
/// confidence outside 0.5 to 1.
pub fn compare_groups(first: &[f64], second: &[f64], confidence: f64) -> Result<GroupRatio, StatsError> {
    if !(0.5..1.0).contains(&confidence) {
        let expected = "a number from 0.5 to below 1";
        return Err(StatsError::BadParameter { name: "confidence", value: confidence, expected });
    }
    let (a, b) = (Level::new(first, 0)?, Level::new(second, 1)?);
    let alpha = 1.0 - confidence;
    let half = welch(&a, &b, alpha).max(pooled(&a, &b, alpha));
    let difference = a.mean - b.mean;
    Ok(GroupRatio {
        ratio: difference.exp(),
        low: (difference - half).exp(),
        high: (difference + half).exp(),
    })
}

/// Half the width of Welch's interval, with Welch and Satterthwaite's degrees of freedom.
fn welch(a: &Level, b: &Level, alpha: f64) -> f64 {
    let of_mean = |level: &Level| level.variance / level.count;
    let part = |level: &Level| of_mean(level).powi(2) / (level.count - 1.0);
    let total = of_mean(a) + of_mean(b);
    let df = total * total / (part(a) + part(b));
    two_sided_t(alpha, df.floor().max(1.0) as usize) * total.sqrt()
}

/// The same where both groups spread alike.
fn pooled(a: &Level, b: &Level, alpha: f64) -> f64 {
    let df = a.count + b.count - 2.0;
    let variance = (a.variance * (a.count - 1.0) + b.variance * (b.count - 1.0)) / df;
    two_sided_t(alpha, df as usize) * (variance * (1.0 / a.count + 1.0 / b.count)).sqrt()
}

/// The mean of the logs of a group.
struct Level {
    mean: f64,
    variance: f64,
    count: f64,
}

impl Level {
    fn new(values: &[f64], point: usize) -> Result<Self, StatsError> {
        if let Some((block, &value)) = values.iter().enumerate().find(|(_, v)| !(**v > 0.0 && v.is_finite()))
        {
            return Err(StatsError::NotPositive { block, point, value });
        }
        checked("a comparison of groups", values, MINIMUM)?;
        let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
        let count = logs.len() as f64;
        let mean = mean(&logs);
        let variance = logs.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Ok(Level { mean, variance: variance.max(RESOLUTION * RESOLUTION), count })
    }
}
