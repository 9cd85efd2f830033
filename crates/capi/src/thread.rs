//! Threads: the CPUs on which they run.

use std::ffi::c_int;

use numawise_linux::calls::affinity;
use numawise_units::{CpuSet, Pid};

use crate::bytes::{mask as mask_of, put_mask};
use crate::entry::{call, shared};
use crate::plan::PlacementHandle;
use crate::status::CallError;

/// A thread of any process; 0 is the calling one.
fn number(of: c_int) -> Result<Pid, CallError> {
    if of >= 0 {
        return Ok(Pid(of));
    }
    Err(CallError::Invalid {
        argument: "thread",
        found: of.to_string(),
        expected: "0 for the calling thread, or the number that gettid(2) gives",
    })
}

fn set(of: c_int, cpus: &CpuSet) -> Result<(), CallError> {
    let set = match number(of)? {
        Pid(0) => affinity::set_own(cpus),
        thread => affinity::set(thread, cpus),
    };
    set.map_err(|source| CallError::System { call: "sched_setaffinity", source })
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
        let cpus = affinity::of(number(of)?)
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
