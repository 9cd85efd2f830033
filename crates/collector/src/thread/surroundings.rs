//! What surrounds a thread: the CPUs on which it may run, how long it waited for one, and what the kernel counts of it.

use core::ffi::c_int;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{MASK_WORDS, ThreadSlot};

use crate::proc;

/// Threads that computed for less do not pay the reading of a file: a program may make a hundred thousand of them. The first one always does.
const WORTH_A_FILE: u64 = 1_000_000;

/// What the kernel had counted of the first thread when it got its slot: it keeps on counting where a process becomes another program
/// (exec), and while its libraries are loaded. All others begin with their slot.
struct Before {
    processor: AtomicU64,
    switches: [AtomicU64; 2],
    run_delay: AtomicU64,
    disk_wait: AtomicU64,
}

static BEFORE: Before = Before {
    processor: AtomicU64::new(0),
    switches: [const { AtomicU64::new(0) }; 2],
    run_delay: AtomicU64::new(0),
    disk_wait: AtomicU64::new(0),
};

/// Notes what was before the first thread got its slot; the slot is the calling thread's.
pub fn note_begin(slot: &ThreadSlot) {
    if slot.main.load(Relaxed) == 0 {
        return;
    }
    let thread = slot.thread.load(Relaxed).cast_signed();
    BEFORE.run_delay.store(proc::run_delay(thread).unwrap_or(0), Relaxed);
    BEFORE.disk_wait.store(proc::disk_wait(thread).unwrap_or(0), Relaxed);
    let switches = switches().unwrap_or([0; 2]);
    BEFORE.switches.iter().zip(switches).for_each(|(place, count)| place.store(count, Relaxed));
    let time = numawise_syscalls::clock(libc::CLOCK_THREAD_CPUTIME_ID);
    BEFORE.processor.store(time.unwrap_or(0), Relaxed);
}

/// What was counted since the thread has its slot.
fn since(slot: &ThreadSlot, count: u64, before: impl Fn(&Before) -> &AtomicU64) -> u64 {
    if slot.main.load(Relaxed) == 0 {
        return count;
    }
    count.saturating_sub(before(&BEFORE).load(Relaxed))
}

/// Voluntary and forced switches of the calling thread.
fn switches() -> Option<[u64; 2]> {
    // SAFETY: zeros are a value of the struct, and the kernel fills it.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    // SAFETY: as above.
    let is_known = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) } == 0;
    is_known.then_some([usage.ru_nvcsw.cast_unsigned(), usage.ru_nivcsw.cast_unsigned()])
}

/// Notes the switches of the calling thread.
pub fn note_switches(slot: &ThreadSlot) {
    let Some([voluntary, forced]) = switches() else { return };
    slot.switches[0].store(since(slot, voluntary, |before| &before.switches[0]), Relaxed);
    slot.switches[1].store(since(slot, forced, |before| &before.switches[1]), Relaxed);
}

/// Notes the processor time of a thread, by its clock.
pub fn note_processor(slot: &ThreadSlot, clock: c_int) {
    if let Ok(time) = numawise_syscalls::clock(clock) {
        // 0 is not known.
        slot.processor_nanoseconds.store(since(slot, time, |before| &before.processor).max(1), Relaxed);
    }
}

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
    if slot.main.load(Relaxed) == 0 && slot.processor_nanoseconds.load(Relaxed) < WORTH_A_FILE {
        return;
    }
    if let Some(delay) = proc::run_delay(thread) {
        let delay = since(slot, delay, |before| &before.run_delay);
        slot.run_delay.store(delay.saturating_add(1), Relaxed);
    }
}

/// Threads that called nothing on files wait for disks only for pages of files that are mapped: these are not asked.
fn note_disk_wait(slot: &ThreadSlot, thread: c_int) {
    if let Some(waited) = proc::disk_wait(thread) {
        let waited = since(slot, waited, |before| &before.disk_wait);
        // Of all threads that had the slot.
        let before = slot.disk_wait.load(Relaxed).max(1);
        slot.disk_wait.store(before.saturating_add(waited), Relaxed);
    }
}
