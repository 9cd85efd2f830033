//! What was seen of each process from outside while it ran: numawise that reports for several leave it to one another.

use numawise_units::{Bytes, Nanoseconds, NodeId, Pid};
use serde::{Deserialize, Serialize};

use crate::activity::{KernelIo, SeenThread};
use crate::{Reading, ThreadObservation};

/// One process, as it was seen from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedProcess {
    pub pid: Pid,
    /// When it was last seen alive, by the kernel's monotonic clock.
    pub alive: Nanoseconds,
    pub threads: Vec<ObservedThread>,
    /// The largest `VmHWM` and `VmSwap`.
    pub peak_memory: Reading<Bytes>,
    pub swapped: Reading<Bytes>,
    pub memory: Reading<ObservedMemory>,
    /// What the kernel had accounted to it from its begin until it was looked at last.
    pub io: Reading<KernelIo>,
}

/// The memory of a process by node, with the moments by the kernel's monotonic clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedMemory {
    pub last: (Nanoseconds, Vec<(NodeId, Bytes)>),
    /// When most of it was resident.
    pub most: (Nanoseconds, Vec<(NodeId, Bytes)>),
}

/// One thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedThread {
    pub observation: ThreadObservation,
    /// How long it had been ready and waited for a CPU when it was seen last.
    pub run_delay: Reading<Nanoseconds>,
    /// What changed of it, and of the memory of its process where it is the first one.
    #[serde(default)]
    pub seen: SeenThread,
}
