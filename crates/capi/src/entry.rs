//! What stands around every call.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use numawise_inside::Error;

use crate::status::{CallError, remember};

/// Does a call: what fails has its status, also where it is a fault of ours; `errno` is as before.
pub fn call(of: impl FnOnce() -> Result<(), CallError>) -> c_int {
    static QUIET: Once = Once::new();
    // The library has a copy of Rust's runtime of its own: nobody else's faults come here.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| ())));
    let errno = errno();
    let result = catch_unwind(AssertUnwindSafe(of)).unwrap_or_else(|fault| {
        let text = fault.downcast_ref::<String>().cloned();
        let text = text.or_else(|| fault.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Error::Fault(text.unwrap_or_else(|| "unknown".to_owned())).into())
    });
    let status = result.map_or_else(|error| remember(&error), |()| 0);
    set_errno(errno);
    status
}

fn errno() -> c_int {
    // SAFETY: the address is the calling thread's own.
    unsafe { *libc::__errno_location() }
}

fn set_errno(errno: c_int) {
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno }
}

/// What a pointer of the caller's leads to.
///
/// # Safety
/// It is null, or leads to a live value for as long as the call lasts.
pub unsafe fn shared<'a, T>(pointer: *const T, argument: &'static str) -> Result<&'a T, CallError> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| CallError::null(argument))
}

/// Puts a result where the caller wants it.
///
/// # Safety
/// The pointer is null, or leads to room for a value.
pub unsafe fn put<T>(pointer: *mut T, argument: &'static str, value: T) -> Result<(), CallError> {
    if pointer.is_null() {
        return Err(CallError::null(argument));
    }
    // SAFETY: the caller's promise; what was there need not be a value.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Gives the caller a handle, which is its own until [`take_back`].
///
/// # Safety
/// The pointer is null, or leads to room for a pointer.
pub unsafe fn give<T>(
    pointer: *mut *mut T,
    argument: &'static str,
    make: impl FnOnce() -> Result<T, CallError>,
) -> Result<(), CallError> {
    if pointer.is_null() {
        return Err(CallError::null(argument));
    }
    let made = make()?;
    // SAFETY: the caller's promise; it was not null.
    unsafe { pointer.write(Box::into_raw(Box::new(made))) };
    Ok(())
}

/// Ends a handle. Null is none.
///
/// # Safety
/// It came from [`give`], and is taken back once.
pub unsafe fn take_back<T>(handle: *mut T) {
    call(|| {
        if !handle.is_null() {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    });
}
