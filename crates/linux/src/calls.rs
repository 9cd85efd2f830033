//! System calls, each with a small safe function.

pub mod affinity;
pub mod bell;
pub mod children;
pub mod clock;
pub mod counter;
pub mod handover;
pub mod heap;
pub mod inherited;
pub mod interrupts;
pub mod lock;
pub mod mempolicy;
pub mod pages;
pub mod pipe;
pub mod process;
pub mod sampler;
pub mod shared;
pub mod signal;
pub mod stop;
pub mod stream;
pub mod terminal;
pub mod wait;

use std::io;

use numawise_syscalls::Errno;

fn error(errno: Errno) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

/// The result of a call of the C library that gives -1 when it failed.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
