//! What passes between numawise and the agent in the target process, both ways; each message carries its version.
//!
//! A leaf without `std` and without allocation, since one of its two readers is a guest in somebody else's process: no
//! function here panics, whatever the bytes. Encoding and decoding of a message stand side by side in one module:
//! - [`pin`]: the pin plan, from numawise to the agent, in the environment (`docs/formats/pin-protocol.md`).
//! - [`snapshot`]: what the collector measured, from the target, in a file (`docs/formats/snapshot-part.md`).
//! - [`trace`]: every call of MPI of the target, in a file (`docs/formats/trace-part.md`).
//! - [`heap`]: allocations of the target, and samples of its threads, in a file (`docs/formats/heap-log.md`).
//! - [`heap::rules`]: where the target is to put memory objects, in the environment (`docs/formats/object-rules.md`).
//! - [`roles`]: whose work a thread does, which both sides must answer alike.
//! - [`python`]: where the interpreter of Python keeps what a thread executes, and how a call stack of it is written down.
//! - [`mask`]: CPU sets as words of bits, in which both sides hold them.

#![no_std]

#[cfg(test)]
extern crate std;

pub mod bytes;
pub mod heap;
pub mod mask;
pub mod pin;
pub mod python;
pub mod roles;
pub mod snapshot;
pub mod trace;

use core::ffi::CStr;

/// An environment variable by its name, in the two forms in which the two sides ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable(&'static CStr);

impl Variable {
    pub const fn name(self) -> &'static str {
        match self.0.to_str() {
            Ok(name) => name,
            Err(_) => "",
        }
    }

    pub const fn c_name(self) -> &'static CStr {
        self.0
    }
}

/// What lies in a library, with the version of what it writes, so that who has it loaded knows before whether both have the same
/// layout.
const fn mark(begin: &[u8; 27], version: u32) -> [u8; 32] {
    let mut mark = *b"                           0000\n";
    let mut at = 0;
    while at < begin.len() {
        mark[at] = begin[at];
        at += 1;
    }
    let (mut at, mut rest) = (30, version);
    while at > 26 {
        mark[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        at -= 1;
    }
    mark
}
