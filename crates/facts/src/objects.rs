//! Memory objects of a program that ran once: where they were allocated, where their pages lay, who touched these first, and who used them.
//!
//! Everything here is as it was counted; shares and intervals are computed later. An index into a list of [`ObjectRun`] is meant where a
//! field says so.

mod code;
mod compiled;
mod cure;
mod flags;
mod loads;
mod traffic;

use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid, Rank};
use serde::{Deserialize, Serialize};

use crate::activity::CodePlace;
pub use code::{
    ArithmeticCeiling, CacheCeiling, Ceilings, CodeObstacle, CodeRuntime, CodeSamples, LoopAccess, LoopLine,
    LoopPass, LoopPassing, LoopSpeed, LoopTrips, LoopWork, MachineLoop, OutsideLoops, PassCount,
    ThreadSamples, UnknownCode,
};
pub use compiled::{CompiledUnit, CompilerFamily, CompilerRecords, LoopObstacle, LoopRemark, ObstacleCause};
pub use cure::{ObjectCure, TriedCure};
pub use flags::{BuildFlags, OutputChange, TriedFlags};
pub use loads::{DataSource, LoadSampler, LoadSamples, SampledLoads};
pub use traffic::{BandwidthMoment, BandwidthOverTime, BandwidthSource, MemoryBound, MemoryBoundSource};

use crate::{Exit, HostFacts, Machine, Notice, Placement, Reading, ResourceUsage, RunSpec};

/// What `numawise objects` keeps of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectRun {
    pub header: ObjectRunHeader,
    pub watching: ObjectWatching,
    /// Threads that allocated, touched or used memory, by process and by when they were first seen.
    pub threads: Vec<ObjectThread>,
    /// Places in the code that objects and samples speak of.
    pub places: Vec<CodePlace>,
    pub objects: Vec<MemoryObject>,
    /// Processes that a launcher made ranks, as far as their environment says it.
    #[serde(default)]
    pub ranks: Vec<ProcessRank>,
    /// Lines of the source that objects and samples speak of, as far as they could be read.
    #[serde(default)]
    pub sources: Vec<SourceExcerpt>,
    #[serde(default = "not_collected")]
    pub bandwidth: Reading<BandwidthOverTime>,
    #[serde(default = "not_collected")]
    pub memory_bound: Reading<MemoryBound>,
    /// Cures that were tried after the run.
    #[serde(default)]
    pub trials: Vec<TriedCure>,
    /// Of a survey of its loops.
    #[serde(default = "not_collected")]
    pub code: Reading<CodeSamples>,
}

/// Records were written before it was collected, and not every machine has it.
fn not_collected<T>() -> Reading<T> {
    Reading::unavailable("it was not collected")
}

/// A process that is a rank of a parallel program, or works for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRank {
    pub process: Pid,
    pub rank: Rank,
}

/// A line of the program's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceExcerpt {
    /// As [`SourcePlace::file`](crate::activity::SourcePlace::file) has it.
    pub file: String,
    /// From 1.
    pub line: u32,
    pub text: String,
}

/// The run but for what was seen in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectRunHeader {
    pub tool_version: String,
    /// When it was begun, in nanoseconds since 1970 (UTC).
    pub begun: Nanoseconds,
    pub command: RunSpec,
    pub host: HostFacts,
    pub machine: Machine,
    /// Where the program was put; missing where that was left to the system.
    pub placement: Option<Placement>,
    /// Missing while the program runs.
    pub exit: Option<Exit>,
    pub wall: Nanoseconds,
    pub usage: ResourceUsage,
    pub notices: Vec<Notice>,
}

/// How the run was watched, and what that left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectWatching {
    /// Allocations of so much and more are objects of their own.
    pub least: Bytes,
    /// Unavailable where the library was in no process.
    pub allocations: Reading<AllocationLog>,
    pub time: Reading<TimeSamples>,
    pub faults: Reading<FaultSamples>,
    /// Loads that the processor sampled itself.
    #[serde(default = "not_collected")]
    pub loads: Reading<LoadSamples>,
    /// CPU time that the watching took from the program, by the measured cost of each sample and each recorded allocation.
    pub cost: Reading<Nanoseconds>,
    /// CPU time of the threads of numawise that followed the program, on whatever CPU was free: mostly for symbols of what it has loaded.
    #[serde(default = "not_collected")]
    pub own_time: Reading<Nanoseconds>,
    /// Of pages that are not huge.
    #[serde(default = "not_collected")]
    pub page_size: Reading<Bytes>,
}

