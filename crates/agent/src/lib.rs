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

/// Run by the dynamic loader before the program begins, unless a thread was created before that.
// SAFETY: the section holds pointers to functions that the loader calls; this is one, and takes no arguments.
#[unsafe(link_section = ".init_array")]
#[used]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    plan::active();
}

/// There is no panic in this library, and a test sees to it that nothing calls this; the compiler wants it all the same.
#[cfg(all(not(test), panic = "abort"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: no preconditions.
    unsafe { libc::abort() }
}
