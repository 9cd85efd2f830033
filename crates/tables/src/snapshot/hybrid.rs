//! One program on the same CPUs with different numbers of ranks and threads, side by side.

use numawise_facts::{Exit, RanksByThreads, Reading};
use numawise_units::{Nanoseconds, Ratio};

/// A program's divisions into ranks and threads.
#[derive(Debug, Clone, PartialEq)]
pub struct HybridComparison {
    /// In the order in which they were run.
    pub rows: Vec<HybridRow>,
    /// Which row has the shortest time; none where fewer than two went well.
    pub best: Option<HybridBest>,
}

/// One division. Figures are those of the run with the median time.
#[derive(Debug, Clone, PartialEq)]
pub struct HybridRow {
    pub division: RanksByThreads,
    /// The time of each run by the clock.
    pub walls: Vec<Nanoseconds>,
    /// Of the runs that went well.
    pub median: Reading<Nanoseconds>,
    /// Of the first run that did not go well.
    pub failed: Option<Exit>,
    pub useful: Reading<Ratio>,
    /// Time in MPI of all that the CPUs had.
    pub mpi: Reading<Ratio>,
    pub mpi_load_balance: Reading<Ratio>,
    pub openmp_load_balance: Reading<Ratio>,
    pub openmp_serialization: Reading<Ratio>,
    /// Where the time of a CPU went, on average.
    pub parts: Vec<(HybridTimePart, Nanoseconds)>,
}

/// What the time of a CPU is divided into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HybridTimePart {
    Useful,
    /// Ready to run in the program's own code, and without a CPU, as far as is known.
    WithoutCpu,
    Mpi,
    OpenMpWaiting,
    OpenMpScheduling,
    OpenMpSerial,
}

/// The shortest one, and what makes the most of its difference to the longest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HybridBest {
    pub row: usize,
    pub longest: usize,
    /// The part of a CPU's time that the two differ in most; none where nothing is known of one of them, or all parts are alike.
    pub why: Option<HybridReason>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HybridReason {
    pub part: HybridTimePart,
    pub best: Nanoseconds,
    pub longest: Nanoseconds,
}
