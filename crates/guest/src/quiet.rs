//! Whether we make system calls.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Read by whoever is about to make a call of its own.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether the process may be in a sandbox of its own making: then we make no system call.
#[inline]
pub fn is_quiet() -> bool {
    QUIET.load(Relaxed)
}

/// For [`crate::sandbox`] alone.
pub(crate) fn set(is_quiet: bool) {
    QUIET.store(is_quiet, Relaxed);
}
