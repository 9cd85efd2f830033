//! Whether we make system calls.

use core::sync::atomic::{AtomicBool, Ordering};

static ENTERED: AtomicBool = AtomicBool::new(false);

/// Whether the process may have a filter of its own making: then we make no system call.
#[inline]
pub fn is_entered() -> bool {
    ENTERED.load(Ordering::Relaxed)
}

/// For [`crate::sandbox`] alone.
pub fn set(is_entered: bool) {
    ENTERED.store(is_entered, Ordering::Relaxed);
}
