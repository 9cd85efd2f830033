//! What was seen of each process from outside while it ran: numawise that reports for several leave it to one another.

use numawise_units::{Nanoseconds, Pid};
use serde::{Deserialize, Serialize};

use crate::activity::{KernelIo, ProcessSurroundings, SeenThread};
use crate::{Reading, ThreadObservation};

/// One process, as it was seen from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedProcess {
    pub pid: Pid,
    /// When it was last seen alive, by the kernel's monotonic clock.
    pub alive: Nanoseconds,
    pub threads: Vec<ObservedThread>,
    pub surroundings: ProcessSurroundings,
    /// What the kernel had accounted to it from its begin until it was looked at last.
    pub io: Reading<KernelIo>,
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
