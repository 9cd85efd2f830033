//! What findings rest on of a run of which the calls of MPI were traced.

use serde::Serialize;

/// Times are sums over ranks, where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TracedQuantity {
    /// Waiting that a rank explains by what it computed before a call; `of`: all waiting.
    WaitingForComputing,
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
}
