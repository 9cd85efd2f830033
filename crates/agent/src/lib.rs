//! The agent: a library that is preloaded into the target process (`LD_PRELOAD`) and acts there for numawise.
//!
//! One folder for each thing it does: `pin/` pins threads by a plan that comes in the environment (`numawise_wire::pin`).
//! What they share is here: calls to the kernel and the C library ([`system`]), lines for standard error ([`line`]) and where they may go ([`stream`]), and
//! whether the program has forbidden system calls to itself ([`sandbox`]).
//!
//! A guest in somebody else's process: it does not panic, end the process, write to standard output or allocate (but for
//! hundreds of threads that are created and do not begin), and where it fails, the program runs as it would without it.
//! It uses `core` and the C library only, so that loading it is cheap. Where the compiler unwinds (tests, and builds
//! without optimisation), it wants `std` for that.

#![no_std]

#[cfg(any(test, panic = "unwind"))]
extern crate std;

use core::ffi::{c_char, c_int};

mod line;
mod pin;
mod quiet;
mod sandbox;
mod stream;
mod system;

type Strings = *const *const c_char;

/// Run by the dynamic loader before anything else of the process (`-z initfirst`): an OpenMP runtime that begins before us
/// would have given the main thread a place, and we could not tell that from a place that a launcher gave.
// SAFETY: the section holds pointers to functions that the loader calls; this is one. glibc gives it what main gets, other
// C libraries nothing: the arguments are then whatever is in the registers.
#[unsafe(link_section = ".init_array")]
#[used]
static BEGIN: extern "C" fn(c_int, Strings, Strings) = begin;

extern "C" fn begin(count: c_int, arguments: Strings, environment: Strings) {
    // So early glibc's getenv finds nothing. The environment lies behind the arguments; where it does not, we were given none.
    if arguments.wrapping_add(1).wrapping_offset(count as isize) == environment && !arguments.is_null() {
        system::use_environment(environment);
    }
    pin::prepare();
}

/// There is no panic in this library, and a test sees to it that nothing calls this; the compiler wants it all the same.
#[cfg(all(not(test), panic = "abort"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: no preconditions.
    unsafe { libc::abort() }
}
