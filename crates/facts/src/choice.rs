//! Which of the usable CPUs are taken, and in which order.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use numawise_units::harmless::quoted;
use numawise_units::{CpuId, CpuSet, ParseSetError};
use serde::{Deserialize, Serialize};

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;

/// In which order hardware threads are taken: `Spread` and `Compact` inside of each node, where a strategy chooses; all others, and
/// `Compact` too where none does, over all CPUs of a task (docs/decisions/0031-orders-of-openmp.md).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One hardware thread of every core first, then the second ones.
    #[default]
    Spread,
    /// All hardware threads of a core before the next core.
    Compact,
    /// From package to package with each thread, one hardware thread of every core first.
    Scatter,
    /// As many threads on each core, and neighbours side by side.
    Balanced,
    /// On these CPUs, and behind the last one again from the first.
    #[doc(alias = "explicit")]
    Listed(Vec<CpuId>),
}

impl Order {
    const WORDS: [(&str, Order); 4] = [
        ("spread", Order::Spread),
        ("compact", Order::Compact),
        ("scatter", Order::Scatter),
        ("balanced", Order::Balanced),
    ];
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Order::Listed(cpus) = self {
            let numbers: Vec<String> = cpus.iter().map(ToString::to_string).collect();
            return f.pad(&numbers.join(","));
        }
        let word = Order::WORDS.iter().find(|(_, order)| order == self).map(|(word, _)| *word);
        f.pad(word.expect("every order but a list has a word"))
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
    #[error(
        "'{0}' is not an order; expected spread, compact, scatter, balanced or CPUs in their order, such as 0,3-7:2"
    )]
    Order(String),
    #[error("'{text}' is not an order: '{word}' of KMP_AFFINITY is not understood, since {instead}")]
    WordOfKmp { text: String, word: &'static str, instead: &'static str },
    #[error(
        "'{0}' is not an order: the numbers behind a word of KMP_AFFINITY, permute and offset, are not understood; expected the word \
         alone, or CPUs in their order, such as 0,3-7:2"
    )]
    NumbersOfKmp(String),
    #[error(transparent)]
    List(#[from] ParseSetError),
    #[error("the order names more than {MOST_THREADS} CPUs, many of them again and again")]
    ListTooLong,
    #[error("'{0}' is not a number of hardware threads of a core; expected 1, 2, ... or all")]
    Smt(String),
}

/// The most threads of a plan: two for each CPU that a Linux kernel takes (8,192). A plan names each thread: a million of them took 38 s and
/// 1.6 GiB to show, and no launcher starts as many on a computer (Slurm: 512, unless somebody raised MAX_TASKS_PER_NODE).
pub const MOST_THREADS: usize = 16_384;

/// Words of KMP_AFFINITY that are no orders, and what makes up for them.
const WORDS_OF_KMP: [(&str, &str); 11] = [
    ("granularity", "a thread is always held on one hardware thread, which granularity=fine asks for"),
    ("proclist", "the list of CPUs is the order by itself, such as 0,3-7:2"),
    ("explicit", "the list of CPUs is the order by itself, such as 0,3-7:2"),
    ("verbose", "the plan is shown by an option of its own"),
    ("noverbose", "the plan is shown by an option of its own"),
    ("warnings", "warnings are always given"),
    ("nowarnings", "warnings are always given"),
    ("respect", "only CPUs that may be used are ever taken"),
    ("norespect", "only CPUs that may be used are ever taken"),
    ("none", "no thread is pinned where there is neither an order nor a strategy"),
    ("disabled", "no thread is pinned where there is neither an order nor a strategy"),
];

impl FromStr for Order {
    type Err = ParseChoiceError;

    /// Parses a word, or a list as GOMP_CPU_AFFINITY and the proclist of KMP_AFFINITY have it: numbers and ranges with commas or
    /// spaces between them, whose order counts.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some((_, order)) = Order::WORDS.into_iter().find(|(word, _)| *word == text) {
            return Ok(order);
        }
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            return listed(text).map(Order::Listed);
        }
        let mut elements = text.split(',');
        let first = elements.next().unwrap_or_default();
        let name = first.split('=').next().unwrap_or_default();
        Err(if let Some((word, instead)) = WORDS_OF_KMP.into_iter().find(|(word, _)| *word == name) {
            ParseChoiceError::WordOfKmp { text: quoted(text), word, instead }
        } else if Order::WORDS.iter().any(|(word, _)| *word == first)
            && elements.all(|element| element.parse::<u32>().is_ok())
        {
            ParseChoiceError::NumbersOfKmp(quoted(text))
        } else {
            ParseChoiceError::Order(quoted(text))
        })
    }
}

fn listed(text: &str) -> Result<Vec<CpuId>, ParseChoiceError> {
    let elements: Vec<&str> =
        if text.contains(',') { text.split(',').collect() } else { text.split_whitespace().collect() };
    let mut list = Vec::new();
    for element in elements {
        let cpus: CpuSet = element.parse()?;
        if cpus.is_empty() {
            return Err(ParseChoiceError::Order(quoted(text)));
        }
        list.extend(cpus.iter());
        if list.len() > MOST_THREADS {
            return Err(ParseChoiceError::ListTooLong);
        }
    }
    Ok(list)
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
