//! What its creator leaves for a new thread, until the thread takes it: in a fixed store. Memory that one thread allocates and another frees would
//! make the C library set up an arena for the new thread, at the price of ten system calls.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const STORE: usize = 256;

struct Place<T> {
    taken: AtomicBool,
    thread: UnsafeCell<Option<T>>,
}

/// Places for so many threads that were created and have not begun.
pub struct Store<T> {
    places: [Place<T>; STORE],
    next: AtomicUsize,
}

// SAFETY: a place is written by who has set `taken`, and read by the one thread that is given it.
unsafe impl<T> Sync for Store<T> {}

impl<T: Copy> Store<T> {
    #[expect(clippy::new_without_default, reason = "for statics")]
    pub const fn new() -> Store<T> {
        let places =
            [const { Place { taken: AtomicBool::new(false), thread: UnsafeCell::new(None) } }; STORE];
        Store { places, next: AtomicUsize::new(0) }
    }

    /// Puts a thread where it finds itself; `None` where so many wait to begin that there is no place.
    pub fn put(&self, thread: T) -> Option<*mut c_void> {
        let begin = self.next.fetch_add(1, Ordering::Relaxed);
        let mut places = (0..STORE).filter_map(|k| self.places.get(begin.wrapping_add(k) % STORE));
        let place = places.find(|place| !place.taken.swap(true, Ordering::Acquire))?;
        // SAFETY: the place is ours since the swap.
        unsafe { *place.thread.get() = Some(thread) };
        Some((&raw const *place).cast_mut().cast())
    }

    /// Whether a place is one of these.
    pub fn holds(&self, place: *mut c_void) -> bool {
        self.places.as_ptr_range().contains(&place.cast::<Place<T>>().cast_const())
    }

    /// Takes a thread out and frees its place.
    ///
    /// # Safety
    /// The place must come from [`Store::put`], and be taken once: by the thread, or by the creator of one that did not come to be.
    pub unsafe fn take(&self, place: *mut c_void) -> Option<T> {
        // SAFETY: the caller has the only use of a place that was filled.
        unsafe {
            let place = &*place.cast::<Place<T>>().cast_const();
            let thread = *place.thread.get();
            place.taken.store(false, Ordering::Release);
            thread
        }
    }

    /// In a child of fork: the threads that would take what is stored are in the parent.
    pub fn free_all(&self) {
        self.places.iter().for_each(|place| place.taken.store(false, Ordering::Relaxed));
    }
}
