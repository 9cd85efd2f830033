//! What can be wrong with the numbers that this crate is given; each text is defined here, once.

use thiserror::Error;

/// Input that no statistic can be computed from.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StatsError {
    /// The list holds fewer values than the statistic needs.
    #[error("{what} needs at least {needed} value{}, found {found}: run more repeats", if *needed == 1 { "" } else { "s" })]
    TooFew { what: &'static str, needed: usize, found: usize },

    /// A value is NaN or infinite.
    #[error(
        "value {index} is {value}, expected a finite number: drop failed trials before asking for statistics"
    )]
    NotFinite { index: usize, value: f64 },

    /// A value of a metric that is compared by ratios is zero, negative or not a number.
    #[error(
        "block {block}, point {point}: the metric is {value}, expected a number above 0, since points are compared \
         by ratios: mark a failed trial as missing, or choose another metric"
    )]
    NotPositive { block: usize, point: usize, value: f64 },

    /// Blocks do not all have the same number of points.
    #[error(
        "block {block} has {found} points, expected {expected} as in block 0: mark what did not run as missing"
    )]
    Ragged { block: usize, found: usize, expected: usize },

    /// A contrast names a point that no block has, or the same point twice.
    #[error("contrast ({0}, {1}) is not a pair of two different points out of {points}", pair.0, pair.1)]
    BadPair { pair: (usize, usize), points: usize },

    /// The design names no contrast at all.
    #[error("the design has no contrast, expected at least one pair of points to compare")]
    NoContrasts,

    /// A parameter lies outside its range.
    #[error("{name} is {value}, expected {expected}")]
    BadParameter { name: &'static str, value: f64, expected: &'static str },

    /// All values are equal, so that nothing can be said about their spread.
    #[error("all {found} values equal {value}: the metric is too coarse or does not measure the program")]
    NoVariation { found: usize, value: f64 },
}

/// `values` as they are, when every one is finite and there are at least `needed`.
pub(crate) fn checked<'a>(
    what: &'static str,
    values: &'a [f64],
    needed: usize,
) -> Result<&'a [f64], StatsError> {
    if let Some((index, &value)) = values.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(StatsError::NotFinite { index, value });
    }
    if values.len() < needed {
        return Err(StatsError::TooFew { what, needed, found: values.len() });
    }
    Ok(values)
}
