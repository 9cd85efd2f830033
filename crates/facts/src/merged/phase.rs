//! Phases of ranks that were merged.

use std::collections::BTreeMap;

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use super::{CpuTime, pairs};
use crate::activity::PhaseName;

/// Phases that are told apart; a rank has 64 at most.
pub const MOST_MERGED_PHASES: usize = 256;

/// The phases of ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedPhases {
    /// By a number as that of places; those with the lowest numbers.
    #[serde(with = "pairs")]
    pub rows: BTreeMap<u64, MergedPhase>,
    /// Ranks whose phases are not known.
    pub unknown: u64,
    /// Begins that found no row, in the collector's tables or here.
    pub lost: u64,
    pub unbalanced: u64,
}

/// One phase over ranks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedPhase {
    pub name: PhaseName,
    pub ranks: u64,
    /// Ranks of which times by state are not known: without them there is no sum.
    pub unmeasured: u64,
    pub calls: u64,
    /// By the clock, of the rank where it is the longest.
    pub elapsed: Nanoseconds,
    pub longest: Nanoseconds,
    pub cpus: u64,
    pub time: CpuTime,
    /// Time in MPI of each CPU, of the rank where it is the least; missing where that of no rank is known.
    pub least_mpi: Option<Nanoseconds>,
    /// Ranks in which it was not ended.
    pub open: u64,
}
