//! The lock of whoever writes into one of our files.
//!
//! An open-file-description lock goes away with the process however that ends, and does not mix with the locks that other code
//! of the process takes on the same file. `flock` would do on a local disk, but over NFS it locks the whole file.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Far from the bytes that SQLite locks (2^30 and the 511 after it), so that people can read a record while it is written.
const BYTE: libc::off_t = 1 << 46;

/// What came of asking for the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriterClaim {
    /// It is ours until the file is closed.
    Taken,
    /// Somebody else is writing.
    HeldByAnother,
    /// This file system has no such locks.
    Unsupported,
}

/// Asks for the writer's lock, and does not wait for it.
///
/// # Errors
/// What the kernel says, other than that it is held or not to be had.
#[doc(alias = "fcntl")]
pub fn claim_writer(file: &File) -> io::Result<WriterClaim> {
    // SAFETY: `flock` is a plain structure of integers, for which all zeros is a value.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = BYTE;
    lock.l_len = 1;
    // SAFETY: the descriptor is open as long as `file` lives, and the kernel only reads `lock` for F_OFD_SETLK.
    let status = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if status == 0 {
        return Ok(WriterClaim::Taken);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EAGAIN | libc::EACCES) => Ok(WriterClaim::HeldByAnother),
        Some(libc::EINVAL | libc::ENOLCK | libc::ENOSYS | libc::EOPNOTSUPP) => Ok(WriterClaim::Unsupported),
        _ => Err(error),
    }
}
