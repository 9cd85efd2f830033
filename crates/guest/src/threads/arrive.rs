//! Threads that are noted as they begin. The library that pins threads stands before the same functions, and comes first where both are preloaded: it
//! asks whose the function is that a thread is to run, and would find ours.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use super::begin::Next;
use super::create::{CreateRequest, FirstSteps};
use super::new::Store;
use crate::system::SavedErrno;

/// What is done in a new thread, before its own work; it is given the address of what the program wants it to run.
pub type Arrived = fn(usize);

/// Null: nobody wants to know.
static ARRIVED: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

static STORE: Store<CreateRequest> = Store::new();

/// Has threads that are created from now on call `arrived` first.
pub fn watch(arrived: Arrived) {
    ARRIVED.store(arrived as *mut c_void, Relaxed);
}

/// # Safety
/// `place` must be the one that the creator filled for this thread alone.
unsafe extern "C" fn arrive(place: *mut c_void) -> Next {
    let _errno = SavedErrno::new();
    // SAFETY: the caller's promise.
    let thread = unsafe { STORE.take(place) };
    // Places are always filled; the thread would end at once.
    let Some(CreateRequest { start, argument, .. }) = thread else {
        return Next { start: nothing as *const c_void, argument: core::ptr::null_mut() };
    };
    let arrived = ARRIVED.load(Relaxed);
    if !arrived.is_null() {
        // SAFETY: a function of this type was stored.
        let arrived: Arrived = unsafe { core::mem::transmute(arrived) };
        arrived(start.expose_provenance());
    }
    Next { start, argument }
}

/// What a thread runs for which nothing was left.
pub extern "C" fn nothing(_: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
}

crate::first_steps!(arrive);

/// Creates a thread by `make`, which is given its first steps, if it has any.
///
/// # Safety
/// The request must be valid for pthread_create.
pub unsafe fn create(request: &CreateRequest, make: impl FnOnce(Option<FirstSteps>) -> c_int) -> c_int {
    let errno = SavedErrno::new();
    let is_watched = !ARRIVED.load(Relaxed).is_null();
    let place = is_watched.then(|| STORE.put(*request)).flatten();
    drop(errno);
    let result = make(place.map(|place| (begin as super::Start, place)));
    if result != 0
        && let Some(place) = place
    {
        // SAFETY: no thread came to be.
        unsafe { STORE.take(place) };
    }
    result
}

/// In a child of fork.
pub fn begin_child() {
    STORE.free_all();
}
