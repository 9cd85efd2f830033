//! One writer per record.
//!
//! SQLite itself keeps two writers from writing at the same time, but not from taking turns. We hold a lock on one byte of
//! the file, far from the bytes that SQLite locks (2^30 and the 511 after it), so that people can read while we measure.
//! An open-file-description lock goes away with the process however that ends, and does not mix with the locks that
//! SQLite takes for the process. `flock` would do on a local disk, but over NFS it locks the whole file and shuts SQLite
//! out.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use crate::RecordError;

const BYTE: libc::off_t = 1 << 46;

/// Held while a record is open for writing. Must outlive the connection to the same file: closing any descriptor of a
/// file takes away the locks that the process holds on it, SQLite's too.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock, or tells that somebody else has it. On a file system without such locks there is none to take, and
    /// SQLite's own must do.
    pub fn take(file: File, path: &Path) -> Result<Self, RecordError> {
        // SAFETY: `flock` is a plain structure of integers, for which all zeros is a value.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = libc::F_WRLCK as libc::c_short;
        lock.l_whence = libc::SEEK_SET as libc::c_short;
        lock.l_start = BYTE;
        lock.l_len = 1;
        // SAFETY: the descriptor is open as long as `file` lives, and the kernel only reads `lock` for F_OFD_SETLK.
        let status = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
        if status == 0 {
            return Ok(WriterLock { _file: file });
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EACCES) => Err(RecordError::InUse(path.to_owned())),
            Some(libc::EINVAL | libc::ENOLCK | libc::ENOSYS | libc::EOPNOTSUPP) => {
                Ok(WriterLock { _file: file })
            }
            _ => Err(RecordError::io(path, "lock it", error)),
        }
    }
}
