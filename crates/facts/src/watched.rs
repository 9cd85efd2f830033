//! A program that was run once and watched from inside.

use std::collections::{BTreeMap, BTreeSet};

use numawise_units::{IdSet, Nanoseconds, Rank};
use serde::{Deserialize, Serialize};

use crate::activity::{CacheTraffic, CounterAccess, PhaseName, SourcePlaces, SpanName};
use crate::notice::SnapshotNotice;
use crate::{
    Activity, Exit, HostFacts, Machine, MergedRanks, Notice, ObjectRun, Placement, RanksByThreads, Reading,
    ResourceUsage, RunSpec,
};

/// A set of ranks of `MPI_COMM_WORLD`.
pub type RankSet = IdSet<Rank>;

/// What `numawise snapshot` keeps of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedRun {
    pub header: WatchedRunHeader,
    /// The processes that were watched: ranks by their numbers, then others by when they began.
    pub processes: Vec<Activity>,
    /// All ranks together, where they are too many to be kept in full: `processes` has those then that stand out.
    pub merged: Option<MergedRanks>,
    pub places: SourcePlaces,
    /// Memory objects, where these were followed: of each numawise that watched, which is one for all processes of a computer, or one for each
    /// rank.
    pub objects: Vec<ObjectRun>,
}

/// A part of a trace that is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TracePart {
    /// Since the begin of its span.
    pub from: Option<Nanoseconds>,
    pub to: Option<Nanoseconds>,
    /// What these did and waited for; the ranks that they waited for may be others.
    pub ranks: Option<RankSet>,
    /// What was done in a phase of this name.
    pub phase: Option<String>,
}

impl TracePart {
    pub fn is_whole(&self) -> bool {
        *self == TracePart::default()
    }
}

/// The run but for its processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WatchedRunHeader {
    pub tool_version: String,
    /// When it was begun, in nanoseconds since 1970 (UTC).
    pub begun: Nanoseconds,
    pub command: RunSpec,
    pub host: HostFacts,
    /// Of `host`: the computer that reports.
    pub machine: Machine,
    /// Of the other computers of the job, as far as they handed theirs over.
    pub other_machines: Vec<MachineOfHosts>,
    /// Where the program was put; missing where that was left to the system.
    pub placement: Option<Placement>,
    /// The ranks that were asked for; missing where all were.
    pub ranks: Option<RankSet>,
    pub exit: Exit,
    pub wall: Nanoseconds,
    /// Of the process that was started, and of those that it waited for.
    pub usage: ResourceUsage,
    pub counters: CounterAccess,
    /// Of the computer where the run was reported.
    pub traffic: Reading<Vec<CacheTraffic>>,
    pub notices: Vec<Notice>,
    /// Where the run stands for a division of CPUs into ranks and threads.
    pub division: Option<WatchedDivision>,
}

impl WatchedRunHeader {
    /// How long processes computed that were not watched, as far as they were seen, and those that are not kept.
    pub fn computed_unwatched(&self) -> Nanoseconds {
        let computed = self.notices.iter().map(|notice| match notice {
            Notice::Snapshot(
                SnapshotNotice::ProcessesNotWatched { computed, .. }
                | SnapshotNotice::ProcessesLeftOut { computed, .. },
            ) => *computed,
            _ => Nanoseconds(0),
        });
        computed.fold(Nanoseconds(0), |sum, one| sum + one)
    }
}

/// A division of CPUs into ranks and threads, of which the run with the median time is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedDivision {
    pub division: RanksByThreads,
    /// As it was typed, with places for the numbers.
    pub command: RunSpec,
    /// How each run of it ended, and how long it took, in their order.
    pub runs: Vec<(Exit, Nanoseconds)>,
}

impl WatchedRun {
    /// Whether calls of it were written down one by one.
    pub fn is_traced(&self) -> bool {
        let mut threads =
            self.processes.iter().flat_map(|process| process.threads.measured().into_iter().flatten());
        threads.any(|thread| thread.trace.is_some())
    }

    /// Phases that the program named while its calls were written down.
    pub fn traced_phases(&self) -> BTreeSet<&PhaseName> {
        let threads =
            self.processes.iter().flat_map(|process| process.threads.measured().into_iter().flatten());
        let names = threads.filter_map(|thread| thread.trace.as_deref()).flat_map(|trace| &trace.names);
        let phases = names.filter_map(|name| match name {
            SpanName::Phase(phase) => Some(phase),
            SpanName::Construct(..) | SpanName::File(_) => None,
        });
        phases.collect()
    }

    /// The machines of the run by the name of their host, as far as they are known.
    pub fn machines(&self) -> BTreeMap<String, &Machine> {
        let header = &self.header;
        let first = self.processes.first().map(|process| &process.host);
        let own = header.host.hostname.measured().or(first).map(|host| (host.clone(), &header.machine));
        let others = header.other_machines.iter().flat_map(MachineOfHosts::by_host);
        // What a host itself handed over is of the run; two containers may have one name.
        own.into_iter().chain(others).collect()
    }
}

/// A machine, with the hosts that have such a one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineOfHosts {
    /// Free memory is of a moment and of one host: it is not kept.
    pub machine: Machine,
    pub hosts: Vec<String>,
}

impl MachineOfHosts {
    fn by_host(&self) -> impl Iterator<Item = (String, &Machine)> {
        self.hosts.iter().map(|host| (host.clone(), &self.machine))
    }
}

/// How one rank of a job ended, of those that each had a numawise of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankEnd {
    /// In the job; missing where the launcher does not tell.
    pub rank: Option<u32>,
    pub exit: Exit,
    pub wall: Nanoseconds,
    pub usage: ResourceUsage,
}
