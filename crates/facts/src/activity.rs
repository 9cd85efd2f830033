//! What the threads of one process did, as the collector in it noted: their time by state, calls of MPI, constructs of OpenMP.
//!
//! Times of a process count from the moment when it began to be watched. What is not known says why, and is never zero.

mod counter;
mod files;
mod mpi;
mod openmp;
mod phase;
mod places;
mod sample;
mod seen;
mod surroundings;
mod trace;

use std::sync::Arc;

use numawise_units::{CpuId, CpuSet, Nanoseconds, Pid};
use serde::{Deserialize, Serialize};

use crate::Reading;

pub use counter::{
    CacheTraffic, CountedEvents, CountedProcess, CounterAccess, CounterCount, CounterEvent, CounterObstacle,
    ProcessCounters,
};
pub use files::{FileActivity, FileCalls, FileOperation, KernelIo, ProcessIo};
pub use mpi::{
    CallSite, CallTime, Communicator, CpuUse, LastCall, MessageFamily, MessageSizes, MpiActivity, MpiLibrary,
    PeerTraffic, WorldRank, begins_collective, begun_call, is_collective, is_send, needs_all_ranks,
    plain_call,
};
pub use openmp::{Construct, ConstructName, ConstructTeam, LoopChunks, OpenMpRuntimes, OpenMpSchedule};
pub use phase::{ActivityPhases, PhaseActivity, PhaseName};
pub use places::SourcePlaces;
pub use sample::{CallSample, SampledCall};
pub use seen::{SeenChange, SeenKind, SeenThread};
pub use surroundings::{MemoryByNode, MemoryMoment, ProcessSurroundings};
pub use trace::{
    ClockMove, MessageSide, ROOT_ITSELF, SpanKind, SpanName, ThreadTrace, TraceLoss, TracedCall, TracedKind,
    TracedMessage, TracedSite, TracedSpan, WindowStep,
};

/// One process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    pub pid: Pid,
    pub parent: Pid,
    pub host: String,
    /// The path of the program as it was started.
    pub program: String,
    /// When it began to be watched, since 1970-01-01 UTC.
    pub began: Nanoseconds,
    /// Up to the last moment that was noted: the end, or at most 10 ms before the last call that is watched.
    pub elapsed: Reading<Nanoseconds>,
    pub end: ProcessEnd,
    /// A child of fork; it was watched from there on.
    pub is_forked: bool,
    /// It forbade system calls to itself: from then on the kernel was not asked for anything.
    #[serde(default)]
    pub is_sandboxed: bool,
    pub mpi: Reading<MpiActivity>,
    pub openmp: Reading<OpenMpRuntimes>,
    /// The files that hold the addresses of this process.
    pub files: Vec<CodeFile>,
    pub communicators: Vec<Communicator>,
    /// Unavailable where the clock's rate is not known.
    pub threads: Reading<Vec<ThreadActivity>>,
    pub surroundings: ProcessSurroundings,
    pub io: ProcessIo,
    /// Unavailable where the clock's rate is not known.
    pub phases: Reading<ActivityPhases>,
    /// Calls of MPI that were drawn; unavailable as above.
    pub samples: Reading<Vec<CallSample>>,
    pub lost: ActivityLosses,
    /// Of a trace; none where all of the job are on one computer, or nothing tells how their clocks differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockMove>,
}

impl Activity {
    /// The path of one of its files: the end of it, where it is long, and the program's own for the program.
    pub fn path(&self, file: u32) -> Option<&str> {
        let path = self.files.get(file as usize)?.path.as_str();
        Some(if path.is_empty() { &self.program } else { path })
    }
}

/// How a process ended, as far as it could still tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessEnd {
    /// By exit or `_exit`.
    Exit,
    /// It called `MPI_Abort`.
    MpiAbort,
    /// It was killed, crashed, became another program, or still runs.
    NotTold,
}

/// What found no place in the tables of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityLosses {
    pub threads: u32,
    pub files: u32,
    pub communicators: u32,
    /// Receives whose bytes are not known.
    pub requests: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceLoss>,
}

/// A file that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFile {
    /// The end of its path; empty for the program itself.
    pub path: String,
}

/// A place in a file that was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CodeAddress {
    /// Which of [`Activity::files`].
    pub file: u32,
    /// The address in the file.
    pub address: u64,
}

/// What symbols and debugging information say of a place in the code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourcePlace {
    /// As people write it, without the compiler's changes of the name.
    pub function: Reading<String>,
    pub file: Reading<String>,
    pub line: Reading<u32>,
}

impl SourcePlace {
    /// A line of a header of the system, as the allocators of containers have: what asked for something stands further out.
    pub fn is_of_system(&self) -> bool {
        self.file.measured().is_some_and(|file| is_system_source(file))
    }
}

