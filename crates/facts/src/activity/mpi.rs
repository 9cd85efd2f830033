//! Calls of MPI, and what they moved.

use numawise_units::{Bytes, Nanoseconds};
use serde::{Deserialize, Serialize};

use super::CodeAddress;
use crate::Reading;

/// What a process had to do with MPI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MpiActivity {
    pub library: MpiLibrary,
    /// Both Open MPI and MPICH were loaded: calls of both are those of the one that the loader finds first.
    pub has_several: bool,
    pub rank: Reading<WorldRank>,
    /// A number for the launcher's name of its `MPI_COMM_WORLD`: another one for each that `MPI_Comm_spawn` makes; none where it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<u64>,
    /// When `MPI_Init` began and returned, and the same of `MPI_Finalize`.
    pub initialised: Reading<[Nanoseconds; 2]>,
    pub finalised: Reading<[Nanoseconds; 2]>,
    /// Of the first thread, from the end of `MPI_Init` to the begin of `MPI_Finalize`, where it called both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_thread: Option<CpuUse>,
}

/// What a thread computed, and how long it was ready and waited for a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuUse {
    pub processor: Nanoseconds,
    pub run_delay: Nanoseconds,
}

/// Which MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MpiLibrary {
    OpenMpi,
    /// MPICH and those that share its binary interface.
    Mpich,
    /// One behind the standard binary interface of MPI 5.0 (`libmpi_abi`).
    Standard,
    /// Another one: its calls are counted and timed, and no more is known of them.
    Other,
}

/// A rank of `MPI_COMM_WORLD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldRank {
    pub rank: u32,
    pub size: u32,
}

/// A communicator, or several of the same ranks that followed one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Communicator {
    pub name: String,
    /// Its ranks; those of the other group, for an intercommunicator.
    pub size: u32,
    pub rank: u32,
    pub lives: u32,
    pub is_inter: bool,
    /// The same number in all processes for the same ranks in the same order.
    pub members: Reading<u64>,
}

/// How many calls, and how long they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTime {
    pub count: u64,
    pub time: Nanoseconds,
}

/// One call of MPI at one place of the program on one communicator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// As in C: `MPI_Send`.
    pub call: String,
    /// Where it returns to.
    pub at: Reading<CodeAddress>,
    /// Which of the process's communicators; none where the call has none.
    pub communicator: Option<u16>,
    pub calls: CallTime,
    pub longest: Nanoseconds,
    /// Bytes handed over and taken in.
    pub sent: Reading<Bytes>,
    pub received: Reading<Bytes>,
}

/// The call of MPI that a thread began last, of a process that did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastCall {
    pub call: String,
    /// Where it returns to.
    pub at: Reading<CodeAddress>,
    /// How long the thread was in it when the process ended; none where it had returned.
    pub within: Option<Nanoseconds>,
}

/// Messages to and from one rank of `MPI_COMM_WORLD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerTraffic {
    pub rank: u32,
    pub sent_messages: u64,
    pub sent: Bytes,
    pub received_messages: u64,
    pub received: Bytes,
    /// Read from its windows.
    pub fetched: Bytes,
}

/// Calls whose message sizes are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageFamily {
    Send,
    Receive,
    Collective,
    OneSided,
    File,
}

/// How many messages of a family have sizes of so many bits: 0, 1, 2 to 3, 4 to 7 bytes, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSizes {
    pub family: MessageFamily,
    pub bits: u32,
    pub messages: u64,
}

/// The name of a call as in C, without what all begin with and the ending of large counts: `Bcast` of `MPI_Bcast_c`.
pub fn plain_call(call: &str) -> &str {
    let name = call.strip_prefix("MPI_").unwrap_or(call);
    name.strip_suffix("_c").unwrap_or(name)
}

/// Whether such a call ends in no rank before all of its communicator have begun it, whatever is sent.
pub fn needs_all_ranks(call: &str) -> bool {
    matches!(plain_call(call), "Barrier" | "Allreduce" | "Allgather" | "Alltoall")
}

/// Of a call that begins what another one ends: `bcast` of `MPI_Ibcast`, `send` of `MPI_Isend`.
pub fn begun_call(call: &str) -> Option<&str> {
    let rest = plain_call(call).strip_prefix('I')?;
    rest.starts_with(|first: char| first.is_ascii_lowercase()).then_some(rest)
}

const OF_ALL: [&str; 17] = [
    "Allgather",
    "Allgatherv",
    "Allreduce",
    "Alltoall",
    "Alltoallv",
    "Alltoallw",
    "Barrier",
    "Bcast",
    "Exscan",
    "Gather",
    "Gatherv",
    "Reduce",
    "Reduce_scatter",
    "Reduce_scatter_block",
    "Scan",
    "Scatter",
    "Scatterv",
];

/// Returns when all ranks, or those that it needs, have come.
pub fn is_collective(call: &str) -> bool {
    OF_ALL.contains(&plain_call(call))
}

/// Begins such a call, which another one ends: `MPI_Ibcast`.
pub fn begins_collective(call: &str) -> bool {
    begun_call(call).is_some_and(|name| {
        name.starts_with("neighbor_") || OF_ALL.iter().any(|call| call.eq_ignore_ascii_case(name))
    })
}

/// Returns when the other rank receives, or before.
pub fn is_send(call: &str) -> bool {
    matches!(plain_call(call), "Send" | "Ssend" | "Rsend")
}
