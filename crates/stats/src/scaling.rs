//! Speedup and parallel efficiency, from two values of one metric.

use crate::design::Better;
use crate::error::StatsError;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speedup_follows_the_direction() {
        assert_eq!(speedup(10.0, 4.0, Better::Lower), Ok(2.5));
        assert_eq!(speedup(10.0, 4.0, Better::Higher), Ok(0.4));
    }

    #[test]
    fn efficiency_divides_by_the_growth_of_workers() {
        assert_eq!(efficiency((8.0, 1), (1.0, 8), Better::Lower), Ok(1.0));
        assert_eq!(efficiency((8.0, 2), (4.0, 8), Better::Lower), Ok(0.5));
    }

    #[test]
    fn nothing_is_made_up_from_bad_values() {
        for bad in [0.0, -2.0, f64::NAN, f64::INFINITY] {
            assert!(speedup(bad, 1.0, Better::Lower).is_err());
            assert!(speedup(1.0, bad, Better::Lower).is_err());
        }
        let error = efficiency((1.0, 0), (1.0, 4), Better::Lower).unwrap_err();
        assert!(matches!(error, StatsError::BadParameter { name: "workers", .. }));
    }
}
