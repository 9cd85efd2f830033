//! The first steps of a new thread: it places itself, and goes on to what its creator gave.

use core::ffi::c_void;

use numawise_guest::threads::{Next, Start, nothing};

use super::{choice, messages, plan, slot};

/// # Safety
/// `place` must be the slot that the creator filled for this thread alone.
unsafe extern "C" fn arrive(place: *mut c_void) -> Next {
    // SAFETY: the caller's promise.
    match unsafe { slot::take(place) } {
        Some(thread) => {
            pin(&thread);
            Next { start: thread.start, argument: thread.argument }
        }
        // Slots are always filled; the thread would end at once.
        None => Next { start: nothing as *const c_void, argument: core::ptr::null_mut() },
    }
}

/// Pins the calling thread.
fn pin(thread: &slot::NewThread) {
    let Some(plan) = plan::active() else { return };
    let cpus = plan.thread(thread.place);
    choice::placed(thread.place);
    let pinned = plan.give(0, cpus);
    if plan::is_verbose() {
        messages::thread_pinned(thread.number, thread.owner.name(), cpus, pinned);
    }
}

numawise_guest::first_steps!(arrive);

/// What new threads run.
pub const BEGIN: Start = begin;
