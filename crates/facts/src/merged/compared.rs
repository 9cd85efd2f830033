//! Calls of MPI that merged ranks made together, to be compared with one another.

use numawise_units::{Nanoseconds, TimeSum};
use serde::{Deserialize, Serialize};

/// Kinds of calls of which some are kept: collective calls of one name on communicators of one name, messages on communicators of one name.
pub const MOST_COMPARED_KINDS: usize = 64;
/// Calls of a kind: those with the lowest keys, which are drawn at random that way.
pub const MOST_COMPARED_CALLS: usize = 128;
/// Places from which the ranks of one call make it.
pub const MOST_COMPARED_PLACES: usize = 8;

/// A blocking collective call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedCollective {
    /// The same in all its ranks, and in no other call.
    pub key: u64,
    /// Ranks of its communicator: they differ where ranks took different calls for this one.
    pub sizes: (u32, u32),
    /// Of the rank that was in it for the shortest time.
    pub shortest: Nanoseconds,
    /// Its ranks that drew it, in the order of their places; all of them where nobody's is missing.
    pub ranks: Vec<ComparedRanks>,
}

/// Ranks that make a call from one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedRanks {
    /// The number of its [`super::MergedSite`].
    pub site: u64,
    /// Whether it was among the first calls of its site.
    pub is_first: bool,
    pub count: u64,
    pub time: TimeSum,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedMessage {
    /// The same in both ranks, and of no other message.
    pub key: u64,
    pub send: Option<MessageEnd>,
    pub receive: Option<MessageEnd>,
    /// More than one rank sent it, or received it: then it cannot be compared.
    pub is_ambiguous: bool,
}

/// A message in the rank that sends or receives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MessageEnd {
    /// A number of the host, the same in all its ranks: they have their clock in common.
    pub host: u64,
    /// The number of its [`super::MergedSite`].
    pub site: u64,
    /// Whether it was among the first calls of its site.
    pub is_first: bool,
    /// By the monotonic clock of the host.
    pub begun: Nanoseconds,
    pub time: Nanoseconds,
}
