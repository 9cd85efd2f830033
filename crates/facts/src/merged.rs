//! Ranks of a job together, however many: sums, spreads, and what stands out. Its size depends on the program and on the number of
//! computers, not on the number of ranks: each table has a most.

mod compared;
mod pairs;
mod phase;
mod placement;

use std::collections::{BTreeMap, BTreeSet};

use numawise_units::{Bytes, Nanoseconds, Pid, TimeSum};
use serde::{Deserialize, Serialize};

use crate::Reading;
use crate::activity::{ConstructName, ConstructTeam, MessageFamily, MpiLibrary};

pub use compared::{
    ComparedCollective, ComparedMessage, ComparedRanks, MOST_COMPARED_CALLS, MOST_COMPARED_KINDS,
    MOST_COMPARED_PLACES, MessageEnd,
};
pub use phase::{MOST_MERGED_PHASES, MergedPhase, MergedPhases};
pub use placement::{
    DelayedProcess, MOST_OVERFULL, MOST_THERE, MergedPlacement, OverfullCpus, PlacedHost, PlacedMasks,
    ProcessName, RemoteProcess, RemoteSum, SharedCpu, SumOverProcesses,
};

/// Ranks at each end of a spread that are named.
pub const MOST_OUTLIERS: usize = 16;
/// Places in the program at which MPI is called.
pub const MOST_MERGED_SITES: usize = 512;
/// Parallel regions.
pub const MOST_MERGED_REGIONS: usize = 256;
/// Names of communicators.
pub const MOST_MERGED_COMMUNICATORS: usize = 256;
/// Groups of ranks that have communicators of one name.
pub const MOST_MERGED_GROUPS: usize = 64;
/// Groups of neighbouring ranks between which messages are counted.
pub const MOST_NEIGHBOURHOODS: u32 = 128;
/// Classes of a histogram for each doubling of the time; a quantile is off by a 32nd at most.
pub const CLASSES_OF_A_DOUBLING: u32 = 16;
/// That of the longest time of 64 bits.
pub const LAST_CLASS: u16 = 975;
/// Parts of which shares are summed: sums of fractions would depend on the order.
pub const PARTS_OF_A_SHARE: u64 = 1_000_000_000;

/// What some ranks of a job did, one or all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedRanks {
    pub ranks: u64,
    /// The size of `MPI_COMM_WORLD`, the largest of several.
    pub world: u32,
    pub has_several_worlds: bool,
    /// Ranks of which times are not known: without them there is no sum.
    pub unmeasured: u64,
    /// Ranks of which the end of `MPI_Init` was not noted.
    pub without_init: u64,
    /// Of the rank where it is the longest: what efficiencies are of.
    pub span: Nanoseconds,
    /// The ranks that were there for the shortest time of those that did not come to their end, in this order.
    pub dead: Vec<(Nanoseconds, u32)>,
    pub cpus: u64,
    pub time: CpuTime,
    pub hosts: BTreeMap<String, MergedHost>,
    /// Over ranks, of each of their CPUs.
    pub useful: RankDistribution,
    pub mpi: RankDistribution,
    /// The life of each rank.
    pub elapsed: RankDistribution,
    /// Missing where there is no rank; another one where they have different ones.
    pub library: Option<MpiLibrary>,
    pub has_several_mpis: bool,
    pub calls: BTreeMap<String, MergedCalls>,
    /// By a number that is the same for the same place in all ranks; of more than there is room for, those with the lowest numbers.
    #[serde(with = "pairs")]
    pub sites: BTreeMap<u64, MergedSite>,
    /// Threads that called MPI.
    #[serde(default)]
    pub callers: u64,
    /// Single collective calls by kind, in the order of their keys; none in records that were made before calls of merged ranks were compared.
    #[serde(default, with = "pairs")]
    pub collectives: BTreeMap<u64, Vec<ComparedCollective>>,
    /// Single messages, likewise.
    #[serde(default, with = "pairs")]
    pub sent_messages: BTreeMap<u64, Vec<ComparedMessage>>,
    /// Calls that found no place in the collector's tables.
    pub lost_calls: CallSum,
    /// By a number as that of places.
    #[serde(with = "pairs")]
    pub communicators: BTreeMap<u64, MergedCommunicator>,
    /// By family (its number), and size.
    #[serde(with = "pairs")]
    pub messages: BTreeMap<(u32, u32), (MessageFamily, u64)>,
    /// Messages and bytes from one group of neighbouring ranks to another: 128 groups, none where the sizes of worlds differ.
    #[serde(with = "pairs")]
    pub traffic: BTreeMap<(u32, u32), (u64, Bytes)>,
    /// Messages that found no place, and their bytes.
    pub lost_messages: (u64, Bytes),
    pub openmp: MergedOpenMp,
    /// Missing of no rank, and in records that were made before phases were merged.
    #[serde(default)]
    pub phases: Option<MergedPhases>,
    pub memory: MergedMemory,
    /// Missing of no computer, and in records that were made before placement was merged.
    #[serde(default)]
    pub placement: Option<MergedPlacement>,
    pub lost: SnapshotLosses,
}

