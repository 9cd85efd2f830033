//! Call stacks by numbers. Nothing is unwound here: two stacks are the same where the words near their ends are that look like addresses
//! of code. Of a new one the registers and the bytes are copied, from which somebody outside follows it.

use core::sync::atomic::Ordering::Relaxed;

use numawise_guest::known::mix;
use numawise_guest::python::Asked;
use numawise_wire::heap::{STACK_BYTES, STACK_PLACES, STACKS, StackCopy};

use crate::frame::Frame;
use crate::local::Local;
use crate::log::Log;
use crate::numbers::{Numbers, PART};
use crate::{code, python, readable, ring};

/// Bytes of a stack that tell it apart from others: a dozen frames and more.
const COMPARED: usize = 2048;

/// What tells each stack apart.
static NUMBERS: Numbers<STACK_PLACES, { STACK_PLACES / PART }> = Numbers::new();

/// In a child of fork: its file has no stacks yet.
pub fn begin_child() {
    NUMBERS.clear();
    python::begin_child();
}

/// The number of the stack with which the caller goes on; `None` where there were too many. Stacks in which Python executes something else are others.
pub fn number(log: &Log<'_>, local: &Local, frame: &Frame, now: u64) -> Option<u32> {
    code::note_caller(frame.ip as u64, now);
    let python = python::number(log, local, Asked::InCall).map_or(0, |number| number + 1);
    let number = NUMBERS.find(mix(hash(frame), python.into()), STACKS, |number, is_new| {
        if is_new {
            log.header.stacks.fetch_add(1, Relaxed);
        }
        ring::write_stack(log, |copy| fill(copy, frame, number, python))
    });
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
    hash
}

fn fill(copy: &StackCopy, frame: &Frame, number: u32, python: u32) {
    let bytes = readable::from(frame.sp(), STACK_BYTES, frame.address());
    let from = core::ptr::with_exposed_provenance(frame.sp());
    // SAFETY: so many bytes of the stack can be read, and the place, which has as many, is ours until it has its number.
    unsafe { core::ptr::copy_nonoverlapping::<u8>(from, copy.stack.as_ptr().cast_mut().cast(), bytes) };
    copy.number.store(number, Relaxed);
    copy.bytes.store(bytes as u32, Relaxed);
    copy.python.store(python, Relaxed);
    copy.ip.store(frame.ip as u64, Relaxed);
    copy.sp.store(frame.sp() as u64, Relaxed);
    copy.bp.store(frame.bp as u64, Relaxed);
    copy.kept.iter().zip(frame.kept).for_each(|(place, kept)| place.store(kept as u64, Relaxed));
}
