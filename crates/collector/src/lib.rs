//! The collector: a library that is preloaded into each process of a program (`LD_PRELOAD`) and notes, in a file that it maps,
//! what the threads of the process do: calls of MPI (`mpi/`) and of OpenMP's runtimes (`omp/`), calls on files (`files/`), and the phases
//! that it names (`phase/`). Where a trace is asked for, calls of MPI are written down one by one (`trace.rs`). Counters of the processor are opened when it begins (`counters.rs`).
//!
//! What they share: the mapping of the file (`process/`), the clock (`time/`), and a slot of the file for each thread, with the
//! state that the thread is in (`thread/`). To watch something else: [`thread::switch`] the state where it begins, and
//! [`thread::leave`] it where it ends.
//!
//! A guest in somebody else's process: it does not panic, end the process, print, allocate, change errno or a result. Where
//! it cannot note something, the program runs as it would without it. It uses `core` and the C library only. Where the
//! compiler unwinds (tests, and builds without optimisation), it wants `std` for that.

#![no_std]

#[cfg(any(test, panic = "unwind"))]
extern crate std;

use core::ffi::{c_char, c_int};

mod counters;
mod files;
mod life;
mod mpi;
mod omp;
mod phase;
mod proc;
mod process;
mod python;
mod thread;
mod time;
mod trace;

use numawise_guest::{sandbox, system};

type Strings = *const *const c_char;

/// Run by the dynamic loader when the libraries that the program needs have begun, before the program does.
// SAFETY: the section holds pointers to functions that the loader calls; this is one. glibc gives it what main gets, other
// C libraries nothing: the arguments are then whatever is in the registers.
#[unsafe(link_section = ".init_array")]
#[used]
static BEGIN: extern "C" fn(c_int, Strings, Strings) = begin;

/// Run at exit, when the program's own handlers are done.
// SAFETY: as above.
#[unsafe(link_section = ".fini_array")]
#[used]
static END: extern "C" fn() = life::end_by_exit;

/// Read in the file by who has the library loaded.
// SAFETY: nobody else has this name.
#[unsafe(no_mangle)]
pub static NUMAWISE_COLLECTOR_LAYOUT: [u8; 32] = numawise_wire::snapshot::MARK;

extern "C" fn begin(count: c_int, arguments: Strings, environment: Strings) {
    if arguments.wrapping_add(1).wrapping_offset(count as isize) == environment && !arguments.is_null() {
        system::use_environment(environment);
    }
    keep_names();
    sandbox::look_up();
    life::begin();
}

numawise_guest::withdraw_names!(3072);

/// There is no panic in this library, and a test sees to it that nothing calls this; the compiler wants it all the same.
#[cfg(all(not(test), panic = "abort"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: no preconditions.
    unsafe { libc::abort() }
}
