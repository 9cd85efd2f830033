//! The phases that a program names itself.

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use super::StateTimes;

/// The phases of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityPhases {
    pub rows: Vec<PhaseActivity>,
    /// Begins that found no row.
    pub lost: u32,
    /// Ends of regions that were not begun, and regions within others that were not ended before these.
    pub unbalanced: u32,
}

/// What a phase is, by what the program said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseName {
    /// `numawise_region_begin` of the first thread, outside of parallel regions: a part of the time of the whole process.
    Region(String),
    /// The same of another thread, or in a parallel region: a part of the time of single threads.
    ThreadRegion(String),
    /// What follows `MPI_Pcontrol` with this level.
    Control(i32),
}

impl PhaseName {
    /// Whether that is the name by which people ask for it: as the program has it, or `MPI_Pcontrol(2)`.
    pub fn is_called(&self, name: &str) -> bool {
        match self {
            PhaseName::Region(own) | PhaseName::ThreadRegion(own) => own == name,
            PhaseName::Control(level) => format!("MPI_Pcontrol({level})") == name,
        }
    }
}

/// One phase of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseActivity {
    pub name: PhaseName,
    pub calls: u64,
    /// By the clock, summed over the calls. Regions within one another that have one name are one.
    pub elapsed: Nanoseconds,
    pub longest: Nanoseconds,
    /// Of all threads of the process that were seen in MPI or OpenMP, and the one that began it; of a thread's region of those that began it.
    pub times: StateTimes,
    /// Of the time in MPI, that of the thread that began it, outside of parallel regions.
    pub mpi_outside: Nanoseconds,
    /// The most threads at once that the times are of.
    pub threads: u32,
    /// It was not ended when the process was last seen.
    pub is_open: bool,
}
