//! What passes between numawise and the agent in the target process, both ways; each message carries its version.
//!
//! A leaf without `std` and without allocation, since one of its two readers is a guest in somebody else's process: no
//! function here panics, whatever the bytes. Encoding and decoding of a message stand side by side in one module:
//! - [`pin`]: the pin plan, from numawise to the agent, in the environment (`docs/formats/pin-protocol.md`).
//! - [`snapshot`]: what the collector measured, from the target, in a file (`docs/formats/snapshot-part.md`).
//! - [`roles`]: whose work a thread does, which both sides must answer alike.
//! - [`mask`]: CPU sets as words of bits, in which both sides hold them.

#![no_std]

#[cfg(test)]
extern crate std;

pub mod mask;
pub mod pin;
pub mod roles;
pub mod snapshot;

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
