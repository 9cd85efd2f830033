//! A measured value or the reason why there is none. Missing is never zero.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

mod json;

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;

/// Why something could not be measured, as a clause that can follow "unavailable:".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reason(pub Cow<'static, str>);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A measured value, or why it could not be had.
///
/// In JSON: the bare value, or `{"unavailable": "reason"}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Reading<T> {
    Unavailable { unavailable: Reason },
    Measured(T),
}

impl<T> Reading<T> {
    pub fn unavailable(reason: impl Into<Cow<'static, str>>) -> Self {
        Reading::Unavailable { unavailable: Reason(reason.into()) }
    }

    pub fn measured(&self) -> Option<&T> {
        match self {
            Reading::Measured(value) => Some(value),
            Reading::Unavailable { .. } => None,
        }
    }

    pub fn measured_mut(&mut self) -> Option<&mut T> {
        match self {
            Reading::Measured(value) => Some(value),
            Reading::Unavailable { .. } => None,
        }
    }

    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Reading::Measured(_) => None,
            Reading::Unavailable { unavailable } => Some(unavailable),
        }
    }

    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Reading::Measured(value) => Reading::Measured(f(value)),
            Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable },
        }
    }

    /// What can be told from the value, which may be that there is nothing to tell.
    pub fn and_then<U>(self, f: impl FnOnce(T) -> Reading<U>) -> Reading<U> {
        match self {
            Reading::Measured(value) => f(value),
            Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable },
        }
    }

    /// Both values, or the first reason why one is missing.
    pub fn zip<U>(self, other: Reading<U>) -> Reading<(T, U)> {
        self.and_then(|one| other.map(|two| (one, two)))
    }

    /// All values, or the first reason why one is missing: a sum of which a part is missing is missing.
    pub fn all(readings: impl IntoIterator<Item = Reading<T>>) -> Reading<Vec<T>> {
        let mut values = Vec::new();
        for reading in readings {
            match reading {
                Reading::Measured(value) => values.push(value),
                Reading::Unavailable { unavailable } => return Reading::Unavailable { unavailable },
            }
        }
        Reading::Measured(values)
    }

    pub fn as_ref(&self) -> Reading<&T> {
        match self {
            Reading::Measured(value) => Reading::Measured(value),
            Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable: unavailable.clone() },
        }
    }
}

impl<T, E: fmt::Display> From<Result<T, E>> for Reading<T> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(value) => Reading::Measured(value),
            Err(error) => Reading::unavailable(error.to_string()),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Reading<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reading::Measured(value) => value.fmt(f),
            Reading::Unavailable { unavailable } => write!(f, "unavailable ({unavailable})"),
        }
    }
}

/// A median with its interval over repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate<T> {
    pub median: T,
    /// Bounds of the 95 % interval of the median.
    pub low: T,
    pub high: T,
    /// Repetitions that count. Of one there is no interval: both bounds repeat it; of none the figure is declared.
    pub samples: u32,
    /// Repetitions that were thrown away because the machine was disturbed.
    pub disturbed: u32,
}

impl<T: Copy> Estimate<T> {
    /// A figure that somebody declares, without a measurement.
    pub fn declared(value: T) -> Self {
        Estimate { median: value, low: value, high: value, samples: 0, disturbed: 0 }
    }

    /// A figure that was measured once, or of which the repetitions are not known.
    pub fn single(value: T) -> Self {
        Estimate { samples: 1, ..Estimate::declared(value) }
    }

    /// The same in another type or unit, which must keep the order.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Estimate<U> {
        let Estimate { median, low, high, samples, disturbed } = self;
        Estimate { median: f(median), low: f(low), high: f(high), samples, disturbed }
    }
}