impl MergedRanks {
    /// The places in the code that it speaks of.
    pub fn loaded_places(&self) -> impl Iterator<Item = &LoadedPlace> {
        let sites = self.sites.values().filter_map(|site| site.place.as_ref());
        let regions = self.openmp.regions.values().flat_map(|region| &region.surrounding);
        sites.chain(regions.filter_map(|(_, place)| place.as_ref()))
    }

    /// Their files.
    pub fn loaded_files(&mut self) -> impl Iterator<Item = &mut String> {
        let sites = self.sites.values_mut().filter_map(|site| site.place.as_mut());
        let regions = self.openmp.regions.values_mut().flat_map(|region| &mut region.surrounding);
        sites.chain(regions.filter_map(|(_, place)| place.as_mut())).map(|(file, _)| file)
    }
}

/// The CPUs' time by what they did, summed over threads: the letters of TALP's formulas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTime {
    /// U.
    pub useful: TimeSum,
    /// M.
    pub mpi: TimeSum,
    /// L: waits for other threads in parallel regions, at barriers and for locks.
    pub imbalance: TimeSum,
    /// Of `imbalance`, for locks and critical sections.
    pub lock: TimeSum,
    /// S.
    pub scheduling: TimeSum,
    /// Z: threads of a team outside of parallel regions, also before they were made.
    pub serial: TimeSum,
    /// Of `serial`, while the first thread was in MPI: TALP's efficiencies of MPI count that as MPI.
    pub serial_in_mpi: TimeSum,
    /// Threads outside of MPI and OpenMP that were not on a CPU; TALP has no letter for it.
    pub waiting: TimeSum,
    /// Of `useful`, ready to run and without a CPU, as far as is known: U has it, and it is of no use.
    #[serde(default)]
    pub delayed: TimeSum,
    /// The same of `waiting`.
    #[serde(default)]
    pub delayed_waiting: TimeSum,
    /// Of `useful`, of threads of which that is not known.
    #[serde(default = "all_of_it")]
    pub delay_unknown: TimeSum,
}

/// Of records that were made before that was asked.
fn all_of_it() -> TimeSum {
    TimeSum(1 << 56)
}

/// So small a part of useful time is left aside where it is not known how long its threads had no CPU: one in so many.
const LEFT_ASIDE: u128 = 100;

impl CpuTime {
    /// All of it: threads are in one state at a time.
    pub fn total(&self) -> TimeSum {
        self.useful + self.mpi + self.imbalance + self.scheduling + self.serial + self.waiting
    }

    /// In the program's code and on a CPU, as far as is known.
    pub fn on_cpu(&self) -> TimeSum {
        self.useful.saturating_sub(self.delayed)
    }

    /// Threads outside of MPI and OpenMP that had nothing to do.
    pub fn waiting_elsewhere(&self) -> TimeSum {
        self.waiting.saturating_sub(self.delayed_waiting)
    }

    /// Ready to run, and without a CPU.
    pub fn without_cpu(&self) -> Reading<TimeSum> {
        let is_much = self.delay_unknown.0.saturating_mul(LEFT_ASIDE) > self.useful.0;
        if is_much || self.delay_unknown == all_of_it() {
            return Reading::unavailable(format!(
                "of threads that were useful for {} it is not known how long they had no CPU: the kernel does not count that (schedstat), \
                 or they were killed",
                self.delay_unknown
            ));
        }
        Reading::Measured(self.delayed + self.delayed_waiting)
    }

    /// One after the other, as they stand.
    pub fn each(&self) -> [TimeSum; 11] {
        [
            self.useful,
            self.mpi,
            self.imbalance,
            self.lock,
            self.scheduling,
            self.serial,
            self.serial_in_mpi,
            self.waiting,
            self.delayed,
            self.delayed_waiting,
            self.delay_unknown,
        ]
    }
}

/// What found no place in the tables of the collector, over all processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotLosses {
    pub threads: u64,
    pub files: u64,
    pub communicators: u64,
    pub requests: u64,
    pub mpi_calls: u64,
    pub messages: u64,
    pub constructs: u64,
}

