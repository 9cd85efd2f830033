//! Memory for what the loader allocates while it looks the allocator's functions up for us.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::member;

/// glibc's dlsym and dlerror take some hundred bytes a thread, once.
const BYTES: usize = 64 << 10;
/// What malloc aligns to.
const ALIGNMENT: usize = 16;

#[repr(C, align(64))]
struct Store(UnsafeCell<[u8; BYTES]>);
// SAFETY: each part of it is given out once.
unsafe impl Sync for Store {}
static STORE: Store = Store(UnsafeCell::new([0; BYTES]));
static USED: AtomicUsize = AtomicUsize::new(0);

fn begin() -> usize {
    STORE.0.get().expose_provenance()
}

/// Memory that is all zeros and never freed; 0 where there is no more. Its free comes by us.
pub fn allocate(bytes: usize, alignment: usize) -> usize {
    let alignment = alignment.max(ALIGNMENT);
    // Its length lies before it.
    let taken = bytes.saturating_add(2 * alignment).saturating_add(ALIGNMENT);
    if taken > BYTES {
        return 0;
    }
    let at = USED.fetch_add(taken.next_multiple_of(ALIGNMENT), Relaxed);
    if at.saturating_add(taken) > BYTES {
        return 0;
    }
    let place = (begin() + at + ALIGNMENT).next_multiple_of(alignment);
    let length = core::ptr::with_exposed_provenance_mut::<usize>(place - ALIGNMENT);
    // SAFETY: the word before the place lies in the part that was given out just now.
    unsafe { length.write(bytes) };
    member::note_always(place);
    place
}

/// The length of an allocation that was made here; `None` for all other memory.
pub fn length(place: usize) -> Option<usize> {
    if !(begin()..begin() + BYTES).contains(&place) {
        return None;
    }
    let length = core::ptr::with_exposed_provenance::<usize>(place.checked_sub(ALIGNMENT)?);
    // SAFETY: the word before what was given out holds its length.
    Some(unsafe { length.read() })
}
