//! The rings: many threads write, and one reader outside follows. Nobody waits: what finds no place is counted.

use core::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use numawise_wire::heap::{COPIES, EVENTS, EventKind, NO_STACK, SAMPLES, Sample, StackCopy};

use crate::local::Local;
use crate::log::Log;

/// Events that wait for the reader, from which on less is written down: it takes 0.1 s for them.
const LATE: u64 = EVENTS as u64 / 8;

/// Takes the next number of a ring, once its place is there to be written.
fn claim<'a, T>(
    head: &AtomicU64,
    tail: &AtomicU64,
    places: usize,
    place: impl Fn(u64) -> Option<&'a T>,
) -> Option<(u64, &'a T)> {
    loop {
        let number = head.load(Relaxed);
        // The reader has read the place before it moves the tail.
        if number.wrapping_sub(tail.load(Acquire)) >= places as u64 {
            return None;
        }
        let found = place(number)?;
        if head.compare_exchange_weak(number, number.wrapping_add(1), Relaxed, Relaxed).is_ok() {
            return Some((number, found));
        }
    }
}

/// What happened to memory.
pub struct Happened {
    pub kind: EventKind,
    pub at: u64,
    pub address: usize,
    pub bytes: u64,
    pub stack: Option<u32>,
    /// It stands for 2^this.
    pub exponent: u8,
}

/// True where the reader is far behind.
pub fn write_event(log: &Log<'_>, local: &Local, happened: &Happened) -> bool {
    let header = log.header;
    let ring = (&header.event_head.0, &header.event_tail.0);
    let Some((number, event)) = claim(ring.0, ring.1, EVENTS, |number| log.event(number)) else {
        header.events_dropped.fetch_add(1, Relaxed);
        return true;
    };
    event.time.store(happened.at, Relaxed);
    event.address.store(happened.address as u64, Relaxed);
    event.bytes.store(happened.bytes, Relaxed);
    event.thread.store(local.thread(), Relaxed);
    event.stack.store(happened.stack.unwrap_or(NO_STACK), Relaxed);
    event.kind.store(happened.kind as u32, Relaxed);
    event.exponent.store(happened.exponent.into(), Relaxed);
    event.sequence.store(number.wrapping_add(1), Release);
    number.wrapping_sub(header.event_tail.0.load(Relaxed)) > LATE
}

/// Has `fill` write the copy of a stack. False where it found no place.
pub fn write_stack(log: &Log<'_>, fill: impl FnOnce(&StackCopy)) -> bool {
    let header = log.header;
    let ring = (&header.copy_head.0, &header.copy_tail.0);
    let Some((number, copy)) = claim(ring.0, ring.1, COPIES, |number| log.copy(number)) else {
        return false;
    };
    fill(copy);
    copy.sequence.store(number.wrapping_add(1), Release);
    true
}

/// Has `fill` write a sample.
pub fn write_sample(log: &Log<'_>, fill: impl FnOnce(&Sample)) {
    let header = log.header;
    let ring = (&header.sample_head.0, &header.sample_tail.0);
    let Some((number, sample)) = claim(ring.0, ring.1, SAMPLES, |number| log.sample(number)) else {
        header.samples_dropped.fetch_add(1, Relaxed);
        return;
    };
    fill(sample);
    sample.sequence.store(number.wrapping_add(1), Release);
}