/// What was written down of allocations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocationLog {
    /// Processes with the library.
    pub processes: u64,
    /// Allocations and frees, mapped and unmapped.
    pub events: u64,
    /// Events that found no place.
    pub dropped: u64,
    /// Allocations of which the call stack is not known: there were too many different ones.
    pub without_stack: u64,
    /// Allocations that were not written down, as others that are alike stand for them.
    #[serde(default)]
    pub passed: u64,
}

/// Samples by the clock of each CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSamples {
    /// CPU time of the program from one sample to the next.
    pub period: Nanoseconds,
    pub samples: u64,
    /// Of these, with memory that the thread was waiting for.
    pub with_memory: u64,
    /// An instruction accesses memory there, at an address that does not follow from the registers.
    pub unknown_address: u64,
    /// The thread spun until another one did something, as at barriers of OpenMP: no memory was waited for.
    #[serde(default)]
    pub spinning: u64,
    pub lost: u64,
    pub skid: Skid,
    #[serde(default)]
    pub method: AccessMethod,
}

/// How the memory of a sample is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessMethod {
    /// An interrupt is taken one instruction after the one that the thread waited for: a sample is of its memory.
    #[default]
    Waited,
    /// Interrupts are taken elsewhere: a sample is of all memory that one pass of the loop around it accesses, in equal parts. Nothing is
    /// told where the loop has more than one way through.
    Passes,
}

/// Where the interrupts of the clock were taken in a loop of which each pass waits for one load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skid {
    pub samples: u64,
    /// On the instruction after the load.
    pub one_after: u64,
}

impl Skid {
    /// Enough samples, and nearly all of them one instruction late. The prototype had 89 to 97 % on processors, and nearly none
    /// under emulation.
    pub fn is_one_instruction(&self) -> bool {
        self.samples >= 20 && self.one_after * 5 >= self.samples * 4
    }
}

/// Samples of the first accesses to pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultSamples {
    pub samples: u64,
    /// Faults that they stand for.
    pub faults: u64,
    pub lost: u64,
    #[serde(default)]
    pub method: TouchMethod,
    /// Page faults that were taken in system calls, as by read(2) into a new buffer: of no object that is known.
    #[serde(default = "not_collected")]
    pub in_system_calls: Reading<u64>,
    /// Page faults of pages that were there before, which are no first accesses: the kernel takes pages away for a moment to see who uses them
    /// (NUMA balancing), and copies those of a process that forks.
    #[serde(default = "not_collected")]
    pub again: Reading<u64>,
}

/// How first accesses to pages were seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TouchMethod {
    /// The kernel sampled page faults: their addresses, and where they were taken.
    #[default]
    Faults,
    /// The page faults of each thread were counted from one sample of time to the next. Which memory they were of is an estimate: what the thread
    /// accessed at these samples.
    Counted,
}

/// A thread of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectThread {
    pub process: Pid,
    pub tid: Pid,
    pub name: Reading<String>,
    /// By when it was first seen in its process; 0 began it.
    pub number: u32,
}

/// What kind of memory an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// From an allocator.
    Heap,
    /// Mapped by the program, private.
    Mapped,
    /// Mapped by the program, shared with others or with a file.
    Shared,
    /// A variable of a file that was loaded.
    Global,
    /// The stacks of threads.
    Stack,
    /// All allocations that are too small to be objects of their own; and, where `allocated` is known, those among them of one call stack,
    /// whose bytes are estimated from those that were drawn.
    Small,
    /// What was seen of memory that is none of these.
    Other,
}

/// Memory that one place in the program allocated: all allocations of one call stack in one process, or one variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryObject {
    pub kind: ObjectKind,
    pub process: Pid,
    /// The variable.
    pub name: Reading<String>,
    /// The call stack of its allocation from the innermost function on; of a variable the place where it is defined. Indices of
    /// [`ObjectRun::places`].
    pub allocated: Reading<Vec<u32>>,
    /// Allocations.
    pub count: u64,
    /// Some of its allocations stand for others that were not written down: their number and bytes are estimates.
    #[serde(default)]
    pub is_estimate: bool,
    /// The most that was there at one time.
    pub bytes: Bytes,
    /// Of all allocations together.
    pub total: Bytes,
    /// From the begin of the run to the first allocation.
    pub begun: Nanoseconds,
    /// The same to when the last was freed; unavailable where it lived to the end.
    pub ended: Reading<Nanoseconds>,
    pub pages: Reading<Vec<ObjectPages>>,
    pub first_touch: Vec<FirstTouch>,
    pub touch_places: Vec<PlaceCount>,
    pub uses: Vec<ObjectUse>,
    /// Which part of the object each thread uses: whether threads divide it among them.
    pub parts: Vec<PartUse>,
    pub use_places: Vec<PlaceUse>,
    /// Which lines of some of its pages each thread uses: whether nodes share pages of which each uses other bytes.
    #[serde(default)]
    pub lines: Vec<LineUse>,
    #[serde(default = "not_collected")]
    pub huge_pages: Reading<HugePages>,
    /// Loads of it that the processor sampled, by where their data came from: each once, in the order of [`DataSource`].
    #[serde(default)]
    pub loads: Vec<SampledLoads>,
    /// Where the calls of its allocation return to, innermost first, [`SITE_FRAMES`] at most; of a variable where it lies. A place stands for its
    /// whole line, this for one call.
    #[serde(default = "not_collected")]
    pub site: Reading<Vec<FileAddress>>,
}

