//! What a thread does with files, by kind of call, and what the kernel accounts to its process.

use core::sync::atomic::AtomicU64;

/// Calls on files that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum FileOperation {
    Read = 0,
    Write = 1,
    /// Waits until what was written is on the storage: fsync and its like.
    Sync = 2,
    /// Opens, closes, changes the length, reserves space.
    Manage = 3,
}

/// How many there are.
pub const FILE_OPERATIONS: usize = 4;

/// Calls of one kind on regular files and block devices.
#[repr(C)]
pub struct FileCalls {
    pub count: AtomicU64,
    pub ticks: AtomicU64,
    pub longest: AtomicU64,
    pub bytes: AtomicU64,
}

/// Numbers of `/proc/PID/io` that are kept, in this order: `rchar`, `wchar`, `read_bytes`, `write_bytes`, `cancelled_write_bytes`.
pub const KERNEL_BYTES: usize = 5;
