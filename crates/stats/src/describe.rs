//! What a list of values looks like: centre, spread, shape, and which values stand apart.
//!
//! Values keep the unit they come in; nothing here takes logarithms or compares lists.

#[cfg(test)]
#[path = "describe_tests.rs"]
mod tests;

use crate::error::{StatsError, checked};

/// A normal distribution's standard deviation is this many times its median absolute deviation: 1 / z(0.75).
pub(crate) const MAD_TO_SD: f64 = 1.482_602_218_505_602;
/// The same for the mean absolute deviation: sqrt(pi / 2).
const MEAN_DEVIATION_TO_SD: f64 = 1.253_314_137_315_500_3;
/// Robust standard deviations from the median beyond which a value is marked (Iglewicz and Hoaglin's cut).
const OUTLIER_CUT: f64 = 3.5;
/// With fewer values than this no value can be told to stand apart.
const OUTLIER_MINIMUM: usize = 5;

/// Figures that describe one list. All but `count` and the shares are in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub count: usize,
    pub mean: f64,
    pub median: f64,
    /// Sample standard deviation (divided by n - 1); `None` for a single value.
    pub sd: Option<f64>,
    /// Coefficient of variation, `sd / |mean|`, a share; `None` for a single value or a mean of 0.
    pub variation: Option<f64>,
    pub min: f64,
    pub max: f64,
    /// First quartile (see [`quantile`]).
    pub q1: f64,
    /// Third quartile.
    pub q3: f64,
    /// Median absolute deviation from the median, as it is (times 1.4826 it estimates a normal's sd).
    pub mad: f64,
}

/// Describes `values`.
///
/// # Errors
/// An empty list, or a value that is not finite.
pub fn summarise(values: &[f64]) -> Result<Summary, StatsError> {
    let sorted = sorted("a summary", values)?;
    let n = sorted.len() as f64;
    let mean = mean(&sorted);
    let squares: f64 = sorted.iter().map(|v| (v - mean).powi(2)).sum();
    let sd = (sorted.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
    let middle = quantile_of_sorted(&sorted, 0.5);
    Ok(Summary {
        count: sorted.len(),
        mean,
        median: middle,
        sd,
        variation: sd.filter(|_| mean != 0.0).map(|sd| sd / mean.abs()),
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        q1: quantile_of_sorted(&sorted, 0.25),
        q3: quantile_of_sorted(&sorted, 0.75),
        mad: absolute_deviation(&sorted, middle),
    })
}

/// Of values that there are: of none it is no number.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The middle value, or the mean of the two middle ones.
///
/// # Errors
/// An empty list, or a value that is not finite.
pub fn median(values: &[f64]) -> Result<f64, StatsError> {
    Ok(quantile_of_sorted(&sorted("a median", values)?, 0.5))
}

/// The value below which a share `p` of the list lies, linear between neighbours (Hyndman and Fan's type 7).
///
/// # Errors
/// An empty list, a value that is not finite, or `p` outside 0 to 1.
pub fn quantile(values: &[f64], p: f64) -> Result<f64, StatsError> {
    if !(0.0..=1.0).contains(&p) {
        return Err(StatsError::BadParameter { name: "quantile", value: p, expected: "a share from 0 to 1" });
    }
    Ok(quantile_of_sorted(&sorted("a quantile", values)?, p))
}

/// A value that stands apart from the rest of its list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// Its place in the list.
    pub index: usize,
    pub value: f64,
    /// Distance from the median in robust standard deviations; negative below it.
    pub distance: f64,
}

/// The values more than 3.5 robust standard deviations from the median. They are marked, never removed.
///
/// The robust standard deviation is 1.4826 MAD; where more than half the values are equal and the MAD is 0, it is
/// 1.2533 times the mean absolute deviation. Fewer than five values: none is marked.
///
/// # Errors
/// An empty list, or a value that is not finite.
pub fn outliers(values: &[f64]) -> Result<Vec<Outlier>, StatsError> {
    let sorted = sorted("outlier marks", values)?;
    if sorted.len() < OUTLIER_MINIMUM {
        return Ok(Vec::new());
    }
    let middle = quantile_of_sorted(&sorted, 0.5);
    let mad = absolute_deviation(&sorted, middle);
    let mean = sorted.iter().map(|v| (v - middle).abs()).sum::<f64>() / sorted.len() as f64;
    let scale = if mad > 0.0 { mad * MAD_TO_SD } else { mean * MEAN_DEVIATION_TO_SD };
    if scale == 0.0 {
        return Ok(Vec::new());
    }
    Ok(values
        .iter()
        .enumerate()
        .map(|(index, &value)| Outlier { index, value, distance: (value - middle) / scale })
        .filter(|o| o.distance.abs() > OUTLIER_CUT)
        .collect())
}

fn sorted(what: &'static str, values: &[f64]) -> Result<Vec<f64>, StatsError> {
    let mut sorted = checked(what, values, 1)?.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(sorted)
}

pub(crate) fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let at = p * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

fn absolute_deviation(sorted: &[f64], middle: f64) -> f64 {
    let mut away: Vec<f64> = sorted.iter().map(|v| (v - middle).abs()).collect();
    away.sort_by(f64::total_cmp);
    quantile_of_sorted(&away, 0.5)
}
