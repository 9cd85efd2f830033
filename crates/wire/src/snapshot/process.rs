//! What belongs to a whole process: the files that hold its call sites, and its communicators.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// Bytes of a path; a longer one keeps its end.
pub const PATH_BYTES: usize = 256 - 24;

/// From here on lie sources of an interpreter: at addresses that nothing has, so many each, of which each stands for the line that is as far from the begin; the
/// begin itself for a line that is not known.
pub const SOURCES: u64 = 1 << 63;
pub const SOURCE_LINES: u64 = 1 << 32;

/// A file that is loaded at some addresses; a call site is told by the file and its distance from `base`.
#[repr(C)]
pub struct Module {
    /// First address and the one after the last.
    pub begin: AtomicU64,
    pub end: AtomicU64,
    /// What was added to the addresses in the file.
    pub base: AtomicU64,
    /// Ends with a zero, or with the array; empty for the program itself.
    pub path: [AtomicU8; PATH_BYTES],
}

/// A communicator, or several of the same ranks that followed one another.
#[repr(C)]
pub struct Communicator {
    /// The handle while it lives, 0 after.
    pub handle: AtomicU64,
    /// Number of ranks; of the remote group, for an intercommunicator.
    pub size: AtomicU32,
    pub rank: AtomicU32,
    /// Tells which ranks of the world are in it: the same for the same ranks in the same order. 0: not known.
    pub members: AtomicU64,
    /// How many followed one another under this entry.
    pub lives: AtomicU32,
    /// 1: intercommunicator.
    pub inter: AtomicU32,
    /// As MPI_Comm_get_name has it when it was first used, cut.
    pub name: [AtomicU8; 32],
}

const _: () = assert!(size_of::<Module>() == 256 && size_of::<Communicator>() == 64);
