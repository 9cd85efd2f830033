//! What a task asks of its pages beyond their node: their size, and whether the kernel may move them.

use std::fmt;
use std::str::FromStr;

use numawise_units::harmless::quoted;
use serde::{Deserialize, Serialize};

/// The size of the pages that a program's memory is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageSize {
    /// As the system does it.
    #[default]
    Default,
    /// No transparent huge pages (`PR_SET_THP_DISABLE`).
    Small,
    /// Transparent huge pages for all that `malloc` gives (glibc's tunable `glibc.malloc.hugetlb=1`).
    Thp,
    /// Reserved huge pages for what `malloc` gives, while there are some (`glibc.malloc.hugetlb=2`).
    Huge,
}

impl PageSize {
    const NAMES: [(&'static str, PageSize); 4] = [
        ("default", PageSize::Default),
        ("small", PageSize::Small),
        ("thp", PageSize::Thp),
        ("huge", PageSize::Huge),
    ];
}

impl fmt::Display for PageSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PageSize::NAMES.iter().find(|(_, size)| size == self).map(|(name, _)| *name);
        f.pad(name.expect("every size has a name"))
    }
}

/// The kernel's own moving of pages after the threads that use them (NUMA balancing), for this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Balancing {
    /// As the system does it.
    #[default]
    Default,
    /// Also for memory that a policy binds (`MPOL_F_NUMA_BALANCING`).
    On,
    /// Not for this program: the kernel leaves memory with a policy of its own alone.
    Off,
}

impl fmt::Display for Balancing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Balancing::Default => "default",
            Balancing::On => "on",
            Balancing::Off => "off",
        })
    }
}

/// A word that says nothing of a [`PageSize`] or of [`Balancing`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParsePagesError {
    #[error("'{0}' is not a size of pages; expected default, small, thp or huge")]
    Size(String),
    #[error("'{0}' says nothing of NUMA balancing; expected on, off or default")]
    Balancing(String),
}

impl FromStr for PageSize {
    type Err = ParsePagesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = PageSize::NAMES.iter().find(|(name, _)| *name == text);
        known.map(|(_, size)| *size).ok_or_else(|| ParsePagesError::Size(quoted(text)))
    }
}

impl FromStr for Balancing {
    type Err = ParsePagesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "on" => Ok(Balancing::On),
            "off" => Ok(Balancing::Off),
            "default" => Ok(Balancing::Default),
            _ => Err(ParsePagesError::Balancing(quoted(text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written_alike() {
        for text in ["default", "small", "thp", "huge"] {
            assert_eq!(text.parse::<PageSize>().unwrap().to_string(), text);
        }
        for text in ["default", "on", "off"] {
            assert_eq!(text.parse::<Balancing>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_words_are_refused_with_what_was_expected() {
        let error = "2M".parse::<PageSize>().unwrap_err().to_string();
        assert!(error.contains("'2M'") && error.contains("expected default, small, thp or huge"), "{error}");
        let error = "yes".parse::<Balancing>().unwrap_err().to_string();
        assert!(error.contains("'yes'") && error.contains("expected on, off or default"), "{error}");
    }
}
