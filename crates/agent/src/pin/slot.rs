//! What its creator leaves for a new thread, until the thread takes it.
//!
//! From a fixed store: memory that one thread allocates and another frees would make the C library set up an arena for
//! the new thread, at the price of ten system calls. Only when all are taken (threads that were created and have not
//! begun) is memory allocated.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::owner::Owner;

const STORE: usize = 256;

/// A thread that is to begin: the program's routine, and its number and place in the plan.
#[derive(Clone, Copy)]
pub struct NewThread {
    pub start: *const c_void,
    pub argument: *mut c_void,
    pub number: usize,
    /// Whose CPUs of the plan it gets.
    pub place: usize,
    pub owner: Owner,
}

struct Slot {
    taken: AtomicBool,
    thread: UnsafeCell<Option<NewThread>>,
}

// SAFETY: the thread is written by who has set `taken`, and read by the one thread that is given the slot.
unsafe impl Sync for Slot {}

static SLOTS: [Slot; STORE] =
    [const { Slot { taken: AtomicBool::new(false), thread: UnsafeCell::new(None) } }; STORE];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Puts a thread where it finds itself; null when there is no memory.
pub fn put(thread: NewThread) -> *mut c_void {
    let begin = NEXT.fetch_add(1, Ordering::Relaxed);
    for k in 0..STORE {
        let Some(slot) = SLOTS.get((begin.wrapping_add(k)) % STORE) else { break };
        if !slot.taken.swap(true, Ordering::Acquire) {
            // SAFETY: the slot is ours since the swap.
            unsafe { *slot.thread.get() = Some(thread) };
            return (&raw const *slot).cast_mut().cast();
        }
    }
    // SAFETY: the memory is large enough and aligned for any type; it is written before it is read.
    unsafe {
        let memory = libc::malloc(size_of::<Slot>()).cast::<Slot>();
        if !memory.is_null() {
            memory.write(Slot { taken: AtomicBool::new(true), thread: UnsafeCell::new(Some(thread)) });
        }
        memory.cast()
    }
}

/// Takes the thread out and frees its slot.
///
/// # Safety
/// `place` must come from [`put`], and be taken once.
pub unsafe fn take(place: *mut c_void) -> Option<NewThread> {
    let slot = place.cast::<Slot>().cast_const();
    // SAFETY: the caller has the only use of a slot that was filled.
    let thread = unsafe { *(*slot).thread.get() };
    let store = SLOTS.as_ptr_range();
    if store.contains(&slot) {
        // SAFETY: as above.
        unsafe { (*slot).taken.store(false, Ordering::Release) };
    } else {
        // SAFETY: it was allocated by `put`.
        unsafe { libc::free(place) };
    }
    thread
}

/// After a fork: the threads that would take what is stored are in the parent.
pub fn free_all() {
    for slot in &SLOTS {
        slot.taken.store(false, Ordering::Relaxed);
    }
}
