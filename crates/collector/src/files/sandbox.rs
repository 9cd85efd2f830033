//! Programs that take rights from themselves.
//!
//! A program in a sandbox is ended at the first system call that it has not allowed, and at the first reading of the processor's counter in
//! the strict one. Its own calls on files are allowed, ours are not: we ask what a descriptor is, and what time it is. So from the moment
//! at which a process asks for one, its calls on files go through without us. That is before it has one: a sandbox that is
//! ruled by a filter begins with the promise to gain no rights (`PR_SET_NO_NEW_PRIVS`).

use core::ffi::{c_int, c_ulong};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use numawise_wire::snapshot::Flag;

use crate::process;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether the process may be in a sandbox of its own making.
#[inline]
pub fn was_asked_for() -> bool {
    ASKED.load(Relaxed)
}

/// Stands before the C library's function, which hands its arguments to the kernel as they are.
///
/// # Safety
/// As prctl(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prctl(
    option: c_int,
    first: c_ulong,
    second: c_ulong,
    third: c_ulong,
    fourth: c_ulong,
) -> c_int {
    if matches!(option, libc::PR_SET_SECCOMP | libc::PR_SET_NO_NEW_PRIVS | libc::PR_SET_TSC) {
        ASKED.store(true, Relaxed);
        process::note_for_good(Flag::Sandbox);
    }
    // SAFETY: the caller's own arguments.
    unsafe { libc::syscall(libc::SYS_prctl, option, first, second, third, fourth) as c_int }
}
