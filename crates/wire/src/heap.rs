//! The heap log: what the library for memory objects writes down of one process, in a mapping that it shares with a file
//! (`docs/formats/heap-log.md`).
//!
//! Allocations and frees go through a ring that a reader empties while the program runs; so do samples of threads, where the program
//! takes these itself. Call stacks are copied once each, with a number. The library writes through [`Header`], [`Event`], [`StackEntry`] and
//! [`Sample`]; readers use [`reader`], which takes bytes and trusts none of them.

pub mod reader;
pub mod rules;

use core::sync::atomic::{AtomicU32, AtomicU64};

use crate::Variable;

/// The variable that names the folder, by an absolute path, into which each process puts one file.
pub const FOLDER: Variable = Variable(c"NUMAWISE_OBJECTS");
/// The variable with the bytes from which on an allocation is written down by itself.
pub const LEAST: Variable = Variable(c"NUMAWISE_OBJECTS_LEAST");
/// The variable with the bytes of small allocations of which one is drawn, on average.
pub const DRAWN: Variable = Variable(c"NUMAWISE_OBJECTS_DRAWN");
/// The variable with how often a second each thread is to be sampled by its own processor time. Without it none is.
pub const TIMER: Variable = Variable(c"NUMAWISE_OBJECTS_TIMER");

/// The variable that has all allocations from [`LEAST`] on written down, whatever that costs: any number but 0.
pub const ALL: Variable = Variable(c"NUMAWISE_OBJECTS_ALL");

/// Where [`LEAST`] does not say: four pages.
pub const DEFAULT_LEAST: u64 = 16 << 10;
/// Where [`DRAWN`] does not say.
pub const DEFAULT_DRAWN: u64 = 512 << 10;
/// The most samples a second that are taken: twelve microseconds each (a timer's interrupt in a virtual machine) are 5 % then.
pub const MOST_SAMPLES: u64 = 4000;

/// The end of the name of a file: `<process>-<monotonic nanoseconds at its begin>.heap`.
pub const SUFFIX: &str = ".heap";
/// The first eight bytes of a file, in the byte order of the machine.
pub const MAGIC: u64 = u64::from_le_bytes(*b"NWheap\r\n");
/// One number for the layout of all parts: the library and its reader come from one build.
pub const VERSION: u32 = 4;
/// Begins [`MARK`].
pub const MARK_BEGIN: &[u8; 27] = b"numawise heap logs, layout ";
/// Lies in the library, with [`VERSION`].
pub const MARK: [u8; 32] = crate::mark(MARK_BEGIN, VERSION);

/// Parts are opened, and get disk, by so many bytes.
pub const CHUNK: usize = 64 << 10;
/// Events that find a place before a reader comes: 1.6 s of ten million allocations a minute, each with its free, which is longer than a
/// reader waits for a thread that was interrupted in the middle.
pub const EVENTS: usize = 1 << 19;
/// Places for the numbers of call stacks; at most [`STACKS`] are given out, so that a free one is found soon.
pub const STACK_PLACES: usize = 2 * STACKS;
/// Interpreters need so many: what their stacks hold between two calls differs from allocation to allocation.
pub const STACKS: usize = 1 << 16;
/// Places for the numbers of Python stacks, and how many of these are given out.
pub const PYTHON_PLACES: usize = 2 * MOST_PYTHON;
pub const MOST_PYTHON: usize = 1 << 13;
/// The most that is copied of one stack.
pub const STACK_BYTES: usize = 8 << 10;
/// Copies of stacks that find a place before a reader comes.
pub const COPIES: usize = 3072;
/// Samples that find a place before a reader comes: a quarter of a second of 64 threads at 250 Hz.
pub const SAMPLES: usize = 4096;
/// The most that is copied of a stack in a sample.
pub const SAMPLE_STACK: usize = 2048;
/// Registers in a sample: those of instructions in the order of their numbers, as far as the machine has them, and room.
pub const REGISTERS: usize = 31;

pub const HEADER_BYTES: usize = CHUNK;
pub const EVENTS_AT: usize = HEADER_BYTES;
pub const COPIES_AT: usize = (EVENTS_AT + EVENTS * size_of::<Event>()).next_multiple_of(CHUNK);
pub const SAMPLES_AT: usize = (COPIES_AT + COPIES * size_of::<StackCopy>()).next_multiple_of(CHUNK);
const END: usize = (SAMPLES_AT + SAMPLES * size_of::<Sample>()).next_multiple_of(CHUNK);

/// Bytes of a file; most of it is never touched and takes no memory.
pub const fn file_bytes(with_samples: bool) -> usize {
    if with_samples { END } else { SAMPLES_AT }
}

const _: () = assert!(END <= 58 << 20, "64 MB with what the library has for itself");

