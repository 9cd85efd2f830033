//! Time in calls on files, and what was read and written.

use numawise_facts::Reading;
use numawise_facts::activity::{CallTime, FileCalls, KernelIo};
use numawise_units::{Bytes, Nanoseconds};

use super::RatedShare;

/// What the processes that count did with files.
#[derive(Debug, Clone, PartialEq)]
pub struct FileSummary {
    /// Of the time of their CPUs from begin to end, what was in calls on files, also in those of MPI.
    pub share: RatedShare,
    /// Over all of them.
    pub all: FileUse,
    /// What the C library reads and writes for its streams is among the calls, in all of them.
    pub sees_streams: bool,
}

/// What one process or several did with files.
#[derive(Debug, Clone, PartialEq)]
pub struct FileUse {
    /// Calls of the C library on regular files and block devices.
    pub posix: Reading<FileTotals>,
    /// Calls of MPI on files; what they call of the C library is here only.
    pub mpi: Reading<MpiFileTotals>,
    /// What the kernel accounted to the processes, whichever way they read and wrote.
    pub kernel: Reading<KernelIo>,
    /// How long their threads waited for disks, as the kernel accounts it.
    pub disk_wait: Reading<Nanoseconds>,
}

/// Calls of the C library on files by what they do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileTotals {
    pub read: FileCalls,
    pub written: FileCalls,
    /// Waiting until what was written is on the storage.
    pub synced: FileCalls,
    /// Opening, closing, changing the length.
    pub managed: FileCalls,
}

impl FileTotals {
    /// One after the other, as they stand.
    pub fn each(&self) -> [FileCalls; 4] {
        [self.read, self.written, self.synced, self.managed]
    }

    /// All of them.
    pub fn total(&self) -> FileCalls {
        self.each().iter().fold(FileCalls::default(), |sum, calls| sum.with(calls))
    }
}

/// Calls of MPI on files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MpiFileTotals {
    pub calls: CallTime,
    pub longest: Nanoseconds,
    pub read: Reading<Bytes>,
    pub written: Reading<Bytes>,
}
