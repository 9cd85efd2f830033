//! How much better one thing is than another.

use std::fmt;

use numawise_units::Ratio;
use serde::{Deserialize, Serialize};

/// An effect as a ratio with its 95 % interval. Above 1: the second point is better than the first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    pub ratio: Ratio,
    pub low: Ratio,
    pub high: Ratio,
}

impl Effect {
    /// A ratio with the lower and the upper end of its interval.
    pub fn new(ratio: f64, low: f64, high: f64) -> Self {
        Effect { ratio: Ratio(ratio), low: Ratio(low), high: Ratio(high) }
    }

    /// The same effect seen from the other side.
    pub fn inverse(self) -> Self {
        Effect { ratio: self.ratio.inverse(), low: self.high.inverse(), high: self.low.inverse() }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (95 % interval {} to {})", self.ratio, self.low, self.high)
    }
}
