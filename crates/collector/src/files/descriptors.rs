//! What descriptors are: a file, or something else. Asked once and kept until the descriptor is closed.
//!
//! Closing that is not seen (a system call of the program's own, the C library's `freopen`) would leave what is not true any more. So it
//! is asked again after some 10 ms, and after each call that takes long.

use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::process;
use crate::system::{self, SavedErrno};

/// Descriptors that are kept; of those beyond, each call asks.
const KEPT: usize = 4096;

/// By descriptor: when it was asked, in units of [`UNIT_BITS`], with [`FILE`] or [`OTHER`] below; 0: not known.
static KNOWN: [AtomicU32; KEPT] = [const { AtomicU32::new(0) }; KEPT];

const FILE: u32 = 1;
const OTHER: u32 = 2;
const CLASS: u32 = 3;

/// Ticks of a unit: 2^20 are 0.3 to 0.5 ms by the counter of x86-64, 1 ms by the kernel's clock.
const UNIT_BITS: u32 = 20;
/// Units after which it is asked again.
const STALE: u32 = 24;

fn stamp(now: u64) -> u32 {
    ((now >> UNIT_BITS) as u32) << 2
}

fn place(descriptor: c_int) -> Option<&'static AtomicU32> {
    KNOWN.get(usize::try_from(descriptor).ok()?)
}

/// Whether it is a regular file or a block device.
#[inline]
pub fn is_file(descriptor: c_int, now: u64) -> bool {
    let known = place(descriptor).map_or(0, |place| place.load(Relaxed));
    let age = stamp(now).wrapping_sub(known & !CLASS) >> 2;
    if known != 0 && age <= STALE { known & CLASS == FILE } else { ask(descriptor, now) }
}

/// Whether anything is known of it.
#[inline]
pub fn is_known(descriptor: c_int) -> bool {
    place(descriptor).is_some_and(|place| place.load(Relaxed) != 0)
}

/// Asks the kernel what it is now.
#[cold]
#[inline(never)]
pub fn ask(descriptor: c_int, now: u64) -> bool {
    let _errno = SavedErrno::new();
    let is_file = system::is_file(descriptor);
    // A child of vfork has descriptors of its own, but our memory.
    let is_ours = process::header()
        .is_some_and(|header| header.process.load(Relaxed) == system::process().cast_unsigned());
    if is_ours && let Some(place) = place(descriptor) {
        place.store(stamp(now) | if is_file { FILE } else { OTHER }, Relaxed);
    }
    is_file
}

/// It was closed, or is another file now.
pub fn forget(descriptor: c_int) {
    if let Some(place) = place(descriptor) {
        place.store(0, Relaxed);
    }
}

/// The same of all from one to another.
pub fn forget_all(first: u32, last: u32) {
    let count = (last.saturating_sub(first) as usize).saturating_add(1);
    KNOWN.iter().skip(first as usize).take(count).for_each(|place| place.store(0, Relaxed));
}
