//! Two parts of the work at once: neither sees what the other does, so that what they give is the same on one CPU and on two.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::thread::{Builder, scope};

/// What both give. Where no thread can be made, one after the other.
pub fn both<A: Send + Sync, B>(one: impl Fn() -> A + Sync, mut other: impl FnMut() -> B) -> (A, B) {
    let (of_one, mut of_other) = (OnceLock::new(), None);
    at_once(&|| drop(of_one.set(one())), &mut || of_other = Some(other()));
    (of_one.into_inner().unwrap_or_else(one), of_other.unwrap_or_else(other))
}

/// The code of a thread once, whatever it does.
fn at_once(one: &(dyn Fn() + Sync), other: &mut dyn FnMut()) {
    scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, one);
        other();
        if let Some(fault) = thread.ok().and_then(|thread| thread.join().err()) {
            resume_unwind(fault);
        }
    });
}
