//! Shares that are known from a sample.

#[cfg(test)]
#[path = "proportion_tests.rs"]
mod tests;

/// The quantile of the normal distribution for 95 % on both sides.
const QUANTILE: f64 = 1.959_963_984_540_054;

/// A share with its interval of 95 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proportion {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The share `part` of `all` independent draws, by Wilson's score interval (E. B. Wilson, Probable inference, the law of succession, and
/// statistical inference, JASA 22, 1927), which keeps within 0 and 1 and holds for few draws too. `part` may be a sum of fractions.
///
/// Nothing without a draw, or where `part` is no part of `all`.
pub fn proportion(part: f64, all: f64) -> Option<Proportion> {
    // Sums of fractions may pass the whole by their rounding.
    let is_part = (0.0..=all * (1.0 + 1e-9)).contains(&part);
    if !(all > 0.0 && all.is_finite() && is_part) {
        return None;
    }
    let value = (part / all).min(1.0);
    let squared = QUANTILE * QUANTILE;
    let centre = (value + squared / (2.0 * all)) / (1.0 + squared / all);
    let half =
        QUANTILE / (1.0 + squared / all) * (value * (1.0 - value) / all + squared / (4.0 * all * all)).sqrt();
    Some(Proportion {
        value,
        low: (centre - half).max(0.0).min(value),
        high: (centre + half).min(1.0).max(value),
    })
}
