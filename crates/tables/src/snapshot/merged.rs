//! What is said of a job of so many ranks that they were merged.

use numawise_units::{Nanoseconds, Ratio};

/// How ranks differ, where only some of them have a row.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedRankTables {
    /// Ranks that all figures are of.
    pub ranks: u64,
    /// Of these, those that have a row: the ends of the spreads, those that died first, and rank 0.
    pub in_full: u64,
    pub spreads: Vec<RankTimeSpread>,
}

/// A time over all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct RankTimeSpread {
    pub quantity: SpreadQuantity,
    pub mean: Nanoseconds,
    /// The time that this share of the ranks do not exceed, off by a 32nd at most.
    pub quantiles: Vec<(Ratio, Nanoseconds)>,
    /// The rank with the least, and its time.
    pub least: (u32, Nanoseconds),
    pub most: (u32, Nanoseconds),
}

/// What is spread over ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpreadQuantity {
    /// Of each CPU of a rank.
    Useful,
    Mpi,
    /// The life of a rank.
    Elapsed,
}
