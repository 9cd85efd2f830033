//! Python stacks by numbers, each written down once: a copy of its functions and lines, as text, while its code is there.

use core::sync::atomic::Ordering::Relaxed;

use numawise_guest::python::{Asked, Interpreter, Stack, interpreter};
use numawise_wire::heap::{IS_PYTHON, MOST_PYTHON, PYTHON_PLACES, STACK_BYTES, StackCopy};
use numawise_wire::python::FRAMES;

use crate::local::Local;
use crate::log::Log;
use crate::numbers::{Numbers, PART};
use crate::ring;

static NUMBERS: Numbers<PYTHON_PLACES, { PYTHON_PLACES / PART }> = Numbers::new();

/// In a child of fork: its file has none yet.
pub fn begin_child() {
    NUMBERS.clear();
}

/// The number of what the calling thread executes in Python; `None` where it is nothing. Async-signal-safe.
#[inline]
pub fn number(log: &Log<'_>, local: &Local, asked: Asked) -> Option<u32> {
    interpreter().and_then(|interpreter| find(log, local, interpreter, asked))
}

#[inline(never)]
fn find(log: &Log<'_>, local: &Local, interpreter: &Interpreter, asked: Asked) -> Option<u32> {
    let stack = interpreter.stack(&local.python, asked, FRAMES)?;
    NUMBERS.find(stack.hash(), MOST_PYTHON, |number, _| {
        ring::write_stack(log, |copy| fill(copy, number, interpreter, &stack))
    })
}

fn fill(copy: &StackCopy, number: u32, interpreter: &Interpreter, stack: &Stack) {
    let begin = copy.stack.as_ptr().cast_mut().cast::<u8>();
    // SAFETY: the place has so many bytes, and is ours until it has its number.
    let into = unsafe { core::slice::from_raw_parts_mut(begin, STACK_BYTES) };
    let bytes = interpreter.write(stack, into);
    copy.number.store(number, Relaxed);
    copy.bytes.store(bytes as u32, Relaxed);
    copy.python.store(IS_PYTHON, Relaxed);
    copy.ip.store(interpreter.function as u64, Relaxed);
}
