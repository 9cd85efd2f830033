//! Programs that forbid system calls to themselves: they are ended at the first one that they have not allowed, and that we place threads is not
//! theirs. From the moment at which a process asks for a filter, threads stay where their creator is.
//!
//! It is asked for by `prctl` and by the C library's `syscall` (libseccomp's way too). What the process was given before it began is no reason: containers and services
//! have filters.

use core::ffi::{c_int, c_long, c_uint, c_ulong};
use core::sync::atomic::{AtomicI32, Ordering};

use crate::quiet;
pub use crate::quiet::is_entered;
use crate::system::{self, SavedErrno, Symbol};

/// The process that has a plan; 0: none. A child of vfork has its parent's memory, and another number.
static PROCESS: AtomicI32 = AtomicI32::new(0);
static PRCTL: Symbol = Symbol::new(c"prctl");

/// To be called in the only thread, before the program begins, and in that of a child of fork.
pub fn begin() {
    PRCTL.get();
    if !is_entered() {
        PROCESS.store(system::process(), Ordering::Relaxed);
    }
}

/// Whether it is a filter that is asked for by prctl: without one it is a question.
fn is_asked_by_prctl(option: c_int, mode: c_ulong, filter: c_ulong) -> bool {
    option == libc::PR_SET_SECCOMP && (mode != libc::SECCOMP_MODE_FILTER.into() || filter != 0)
}

fn is_asked_by_seccomp(operation: c_uint, filter: c_ulong) -> bool {
    operation == libc::SECCOMP_SET_MODE_STRICT || operation == libc::SECCOMP_SET_MODE_FILTER && filter != 0
}

fn enter(is_asked: bool, call: impl FnOnce() -> c_long) -> c_long {
    let errno = SavedErrno::new();
    // Without a plan, and where there is a filter already, we may not even ask who we are. A child of vfork is on its way to another program, and
    // its parent goes on as it was.
    let known = PROCESS.load(Ordering::Relaxed);
    if !is_asked || is_entered() || known == 0 || known != system::process() {
        drop(errno);
        return call();
    }
    quiet::set(true);
    drop(errno);
    let result = call();
    if result < 0 {
        quiet::set(false);
    }
    result
}

/// `syscall(SYS_seccomp, ...)` and `syscall(SYS_prctl, ...)`, which are made by `call`.
pub fn by_number(number: c_long, arguments: [c_ulong; 3], call: impl FnOnce() -> c_long) -> c_long {
    let [first, second, third] = arguments;
    let is_asked = if number == libc::SYS_seccomp {
        is_asked_by_seccomp(first as c_uint, third)
    } else {
        is_asked_by_prctl(first as c_int, second, third)
    };
    enter(is_asked, call)
}

/// Stands before the C library's function.
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
    type Real = unsafe extern "C" fn(c_int, c_ulong, c_ulong, c_ulong, c_ulong) -> c_int;
    let call = || {
        let real = PRCTL.get();
        if real.is_null() {
            return -1;
        }
        // SAFETY: the symbol is a function of this type, whose unnamed arguments go in registers; the arguments are the caller's own.
        unsafe {
            core::mem::transmute::<*const core::ffi::c_void, Real>(real)(option, first, second, third, fourth)
                .into()
        }
    };
    enter(is_asked_by_prctl(option, first, second), call) as c_int
}
