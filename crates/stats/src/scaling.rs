//! Speedup and parallel efficiency, from two values of one metric.

#[cfg(test)]
mod tests;

use crate::error::StatsError;
use crate::family::Better;

/// How many times better `other` is than `reference`; both in the same unit, above 0.
///
/// # Errors
/// A value that is not a finite number above 0.
pub fn speedup(reference: f64, other: f64, better: Better) -> Result<f64, StatsError> {
    for (name, value) in [("reference", reference), ("other", other)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(StatsError::BadParameter { name, value, expected: "a finite number above 0" });
        }
    }
    Ok(match better {
        Better::Lower => reference / other,
        Better::Higher => other / reference,
    })
}

/// Speedup divided by the factor by which the workers grew: 1 is perfect scaling.
///
/// # Errors
/// As [`speedup`]; also when a number of workers is 0.
pub fn efficiency(reference: (f64, usize), other: (f64, usize), better: Better) -> Result<f64, StatsError> {
    for workers in [reference.1, other.1] {
        if workers == 0 {
            return Err(StatsError::BadParameter { name: "workers", value: 0.0, expected: "at least 1" });
        }
    }
    Ok(speedup(reference.0, other.0, better)? * reference.1 as f64 / other.1 as f64)
}
