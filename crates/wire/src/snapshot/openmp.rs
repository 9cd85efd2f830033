//! What one thread did in the constructs of OpenMP.
//!
//! One row for each pair of a construct and what it stands in, so that a region inside another, or inside a task, has a row
//! of its own. Times are exclusive: a row holds what was not spent in a row beneath it. The time of a region with all that is
//! in it is its own and that of the rows whose parents lead to it; the sum of all rows is the thread's time since
//! it was first seen in OpenMP.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use crate::Variable;

/// The variable by which a user gives tools of his own to the runtimes that have OMPT (OpenMP's name).
pub const TOOLS: Variable = Variable(c"OMP_TOOL_LIBRARIES");

/// As many as a slot has.
const STATES: usize = 8;

/// Rows of a thread; a program with more constructs has the rest in [`OTHERS`].
pub const ROWS: usize = 96;
/// Places of the hash index over the rows; each holds the number of a row, or 0.
pub const ROW_INDEX: usize = 256;
/// The row of everything outside of constructs.
pub const ROOT: u32 = 0;
/// The row of what found no place.
pub const OTHERS: u32 = 1;
/// The key of [`ROOT`].
pub const ROOT_KEY: u64 = 1;
/// The key of [`OTHERS`].
pub const OTHERS_KEY: u64 = 2;
/// Constructs that stand deeper have one parent, [`OTHERS_KEY`]: a recursion through several constructs would fill the table.
pub const DEEPEST: u16 = 8;
/// The count of calls for a chunk that one timed call stands for.
pub const CHUNKS_PER_SAMPLE: u64 = 32;

/// What a row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum ConstructKind {
    Root = 0,
    Others = 1,
    Parallel = 2,
    Teams = 3,
    /// Tasks that run.
    Task = 4,
    Loop = 5,
    Sections = 6,
    Single = 7,
    /// Of its own, or at the end of a worksharing construct that the compiler handled itself.
    Barrier = 8,
    Taskwait = 9,
    Taskgroup = 10,
    /// A loop whose chunks become tasks; the tasks are rows beneath what it stands in.
    Taskloop = 11,
    Critical = 12,
    Atomic = 13,
    Ordered = 14,
    Lock = 15,
    /// Offloading: counted only.
    Target = 16,
    /// Where tasks are made.
    TaskCreation = 17,
    /// The line of a program in Python by which regions are opened.
    PythonLine = 18,
}

impl ConstructKind {
    const ALL: [ConstructKind; 19] = [
        ConstructKind::Root,
        ConstructKind::Others,
        ConstructKind::Parallel,
        ConstructKind::Teams,
        ConstructKind::Task,
        ConstructKind::Loop,
        ConstructKind::Sections,
        ConstructKind::Single,
        ConstructKind::Barrier,
        ConstructKind::Taskwait,
        ConstructKind::Taskgroup,
        ConstructKind::Taskloop,
        ConstructKind::Critical,
        ConstructKind::Atomic,
        ConstructKind::Ordered,
        ConstructKind::Lock,
        ConstructKind::Target,
        ConstructKind::TaskCreation,
        ConstructKind::PythonLine,
    ];

    pub fn from_number(number: u16) -> Option<ConstructKind> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// How a loop's iterations are handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum LoopSchedule {
    /// No loop, or not told by the runtime.
    Unknown = 0,
    Static = 1,
    Dynamic = 2,
    Guided = 3,
    /// As OMP_SCHEDULE or omp_set_schedule says.
    Runtime = 4,
    Distribute = 5,
}

impl LoopSchedule {
    const ALL: [LoopSchedule; 6] = [
        LoopSchedule::Unknown,
        LoopSchedule::Static,
        LoopSchedule::Dynamic,
        LoopSchedule::Guided,
        LoopSchedule::Runtime,
        LoopSchedule::Distribute,
    ];

    pub fn from_number(number: u16) -> Option<LoopSchedule> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// One construct within what it stands in.
#[repr(C, align(64))]
pub struct ConstructRow {
    /// 0: free. Made of the address, the kind and the parent's key: the same in every thread of the process.
    pub key: AtomicU64,
    /// Of a region or a task the function that the compiler made of it, where the runtime tells; else the address behind the call.
    pub address: AtomicU64,
    /// The key of what it stands in.
    pub parent: AtomicU64,
    /// [`ConstructKind`], [`LoopSchedule`], depth and [`TOLD_BY_OMPT`]: 16 bits each from below.
    pub kind: AtomicU64,
    /// How often the thread took part.
    pub calls: AtomicU64,
    /// How often the thread opened the region, or found the construct alone (the one thread of a single).
    pub opened: AtomicU64,
    /// From opening to closing, of regions that this thread opened.
    pub wall: AtomicU64,
    pub ticks: [AtomicU64; STATES],
    /// The longest wait at it in one piece.
    pub longest: AtomicU64,
    /// Chunks that the thread was given, and their iterations.
    pub chunks: AtomicU64,
    pub iterations: AtomicU64,
    /// Iterations for all threads, summed over the calls.
    pub trips: AtomicU64,
    /// The size of chunks that was asked for; 0: none.
    pub chunk: AtomicU64,
    /// Smallest and largest team, 32 bits each from below; of regions that this thread opened.
    pub team: AtomicU64,
    /// Calls for a chunk that were timed.
    pub sampled: AtomicU64,
    pub reserved: [AtomicU64; 2],
}

/// In the highest 16 bits of [`ConstructRow::kind`]: the address of a region or task is that behind the call too.
pub const TOLD_BY_OMPT: u16 = 1;

const _: () = assert!(size_of::<ConstructRow>() == 192);

/// The constructs of one thread.
#[repr(C, align(64))]
pub struct OpenMp {
    /// 1: since the slot's `since` the thread waits to be called into the next region of the thread whose
    /// number in the kernel is `master`. Up to the
    /// `last_end` of that one it waits at the barrier, after that it is idle.
    pub docked: AtomicU32,
    pub master: AtomicU32,
    pub rows_used: AtomicU32,
    pub reserved_word: AtomicU32,
    /// Constructs that found no row, each time that they were met.
    pub dropped: AtomicU64,
    /// The end of the last region with several threads that this thread opened; 0: none.
    pub last_end: AtomicU64,
    pub reserved: [AtomicU64; 3],
    pub index: [AtomicU8; ROW_INDEX],
    pub rows: [ConstructRow; ROWS],
}
