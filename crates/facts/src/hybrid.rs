//! How many ranks of how many threads each: the ways in which a hybrid program divides its CPUs.

use std::fmt;
use std::str::FromStr;

use numawise_units::harmless::quoted;
use serde::{Deserialize, Serialize};

#[cfg(test)]
#[path = "hybrid_tests.rs"]
mod tests;

/// So many ranks with so many threads each, neither of them 0; `24x1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanksByThreads {
    pub ranks: u32,
    pub threads: u32,
}

impl fmt::Display for RanksByThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}", self.ranks, self.threads))
    }
}

/// Several of them, in the order in which they are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RanksByThreadsList(pub Vec<RanksByThreads>);

/// The most of ranks times threads, and of entries.
const MOST_CPUS: u32 = 65_536;
const MOST_ENTRIES: usize = 64;

/// What is no division, and no list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found}: expected a number of CPUs, of which all divisions into ranks and threads are run (24: 24x1, 12x2, ...), or divisions such as \
     24x1,2x12, each number from 1 and at most {MOST_CPUS} CPUs"
)]
pub struct RanksByThreadsError {
    found: String,
}

impl FromStr for RanksByThreads {
    type Err = RanksByThreadsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let division = || {
            let (ranks, threads) = text.split_once('x')?;
            let division = RanksByThreads { ranks: number(ranks)?, threads: number(threads)? };
            let cpus = u64::from(division.ranks) * u64::from(division.threads);
            (cpus <= u64::from(MOST_CPUS)).then_some(division)
        };
        division().ok_or_else(|| RanksByThreadsError { found: quoted(text) })
    }
}

fn number(text: &str) -> Option<u32> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && (1..=MOST_CPUS).contains(number))
}

impl FromStr for RanksByThreadsList {
    type Err = RanksByThreadsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = || RanksByThreadsError { found: quoted(text) };
        if !text.contains('x') {
            let cpus = number(text).ok_or_else(found)?;
            let divisions = (1..=cpus).filter(|threads| cpus.is_multiple_of(*threads));
            let all = divisions.map(|threads| RanksByThreads { ranks: cpus / threads, threads });
            return Ok(RanksByThreadsList(all.collect()));
        }
        let mut list: Vec<RanksByThreads> = Vec::new();
        for entry in text.split(',') {
            let entry = entry.parse().map_err(|_| found())?;
            if list.contains(&entry) || list.len() >= MOST_ENTRIES {
                return Err(found());
            }
            list.push(entry);
        }
        Ok(RanksByThreadsList(list))
    }
}