/// Frames of a call stack that are kept: those of the C++ library in a build without optimisation, and the program's own behind them.
pub const SITE_FRAMES: usize = 12;

/// An address in a file that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub struct FileAddress {
    pub file: String,
    pub address: u64,
}

/// How much of an object lay in huge pages, when it was seen with most memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HugePages {
    /// The size of a page that is not huge.
    pub page: Bytes,
    /// What of it had memory. Mappings that hold several objects are divided by their bytes.
    pub resident: Bytes,
    /// Of this, in pages above that size, transparent and reserved ones.
    pub huge: Bytes,
}

/// Where the pages of an object lay at one moment, estimated from some of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectPages {
    /// Since the begin of the run.
    pub at: Nanoseconds,
    /// Pages that were looked at, and where they lay.
    pub looked_at: u64,
    pub on_nodes: Vec<(NodeId, u64)>,
    /// The bytes that the object had at this moment.
    pub bytes: Bytes,
}

/// Page faults of a thread on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstTouch {
    /// Index of [`ObjectRun::threads`].
    pub thread: u32,
    pub cpu: CpuId,
    /// Index of [`ObjectRun::places`].
    #[serde(default)]
    pub place: Option<u32>,
    pub samples: u64,
    pub faults: u64,
}

/// Page faults at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceCount {
    /// Index of [`ObjectRun::places`].
    pub place: u32,
    pub faults: u64,
}

/// Samples in which a thread on a CPU was waiting for memory of the object.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ObjectUse {
    /// Index of [`ObjectRun::threads`].
    pub thread: u32,
    pub cpu: CpuId,
    /// Where the page lay; missing where it was gone or could not be asked for.
    pub node: Option<NodeId>,
    /// An instruction that accesses several objects counts for each of them by its part.
    pub samples: f64,
    pub reads: f64,
}

/// Objects are divided into so many parts of equal length.
pub const PARTS: u8 = 64;

/// Samples of a thread in one part of an object.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartUse {
    /// Index of [`ObjectRun::threads`].
    pub thread: u32,
    /// Below [`PARTS`].
    pub part: u8,
    pub samples: f64,
}

/// Pages of an object are divided into so many lines, of 64 bytes where pages have 4 KiB.
pub const LINES: u8 = 64;

/// Samples of a thread in one line of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LineUse {
    /// A number for each page of the object of which lines are known.
    pub page: u32,
    /// Below [`LINES`].
    pub line: u8,
    /// Index of [`ObjectRun::threads`].
    pub thread: u32,
    pub samples: f64,
}

/// The same at a place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlaceUse {
    /// Index of [`ObjectRun::places`].
    pub place: u32,
    pub samples: f64,
    pub reads: f64,
}

/// How many calls further out call stacks of one line differ, each from the innermost place on; none where they are the same.
pub fn first_difference<'a, T: PartialEq + 'a>(
    stacks: impl Iterator<Item = &'a [T]> + Clone,
) -> Option<usize> {
    let first = stacks.clone().next()?;
    let deepest = stacks.clone().map(<[T]>::len).max()?;
    (1..deepest).find(|depth| stacks.clone().any(|stack| stack.get(*depth) != first.get(*depth)))
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_nearest_call_that_differs_tells_call_stacks_apart() {
        let difference = |stacks: &[&[u32]]| first_difference(stacks.iter().copied());
        assert_eq!(difference(&[&[1, 2, 3], &[1, 4, 3]]), Some(1));
        assert_eq!(difference(&[&[1, 2, 3], &[1, 2, 5], &[1, 2, 3]]), Some(2));
        assert_eq!(difference(&[&[1, 2], &[1, 2, 5]]), Some(2), "one was called by nobody that is known");
        assert_eq!(difference(&[&[1, 2, 3], &[1, 2, 3]]), None, "of two processes");
        assert_eq!(difference(&[&[1, 2, 3]]), None);
        assert_eq!(difference(&[]), None);
    }
}
