//! Call stacks by numbers. Nothing is unwound here: two stacks are the same where the words near their ends are that look like addresses
//! of code. Of a new one the registers and the bytes are copied, from which somebody outside follows it.

use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed};

use numawise_wire::heap::{STACK_BYTES, STACK_PLACES, STACKS, StackCopy};

use crate::frame::Frame;
use crate::log::Log;
use crate::{code, readable, ring};

/// Bytes of a stack that tell it apart from others: a dozen frames and more.
const COMPARED: usize = 2048;

/// What tells each stack apart, at the place of its number; 0: none.
static HASHES: [AtomicU64; STACK_PLACES] = [const { AtomicU64::new(0) }; STACK_PLACES];
/// In each hash. A copy that found no place is tried again when its stack comes again.
const IS_THERE: u64 = 1;
const IS_NOT_COPIED: u64 = 2;
static USED: AtomicUsize = AtomicUsize::new(0);

/// Which parts of the hashes have any.
const PART: usize = 1024;
static USED_PARTS: [AtomicBool; STACK_PLACES / PART] =
    [const { AtomicBool::new(false) }; STACK_PLACES / PART];

/// In a child of fork: its file has no stacks yet.
pub fn begin_child() {
    for (part, hashes) in USED_PARTS.iter().zip(HASHES.chunks(PART)) {
        if part.swap(false, Relaxed) {
            hashes.iter().for_each(|hash| hash.store(0, Relaxed));
        }
    }
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
    let near = code::near();
    for k in 0..words {
        // SAFETY: it can be read, as was asked just now; the thread itself, whose stack it is, is here.
        let word = unsafe { begin.add(k).read_volatile() };
        if near.has(word) && code::is_code_near(word) {
            hash = mix(hash, word);
        }
    }
    (hash | IS_THERE) & !IS_NOT_COPIED
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
            // Before it has one, so that no child is left with it.
            USED_PARTS.get(number / PART)?.store(true, Relaxed);
            match place.compare_exchange(0, hash, Acquire, Acquire) {
                Ok(_) => {
                    USED.fetch_add(1, Relaxed);
                    log.header.stacks.fetch_add(1, Relaxed);
                    return copy(log, frame, number, place);
                }
                Err(other) => found = other,
            }
        }
        if found == hash {
            return Some(number as u32);
        }
        if found == hash | IS_NOT_COPIED {
            let is_mine = place.compare_exchange(found, hash, Acquire, Acquire).is_ok();
            return if is_mine { copy(log, frame, number, place) } else { None };
        }
    }
    None
}

#[cold]
fn copy(log: &Log<'_>, frame: &Frame, number: usize, place: &AtomicU64) -> Option<u32> {
    let is_copied = ring::write_stack(log, |copy| fill(copy, frame, number as u32));
    if !is_copied {
        place.fetch_or(IS_NOT_COPIED, Relaxed);
    }
    is_copied.then_some(number as u32)
}

fn fill(copy: &StackCopy, frame: &Frame, number: u32) {
    let bytes = readable::from(frame.sp(), STACK_BYTES, frame.address());
    let from = core::ptr::with_exposed_provenance(frame.sp());
    // SAFETY: so many bytes of the stack can be read, and the place, which has as many, is ours until it has its number.
    unsafe { core::ptr::copy_nonoverlapping::<u8>(from, copy.stack.as_ptr().cast_mut().cast(), bytes) };
    copy.number.store(number, Relaxed);
    copy.bytes.store(bytes as u32, Relaxed);
    copy.ip.store(frame.ip as u64, Relaxed);
    copy.sp.store(frame.sp() as u64, Relaxed);
    copy.bp.store(frame.bp as u64, Relaxed);
    copy.kept.iter().zip(frame.kept).for_each(|(place, kept)| place.store(kept as u64, Relaxed));
}
