//! What its creator leaves for a new thread, until the thread takes it: in a fixed store, since nothing is allocated here.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const STORE: usize = 256;

/// A thread that is to begin: what the program wants it to run.
#[derive(Clone, Copy)]
pub struct NewThread {
    pub start: *const c_void,
    pub argument: *mut c_void,
}

/// Where a thread finds what it is to run.
pub struct Handover {
    taken: AtomicBool,
    thread: UnsafeCell<NewThread>,
}

// SAFETY: the thread is written by who has set `taken`, and read by the one thread that is given the place.
unsafe impl Sync for Handover {}

const NOTHING: NewThread = NewThread { start: core::ptr::null(), argument: core::ptr::null_mut() };
static STORED: [Handover; STORE] =
    [const { Handover { taken: AtomicBool::new(false), thread: UnsafeCell::new(NOTHING) } }; STORE];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Puts a thread where it finds itself; `None` when so many wait to begin that there is no place.
pub fn put(thread: NewThread) -> Option<&'static Handover> {
    let begin = NEXT.fetch_add(1, Ordering::Relaxed);
    let places = (0..STORE).filter_map(|k| STORED.get(begin.wrapping_add(k) % STORE));
    let place = places.into_iter().find(|place| !place.taken.swap(true, Ordering::Acquire))?;
    // SAFETY: the place is ours since the swap.
    unsafe { *place.thread.get() = thread };
    Some(place)
}

impl Handover {
    /// Takes the thread out and frees the place: to be called once, by the thread or by the creator of one that did not come to be.
    pub fn take(&self) -> NewThread {
        // SAFETY: the caller has the only use of a place that was filled.
        let thread = unsafe { *self.thread.get() };
        self.taken.store(false, Ordering::Release);
        thread
    }
}

/// In a child of fork: the threads that would take what is stored are in the parent.
pub fn begin_child() {
    STORED.iter().for_each(|place| place.taken.store(false, Ordering::Relaxed));
}
