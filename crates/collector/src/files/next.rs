//! The C library's own functions, which ours stand before.

use core::ffi::c_int;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::table::{self, FUNCTIONS};
use crate::system::{self, SavedErrno};

/// 0: not looked up.
static REAL: [AtomicUsize; FUNCTIONS] = [const { AtomicUsize::new(0) }; FUNCTIONS];

/// The function with this number.
#[inline]
pub fn real(number: usize) -> usize {
    match REAL.get(number).map_or(0, |place| place.load(Relaxed)) {
        0 => look_up(number),
        real => real,
    }
}

#[cold]
#[inline(never)]
fn look_up(number: usize) -> usize {
    let _errno = SavedErrno::new();
    let Some(call) = table::call(number) else { return nothing() };
    let found = system::next_symbol(call.name).expose_provenance();
    let real = if found == 0 { nothing() } else { found };
    if let Some(place) = REAL.get(number) {
        place.store(real, Relaxed);
    }
    real
}

/// All of them: the loader's lock is not to be taken in a handler of a signal.
pub fn look_up_all() {
    (0..FUNCTIONS).for_each(|number| {
        real(number);
    });
}

fn nothing() -> usize {
    (not_there as *const ()).addr()
}

/// A function that this C library does not have: a program that asks the loader for it finds ours.
extern "C" fn not_there() -> isize {
    set_errno(libc::ENOSYS);
    -1
}

fn set_errno(error: c_int) {
    // SAFETY: the address is valid for the calling thread.
    unsafe { *libc::__errno_location() = error };
}