/// True for the headers of the system, and for what compilers and interpreters bring along: the standard libraries of C++, Rust and Python, and
/// packages that are installed for the last.
pub fn is_system_source(file: &str) -> bool {
    const BEGIN: [&str; 8] = [
        "/usr/include/",
        "/usr/lib/gcc",
        "/usr/lib/llvm",
        "/usr/lib/clang",
        "/rustc/",
        "/usr/lib/rustlib/",
        // Of Python what is a part of the interpreter, and what NumPy before 1.25 made at its begin.
        "<frozen ",
        "<__array_function__",
    ];
    const INSIDE: [&str; 9] = [
        "/include/c++/",
        "/libstdc++-v3/",
        "/lib/gcc/",
        "/lib/clang/",
        "/lib64/clang/",
        "/rustlib/src/rust/",
        "/site-packages/",
        "/dist-packages/",
        "/lib/python3.",
    ];
    BEGIN.iter().any(|begin| file.starts_with(begin)) || INSIDE.iter().any(|inside| file.contains(inside))
}

/// A place in the code of the program or of a library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodePlace {
    /// The file that was loaded: the end of its path.
    pub file: String,
    pub address: u64,
    /// What symbols and debugging information say.
    pub source: SourcePlace,
}

impl CodePlace {
    /// Whether both are of one line, of which compilers make several places.
    pub fn is_of_line_of(&self, other: &CodePlace) -> bool {
        self.source.line.measured().is_some() && (&self.file, &self.source) == (&other.file, &other.source)
    }
}

/// What one thread did, or several that had its place one after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreadActivity {
    pub tid: Pid,
    /// The one that began the process.
    pub is_first: bool,
    /// How many had the place; begin, end and switches are those of the last one, all else is of all of them.
    pub lives: u32,
    /// The function that it runs, and whose work that is.
    pub start: Reading<CodeAddress>,
    pub role: Reading<ThreadRole>,
    pub begin: Nanoseconds,
    pub end: Reading<Nanoseconds>,
    pub times: Reading<StateTimes>,
    /// How long it computed, by the scheduler's clock.
    pub processor: Reading<Nanoseconds>,
    pub switches: Reading<ThreadSwitches>,
    pub cpus: Reading<CpuStays>,
    /// The CPUs on which it may run, as they were last seen.
    pub mask: Reading<CpuSet>,
    /// How long it was ready to run and waited for a CPU.
    #[doc(alias = "schedstat")]
    pub run_delay: Reading<Nanoseconds>,
    /// Processor time by CPU, from samples: each span stands with the CPU where the thread was at its end.
    pub cpu_time_on: Reading<Vec<(CpuId, Nanoseconds)>>,
    pub calls: Vec<CallSite>,
    /// Missing where the process came to its end, or called no MPI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_call: Option<LastCall>,
    /// Calls of MPI that found no place among `calls`.
    pub lost_calls: CallTime,
    pub peers: Vec<PeerTraffic>,
    /// Messages that found no place among `peers`, and their bytes.
    pub lost_messages: [u64; 2],
    pub messages: Vec<MessageSizes>,
    pub constructs: Vec<Construct>,
    /// Constructs that found no place among `constructs`, each time that they were met.
    pub lost_constructs: u64,
    /// Its time in these calls is part of its times by state.
    pub files: FileActivity,
    /// Its calls of MPI one by one, where a trace was made; kept apart in records.
    #[serde(skip)]
    pub trace: Option<Arc<ThreadTrace>>,
}

/// Whose work a thread does, by the library that it lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadRole {
    /// The program's.
    Worker,
    /// It belongs to the team of an OpenMP runtime.
    OpenMp,
    /// It serves the program in the background, for MPI, a network or a GPU: its time is not the program's.
    Helper,
}

/// A thread's time by what it did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTimes {
    /// In the program's own code, or in what is not watched.
    pub useful: Nanoseconds,
    pub mpi: Nanoseconds,
    /// Waits for other threads of its team.
    pub barrier: Nanoseconds,
    /// Is given work: is woken, asks for a chunk, makes tasks.
    pub scheduling: Nanoseconds,
    /// A worker outside of parallel regions.
    pub idle: Nanoseconds,
    /// Waits for a critical section or a lock.
    pub lock: Nanoseconds,
}

impl StateTimes {
    /// One after the other, as they stand.
    pub fn each(&self) -> [Nanoseconds; 6] {
        [self.useful, self.mpi, self.barrier, self.scheduling, self.idle, self.lock]
    }

    pub fn total(&self) -> Nanoseconds {
        Nanoseconds(self.each().into_iter().fold(0, |sum, time| sum.saturating_add(time.0)))
    }
}

/// How often a thread gave its CPU away, and how often that was taken from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadSwitches {
    pub voluntary: u64,
    pub forced: u64,
}

/// Where a thread was found at its begin and when its state changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuStays {
    /// CPUs, and how often it was found there anew.
    pub cpus: Vec<(CpuId, u64)>,
    /// The same on further CPUs, which are not told apart.
    pub others: u64,
    pub migrations: u32,
}
