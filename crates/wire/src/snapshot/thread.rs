//! What one thread did, in a slot of its own: its owner alone writes it.

use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64};

use super::files::{FILE_OPERATIONS, FileCalls};
use super::openmp::OpenMp;

/// What a thread spends its time with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum ThreadState {
    /// Outside of every runtime that is watched.
    Useful = 0,
    Mpi = 1,
    /// Waits at a barrier of OpenMP, or at the end of a region: load imbalance.
    OmpBarrier = 2,
    /// Asks for the next chunk or task.
    OmpScheduling = 3,
    /// A worker outside of a parallel region.
    OmpIdle = 4,
    /// Waits for a critical section or a lock.
    OmpLock = 5,
}

/// States with places for more.
pub const STATES: usize = 8;
/// CPUs of a thread whose stays are told apart; the last entry takes the others.
pub const CPUS: usize = 16;
/// Message sizes: 0, 1, 2 to 3, 4 to 7 bytes and so on.
pub const SIZE_BINS: usize = 40;
pub const SIZE_FAMILIES: usize = 5;
/// Places of the hash index over the call sites; each holds 1 + the number of a site, or 0.
pub const SITE_INDEX: usize = 1024;
pub const SITES: usize = 320;
pub const PEERS: usize = 256;
pub const PEER_INDEX: usize = 512;

/// Words of a mask of CPUs, lowest CPUs first: 2,048 CPUs.
pub const MASK_WORDS: usize = 32;

/// Calls whose message sizes are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum SizeFamily {
    Send = 0,
    Receive = 1,
    Collective = 2,
    OneSided = 3,
    File = 4,
}

/// How often a thread was found on a CPU when it changed its state.
#[repr(C)]
pub struct CpuStay {
    /// 1 + the number of the CPU; 0: not used.
    pub cpu: AtomicU32,
    pub reserved: AtomicU32,
    pub found: AtomicU64,
}

/// One call of MPI at one place of the program on one communicator.
#[repr(C, align(64))]
pub struct Site {
    /// The address to which the call returns.
    pub address: AtomicU64,
    /// For the collector: the communicator's handle.
    pub handle: AtomicU64,
    /// The number of the call in the table of calls.
    pub call: AtomicU16,
    /// The number of the communicator, or [`NO_COMMUNICATOR`].
    pub communicator: AtomicU16,
    /// For the collector: which handles were valid when `handle` was noted.
    pub epoch: AtomicU32,
    pub count: AtomicU64,
    pub ticks: AtomicU64,
    pub longest: AtomicU64,
    /// Bytes handed over and taken in.
    pub sent: AtomicU64,
    pub received: AtomicU64,
}

/// [`Site::communicator`] of a call that has none, or one that is not known.
pub const NO_COMMUNICATOR: u16 = u16::MAX;

/// Messages to and from one rank of MPI_COMM_WORLD.
#[repr(C)]
pub struct Peer {
    /// 1 + the rank; 0: not used.
    pub rank: AtomicU32,
    /// For the collector: receives that name this rank, have been begun, and are not completed.
    pub outstanding: AtomicU32,
    pub sent_messages: AtomicU64,
    pub sent_bytes: AtomicU64,
    pub received_messages: AtomicU64,
    pub received_bytes: AtomicU64,
    /// Read from its windows: it did not send them.
    pub fetched_bytes: AtomicU64,
}

/// What a thread could not note, for its tables were full.
#[repr(C)]
pub struct Dropped {
    pub site_calls: AtomicU64,
    pub site_ticks: AtomicU64,
    pub peer_messages: AtomicU64,
    pub peer_bytes: AtomicU64,
}

/// One thread, or several that followed one another.
#[repr(C, align(4096))]
pub struct ThreadSlot {
    /// The thread's number in the kernel.
    pub thread: AtomicU32,
    /// 1 while a thread has the slot.
    pub owned: AtomicU32,
    /// Threads that had it.
    pub lives: AtomicU32,
    /// 1 for the thread that began the process.
    pub main: AtomicU32,
    pub begin: AtomicU64,
    /// 0 while the thread lives.
    pub end: AtomicU64,
    /// Of threads that had the slot before: from begin to end, summed, and their processor time.
    pub earlier: AtomicU64,
    pub earlier_processor: AtomicU64,
    /// The address of the function that the thread runs; 0: not known, or several had the slot and ran different ones.
    pub start: AtomicU64,

    /// The state now ([`ThreadState`]), and since when.
    pub state: AtomicU32,
    /// 1 once the slot is in use, 2 once its tables may be written.
    pub ready: AtomicU32,
    pub since: AtomicU64,
    /// Ticks by state, up to `since`, and how often each was entered.
    pub ticks: [AtomicU64; STATES],
    pub entries: [AtomicU64; STATES],

    pub sites_used: AtomicU32,
    pub peers_used: AtomicU32,
    /// 1 + the row of [`ThreadTables::openmp`] that time goes to; 0: the thread was not seen in OpenMP.
    pub row: AtomicU32,
    /// 1 + the call of MPI that the thread began last; 0: none.
    pub last_call: AtomicU32,
    pub dropped: Dropped,

    /// 1 + the CPU on which the thread was last found; 0: not known.
    pub cpu: AtomicU32,
    /// How often it was found on another CPU than before.
    pub migrations: AtomicU32,
    pub cpus: [CpuStay; CPUS],
    /// Processor time of the thread at its end or at that of the process, and voluntary and forced switches at its end; 0 until then.
    pub processor_nanoseconds: AtomicU64,
    pub switches: [AtomicU64; 2],

    pub size_counts: [[AtomicU64; SIZE_BINS]; SIZE_FAMILIES],

    /// 1 + how long the thread was ready and waited for a CPU, at its end or at that of the process; 0: not known.
    pub run_delay: AtomicU64,
    /// Words of `mask` that the kernel gave; 0: not known.
    pub mask_words: AtomicU32,
    pub reserved_too: AtomicU32,
    /// The CPUs on which the thread may run: at its begin, and once it or the process has ended, at that moment.
    pub mask: [AtomicU64; MASK_WORDS],
    /// By [`super::FileOperation`]; within MPI nothing is counted here.
    pub files: [FileCalls; FILE_OPERATIONS],
    /// 1 + nanoseconds for which it waited for a disk, as the kernel accounts it, at its end or at that of the process; 0: not known.
    pub disk_wait: AtomicU64,
    /// The address to which that last call of MPI returns.
    pub last_site: AtomicU64,
    /// On pages of their own: a thread that calls nothing that is watched needs none.
    pub tables: ThreadTables,
}

/// Tables of a thread; how much of each is used stands in [`ThreadSlot`].
#[repr(C, align(4096))]
pub struct ThreadTables {
    pub site_index: [AtomicU16; SITE_INDEX],
    pub sites: [Site; SITES],
    pub peer_index: [AtomicU16; PEER_INDEX],
    pub peers: [Peer; PEERS],
    pub openmp: OpenMp,
}

const _: () = assert!(size_of::<ThreadSlot>() <= 65536 && core::mem::offset_of!(ThreadSlot, tables) == 4096);
const _: () = assert!(size_of::<Site>() == 64);
