//! The functions that create threads.

use core::ffi::{c_int, c_void};

use super::begin::{C11Start, Start};
use crate::system::Symbol;

type Create =
    unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;
type C11Create = unsafe extern "C" fn(*mut libc::pthread_t, C11Start, *mut c_void) -> c_int;

/// `thrd_error` of glibc's threads.h.
const THRD_ERROR: c_int = 2;

static PTHREAD: Symbol = Symbol::new(c"pthread_create");
static C11: Symbol = Symbol::new(c"thrd_create");

/// A thread that the program asks for.
#[derive(Debug, Clone, Copy)]
pub struct CreateRequest {
    /// Null where it has none.
    pub attr: *const libc::pthread_attr_t,
    pub start: *const c_void,
    pub argument: *mut c_void,
}

/// What a new thread runs first, and what that is given.
pub type FirstSteps = (Start, *mut c_void);

/// Looks for the C library's functions, which takes a lock of the loader, while the process has one thread.
pub fn look_up() {
    PTHREAD.get();
    C11.get();
}

/// Has the C library create a thread that takes these first steps, or none.
///
/// # Safety
/// As pthread_create(3).
pub unsafe fn by_pthread(
    thread: *mut libc::pthread_t,
    request: &CreateRequest,
    steps: Option<FirstSteps>,
) -> c_int {
    let real = PTHREAD.get();
    if real.is_null() {
        return libc::EAGAIN;
    }
    // SAFETY: the caller keeps to pthread_create(3); the symbol is a function of this type, and gets the caller's own
    // arguments, or a routine that takes the place and runs the caller's.
    unsafe {
        let real: Create = core::mem::transmute(real);
        let (start, argument) = steps.unwrap_or_else(|| {
            (core::mem::transmute::<*const c_void, Start>(request.start), request.argument)
        });
        real(thread, request.attr, start, argument)
    }
}

/// The same of C11.
///
/// # Safety
/// As thrd_create(3).
pub unsafe fn by_c11(
    thread: *mut libc::pthread_t,
    request: &CreateRequest,
    steps: Option<FirstSteps>,
) -> c_int {
    let real = C11.get();
    if real.is_null() {
        return THRD_ERROR;
    }
    // SAFETY: as above; an integer is returned in the register in which a pointer is.
    unsafe {
        let real: C11Create = core::mem::transmute(real);
        let (start, argument) = match steps {
            Some((start, argument)) => (start as *const c_void, argument),
            None => (request.start, request.argument),
        };
        real(thread, core::mem::transmute::<*const c_void, C11Start>(start), argument)
    }
}

/// Stands before the functions that create threads, with an `unsafe fn(&CreateRequest, impl FnOnce(Option<FirstSteps>) -> c_int) -> c_int`, which
/// creates the thread by what it is given.
#[macro_export]
macro_rules! stand_before_threads {
    ($create:path) => {
        /// # Safety
        /// As pthread_create(3).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn pthread_create(
            thread: *mut libc::pthread_t,
            attr: *const libc::pthread_attr_t,
            start: $crate::threads::Start,
            argument: *mut core::ffi::c_void,
        ) -> core::ffi::c_int {
            let start = start as *const core::ffi::c_void;
            let request = $crate::threads::CreateRequest { attr, start, argument };
            // SAFETY: the caller keeps to pthread_create(3).
            unsafe { $create(&request, |steps| $crate::threads::by_pthread(thread, &request, steps)) }
        }

        /// # Safety
        /// As thrd_create(3).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn thrd_create(
            thread: *mut libc::pthread_t,
            start: $crate::threads::C11Start,
            argument: *mut core::ffi::c_void,
        ) -> core::ffi::c_int {
            let start = start as *const core::ffi::c_void;
            let request = $crate::threads::CreateRequest { attr: core::ptr::null(), start, argument };
            // SAFETY: the caller keeps to thrd_create(3).
            unsafe { $create(&request, |steps| $crate::threads::by_c11(thread, &request, steps)) }
        }
    };
}
