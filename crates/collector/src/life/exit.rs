//! We stand before `_exit`, which runs nothing at the end of the process: workers of Python's multiprocessing end by it.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::system;

static REAL: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

static END: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// Looks for the C library's function; `end` is called before it.
pub fn look_up(end: extern "C" fn()) {
    END.store(end as *mut c_void, Ordering::Relaxed);
    REAL.store(system::next_symbol(c"_exit").cast_mut(), Ordering::Relaxed);
}

fn exit(status: c_int) -> ! {
    let end = END.load(Ordering::Relaxed);
    if !end.is_null() {
        // SAFETY: a function of this type was stored.
        let end: extern "C" fn() = unsafe { core::mem::transmute(end) };
        end();
    }
    let real = REAL.load(Ordering::Relaxed);
    if !real.is_null() {
        // SAFETY: the symbol is the C library's function of this type.
        let real: unsafe extern "C" fn(c_int) -> ! = unsafe { core::mem::transmute(real) };
        // SAFETY: no preconditions.
        unsafe { real(status) }
    }
    loop {
        // SAFETY: no preconditions; the process does not outlive it.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// # Safety
/// As _exit(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(status: c_int) -> ! {
    exit(status)
}

/// # Safety
/// As _exit(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Exit(status: c_int) -> ! {
    exit(status)
}
