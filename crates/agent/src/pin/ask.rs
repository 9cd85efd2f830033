//! We stand before the functions that ask for CPUs: of the main thread, which the plan or OpenMP by the plan put on a few, they say those of its
//! task. Programs and runtimes ask it how large the machine is (`os.sched_getaffinity`, joblib, a libgomp that is loaded late); without us they
//! would see the task. Where the thread runs is not changed, and is read in `/proc`. Of other threads the answer is the kernel's, and of the
//! main thread while it works in a team of OpenMP: who asks there wants to know about the thread.

use core::ffi::{c_int, c_long, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

use super::{choice, plan};
use crate::sandbox;
use crate::system::{SavedErrno, Symbol};

type OfProcess = unsafe extern "C" fn(libc::pid_t, usize, *mut u8) -> c_int;
type OfThread = unsafe extern "C" fn(libc::pthread_t, usize, *mut u8) -> c_int;
type Call = unsafe extern "C" fn(c_long, libc::pid_t, usize, *mut u8) -> c_long;

static OF_PROCESS: Symbol = Symbol::new(c"sched_getaffinity");
static OF_THREAD: Symbol = Symbol::new(c"pthread_getaffinity_np");

/// The main thread has set its CPUs by a bare call: LLVM's runtime does so, asks for what it has set, and comes back to that.
static HAS_SET: AtomicBool = AtomicBool::new(false);

/// Whether the calling thread works in a team of OpenMP. Its runtime is asked only where it is at work: it would begin to work.
fn is_in_team() -> bool {
    static ASK: Symbol = Symbol::new(c"omp_in_parallel");
    if !choice::is_open_mp_at_work() {
        return false;
    }
    let _errno = SavedErrno::new();
    let ask = ASK.get();
    // SAFETY: the symbol is a function of this type.
    !ask.is_null()
        && unsafe { core::mem::transmute::<*const c_void, unsafe extern "C" fn() -> c_int>(ask)() != 0 }
}

/// Puts the task's CPUs in the place of those that the main thread has from us.
///
/// # Safety
/// The kernel must have written so many bytes.
unsafe fn widen(is_main: bool, cpus: *mut u8, bytes: usize) {
    let Some(plan) = plan::known().filter(|_| is_main) else { return };
    // SAFETY: the caller's promise.
    let found = unsafe { core::slice::from_raw_parts_mut(cpus, bytes) };
    if choice::main_is_told_the_task(plan, found) {
        let task = plan.task().iter().flat_map(|word| word.to_le_bytes());
        found.iter_mut().zip(task.chain(core::iter::repeat(0))).for_each(|(to, from)| *to = from);
    }
}

/// # Safety
/// As sched_getaffinity(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sched_getaffinity(thread: libc::pid_t, size: usize, cpus: *mut u8) -> c_int {
    let real = OF_PROCESS.get();
    if real.is_null() {
        return -1;
    }
    // SAFETY: the symbol is a function of this type, and gets the caller's own arguments; it fills all that it is given.
    unsafe {
        let result = core::mem::transmute::<*const c_void, OfProcess>(real)(thread, size, cpus);
        if result == 0 && !is_in_team() {
            widen(choice::is_mains_number(thread), cpus, size);
        }
        result
    }
}

/// # Safety
/// As pthread_getaffinity_np(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getaffinity_np(
    thread: libc::pthread_t,
    size: usize,
    cpus: *mut u8,
) -> c_int {
    let real = OF_THREAD.get();
    if real.is_null() {
        return libc::ENOSYS;
    }
    // SAFETY: as above.
    unsafe {
        let result = core::mem::transmute::<*const c_void, OfThread>(real)(thread, size, cpus);
        if result == 0 && !is_in_team() {
            widen(choice::is_mains_handle(thread), cpus, size);
        }
        result
    }
}

/// `syscall(SYS_sched_getaffinity, ...)`, by which LLVM's and Intel's OpenMP ask, and the same with `SYS_sched_setaffinity`.
unsafe extern "C" fn call(number: c_long, thread: libc::pid_t, size: usize, cpus: *mut u8) -> c_long {
    // SAFETY: what is there is the C library's function or ours, and gets the caller's own arguments. The kernel says how many bytes it wrote.
    unsafe {
        let real: Call = core::mem::transmute(sandbox::CALL.load(Ordering::Relaxed));
        let result = real(number, thread, size, cpus);
        if result < 0 || !choice::is_mains_number(thread) {
            return result;
        }
        if number == libc::SYS_sched_setaffinity {
            HAS_SET.store(true, Ordering::Relaxed);
        } else if let Some(bytes) = usize::try_from(result).ok().filter(|bytes| *bytes > 0) {
            widen(!HAS_SET.load(Ordering::Relaxed), cpus, bytes);
        }
        result
    }
}

numawise_guest::stand_before_sandboxes!(
    asks call_asks = libc::SYS_sched_getaffinity => call,
    sets call_sets = libc::SYS_sched_setaffinity => call
);
