//! A thread that waits for others of its process, and for signals that it handles: it need not wake to look.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, FromRawFd};
use std::time::Duration;

use super::pipe;

#[cfg(test)]
#[path = "bell_tests.rs"]
mod tests;

/// Rung by any thread, and waited for by one.
#[derive(Debug)]
pub struct Bell(File);

impl Bell {
    /// # Errors
    /// Where the kernel has no descriptor for it.
    #[doc(alias = "eventfd")]
    pub fn new() -> io::Result<Bell> {
        // SAFETY: a call without pointers.
        let descriptor = super::checked(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })?;
        // SAFETY: the descriptor is new and belongs to nobody else.
        Ok(Bell(unsafe { File::from_raw_fd(descriptor) }))
    }

    /// Wakes who waits, or who will wait next.
    pub fn ring(&self) {
        // It fails only where nobody has listened 2^64 times.
        let _ = (&self.0).write(&1u64.to_ne_bytes());
    }

    /// Waits until it was rung, this thread has handled a signal, or the time is over; true in the first case.
    pub fn wait(&self, at_most: Duration) -> bool {
        pipe::wait(&mut [pipe::of(self.0.as_fd(), libc::POLLIN)], at_most);
        // There is nothing to read where it was not rung.
        (&self.0).read(&mut [0; 8]).is_ok()
    }
}
