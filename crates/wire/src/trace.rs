//! The trace file: every call of MPI of one process with the messages that it sent and received, its regions and waits in OpenMP, its phases, its calls on files,
//! in a mapping that the process shares with the file (`docs/formats/trace-part.md`). It stands beside the process's [`crate::snapshot`] file, which holds its call sites and its clock.
//!
//! Threads fill chunks of their own with [`Record`]s, so that none waits for another. A reader takes what [`Chunk::used`] says at any moment,
//! also of a process that was killed. While the process runs, numawise takes chunks away whose thread has let them go, and gives their places back:
//! see [`ChunkState`].

pub mod reader;

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use crate::Variable;

/// The variable with the bytes that the file of each process has place for. Without it nothing is traced.
pub const BYTES: Variable = Variable(c"NUMAWISE_TRACE");
/// The variable with what calls are written down one by one, as `BITS,NANOSECONDS,NUMBERED,FROM,TO`: a bit for each [`CallKind`] that is; of calls that
/// nobody else has to know of those that took so long; 1 where ends of messages are numbered; from when and until when, by the kernel's real-time clock in
/// nanoseconds. Without it all are, without numbers.
pub const CALLS: Variable = Variable(c"NUMAWISE_TRACE_CALLS");

/// What numawise can leave out of a trace, in all ranks alike. What begins and ends MPI is of no kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum CallKind {
    /// Of all ranks of a communicator, also what makes those, windows and files.
    Collective = 1,
    /// With the waits for all requests.
    PointToPoint = 2,
    OneSided = 4,
    Files = 8,
    Others = 16,
}

/// The end of the name of a file, which else is that of the process's snapshot file.
pub const SUFFIX: &str = ".trace";
/// The first eight bytes of a file, in the byte order of the machine.
pub const MAGIC: u64 = u64::from_le_bytes(*b"NWtrac\r\n");

/// Bytes of the header with what fills its place.
pub const HEADER_BYTES: usize = 16 << 10;
/// Bytes of a chunk.
pub const CHUNK_BYTES: usize = 64 << 10;
/// Records of a chunk.
pub const RECORDS: usize = (CHUNK_BYTES - 64) / size_of::<Record>();
/// Most chunks of a file: 1000 MiB.
pub const MOST_CHUNKS: usize = 16_000;

/// The begin of the file.
#[repr(C)]
pub struct Header {
    /// Written last: a file without it is not begun.
    pub magic: AtomicU64,
    /// [`crate::snapshot::VERSION`]: both files are of one layout.
    pub version: AtomicU32,
    /// Places for chunks.
    pub chunks: AtomicU32,
    /// How often one was looked for, first at the place with this number among those that were opened, counted round and round.
    pub asked: AtomicU64,
    /// Records that found no place, and the moments of the first and the last of them, in ticks; 0: there was none.
    pub lost: AtomicU64,
    pub lost_since: AtomicU64,
    pub lost_until: AtomicU64,
    /// Written by numawise: files of chunks that were taken away, of which those before the first are gone.
    pub first_taken: AtomicU32,
    pub taken: AtomicU32,
    /// 1 where these go to make room for later ones, or the first calls were not asked for.
    pub keeps_last: AtomicU32,
    /// Places from the first on that are new no more.
    pub opened: AtomicU32,
    /// Records in the files that are gone, and when the last of them ended, in ticks.
    pub dropped: AtomicU64,
    pub dropped_until: AtomicU64,
    /// 1, written by numawise or once the time has come that was asked for: what is there now stays, and later records are kept while there is room. When
    /// the first of them was lost, in ticks; 0: none was.
    pub frozen: AtomicU32,
    pub reserved: AtomicU32,
    pub cut_since: AtomicU64,
    /// What ends later was not asked for, by the monotonic clock in nanoseconds; 0: all was asked for.
    pub wanted_until: AtomicU64,
    /// [`ChunkState`] of each place.
    pub states: [AtomicU8; MOST_CHUNKS],
}

/// Whose a place is. One byte, so that numawise may write it by the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ChunkState {
    /// Nobody has had it.
    New = 0,
    /// Anybody's who needs one.
    Free = 1,
    /// A thread's, which fills it; for good where it could not be opened.
    Held = 2,
    /// Numawise's, once its thread needs no more of it.
    LetGo = 3,
}

impl ChunkState {
    /// What is in the chunk is of a thread.
    pub fn has_records(state: u8) -> bool {
        state == ChunkState::Held as u8 || state == ChunkState::LetGo as u8
    }
}

/// So many places a thread looks at for one that is free.
pub const LOOKED_AT: u64 = 32;
/// Where there was none, they are looked at again for one of so many records.
pub const LOST_BETWEEN_LOOKS: u64 = 64;

/// Bytes of the header before the states of the places.
pub const COUNTS_BYTES: usize = core::mem::offset_of!(Header, states);

const _: () = assert!(size_of::<Header>() <= HEADER_BYTES);
// A program of the command's tests (many_calls.c) reads these of its own trace.
const _: () = assert!(core::mem::offset_of!(Header, chunks) == 12 && COUNTS_BYTES == 104);

/// Records of one thread, one after the other.
#[repr(C)]
pub struct Chunk {
    /// 1 + the number of the thread's slot in the snapshot file; 0: not begun.
    pub slot: AtomicU32,
    /// Records that are whole.
    pub used: AtomicU32,
    /// [`Header::asked`] when it was given out: one of a thread has a higher number than those before.
    pub number: AtomicU64,
    pub reserved: [AtomicU64; 6],
    pub records: [Record; RECORDS],
}

