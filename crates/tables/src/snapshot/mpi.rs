//! Time in MPI and what was moved, over all ranks.

use numawise_facts::Reading;
use numawise_facts::activity::{CallTime, CodePlace, MessageFamily, MpiLibrary};
use numawise_units::{Bytes, Nanoseconds, Ratio};

use super::{RankInCall, RatedShare};

/// What the ranks did in MPI.
#[derive(Debug, Clone, PartialEq)]
pub struct MpiSummary {
    pub library: MpiLibrary,
    /// Two libraries of MPI were loaded into a process.
    pub has_several: bool,
    /// Share of the ranks' time that is in MPI, on average.
    pub share: RatedShare,
    pub share_by_rank: Reading<RankSpread>,
    /// Of the run: time in MPI beyond that of the rank with the least, on average. The ranks wait for those that compute longer.
    pub imbalance: Reading<Nanoseconds>,
    /// `imbalance` of the elapsed time.
    pub imbalance_share: Reading<Ratio>,
    /// Of the elapsed time, what ranks wait for others on average: as measured in their calls, where that is known of nearly all; else
    /// `imbalance`.
    pub waiting_share: RatedShare,
    /// How much of the time in calls was waiting for other ranks.
    pub waiting_in_calls: Reading<WaitingInCalls>,
    /// For whom ranks waited in calls of which that is known, the most waiting first.
    pub late: Reading<Vec<LateCalls>>,
    /// By name, the most time first.
    pub calls: Vec<MpiCallRow>,
    /// By place in the program, the most time first.
    pub sites: Vec<MpiSiteRow>,
    /// Sites beyond the number of rows, and those that the collector had no place for.
    pub further_sites: CallTime,
    /// By family and size.
    pub messages: Vec<MessageSizeRow>,
    /// The most time first.
    pub communicators: Vec<CommunicatorRow>,
    pub volume: VolumeTables,
}

/// Waiting in calls, over all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingInCalls {
    pub waiting: Nanoseconds,
    /// Time in the calls of which it is known.
    pub known: Nanoseconds,
    /// Time in calls that wait or ask for requests, of which it is not known.
    pub in_requests: Nanoseconds,
    /// Time in all calls but `MPI_Init` and `MPI_Finalize`.
    pub all: Nanoseconds,
    /// Threads that called MPI, over all ranks: calls of a thread come one after the other.
    pub callers: u64,
}

/// Why a call waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitsFor {
    /// The message that it receives was not sent.
    Sender,
    /// The message that it sends was not received.
    Receiver,
    /// Not all ranks had come to a collective call.
    Last,
}

/// Ranks that waited at one place in the program for ranks that came late to another.
#[derive(Debug, Clone, PartialEq)]
pub struct LateCalls {
    pub what: WaitsFor,
    /// Of the two ranks of which one waited longest for the other.
    pub waits: RankInCall,
    pub late: RankInCall,
    /// Sum over all ranks.
    pub waiting: Nanoseconds,
    /// Ranks that waited there, and ranks that came late.
    pub waiting_ranks: u64,
    pub late_ranks: u64,
}

/// Shares over ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSpread {
    pub mean: Ratio,
    /// The rank with the least, and its share.
    pub least: (u32, Ratio),
    pub most: (u32, Ratio),
}

#[derive(Debug, Clone, PartialEq)]
pub struct MpiCallRow {
    /// As in C: `MPI_Send`.
    pub call: String,
    pub calls: CallTime,
    /// Of all time in MPI but for `MPI_Init` and `MPI_Finalize`, which have none.
    pub share: Reading<Ratio>,
    pub longest: Nanoseconds,
    pub sent: Reading<Bytes>,
    pub received: Reading<Bytes>,
    /// Ranks that called it.
    pub ranks: u64,
}

/// One call at one place of the program, on one communicator.
#[derive(Debug, Clone, PartialEq)]
pub struct MpiSiteRow {
    pub call: String,
    pub place: Reading<CodePlace>,
    pub communicator: Reading<String>,
    pub calls: CallTime,
    /// Of all time in MPI but for `MPI_Init` and `MPI_Finalize`, which have none.
    pub share: Reading<Ratio>,
    pub longest: Nanoseconds,
    pub sent: Reading<Bytes>,
    pub received: Reading<Bytes>,
    pub ranks: u64,
    /// The rank that was there for the shortest and for the longest time; unavailable for what is no rank.
    pub least: Reading<(u32, Nanoseconds)>,
    pub most: Reading<(u32, Nanoseconds)>,
    /// Of the time, over all ranks, what was waiting for ranks that came later.
    pub waiting: Reading<Nanoseconds>,
}

/// Messages of 0 bytes (`bits` 0), or of at least 2^(bits-1) and less than 2^bits bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageSizeRow {
    pub family: MessageFamily,
    pub bits: u32,
    pub messages: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CommunicatorRow {
    pub name: String,
    /// Of the smallest and the largest that have this name.
    pub sizes: (u32, u32),
    /// How many there were that differ in their ranks; one each where these are not known.
    pub groups: Reading<u64>,
    pub calls: CallTime,
    pub ranks: u64,
}

/// What was sent from whom to whom. A one-sided read is sent by the one that is read from.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeTables {
    pub by_rank: TrafficMatrix,
    /// Rows are [`VolumeTables::hosts`].
    pub by_host: Reading<TrafficMatrix>,
    pub hosts: Vec<String>,
    /// Messages that found no place, and their bytes.
    pub lost: (u64, Bytes),
}

/// Messages from rows to columns: no more than 128 of each, whatever the number of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficMatrix {
    /// Rows, and columns.
    pub size: u32,
    /// So many neighbouring ranks (or hosts) are one row.
    pub group: u32,
    /// Those that are not zero, by row and column.
    pub cells: Vec<TrafficCell>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrafficCell {
    pub from: u32,
    pub to: u32,
    pub messages: u64,
    pub bytes: Bytes,
}
