//! The CPUs on which a thread was found.

use core::sync::atomic::Ordering::Relaxed;

use numawise_guest::cpu::current;
use numawise_wire::snapshot::ThreadSlot;

/// Notes where the thread runs.
#[inline]
pub fn note(slot: &ThreadSlot) {
    let Some(cpu) = current() else { return };
    let before = slot.cpu.load(Relaxed);
    if before != cpu + 1 {
        moved(slot, before, cpu + 1);
    }
}

#[cold]
fn moved(slot: &ThreadSlot, before: u32, now: u32) {
    slot.cpu.store(now, Relaxed);
    if before != 0 {
        slot.migrations.store(slot.migrations.load(Relaxed).wrapping_add(1), Relaxed);
    }
    let place = slot.cpus.iter().find(|stay| [0, now].contains(&stay.cpu.load(Relaxed)));
    let Some(stay) = place.or(slot.cpus.last()) else { return };
    stay.cpu.store(if place.is_some() { now } else { u32::MAX }, Relaxed);
    stay.found.store(stay.found.load(Relaxed).wrapping_add(1), Relaxed);
}
