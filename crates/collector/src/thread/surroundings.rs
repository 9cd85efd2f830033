//! What surrounds a thread: the CPUs on which it may run, and how long it waited for one.

use core::ffi::c_int;
use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{MASK_WORDS, ThreadSlot};

use crate::proc;

/// Threads that computed for less do not pay the reading of a file: a program may make a hundred thousand of them.
const WORTH_A_FILE: u64 = 1_000_000;

/// Notes the mask of a thread of this process; 0 is the calling one.
pub fn note_mask(slot: &ThreadSlot, thread: c_int) {
    let mut words = [0; MASK_WORDS];
    let Ok(known) = numawise_syscalls::affinity(thread, &mut words) else { return };
    words.iter().zip(&slot.mask).for_each(|(word, place)| place.store(*word, Relaxed));
    slot.mask_words.store(known as u32, Relaxed);
}

/// Notes the mask and the waiting of a thread that ends, or whose process does, once its processor time is noted.
pub fn note_end(slot: &ThreadSlot, thread: c_int) {
    note_mask(slot, thread);
    if slot.files.iter().any(|calls| calls.count.load(Relaxed) > 0) {
        note_disk_wait(slot, thread);
    }
    if slot.processor_nanoseconds.load(Relaxed) < WORTH_A_FILE {
        return;
    }
    if let Some(delay) = proc::run_delay(thread) {
        slot.run_delay.store(delay.saturating_add(1), Relaxed);
    }
}

/// Threads that called nothing on files wait for disks only for pages of files that are mapped: these are not asked.
fn note_disk_wait(slot: &ThreadSlot, thread: c_int) {
    if let Some(waited) = proc::disk_wait(thread) {
        // Of all threads that had the slot.
        let before = slot.disk_wait.load(Relaxed).max(1);
        slot.disk_wait.store(before.saturating_add(waited), Relaxed);
    }
}
