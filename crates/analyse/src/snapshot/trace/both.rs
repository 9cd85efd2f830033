//! Two parts of the work at once: neither sees what the other does, so that what they give is the same on one CPU and on two.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// What both give. Where no thread can be made, one after the other.
pub fn both<A: Send, B>(one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, &one);
        let other = other();
        match thread {
            Ok(thread) => (thread.join().unwrap_or_else(|fault| resume_unwind(fault)), other),
            Err(_) => (one(), other),
        }
    })
}
