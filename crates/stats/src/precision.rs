//! When a point of a study has been repeated often enough to be known.

use crate::bootstrap::median_between;

#[cfg(test)]
#[path = "precision_tests.rs"]
mod tests;

/// Of fewer values the whole range is no interval with 95 %.
const LEAST: usize = 6;
const CONFIDENCE: f64 = 0.95;

/// True when half the 95 % interval of the median ([`median_between`]) is at most `half_width` of the median. Who asks after each value
/// and stops at the first yes stops where values happen to look calm: the interval then holds the true median a little less often than in
/// 95 % (`docs/statistics.md`).
pub fn is_known(values: &[f64], half_width: f64) -> bool {
    let interval = (values.len() >= LEAST).then(|| median_between(values, CONFIDENCE).ok()).flatten();
    interval.is_some_and(|of| (of.high - of.low) / 2.0 <= half_width * of.median.abs())
}
