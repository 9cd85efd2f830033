//! Threads: the CPUs on which they run.

use std::ffi::c_int;
use std::io;

use numawise_linux::calls::affinity;
use numawise_units::{CpuSet, Pid};

use crate::bytes::{mask as mask_of, put_mask};
use crate::entry::{call, shared};
use crate::plan::PlacementHandle;
use crate::status::CallError;

/// A thread of any process; 0 is the calling one.
fn set(thread: c_int, cpus: &CpuSet) -> Result<(), CallError> {
    let system = |source: io::Error| CallError::System { call: "sched_setaffinity", source };
    match thread {
        0 => affinity::set_own(cpus).map_err(system),
        1.. => affinity::set(Pid(thread), cpus).map_err(system),
        _ => Err(CallError::Invalid {
            argument: "thread",
            found: thread.to_string(),
            expected: "0 for the calling thread, or the number that gettid(2) gives",
        }),
    }
}

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
        set(of, placement.cpus(task, thread)?)
    })
}

/// # Safety
/// `mask` is null or has room for `*bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_thread_cpus(of: c_int, mask: *mut u8, bytes: *mut usize) -> c_int {
    call(|| {
        let cpus = affinity::of(Pid(of))
            .map_err(|source| CallError::System { call: "sched_getaffinity", source })?;
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
        set(of, &cpus)
    })
}
