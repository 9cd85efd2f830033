//! The functions that create threads.
//!
//! The library that pins threads does so too, and comes first where both are preloaded: it asks whose the function is that a thread is to
//! run, and would find ours.

use core::ffi::{c_int, c_void};

use super::begin::{self, C11Start, Start};
use super::new::{self, Handover, NewThread};
use crate::system::{SavedErrno, Symbol};

type Create =
    unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;
type C11Create = unsafe extern "C" fn(*mut libc::pthread_t, C11Start, *mut c_void) -> c_int;

/// `thrd_error` of glibc's threads.h.
const THRD_ERROR: c_int = 2;

static PTHREAD: Symbol = Symbol::new(c"pthread_create");
static C11: Symbol = Symbol::new(c"thrd_create");

/// Looks for the C library's functions, which takes a lock of the loader, while the process has one thread.
pub fn look_up() {
    PTHREAD.get();
    C11.get();
}

/// # Safety
/// As pthread_create(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attr: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    create(NewThread { start: start as *const c_void, argument }, |place| {
        let real = PTHREAD.get();
        if real.is_null() {
            return libc::EAGAIN;
        }
        // SAFETY: the caller keeps to pthread_create(3); the symbol is a function of this type, and gets the caller's own
        // arguments, or a routine that takes the place and runs the caller's.
        unsafe {
            let real: Create = core::mem::transmute(real);
            match place {
                None => real(thread, attr, start, argument),
                Some(place) => real(thread, attr, begin::pthread(), (&raw const *place).cast_mut().cast()),
            }
        }
    })
}

/// # Safety
/// As thrd_create(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_create(
    thread: *mut libc::pthread_t,
    start: C11Start,
    argument: *mut c_void,
) -> c_int {
    create(NewThread { start: start as *const c_void, argument }, |place| {
        let real = C11.get();
        if real.is_null() {
            return THRD_ERROR;
        }
        // SAFETY: as in pthread_create.
        unsafe {
            let real: C11Create = core::mem::transmute(real);
            match place {
                None => real(thread, start, argument),
                Some(place) => real(thread, begin::c11(), (&raw const *place).cast_mut().cast()),
            }
        }
    })
}

/// Creates a thread by `make`, which is given the place where the thread finds what it is to run, if there is one.
fn create(thread: NewThread, make: impl FnOnce(Option<&Handover>) -> c_int) -> c_int {
    let errno = SavedErrno::new();
    let place = begin::is_watched().then(|| new::put(thread)).flatten();
    drop(errno);
    let result = make(place);
    if result != 0
        && let Some(place) = place
    {
        // No thread came to be.
        place.take();
    }
    result
}
