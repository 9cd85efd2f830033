//! We stand before the functions that set CPUs, to know what the program chose itself. Nothing is changed about them, but that a main thread
//! which goes back to all CPUs of the task, as it was told that it had them ([`super::ask`]), goes back to its own. What sets CPUs by a bare
//! system call (libnuma does) is not seen; it differs from what we gave in all but a contrived case.

use core::ffi::{c_int, c_void};

use numawise_wire::roles::{self, ThreadRole};

use super::owner::Owner;
use super::{choice, plan, process};
use crate::system::{SavedErrno, Symbol};

type OfProcess = unsafe extern "C" fn(libc::pid_t, usize, *const c_void) -> c_int;
type OfThread = unsafe extern "C" fn(libc::pthread_t, usize, *const c_void) -> c_int;

static OF_PROCESS: Symbol = Symbol::new(c"sched_setaffinity");
static OF_THREAD: Symbol = Symbol::new(c"pthread_setaffinity_np");

/// Stands for a thread that is not the calling one.
const ANOTHER: c_int = -1;

/// # Safety
/// The kernel must have accepted so many bytes.
unsafe fn note(thread: c_int, caller: *const c_void, cpus: *const u8, size: usize) {
    let _errno = SavedErrno::new();
    let Some(plan) = plan::active() else { return };
    match roles::role(Owner::of(caller).name(), plan.leave()) {
        ThreadRole::OpenMp => process::open_mp_places(),
        _ => {
            choice::chosen(thread);
            // SAFETY: the caller's promise.
            let cpus = unsafe { core::slice::from_raw_parts(cpus, size) };
            if let Some(place) = choice::goes_back(plan, cpus) {
                plan.give(0, plan.thread(place));
            }
        }
    }
}

/// # Safety
/// As sched_setaffinity(2).
unsafe extern "C" fn of_process(
    thread: libc::pid_t,
    size: usize,
    cpus: *const c_void,
    caller: *const c_void,
) -> c_int {
    let real = OF_PROCESS.get();
    if real.is_null() {
        return -1;
    }
    // SAFETY: the symbol is a function of this type, and gets the caller's own arguments.
    unsafe {
        let result = core::mem::transmute::<*const c_void, OfProcess>(real)(thread, size, cpus);
        if result == 0 {
            note(thread, caller, cpus.cast(), size);
        }
        result
    }
}

/// # Safety
/// As pthread_setaffinity_np(3).
unsafe extern "C" fn of_thread(
    thread: libc::pthread_t,
    size: usize,
    cpus: *const c_void,
    caller: *const c_void,
) -> c_int {
    let real = OF_THREAD.get();
    if real.is_null() {
        return libc::ENOSYS;
    }
    // SAFETY: as above.
    unsafe {
        let result = core::mem::transmute::<*const c_void, OfThread>(real)(thread, size, cpus);
        if result == 0 {
            let is_own = libc::pthread_self() == thread;
            note(if is_own { 0 } else { ANOTHER }, caller, cpus.cast(), size);
        }
        result
    }
}

/// The fourth argument is where the caller goes on, which tells who it is.
macro_rules! with_caller {
    ($name:ident, $to:ident, $first:ty) => {
        /// # Safety
        /// As the function of this name.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name(_: $first, _: usize, _: *const c_void) -> c_int {
            core::arch::naked_asm!("mov rcx, [rsp]", "jmp {to}", to = sym $to)
        }

        /// # Safety
        /// As the function of this name.
        #[cfg(target_arch = "aarch64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name(_: $first, _: usize, _: *const c_void) -> c_int {
            core::arch::naked_asm!("mov x3, x30", "b {to}", to = sym $to)
        }

        /// # Safety
        /// As the function of this name.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(thread: $first, size: usize, cpus: *const c_void) -> c_int {
            // SAFETY: the caller's promise; nobody knows who it is, so it counts as the program.
            unsafe { $to(thread, size, cpus, core::ptr::null()) }
        }
    };
}

with_caller!(sched_setaffinity, of_process, libc::pid_t);
with_caller!(pthread_setaffinity_np, of_thread, libc::pthread_t);
