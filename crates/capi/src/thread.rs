//! Threads: the CPUs on which they run.

use std::ffi::c_int;

use numawise_inside::{cpus_of_thread, set_cpus_of_thread};

use crate::bytes::{mask as mask_of, put_mask};
use crate::entry::{call, shared};
use crate::plan::PlacementHandle;

/// # Safety
/// `placement` is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_pin(
    placement: *const PlacementHandle,
    task: u32,
    thread: u32,
    of: c_int,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let placement = unsafe { shared(placement, "placement") }?;
        Ok(set_cpus_of_thread(of, placement.cpus(task, thread)?)?)
    })
}

/// # Safety
/// `mask` is null or has room for `*bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_thread_cpus(of: c_int, mask: *mut u8, bytes: *mut usize) -> c_int {
    call(|| {
        let cpus = cpus_of_thread(of)?;
        // SAFETY: the caller's promise.
        unsafe { put_mask(&cpus, mask, bytes) }
    })
}

/// # Safety
/// `mask` is null or has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_set_thread_cpus(of: c_int, mask: *const u8, bytes: usize) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let cpus = unsafe { mask_of(mask, bytes) }?;
        Ok(set_cpus_of_thread(of, &cpus)?)
    })
}
