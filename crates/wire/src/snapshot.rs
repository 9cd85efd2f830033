//! The snapshot file: what the collector measured of one process, in a mapping that it shares with the file, so that nothing
//! is lost where the process is killed (`docs/formats/snapshot-part.md`).
//!
//! The collector writes through [`Header`], [`Module`], [`Communicator`] and [`ThreadSlot`]: each word is an atomic that one
//! thread owns, so a reader may look at any moment. Readers use [`reader`], which takes bytes and checks every bound.
//! Single calls one after the other are in a file of their own: [`crate::trace`].

#[rustfmt::skip]
pub mod calls;
pub mod counters;
pub mod files;
pub mod header;
pub mod openmp;
pub mod phase;
pub mod process;
pub mod ranks;
pub mod reader;
pub mod sample;
pub mod thread;

#[cfg(test)]
#[path = "snapshot/reader_tests.rs"]
mod tests;

pub use calls::MPI_CALLS;
pub use files::{FILE_OPERATIONS, FileCalls, FileOperation, KERNEL_BYTES};
pub use header::{ClockKind, Flag, Header, MpiKind, PART_COUNT, Part, PartName};
pub use phase::{PHASE_NAME_BYTES, PHASES, Phase, PhaseKind};
pub use process::{Communicator, Module, PATH_BYTES, SOURCE_LINES, SOURCES};
pub use ranks::{RANK_VARIABLES, RANKS};
pub use sample::{CallSample, FIRST_CALLS, SAMPLES, SampleKind};
pub use thread::{
    CpuStay, MASK_WORDS, NO_COMMUNICATOR, PEER_INDEX, PEERS, Peer, SITE_INDEX, SITES, SIZE_BINS, Site,
    SizeFamily, ThreadSlot, ThreadState, ThreadTables,
};

use crate::Variable;

/// The variable that names the folder, by an absolute path, into which each watched process puts one file.
pub const FOLDER: Variable = Variable(c"NUMAWISE_SNAPSHOT");

/// The end of the name of a file: `<process>-<monotonic nanoseconds at its begin>.part`.
pub const SUFFIX: &str = ".part";

/// The first eight bytes of a file, in the byte order of the machine.
pub const MAGIC: u64 = u64::from_le_bytes(*b"NWsnap\r\n");
/// One number for the layout of all parts: the collector and its reader come from one build.
pub const VERSION: u32 = 1;

/// Begins [`MARK`].
pub const MARK_BEGIN: &[u8; 27] = b"numawise collector, layout ";
/// Lies in the collector's library, with [`VERSION`], so that who has it loaded knows before whether both have the same layout.
pub const MARK: [u8; 32] = crate::mark(MARK_BEGIN, VERSION);

/// Bytes of the header with what fills its page.
pub const HEADER_BYTES: usize = 4096;
/// Most files that a process has loaded and that hold call sites.
pub const MODULES: usize = 256;
/// Most communicators that are told apart; the last entry takes the others.
pub const COMMUNICATORS: usize = 256;
/// Most threads that are recorded at one time; an ended thread's slot goes on as another's.
pub const THREADS: usize = 1024;

/// Without so many slots a file is not worth it.
pub const LEAST_THREADS: usize = 16;

/// Where the parts of a file with all its threads begin.
pub const MODULES_AT: usize = HEADER_BYTES;
pub const COMMUNICATORS_AT: usize = MODULES_AT + MODULES * size_of::<Module>();
pub const PHASES_AT: usize = COMMUNICATORS_AT + COMMUNICATORS * size_of::<Communicator>();
pub const SAMPLES_AT: usize = PHASES_AT + PHASES * size_of::<Phase>();
pub const THREADS_AT: usize =
    (SAMPLES_AT + SAMPLES * size_of::<CallSample>()).next_multiple_of(size_of::<ThreadSlot>());

/// Bytes of a file with so many thread slots; most of it is never touched and takes no memory.
pub const fn file_bytes(threads: usize) -> usize {
    THREADS_AT + threads * size_of::<ThreadSlot>()
}
