//! What a thread did with files, and what the kernel accounted to its process.

use numawise_units::{Bytes, Nanoseconds};
use serde::{Deserialize, Serialize};

use crate::Reading;

/// Calls of the C library on regular files and block devices. Those that MPI makes within its calls are not among them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileActivity {
    pub read: FileCalls,
    pub written: FileCalls,
    /// Waiting until what was written is on the storage.
    #[doc(alias = "fsync")]
    pub synced: FileCalls,
    /// Opening, closing, changing the length. Bytes are none.
    #[doc(alias = "metadata")]
    pub managed: FileCalls,
    /// How long it waited for a disk, as the kernel accounts it.
    #[doc(alias = "delayacct_blkio_ticks")]
    pub disk_wait: Reading<Nanoseconds>,
}

impl FileActivity {
    /// No call, of a thread of which no waiting is known for that reason.
    pub fn none(reason: &'static str) -> FileActivity {
        let none = FileCalls::default();
        FileActivity {
            read: none,
            written: none,
            synced: none,
            managed: none,
            disk_wait: Reading::unavailable(reason),
        }
    }

    /// One after the other, as they stand.
    pub fn each(&self) -> [FileCalls; 4] {
        [self.read, self.written, self.synced, self.managed]
    }
}

/// What a call on a file is for: see [`FileActivity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOperation {
    Read,
    Write,
    Sync,
    Manage,
}

impl FileOperation {
    /// In the order of [`FileActivity::each`].
    pub const ALL: [FileOperation; 4] =
        [FileOperation::Read, FileOperation::Write, FileOperation::Sync, FileOperation::Manage];
}

/// Calls on files of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCalls {
    pub count: u64,
    pub time: Nanoseconds,
    pub longest: Nanoseconds,
    pub bytes: Bytes,
}

impl FileCalls {
    /// Those of both.
    pub fn with(&self, other: &FileCalls) -> FileCalls {
        FileCalls {
            count: self.count.saturating_add(other.count),
            time: Nanoseconds(self.time.0.saturating_add(other.time.0)),
            longest: self.longest.max(other.longest),
            bytes: Bytes(self.bytes.0.saturating_add(other.bytes.0)),
        }
    }
}

/// What the kernel accounted to a process while it was watched, whichever way it was read or written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelIo {
    /// Given to calls that read, from files, pipes and terminals alike.
    #[doc(alias = "rchar")]
    pub read: Bytes,
    #[doc(alias = "wchar")]
    pub written: Bytes,
    /// Fetched from storage, also for pages of files that are mapped.
    #[doc(alias = "read_bytes")]
    pub from_storage: Bytes,
    /// Made to be written to storage: pages that became dirty.
    #[doc(alias = "write_bytes")]
    pub to_storage: Bytes,
    /// Of `to_storage`, what was dropped before it was written: files that were cut or deleted.
    #[doc(alias = "cancelled_write_bytes")]
    pub cancelled: Bytes,
}

impl KernelIo {
    /// In the order of the kernel's file.
    pub fn from_numbers([read, written, from_storage, to_storage, cancelled]: [u64; 5]) -> KernelIo {
        KernelIo {
            read: Bytes(read),
            written: Bytes(written),
            from_storage: Bytes(from_storage),
            to_storage: Bytes(to_storage),
            cancelled: Bytes(cancelled),
        }
    }

    pub fn numbers(&self) -> [u64; 5] {
        [self.read.0, self.written.0, self.from_storage.0, self.to_storage.0, self.cancelled.0]
    }

    /// What came since an earlier moment.
    pub fn since(&self, earlier: &KernelIo) -> KernelIo {
        let mut numbers = self.numbers();
        numbers.iter_mut().zip(earlier.numbers()).for_each(|(now, then)| *now = now.saturating_sub(then));
        KernelIo::from_numbers(numbers)
    }

    /// That of both.
    pub fn with(&self, other: &KernelIo) -> KernelIo {
        let mut numbers = self.numbers();
        numbers.iter_mut().zip(other.numbers()).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        KernelIo::from_numbers(numbers)
    }
}

/// The kernel's account of a process, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIo {
    /// Since it began to be watched, with that of children for which it waited.
    pub kernel: Reading<KernelIo>,
    /// What was accounted before, to be taken from what is seen from outside.
    pub at_begin: Reading<KernelIo>,
    /// What the C library reads and writes for its streams (fprintf) is among the calls on files, and none was left out because the process
    /// took rights from itself.
    pub sees_streams: bool,
}

impl ProcessIo {
    /// Nothing is known, for one reason.
    pub fn unavailable(reason: &'static str) -> ProcessIo {
        ProcessIo {
            kernel: Reading::unavailable(reason),
            at_begin: Reading::unavailable(reason),
            sees_streams: false,
        }
    }
}
