//! The first page of a snapshot file: what it is, whose it is, and its clock.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use super::files::KERNEL_BYTES;

/// Which counter the ticks of a file come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum ClockKind {
    /// The kernel's monotonic clock, in nanoseconds.
    Kernel = 0,
    /// The time stamp counter of x86-64.
    Tsc = 1,
    /// The virtual counter of aarch64.
    Cntvct = 2,
}

/// Which MPI a process uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum MpiKind {
    /// No call of MPI was seen.
    None = 0,
    OpenMpi = 1,
    /// MPICH and what shares its binary interface: Intel MPI, MVAPICH, Cray MPI.
    Mpich = 2,
    /// Calls are counted and timed; bytes, peers and communicators are not known.
    Unknown = 3,
    /// The standard binary interface of MPI 5.0, whoever stands behind it.
    Standard = 4,
}

/// Bits of [`Header::flags`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Flag {
    /// MPI_Init or its like returned.
    MpiInitialised = 1,
    /// MPI_Finalize returned.
    MpiFinalised = 1 << 1,
    /// The process ended by exit or _exit.
    Ended = 1 << 2,
    /// MPI_Abort was called.
    MpiAborted = 1 << 3,
    /// A child of fork; its begin is that of the fork.
    Forked = 1 << 4,
    /// Entry points of libgomp were called.
    Libgomp = 1 << 5,
    /// An OpenMP runtime took the tool of OMPT.
    Ompt = 1 << 6,
    /// MPI calls came from more than one library.
    SeveralMpis = 1 << 7,
    /// Another tool of OMPT was given: what LLVM's or Intel's runtime does was not told to us.
    OtherOmptTool = 1 << 8,
    /// What the C library reads and writes for its streams (fprintf) is among the calls on files.
    Streams = 1 << 9,
    /// The process asked for a sandbox, or to be ended where it reads the processor's counter: from then on we made no system call
    /// there. Its calls on files, threads that it made, and what the kernel accounts to it are not known.
    Sandbox = 1 << 10,
}

/// Where a part lies: `capacity` records of `stride` bytes from `offset` on.
#[repr(C)]
pub struct Part {
    pub offset: AtomicU64,
    pub stride: AtomicU32,
    pub capacity: AtomicU32,
}

/// The parts in their order in [`Header::parts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartName {
    Modules = 0,
    Communicators = 1,
    Threads = 2,
    /// Not there where the capacity is 0.
    Phases = 3,
    /// Not there where the capacity is 0.
    CallSamples = 4,
}

/// Places for parts; those without a name are zeros.
pub const PART_COUNT: usize = 8;
/// Bytes of a host's name, as uname(2) has it.
pub const HOST_BYTES: usize = 64;
/// Bytes of a program's path; a longer one is cut.
pub const PROGRAM_BYTES: usize = 512;

/// The first page.
#[repr(C)]
pub struct Header {
    /// Written last: a file without it is not begun.
    pub magic: AtomicU64,
    pub version: AtomicU32,
    pub clock: AtomicU32,
    pub bytes: AtomicU64,
    pub parts: [Part; PART_COUNT],

    pub process: AtomicU32,
    pub parent: AtomicU32,
    pub flags: AtomicU32,
    pub mpi: AtomicU32,
    /// Rank and size of MPI_COMM_WORLD; meaningful when [`Flag::MpiInitialised`] is set and the size is not 0.
    pub rank: AtomicU32,
    pub world: AtomicU32,
    /// The level that MPI_Init_thread gave.
    pub thread_level: AtomicU32,
    /// The phase that MPI_Pcontrol set last.
    pub phase: AtomicU32,

    /// One moment by both clocks, when the process began to be watched.
    pub begin_ticks: AtomicU64,
    pub begin_nanoseconds: AtomicU64,
    /// The same moment by the clock of the day.
    pub begin_realtime: AtomicU64,
    /// Odd while the pair below is written.
    pub last_sequence: AtomicU32,
    pub last_writer: AtomicU32,
    /// One moment by both clocks, the latest that was noted.
    pub last_ticks: AtomicU64,
    pub last_nanoseconds: AtomicU64,
    /// When MPI_Init began and returned, and when MPI_Finalize began and returned, in ticks; 0 where it did not happen.
    pub mpi_init: [AtomicU64; 2],
    pub mpi_finalize: [AtomicU64; 2],

    /// Slots that were given out, threads that used them, and threads that found none.
    pub slots: AtomicU32,
    pub threads: AtomicU32,
    pub threads_dropped: AtomicU32,
    pub modules: AtomicU32,
    pub modules_dropped: AtomicU32,
    pub communicators: AtomicU32,
    pub communicators_dropped: AtomicU32,
    /// Receives that were posted and whose bytes are not known, for there were too many at one time.
    pub requests_dropped: AtomicU32,

    pub host: [AtomicU8; HOST_BYTES],
    pub program: [AtomicU8; PROGRAM_BYTES],

    /// At the end of the process, all of its threads together: the most that was resident at once, in bytes (0: not known); 1 + what
    /// of it is in swap; 1 + voluntary and forced switches.
    pub peak_memory: AtomicU64,
    pub swapped: AtomicU64,
    pub switches: [AtomicU64; 2],
    /// Begins of phases that found no row or no place in their thread's list, and ends without a begin or begins without an end.
    pub phases_dropped: AtomicU32,
    pub phases_unbalanced: AtomicU32,

    /// 1 + what the kernel had accounted to the process, when it began to be watched and at its end; 0: not known. What it reads and
    /// writes after its end is added to the latter.
    pub io_begin: [AtomicU64; KERNEL_BYTES],
    pub io_end: [AtomicU64; KERNEL_BYTES],

    /// A number for the launcher's name of the MPI_COMM_WORLD, which tells worlds of one run apart; 0: it gave none.
    pub world_name: AtomicU64,

    /// When MPI_Init returned and when MPI_Finalize began: 1 + processor time and 1 + run delay of the first thread, in nanoseconds; 0: another
    /// thread called it, or it is not known.
    pub mpi_use: [[AtomicU64; 2]; 2],
}

const _: () = assert!(size_of::<Header>() <= super::HEADER_BYTES);
