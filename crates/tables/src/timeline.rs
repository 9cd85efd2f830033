//! How a job went: many samples of it, as tables and lines that only need to be shown.

use numawise_units::{Bytes, Nanoseconds, NodeId, Pid, Ratio};
use serde::Serialize;

use crate::NodeColumn;
use numawise_facts::notice::ResidencyNotice;
use numawise_facts::{Notice, Reading};

/// A job over time. Moments are since 1970-01-01 UTC.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timeline {
    pub samples: u64,
    /// One for each time that recording was begun.
    pub sessions: Vec<SessionSpan>,
    /// All nodes of the machine, and those that appear without being in it.
    pub nodes: Vec<NodeColumn>,
    /// All tasks together: one for each of [`Timeline::nodes`].
    pub by_node: Vec<NodeTimeline>,
    pub total: MemoryChange,
    /// CPUs that were busy on average, over the time between samples.
    pub busy: Reading<Ratio>,
    pub local: Reading<LocalChange>,
    /// How often threads were moved to another CPU while it was sampled.
    pub migrations: Reading<u64>,
    /// By rank where there are ranks, then by the moment they were first seen.
    pub tasks: Vec<TaskTimeline>,
    /// For charts: in the order of time, each for one sample or for [`Timeline::samples_per_moment`] of them.
    pub moments: Vec<Moment>,
    pub samples_per_moment: u64,
    /// What could not be seen.
    pub unavailable: Vec<ResidencyNotice>,
    /// That the machine was emulated, where it was.
    pub rehearsal: Option<Notice>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SessionSpan {
    pub first: Nanoseconds,
    pub last: Nanoseconds,
    pub samples: u64,
}

/// Resident memory over time. Samples that could not see it are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryChange {
    pub first: Reading<Bytes>,
    pub last: Reading<Bytes>,
    pub peak: Reading<Bytes>,
    /// When the peak was first seen.
    pub peak_at: Reading<Nanoseconds>,
}

/// What of the job was on a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeTimeline {
    pub node: NodeId,
    pub memory: MemoryChange,
    /// CPUs that its threads kept busy here on average.
    pub busy: Reading<Ratio>,
}

/// The share of pages that lie where the threads of their tasks run: see [`LocalShare::at_most`](crate::LocalShare).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LocalChange {
    pub first: Ratio,
    pub last: Ratio,
    pub least: Ratio,
    /// When the least was first seen.
    pub least_at: Nanoseconds,
}

/// A process over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskTimeline {
    pub pid: Pid,
    /// Since the start of the system. With `pid` it names the process for good.
    pub started: Nanoseconds,
    /// Name and command as last seen.
    pub name: String,
    pub command: Reading<String>,
    pub rank: Reading<u32>,
    pub first_seen: Nanoseconds,
    pub last_seen: Nanoseconds,
    /// The most threads that any sample saw.
    pub threads: Reading<u64>,
    pub memory: MemoryChange,
    /// Its memory on each of [`Timeline::nodes`] when last seen.
    pub by_node: Reading<Vec<Bytes>>,
    pub busy: Reading<Ratio>,
    pub local: Reading<LocalChange>,
    pub migrations: Reading<u64>,
}

/// The job at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moment {
    pub at: Nanoseconds,
    /// From 0: lines are not drawn from one to the next.
    pub session: u32,
    pub tasks: u64,
    pub threads: u64,
    /// On each of [`Timeline::nodes`]; where it stands for several samples, of the one with the most memory.
    pub memory: Reading<Vec<Bytes>>,
    /// CPUs that are busy on each of [`Timeline::nodes`]; where it stands for several samples, their mean.
    pub busy: Reading<Vec<Ratio>>,
    /// As [`LocalShare::at_most`](crate::LocalShare) of the same sample as the memory.
    pub local: Reading<Ratio>,
}
