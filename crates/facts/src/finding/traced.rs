//! What findings rest on of a run of which the calls of MPI were traced.

use serde::Serialize;

use crate::Reading;
use crate::activity::CodePlace;

/// Times are sums over ranks, where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TracedQuantity {
    /// Waiting that a rank explains by what it computed before a call; `of`: all waiting.
    WaitingForComputing,
    /// Of that, because a thread of it came last in a region; because of what it did outside of regions.
    WaitingForThread,
    WaitingForSerial,
    /// The same because of its calls on files.
    WaitingForFiles,
    /// How long it computes there in all; `of`: the other ranks on average, where any comes there.
    ComputingThere,
    /// Of that, what came through ranks that waited themselves.
    ThroughOthers,
    /// Ranks that waited for it.
    RanksThatWaited,
    /// The traced time, by the clock, if the rank computed there as long as the others on average; `of`: the traced time.
    TimeIfAsOthers,
    /// The same if it did not compute there at all: no other rank makes that call.
    TimeIfNotAtAll,
    /// The same if all ranks computed equally long before the same calls.
    TimeIfEqual,
    /// The same if no send waited for its receive.
    TimeIfPosted,
    /// Waiting of sends for their receives; `of`: all waiting.
    WaitingOfSends,
    /// Waiting in a call for a message while the one was there that another call received soon after; `of`: all waiting.
    WaitingOutOfOrder,
    /// How often.
    TimesOutOfOrder,
    /// Waiting of threads for one another in a region, at its barriers and at its end; `of`: all waiting in OpenMP.
    WaitingInRegion,
    /// How often the region was opened and threads waited; `of`: how often it was opened.
    RegionsUneven,
    /// How much later a thread came than the last of the others, in all; `of`: how often it came last.
    ThreadLate,
    /// When the longest of that began, since the begin of all; `of`: how long it was.
    LongestLate,
    /// The traced time if threads of the region had equal work; `of`: the traced time.
    TimeIfThreadsEqual,
    /// Time outside of regions and calls; `of`: all time of ranks.
    SerialOfRanks,
    /// What other threads of these ranks idled meanwhile.
    IdleMeanwhile,
    /// The same time at one place; `of`: at all.
    SerialBetween,
    /// How long a thread was ready without a CPU, by samples; `of`: the traced time.
    ThreadWithoutCpu,
    /// When the longest of that began, since the begin of all; `of`: how long it was.
    LongestWithoutCpu,
    /// What others waited in MPI for its rank while it had none.
    WaitedMeanwhile,
    /// The traced time if that were divided over all threads of each rank; `of`: the traced time.
    TimeIfDivided,
}

/// A parallel region, or a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RegionOrCall {
    /// None: a region.
    pub call: Option<String>,
    pub place: Reading<CodePlace>,
}