/// The ranks of one computer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedHost {
    pub cpus: u64,
    pub mpi: TimeSum,
}

/// How a time is spread over ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankDistribution {
    pub count: u64,
    pub sum: TimeSum,
    /// The ranks with the least and with the most, in this order.
    pub least: Vec<(Nanoseconds, u32)>,
    pub most: Vec<(Nanoseconds, u32)>,
    /// How many ranks in which class.
    #[serde(with = "pairs")]
    pub histogram: BTreeMap<u16, u64>,
}

/// How many calls, and how long they took, over ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSum {
    pub count: u64,
    pub time: TimeSum,
}

impl CallSum {
    pub fn plus(self, other: Self) -> Self {
        CallSum { count: self.count.saturating_add(other.count), time: self.time + other.time }
    }
}

/// Calls of MPI of one name, over ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedCalls {
    pub calls: CallSum,
    pub longest: Nanoseconds,
    pub sent: MergedBytes,
    pub received: MergedBytes,
    pub ranks: u64,
}

/// Bytes of calls, and how often they are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedBytes {
    pub known: Bytes,
    pub unknown: u64,
}

impl MergedBytes {
    /// A sum of which a part is missing is missing.
    pub fn sum(self) -> Reading<Bytes> {
        match self.unknown {
            0 if self.known.0 < u64::MAX => Reading::Measured(self.known),
            0 => Reading::unavailable("they are more than 64 bits hold"),
            _ => Reading::unavailable("the bytes of some calls are not known"),
        }
    }
}

/// A place in a file that was loaded: its path, and the address in it.
pub type LoadedPlace = (String, u64);

/// One call at one place of the program on communicators of one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedSite {
    pub call: String,
    pub place: Option<LoadedPlace>,
    pub communicator: Option<String>,
    pub of: MergedCalls,
    /// Time in collective calls on communicators of one rank, where nobody waits.
    #[serde(default)]
    pub alone: TimeSum,
    /// The rank that was there for the shortest and for the longest time.
    pub least: (Nanoseconds, u32),
    pub most: (Nanoseconds, u32),
}

/// Communicators of one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedCommunicator {
    pub name: String,
    /// Ranks of the smallest and the largest.
    pub sizes: (u32, u32),
    /// Numbers of groups that differ in their ranks; those with the lowest numbers.
    pub groups: BTreeSet<u64>,
    pub has_further_groups: bool,
    /// How many there are of which the ranks are not known.
    pub unknown_groups: u64,
    pub calls: CallSum,
    pub ranks: u64,
}

/// What ranks did in OpenMP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedOpenMp {
    /// Ranks that used it.
    pub ranks: u64,
    pub libgomp: bool,
    pub ompt: bool,
    pub has_other_tool: bool,
    /// Shares of the time outside of parallel regions and of MPI, summed in [`PARTS_OF_A_SHARE`].
    pub serial: u64,
    /// Ranks of which that share is not known.
    pub serial_unknown: u64,
    /// Ranks whose threads are not known.
    pub unmeasured: u64,
    /// Potential gain of all regions of a rank together, where it is the most.
    pub most_gain: Nanoseconds,
    /// By a number as that of places; those with the lowest numbers.
    #[serde(with = "pairs")]
    pub regions: BTreeMap<u64, MergedRegion>,
    pub has_further_regions: bool,
    /// Constructs for which the collector had no row, each time.
    pub lost: u64,
}

/// A parallel region, or a league of teams, in one surrounding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedRegion {
    /// The region itself, then the regions and tasks that it stands in, from inside to outside.
    pub surrounding: Vec<(ConstructName, Option<LoadedPlace>)>,
    pub ranks: u64,
    pub calls: u64,
    /// By the clock from opening to closing, summed over calls and ranks, and of the rank where that is the most.
    pub time: TimeSum,
    pub longest_time: Nanoseconds,
    pub team: Option<ConstructTeam>,
    /// Threads that work in it at once, summed over the ranks.
    pub threads: u64,
    /// Over threads.
    pub useful: TimeSum,
    pub mpi: TimeSum,
    pub barrier: TimeSum,
    pub lock: TimeSum,
    pub scheduling: TimeSum,
    /// Potential gain, summed over ranks, and of the rank where it is the most.
    pub gain: TimeSum,
    pub most_gain: Nanoseconds,
}

/// The most memory of each rank that was resident at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedMemory {
    /// Ranks of which it is known.
    pub known: u64,
    pub sum: Bytes,
    pub most: Option<(Bytes, MergedRankName)>,
}

/// Which rank it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MergedRankName {
    pub rank: u32,
    pub host: String,
    pub pid: Pid,
}