const _: () = assert!(size_of::<Chunk>() <= CHUNK_BYTES && core::mem::offset_of!(Chunk, records) == 64);

/// Its words by [`RecordKind`]; the lowest eight bits of the last one are the kind.
#[repr(C)]
pub struct Record(pub [AtomicU64; 5]);

/// What a [`Record`] tells, and what its words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RecordKind {
    /// A call that has returned. Words: when it began; ticks in it; for a call that needs all ranks of its communicator the number that it
    /// has in all of them, else 0; bytes sent and received << 16 | the number of the call; 1 + root in the communicator << 32 | 1 + number of its
    /// call site << 8, 0 where there is none.
    Call = 1,
    /// A message that the next [`RecordKind::Call`] of the thread sent. Words: when the call began that sent it; the number that the
    /// communicator has in all its ranks, 0 where it is not known; bytes; tag << 32 | rank in `MPI_COMM_WORLD` to which it goes; number
    /// from 1 on among those with all this alike << 8, 0 where it has none.
    Sent = 2,
    /// A message that came when the next call returned. Words: when the call began that asked for it; else as above, with the rank from
    /// which it came.
    Received = 3,
    /// The next call waited for the request of a message that was sent. Words: when the call began that sent it; 0; 0; 0.
    SendDone = 4,
    /// Calls at one site that asked, one after the other, whether something had come, and found nothing. Words: when the first began;
    /// ticks in all of them; when the last returned; how many << 16 | the number of the call; as of [`RecordKind::Call`], without a root.
    Polls = 5,
    /// The next call ended a collective call that another one began. Words: when that began; of what a [`RecordKind::Part`] began the number that
    /// this has, else 0; 0; 0.
    CollectiveDone = 6,
    /// A parallel region that the thread opened. Words: when it began; ticks until its end; those of them, before the end, in which the thread waited
    /// there; 0; threads, 0 where that is not known << 32 | 1 + number of its row among the constructs of the thread << 8.
    Region = 7,
    /// The thread's part of a region that another one opened; up to the region's end, or until it is called again, it waits. Words: when it began;
    /// ticks; when the region began; number in the kernel of the thread that opened it; row as above.
    Worked = 8,
    /// The thread waited in OpenMP, other than at the end of a region. Words: when it began to; ticks; 0; 0; row as above.
    Waited = 9,
    /// A phase begins, and ends. Words: when; 0; 0; 0; 1 + number of its place among the phases of the process << 8.
    PhaseBegin = 10,
    PhaseEnd = 11,
    /// The next call starts a persistent collective call, or is one on a window. Words: when it begins; the number that the collective call has in all
    /// ranks; 0; number of the communicator << 32 | number of the call that says what it is, which for a persistent one is that which made it;
    /// 1 + root in the communicator << 32, 0 where there is none.
    Part = 12,
    /// The next call is a step on a window. Words: when it begins; the number that the window has in all its ranks; 0; [`WindowStep`] << 32 | rank in
    /// `MPI_COMM_WORLD` with which, of several each its own.
    Window = 13,
    /// The thread was in a call on a file. Words: when that began; ticks; 0; 0; 1 + [`crate::snapshot::FileOperation`] << 8.
    File = 14,
    /// The next call is the first one of its kind on its communicator, and this rank is one of those whose data it gets: of the neighbours in a topology, or of
    /// the other group, in their order. Words: when it begins; 0; 0; rank in `MPI_COMM_WORLD`; 0.
    Source = 15,
    /// Calls that were not to be written down, one after the other. Words: when the first began; ticks in all of them; when the last returned; how
    /// many; 16.
    LeftOut = 16,
}

/// The root of a collective call between two groups, where that is the rank itself (`MPI_ROOT`).
pub const ROOT_ITSELF: i32 = -2;

/// What a call does on a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum WindowStep {
    Post = 0,
    Start = 1,
    Complete = 2,
    Wait = 3,
    LockExclusive = 4,
    LockShared = 5,
    Unlock = 6,
    LockAll = 7,
    UnlockAll = 8,
}

impl WindowStep {
    /// In the order of their numbers.
    pub const ALL: [WindowStep; 9] = {
        use WindowStep::{
            Complete, LockAll, LockExclusive, LockShared, Post, Start, Unlock, UnlockAll, Wait,
        };
        [Post, Start, Complete, Wait, LockExclusive, LockShared, Unlock, LockAll, UnlockAll]
    };
}

impl RecordKind {
    pub fn from_word(word: u64) -> Option<RecordKind> {
        use RecordKind::{
            Call, CollectiveDone, File, LeftOut, Part, PhaseBegin, PhaseEnd, Polls, Received, Region,
            SendDone, Sent, Source, Waited, Window, Worked,
        };
        const ALL: [RecordKind; 16] = [
            Call,
            Sent,
            Received,
            SendDone,
            Polls,
            CollectiveDone,
            Region,
            Worked,
            Waited,
            PhaseBegin,
            PhaseEnd,
            Part,
            Window,
            File,
            Source,
            LeftOut,
        ];
        ALL.into_iter().find(|kind| *kind as u8 == word as u8)
    }
}

/// Bytes of a file with so many chunks.
pub const fn file_bytes(chunks: usize) -> usize {
    HEADER_BYTES + chunks * CHUNK_BYTES
}
