//! Ranks of a job together, however many: sums, spreads, and what stands out. Its size depends on the program and on the number of
//! computers, not on the number of ranks.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::{CallTime, MessageFamily};
use numawise_units::{Bytes, Nanoseconds};

use super::CpuTime;

/// What some ranks of a job did, one or all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergedRanks {
    pub ranks: u64,
    /// The size of `MPI_COMM_WORLD`, the largest of several.
    pub world: u32,
    pub has_several_worlds: bool,
    /// Ranks of which times are not known: without them there is no sum.
    pub unmeasured: u64,
    /// Of the rank where it is the longest: what efficiencies are of.
    pub span: Nanoseconds,
    /// The rank that was there for the shortest time of those that did not come to their end.
    pub first_dead: Option<(Nanoseconds, u32)>,
    pub cpus: u64,
    pub time: CpuTime,
    /// Ranks that used OpenMP.
    pub with_openmp: u64,
    /// CPUs and time in MPI of each computer.
    pub hosts: BTreeMap<String, (u64, Nanoseconds)>,
    /// Over ranks, of each of their CPUs.
    pub useful: RankDistribution,
    pub mpi: RankDistribution,
    /// The life of each rank.
    pub elapsed: RankDistribution,
    pub calls: BTreeMap<String, MergedCalls>,
    /// By a number that is the same for the same place in all ranks; of more than there is room for, those with the lowest numbers.
    pub sites: BTreeMap<u64, MergedSite>,
    /// By family (its number), and size.
    pub messages: BTreeMap<(u32, u32), (MessageFamily, u64)>,
    /// Messages and bytes from one group of neighbouring ranks to another: 128 groups, none where the sizes of worlds differ.
    pub traffic: BTreeMap<(u32, u32), (u64, Bytes)>,
}

/// How a time is spread over ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankDistribution {
    pub count: u64,
    pub sum: Nanoseconds,
    /// The ranks with the least and with the most, in this order.
    pub least: Vec<(Nanoseconds, u32)>,
    pub most: Vec<(Nanoseconds, u32)>,
    /// How many ranks in which class: sixteen classes for each doubling of the time.
    pub histogram: BTreeMap<u16, u64>,
}

/// Calls of MPI of one name, over ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergedCalls {
    pub calls: CallTime,
    pub longest: Nanoseconds,
    pub sent: MergedBytes,
    pub received: MergedBytes,
    pub ranks: u64,
}

/// Bytes of calls, and how often they are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergedBytes {
    pub known: Bytes,
    pub unknown: u64,
}

impl MergedBytes {
    /// A sum of which a part is missing is missing.
    pub fn sum(self) -> Reading<Bytes> {
        match self.unknown {
            0 => Reading::Measured(self.known),
            _ => Reading::unavailable("the bytes of some calls are not known"),
        }
    }
}

/// One call at one place of the program on communicators of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedSite {
    pub call: String,
    /// The file that was loaded, and the address in it.
    pub place: Option<(String, u64)>,
    pub communicator: Option<String>,
    pub of: MergedCalls,
    /// The rank that was there for the shortest and for the longest time.
    pub least: (Nanoseconds, u32),
    pub most: (Nanoseconds, u32),
}
