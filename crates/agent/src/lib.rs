//! What rides in the target: the library that pins the k-th thread created of whatever runtime.
//!
//! It is preloaded (`LD_PRELOAD`) and stands before `pthread_create`. A new thread pins itself before its own work begins;
//! the plan comes in the environment (`docs/formats/pin-protocol.md`). Threads of OpenMP runtimes are left to
//! `OMP_PLACES`; helpers of MPI and of GPUs are not counted and get the CPUs of the whole task. A program that places
//! its threads itself wins.
//!
//! A guest in somebody else's process: it does not panic, end the process, write to standard output or allocate (but for
//! hundreds of threads that are created and do not begin), and where it fails, the program runs as it would without it.
//! It uses `core` and the C library only, so that loading it is cheap. Where the compiler unwinds (tests, and builds
//! without optimisation), it wants `std` for that.

#![no_std]

#[cfg(any(test, panic = "unwind"))]
extern crate std;

use core::ffi::{c_char, c_int};

mod begin;
mod create;
mod fork;
mod line;
mod mask;
mod names;
mod owner;
mod plan;
mod protocol;
mod slot;
mod system;

type Words = *const *const c_char;

/// Run by the dynamic loader before anything else of the process (`-z initfirst`): an OpenMP runtime that begins before us
/// would have given the main thread a place, and we could not tell that from a place that a launcher gave.
// SAFETY: the section holds pointers to functions that the loader calls; this is one. glibc gives it what main gets, other
// C libraries nothing: the arguments are then whatever is in the registers.
#[unsafe(link_section = ".init_array")]
#[used]
static BEGIN: extern "C" fn(c_int, Words, Words) = begin;

extern "C" fn begin(count: c_int, arguments: Words, environment: Words) {
    // So early glibc's getenv finds nothing. The environment lies behind the arguments; where it does not, we were given none.
    if arguments.wrapping_add(1).wrapping_offset(count as isize) == environment && !arguments.is_null() {
        system::use_environment(environment);
    }
    plan::active();
}

/// There is no panic in this library, and a test sees to it that nothing calls this; the compiler wants it all the same.
#[cfg(all(not(test), panic = "abort"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: no preconditions.
    unsafe { libc::abort() }
}
