//! What threads of OpenMP do together in a trace, and what lies between their regions.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::finding::RegionOrCall;
use numawise_units::Nanoseconds;

use super::LongestThreadWait;

/// A region in whose barriers, or at whose end, threads waited for one another.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedRegion {
    pub region: Reading<CodePlace>,
    /// How often it was opened, in all ranks, in how many of these threads waited, and how long it took.
    pub times: u64,
    pub uneven: u64,
    pub time: Nanoseconds,
    /// Of all threads.
    pub waiting: Nanoseconds,
    /// How much shorter it would be, all ranks together, if threads had equal work.
    pub gain: Nanoseconds,
    /// The thread that came latest behind the others, how much later, and from when on.
    pub longest: Option<LongestThreadWait>,
    /// Those that came last, the latest first.
    pub late: Vec<LateThread>,
}

/// A thread that came last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LateThread {
    /// The number of its `MPI_COMM_WORLD`, where there are several.
    pub world: Option<u32>,
    pub rank: u32,
    /// Of the rank's workers, from 1 on; 0: it calls MPI.
    pub thread: u32,
    pub times: u64,
    /// How much later than the last of the others, in all.
    pub time: Nanoseconds,
}

/// Where ranks were outside of parallel regions and of calls.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedSerial {
    /// None: the begin, the end.
    pub after: Option<RegionOrCall>,
    pub before: Option<RegionOrCall>,
    pub times: u64,
    /// All ranks together, and of their other threads.
    pub time: Nanoseconds,
    pub idle: Nanoseconds,
    pub ranks: u64,
}
