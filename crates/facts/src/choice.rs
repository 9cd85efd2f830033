//! Which of the usable CPUs are taken, and in which order.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use numawise_units::CpuSet;
use numawise_units::harmless::quoted;
use serde::{Deserialize, Serialize};

/// In which order the hardware threads of a node are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One hardware thread of every core first, then the second ones.
    #[default]
    #[doc(alias = "scatter")]
    Spread,
    /// All hardware threads of a core before the next core.
    Compact,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Order::Spread => "spread",
            Order::Compact => "compact",
        })
    }
}

/// How many hardware threads of a core may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Smt {
    /// As many as the threads of the request need; one where their number follows from the CPUs.
    #[default]
    AsNeeded,
    All,
    /// At most so many, those with the lowest numbers.
    PerCore(NonZeroU32),
}

impl fmt::Display for Smt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Smt::AsNeeded => f.pad("as needed"),
            Smt::All => f.pad("all"),
            Smt::PerCore(number) => number.fmt(f),
        }
    }
}

/// A word that says nothing of an [`Order`] or of [`Smt`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseChoiceError {
    #[error("'{0}' is not an order; expected spread or compact")]
    Order(String),
    #[error("'{0}' is not a number of hardware threads of a core; expected 1, 2, ... or all")]
    Smt(String),
}

impl FromStr for Order {
    type Err = ParseChoiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "spread" => Ok(Order::Spread),
            "compact" => Ok(Order::Compact),
            _ => Err(ParseChoiceError::Order(quoted(text))),
        }
    }
}

impl FromStr for Smt {
    type Err = ParseChoiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Smt::All),
            _ => text.parse().map(Smt::PerCore).map_err(|_| ParseChoiceError::Smt(quoted(text))),
        }
    }
}

/// Which of the usable CPUs are taken, and in which order. The default takes all cores that are fast.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct CpuChoice {
    pub order: Order,
    /// The pinning step n: thread k goes to every n-th CPU of the order, and at its end on from the next offset
    /// (0, n, 2n, ..., 1, n + 1, ...).
    pub step: NonZeroU32,
    pub smt: Smt,
    /// CPUs to leave alone.
    pub skip: CpuSet,
    /// Leave the core alone where the system's own work runs: that of the lowest-numbered CPU of the machine.
    pub skip_os_core: bool,
    /// Take the efficient cores of a hybrid machine too.
    pub efficient_cores: bool,
}

impl Default for CpuChoice {
    fn default() -> Self {
        CpuChoice {
            order: Order::Spread,
            step: NonZeroU32::MIN,
            smt: Smt::AsNeeded,
            skip: CpuSet::new(),
            skip_os_core: false,
            efficient_cores: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_are_read_and_written_alike() {
        for text in ["spread", "compact"] {
            assert_eq!(text.parse::<Order>().unwrap().to_string(), text);
        }
        for text in ["1", "2", "all"] {
            assert_eq!(text.parse::<Smt>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_choice_is_refused_with_what_was_expected() {
        for text in ["0", "-1", "two", "", "1.5"] {
            let error = text.parse::<Smt>().unwrap_err().to_string();
            assert!(error.contains("expected 1, 2"), "{error}");
        }
        assert!("Spread".parse::<Order>().unwrap_err().to_string().contains("expected spread or compact"));
    }

    #[test]
    fn an_older_record_without_a_choice_means_the_usual_one() {
        assert_eq!(serde_json::from_str::<CpuChoice>("{}").unwrap(), CpuChoice::default());
    }
}
