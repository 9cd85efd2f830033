//! The phases that the program names itself.

use numawise_facts::Reading;
use numawise_facts::activity::PhaseName;
use numawise_units::{Nanoseconds, Ratio};

use super::{CpuTime, Efficiencies, RatedShare};

/// What the program's own phases took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhaseTables {
    /// The longest first.
    pub rows: Vec<PhaseRow>,
    /// Phases that found no place in the collector's table, each time that they were begun.
    pub lost: u64,
    /// Ends without a begin, and regions that were not ended before the one that they stand in.
    pub unbalanced: u64,
}

/// One phase, over all processes that had it.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseRow {
    pub name: PhaseName,
    pub processes: u64,
    /// Over all processes, and threads.
    pub calls: u64,
    /// By the clock, in the process where that is the longest: the time that its efficiencies are of. Of threads' regions the sum over
    /// threads.
    pub elapsed: Reading<Nanoseconds>,
    /// `elapsed` of that of the run.
    pub share: Reading<Ratio>,
    pub longest: Nanoseconds,
    /// CPUs that it is of: threads at once, summed over the processes.
    pub cpus: u64,
    pub time: Reading<CpuTime>,
    pub useful: RatedShare,
    /// Share of its CPUs' time that is in MPI.
    pub mpi: Reading<Ratio>,
    pub efficiency: Efficiencies,
    /// Processes in which it was not ended.
    pub open: u64,
}
