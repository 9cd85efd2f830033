//! What its creator leaves for a new thread, until the thread takes it. Only when all places of the store are taken (threads that were created and have
//! not begun) is memory allocated.

use core::ffi::c_void;

use numawise_guest::threads::Store;

use super::owner::Owner;

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

static STORE: Store<NewThread> = Store::new();

/// Puts a thread where it finds itself; null when there is no memory.
pub fn put(thread: NewThread) -> *mut c_void {
    STORE.put(thread).unwrap_or_else(|| {
        // SAFETY: the memory is large enough and aligned for any type; it is written before it is read.
        unsafe {
            let memory = libc::malloc(size_of::<NewThread>()).cast::<NewThread>();
            if !memory.is_null() {
                memory.write(thread);
            }
            memory.cast()
        }
    })
}

/// Takes the thread out and frees its place.
///
/// # Safety
/// `place` must come from [`put`], and be taken once.
pub unsafe fn take(place: *mut c_void) -> Option<NewThread> {
    // SAFETY: the caller's promise; what is not in the store was allocated by `put`.
    unsafe {
        if STORE.holds(place) {
            return STORE.take(place);
        }
        let thread = place.cast::<NewThread>().read();
        libc::free(place);
        Some(thread)
    }
}

/// After a fork: the threads that would take what is stored are in the parent.
pub fn free_all() {
    STORE.free_all();
}