/// Bits of [`Header::flags`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Flag {
    /// The process ended by exit.
    Ended = 1,
    /// A child of fork: it has the memory that its parent had then.
    Forked = 1 << 1,
    /// There was no disk for a part; what would have gone there is counted as dropped.
    NoDisk = 1 << 2,
    /// Samples were asked for, and are taken.
    Timed = 1 << 3,
    /// They were asked for, and the kernel refused a timer, or no signal was free.
    NotTimed = 1 << 4,
    /// The program took the signal of the samples for itself: these ended then.
    SignalTaken = 1 << 5,
    /// The process asked for a sandbox: from then on nothing was written down.
    Sandbox = 1 << 6,
}

/// A word on a cache line of its own.
#[repr(C, align(64))]
pub struct Apart(pub AtomicU64);

/// The first page. A ring holds what lies from its tail to before its head; the reader alone moves the tail.
#[repr(C)]
pub struct Header {
    /// Written last: a file without it is not begun.
    pub magic: AtomicU64,
    pub version: AtomicU32,
    pub flags: AtomicU32,
    pub bytes: AtomicU64,
    pub process: AtomicU32,
    pub parent: AtomicU32,
    /// By the monotonic clock.
    pub begin: AtomicU64,
    /// The settings in force.
    pub least: AtomicU64,
    pub drawn: AtomicU64,
    /// Processor time from one sample of a thread to the next, in nanoseconds; 0: none are taken.
    pub period: AtomicU64,
    /// Events and samples that found no place.
    pub events_dropped: AtomicU64,
    pub samples_dropped: AtomicU64,
    /// Events whose call stack found none.
    pub without_stack: AtomicU64,
    /// Numbers of stacks that are given out.
    pub stacks: AtomicU64,
    /// Nanoseconds that threads spent here, as far as they have told.
    pub spent: AtomicU64,
    /// Allocations from `least` on that were not written down, as others stand for them.
    pub passed: AtomicU64,

    pub event_head: Apart,
    pub event_tail: Apart,
    pub copy_head: Apart,
    pub copy_tail: Apart,
    pub sample_head: Apart,
    pub sample_tail: Apart,
}

const _: () = assert!(size_of::<Header>() <= 4096);

/// What an [`Event`] tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum EventKind {
    Allocated = 1,
    Freed = 2,
    /// Memory of the process alone.
    Mapped = 3,
    /// Memory that is shared with others, or a file.
    MappedShared = 4,
    Unmapped = 5,
    /// A small allocation that was drawn: `bytes` are those that it stands for.
    Drawn = 6,
    /// shmat(2)
    Attached = 7,
    /// shmdt(2): all that was attached there. `bytes` are not known.
    Detached = 8,
}

/// Stands in [`Event::stack`] for a call stack that is not known.
pub const NO_STACK: u32 = u32::MAX;

/// A place of the ring of events.
#[repr(C)]
pub struct Event {
    /// 1 + the number of the event, once it is whole.
    pub sequence: AtomicU64,
    pub time: AtomicU64,
    pub address: AtomicU64,
    pub bytes: AtomicU64,
    pub thread: AtomicU32,
    pub stack: AtomicU32,
    pub kind: AtomicU32,
    /// It stands for 2^this allocations that are alike.
    pub exponent: AtomicU32,
}

/// The largest of [`Event::exponent`].
pub const MOST_EXPONENT: u32 = 31;

/// Stands in [`StackCopy::python`] of a Python stack.
pub const IS_PYTHON: u32 = u32::MAX;

/// A place of the ring of copies: the call stack of a number, which is written before the first event that names it. Or a Python stack, which has
/// numbers of its own: text in place of a copy ([`crate::python::frames`]), and a function of the interpreter in place of `ip`.
#[repr(C)]
pub struct StackCopy {
    pub sequence: AtomicU64,
    pub number: AtomicU32,
    pub bytes: AtomicU32,
    /// 1 + the number of what Python executes in it; 0: nothing; [`IS_PYTHON`]: it is a Python stack itself.
    pub python: AtomicU32,
    pub reserved: AtomicU32,
    /// The registers with which a function goes on once the allocator returns.
    pub ip: AtomicU64,
    pub sp: AtomicU64,
    pub bp: AtomicU64,
    /// rbx and r12 to r15; on aarch64 x19 to x23.
    pub kept: [AtomicU64; 5],
    /// From `sp` on.
    pub stack: [AtomicU64; STACK_BYTES / 8],
}

/// A place of the ring of samples: a thread that was interrupted.
#[repr(C)]
pub struct Sample {
    pub sequence: AtomicU64,
    pub time: AtomicU64,
    pub thread: AtomicU32,
    /// 1 + the CPU; 0: not known.
    pub cpu: AtomicU32,
    pub stack_bytes: AtomicU32,
    /// Page faults of the thread that needed no disk, since it began; 0 also where the kernel did not say.
    pub faults: AtomicU32,
    /// 1 + the number of what Python executes; 0: nothing.
    pub python: AtomicU32,
    pub reserved: AtomicU32,
    pub ip: AtomicU64,
    pub sp: AtomicU64,
    pub registers: [AtomicU64; REGISTERS],
    /// From `sp` on.
    pub stack: [AtomicU64; SAMPLE_STACK / 8],
}
