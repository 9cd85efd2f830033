//! Times of many threads added up.

use std::fmt;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::Nanoseconds;

#[cfg(test)]
#[path = "time_sum_tests.rs"]
mod tests;

const SECOND: u128 = 1_000_000_000;
/// 365.25 days, in seconds.
const YEAR: f64 = 31_557_600.0;

/// A sum of times over CPUs, threads or ranks, in nanoseconds: a day of 262,144 CPUs is 718 years, and [`Nanoseconds`] end after 584.
/// In JSON a list of whole seconds and nanoseconds. Prints as [`Nanoseconds`], and in years beyond them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "(u64, u32)", into = "(u64, u32)")]
pub struct TimeSum(pub u128);

/// Nanoseconds that are a second or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} nanoseconds beside the seconds; expected fewer than 1000000000")]
pub struct TimeSumError(u32);

impl TimeSum {
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    pub fn saturating_sub(self, other: Self) -> Self {
        TimeSum(self.0.saturating_sub(other.0))
    }

    /// The same as a span of time, if one can be so long.
    pub fn span(self) -> Option<Nanoseconds> {
        u64::try_from(self.0).ok().map(Nanoseconds)
    }

    /// The part of each of so many; the longest span where that is longer still.
    pub fn each_of(self, count: u64) -> Nanoseconds {
        TimeSum(self.0 / u128::from(count.max(1))).span().unwrap_or(Nanoseconds(u64::MAX))
    }
}

impl From<Nanoseconds> for TimeSum {
    fn from(span: Nanoseconds) -> Self {
        TimeSum(span.0.into())
    }
}

impl From<TimeSum> for (u64, u32) {
    fn from(sum: TimeSum) -> Self {
        (u64::try_from(sum.0 / SECOND).unwrap_or(u64::MAX), (sum.0 % SECOND) as u32)
    }
}

impl TryFrom<(u64, u32)> for TimeSum {
    type Error = TimeSumError;

    fn try_from((seconds, nanoseconds): (u64, u32)) -> Result<Self, TimeSumError> {
        match u128::from(nanoseconds) {
            rest if rest < SECOND => Ok(TimeSum(u128::from(seconds) * SECOND + rest)),
            _ => Err(TimeSumError(nanoseconds)),
        }
    }
}

impl Add for TimeSum {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        TimeSum(self.0.saturating_add(other.0))
    }
}

impl Add<Nanoseconds> for TimeSum {
    type Output = Self;
    fn add(self, other: Nanoseconds) -> Self {
        self + TimeSum::from(other)
    }
}

impl fmt::Display for TimeSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.span() {
            Some(span) => span.fmt(f),
            None => write!(f, "{:.0} years", self.seconds() / YEAR),
        }
    }
}
