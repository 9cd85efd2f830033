//! How far out an interval must reach: Student's t at a level shared by several correlated contrasts.
//!
//! Knows nothing of blocks or points; it is given differences already taken.

#[cfg(test)]
#[path = "critical_tests.rs"]
mod tests;

use crate::describe::mean;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The value that |T| exceeds with probability `alpha`, for Student's T with `df` degrees of freedom.
///
/// Infinite where `df` is 0 or `alpha` is not above 0, so that a level nobody can meet is never met by accident.
pub fn two_sided_t(alpha: f64, df: usize) -> f64 {
    if df == 0 || alpha.is_nan() || alpha <= 0.0 {
        return f64::INFINITY;
    }
    if alpha >= 1.0 {
        return 0.0;
    }
    // Upper tail asked for as a lower one: 1 - alpha/2 would round off small alphas.
    StudentsT::new(0.0, 1.0, df as f64).map_or(f64::INFINITY, |t| -t.inverse_cdf(alpha / 2.0))
}

/// The level for each contrast when `count` of them, effectively independent, share the family level `alpha` (Sidak).
pub(crate) fn per_contrast(alpha: f64, count: f64) -> f64 {
    // 1 - (1 - alpha)^(1/count), without cancellation for small alpha.
    -f64::exp_m1(f64::ln_1p(-alpha) / count)
}

/// How many independent contrasts these correlated ones are worth: 1 (all the same) to their number (unrelated).
///
/// `columns[j][b]` is the difference of contrast j in block b, `None` where a trial is missing. The value is
/// 1 + (k - 1) x mean over pairs of sqrt(1 - r^2), with r^2 freed of its small-sample bias; contrasts with fewer
/// than three blocks in common, or without variation, count as unrelated (the careful side).
/// Why this form, and how far it is from exact: `docs/statistics.md`, "The family". Of more than a million pairs the mean is over
/// every so-many-th.
pub(crate) fn effective_contrasts(columns: &[&[Option<f64>]]) -> f64 {
    let k = columns.len();
    if k < 2 {
        return 1.0;
    }
    let whole: Vec<Option<Vec<f64>>> = columns.iter().map(|column| standardised(column)).collect();
    let step = k * (k - 1) / 2 / MOST_PAIRS + 1;
    let mut sum = 0.0;
    let mut pairs = 0.0;
    for i in 0..k {
        for j in (i + 1 + i % step..k).step_by(step) {
            let unexplained = match (&whole[i], &whole[j]) {
                (Some(a), Some(b)) => {
                    let r: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
                    adjusted(r * r, a.len())
                }
                _ => unexplained(columns[i], columns[j]),
            };
            sum += unexplained.sqrt();
            pairs += 1.0;
        }
    }
    (1.0 + (k - 1) as f64 * sum / pairs).clamp(1.0, k as f64)
}

/// A mean over so many pairs is known to a thousandth.
const MOST_PAIRS: usize = 1_000_000;

/// A column that lacks nothing, with a mean of 0 and squares whose sum is 1, so that the product of two is their correlation; nothing
/// where that cannot be had.
fn standardised(column: &[Option<f64>]) -> Option<Vec<f64>> {
    let values: Vec<f64> = column.iter().copied().collect::<Option<_>>()?;
    let m = values.len();
    let mean = mean(&values);
    let length = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>().sqrt();
    (m >= 3 && length > 0.0).then(|| values.iter().map(|value| (value - mean) / length).collect())
}

/// 1 - r^2, times (m - 1)/(m - 2), the adjustment for m blocks.
fn adjusted(r2: f64, m: usize) -> f64 {
    (1.0 - r2.min(1.0)) * (m - 1) as f64 / (m - 2) as f64
}

/// 1 - r^2 of two columns, adjusted for the number of their blocks; may exceed 1 by chance.
fn unexplained(a: &[Option<f64>], b: &[Option<f64>]) -> f64 {
    let both = || a.iter().zip(b).filter_map(|(x, y)| Some((((*x)?), ((*y)?))));
    let m = both().count();
    if m < 3 {
        return 1.0;
    }
    let (sum_a, sum_b) = both().fold((0.0, 0.0), |s, (x, y)| (s.0 + x, s.1 + y));
    let (mean_a, mean_b) = (sum_a / m as f64, sum_b / m as f64);
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (x, y) in both() {
        let (x, y) = (x - mean_a, y - mean_b);
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    if aa <= 0.0 || bb <= 0.0 {
        return 1.0;
    }
    adjusted(ab * ab / (aa * bb), m)
}
