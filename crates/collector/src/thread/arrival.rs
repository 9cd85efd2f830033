//! A thread has its slot from its begin.

use numawise_guest::threads;

use super::local::local;
use super::{cpu, slot};
use crate::process;

/// Looks for the C library's functions that create threads, while the process has one, and has new threads get their slots.
pub fn look_up() {
    threads::look_up();
    threads::watch(arrived);
}

fn arrived(start: usize) {
    local().start.set(start);
    if let Some(slot) = slot::current()
        && let Some(header) = process::header()
    {
        process::note_module(header, start);
        cpu::note(slot);
    }
}
