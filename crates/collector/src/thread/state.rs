//! What a thread spends its time with: each change of state costs one reading of the clock.

use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{ThreadSlot, ThreadState};

use super::cpu;
use super::word::add;
use crate::time;

/// Goes over from the state that the thread is in to another that is not left: what follows a region or a barrier.
/// Gives the moment.
#[inline]
pub fn switch(slot: &ThreadSlot, state: ThreadState) -> u64 {
    let now = time::now();
    cpu::note(slot);
    change(slot, slot.state.load(Relaxed), state as u32, now);
    now
}

/// Goes back to a state that `switch` took the thread from; gives the moment.
#[inline]
pub fn leave(slot: &ThreadSlot, previous: u32) -> u64 {
    let now = time::now();
    change(slot, slot.state.load(Relaxed), previous, now);
    now
}

/// Goes over to another state at the moment `now`, which charges what has passed to the state and the construct of OpenMP that
/// the thread is in.
#[inline]
pub fn change(slot: &ThreadSlot, from: u32, to: u32, now: u64) {
    // Counters of two processors may differ by a few ticks.
    let passed = now.saturating_sub(slot.since.load(Relaxed));
    if let Some(ticks) = slot.ticks.get(from as usize) {
        add(ticks, passed);
    }
    let row = slot.row.load(Relaxed);
    if row != 0
        && let Some(row) = slot.tables.openmp.rows.get(row as usize - 1)
        && let Some(ticks) = row.ticks.get(from as usize)
    {
        add(ticks, passed);
    }
    if let Some(entries) = slot.entries.get(to as usize) {
        add(entries, 1);
    }
    slot.since.store(now, Relaxed);
    slot.state.store(to, Relaxed);
}
