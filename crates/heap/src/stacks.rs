//! Call stacks by numbers. Nothing is unwound here: two stacks are the same where the words near their ends are that look like addresses
//! of code. Of a new one the registers and the bytes are copied, from which somebody outside follows it.

use core::sync::atomic::{
    AtomicU8, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use numawise_wire::heap::{COPIED, STACK_BYTES, STACK_PLACES, STACKS, StackEntry};

use crate::frame::Frame;
use crate::log::Log;
use crate::{code, readable};

/// Bytes of a stack that tell it apart from others: a dozen frames and more.
const COMPARED: usize = 2048;

/// What tells each stack apart, at the place of its number; 0: none.
static HASHES: [AtomicU64; STACK_PLACES] = [const { AtomicU64::new(0) }; STACK_PLACES];
static STATES: [AtomicU8; STACK_PLACES] = [const { AtomicU8::new(0) }; STACK_PLACES];
/// There was no place for its copy.
const NOT_COPIED: u8 = 1;
static USED: AtomicUsize = AtomicUsize::new(0);

/// In a child of fork: its file has no stacks yet.
pub fn begin_child() {
    HASHES.iter().for_each(|hash| hash.store(0, Relaxed));
    STATES.iter().for_each(|state| state.store(0, Relaxed));
    USED.store(0, Relaxed);
}

/// The number of the stack with which the caller goes on; `None` where there were too many.
pub fn number(log: &Log<'_>, frame: &Frame, now: u64) -> Option<u32> {
    code::note_caller(frame.ip as u64, now);
    let number = find(log, frame, hash(frame));
    if number.is_none() {
        log.header.without_stack.fetch_add(1, Relaxed);
    }
    number
}

fn hash(frame: &Frame) -> u64 {
    let sp = frame.sp();
    let words = readable::from(sp, COMPARED, frame.address()) / size_of::<usize>();
    let begin = core::ptr::with_exposed_provenance::<u64>(sp);
    let mut hash = mix(0, frame.ip as u64);
    for k in 0..words {
        // SAFETY: it can be read, as was asked just now; the thread itself, whose stack it is, is here.
        let word = unsafe { begin.add(k).read_volatile() };
        if code::is_code(word) {
            hash = mix(hash, word);
        }
    }
    hash | 1
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn find(log: &Log<'_>, frame: &Frame, hash: u64) -> Option<u32> {
    let first = (hash >> 40) as usize;
    for k in 0..STACK_PLACES {
        let number = (first + k) % STACK_PLACES;
        let place = HASHES.get(number)?;
        let mut found = place.load(Acquire);
        if found == 0 {
            if USED.load(Relaxed) >= STACKS {
                return None;
            }
            match place.compare_exchange(0, hash, Acquire, Acquire) {
                Ok(_) => {
                    USED.fetch_add(1, Relaxed);
                    return copy(log, frame, number);
                }
                Err(other) => found = other,
            }
        }
        if found == hash {
            let is_copied = STATES.get(number)?.load(Relaxed) != NOT_COPIED;
            return is_copied.then_some(number as u32);
        }
    }
    None
}

#[cold]
fn copy(log: &Log<'_>, frame: &Frame, number: usize) -> Option<u32> {
    let bytes = readable::from(frame.sp(), STACK_BYTES, frame.address());
    let offset = log.header.copied.fetch_add(bytes.next_multiple_of(16) as u64, Relaxed) as usize;
    let copied = if offset.saturating_add(bytes) <= COPIED { log.copies(offset, bytes) } else { None };
    let (Some(to), Some(entry)) = (copied, log.stack(number)) else {
        STATES.get(number)?.store(NOT_COPIED, Relaxed);
        return None;
    };
    // SAFETY: so many bytes of the stack can be read, and the part of the file is ours alone.
    unsafe { core::ptr::copy_nonoverlapping(core::ptr::with_exposed_provenance(frame.sp()), to, bytes) };
    fill(entry, frame, offset, bytes);
    log.header.stacks.fetch_add(1, Relaxed);
    Some(number as u32)
}

fn fill(entry: &StackEntry, frame: &Frame, offset: usize, bytes: usize) {
    entry.bytes.store(bytes as u32, Relaxed);
    entry.offset.store(offset as u64, Relaxed);
    entry.ip.store(frame.ip as u64, Relaxed);
    entry.sp.store(frame.sp() as u64, Relaxed);
    entry.bp.store(frame.bp as u64, Relaxed);
    entry.kept.iter().zip(frame.kept).for_each(|(place, kept)| place.store(kept as u64, Relaxed));
    entry.ready.store(1, Release);
}
