//! The library for memory objects: preloaded into each process of a program (`LD_PRELOAD`), it writes allocations and frees down in a
//! ring, with a copy of each call stack that it has not met yet. Where asked for, it takes samples of the threads too.
//!
//! The way of a call: its entry in assembler (`entry.rs`) decides by two compares whether anything is to be written; else it jumps on.
//! `call.rs` says what is: `member.rs` knows which blocks were written down, `draw.rs` which small ones are drawn,
//! `budget.rs` which large ones where all would cost too much, `stacks.rs` tells call
//! stacks apart, `python.rs` what Python executes in them, and `log.rs` and `ring.rs` hold the file. `timer.rs` takes the samples.
//!
//! Rules may say which objects go to which nodes: `rules.rs` knows these by the calls of their allocation, `modules.rs` where the files lie that
//! they speak of, and `placed.rs` sets policies and takes them back. That works without a file too.
//!
//! A guest in somebody else's process: it does not panic, end the process, print, allocate, change errno or a result. Where
//! it cannot note something, the program runs as it would without it. It uses `core` and the C library only. Where the
//! compiler unwinds (tests, and builds without optimisation), it wants `std` for that.

#![no_std]

#[cfg(any(test, panic = "unwind"))]
extern crate std;

use core::ffi::{c_char, c_int};

mod budget;
mod call;
mod chance;
mod code;
mod draw;
mod early;
mod entry;
mod exports;
mod frame;
mod function;
mod life;
mod local;
mod log;
mod member;
mod modules;
mod numbers;
mod placed;
mod python;
mod readable;
mod ring;
mod rules;
mod signal;
mod stacks;
mod timer;

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
static END: extern "C" fn() = life::end;

/// Read in the file by who has the library loaded.
// SAFETY: nobody else has this name.
#[unsafe(no_mangle)]
pub static NUMAWISE_HEAP_LAYOUT: [u8; 32] = numawise_wire::heap::MARK;

extern "C" fn begin(count: c_int, arguments: Strings, environment: Strings) {
    if arguments.wrapping_add(1).wrapping_offset(count as isize) == environment && !arguments.is_null() {
        system::use_environment(environment);
    }
    keep_names();
    sandbox::look_up();
    life::begin();
}

numawise_guest::withdraw_names!(64);

/// There is no panic in this library, and a test sees to it that nothing calls this; the compiler wants it all the same.
#[cfg(all(not(test), panic = "abort"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: no preconditions.
    unsafe { libc::abort() }
}
