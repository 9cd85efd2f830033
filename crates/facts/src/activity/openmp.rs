//! Constructs of OpenMP, and the time in them.

use numawise_units::Nanoseconds;
use serde::{Deserialize, Serialize};

use super::{CodeAddress, StateTimes};
use crate::Reading;

/// Which runtimes told of what a process did in OpenMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenMpRuntimes {
    pub libgomp: bool,
    /// LLVM's, Intel's or another with OMPT.
    pub ompt: bool,
    /// Another tool was there for OMPT: what such a runtime did was told to that one.
    pub has_other_tool: bool,
}

/// What a construct is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstructName {
    /// What lies outside of all constructs.
    Outside,
    /// What found no place of its own.
    Others,
    Parallel,
    Teams,
    /// Tasks that run.
    Task,
    Loop,
    Sections,
    Single,
    Barrier,
    Taskwait,
    Taskgroup,
    Taskloop,
    Critical,
    Atomic,
    Ordered,
    Lock,
    /// Offloading, which is counted only.
    Target,
    /// Where tasks are made.
    TaskCreation,
    /// The line of a program in Python by which the regions in it are opened.
    PythonLine,
}

/// How a loop's iterations are handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenMpSchedule {
    Static,
    Dynamic,
    Guided,
    /// As `OMP_SCHEDULE` or `omp_set_schedule` says.
    Runtime,
    Distribute,
}

/// One construct within what it stands in, as one thread saw it. Times are exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Construct {
    /// The same in all threads of the process.
    pub key: u64,
    /// The key of what it stands in.
    pub parent: u64,
    pub name: ConstructName,
    /// The function that the compiler made of it, or the place of the call.
    pub at: Reading<CodeAddress>,
    pub schedule: Reading<OpenMpSchedule>,
    /// How often the thread took part.
    pub calls: u64,
    /// How often it opened the region, or was the one thread of a single.
    pub opened: u64,
    /// From opening to closing, of regions that it opened.
    pub wall: Nanoseconds,
    pub times: StateTimes,
    /// The longest wait in one piece.
    pub longest: Nanoseconds,
    pub chunks: LoopChunks,
    pub team: Reading<ConstructTeam>,
}

/// What a thread was given of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopChunks {
    pub count: u64,
    pub iterations: u64,
    /// Iterations for all threads, summed over the calls.
    pub trips: u64,
    /// The size that was asked for; 0: none.
    pub size: u64,
}

/// The smallest and the largest team of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstructTeam {
    pub least: u32,
    pub most: u32,
}
