//! Memory on nodes: policies of ranges, new memory, and where pages are.

use std::ffi::{c_char, c_int, c_void};

use numawise_facts::MemoryPlan;
use numawise_inside::{self as inside, NodeBytes, PagesThere};

use crate::bytes::put_list;
use crate::entry::{call, put, shared};
use crate::machine::MachineHandle;
use crate::status::CallError;
use crate::text::text;

/// # Safety
/// The text is null or ends with a null byte.
unsafe fn plan(machine: &MachineHandle, policy: *const c_char) -> Result<MemoryPlan, CallError> {
    // SAFETY: the caller's promise.
    let policy = unsafe { text(policy, "policy") }?.ok_or_else(|| CallError::null("policy"))?;
    Ok(inside::policy(&machine.0, policy)?)
}

/// # Safety
/// `machine` is open, `policy` ends with a null byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_set_policy(
    machine: *const MachineHandle,
    start: *mut c_void,
    bytes: usize,
    policy: *const c_char,
    move_pages: c_int,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let plan = unsafe { plan(shared(machine, "machine")?, policy) }?;
        let pages = if move_pages != 0 { PagesThere::Move } else { PagesThere::Stay };
        // SAFETY: as above.
        Ok(unsafe { inside::set_policy(start as usize, bytes, &plan, pages) }?)
    })
}

/// # Safety
/// `machine` is open, `policy` ends with a null byte, `memory` is null or has room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_alloc(
    machine: *const MachineHandle,
    bytes: usize,
    policy: *const c_char,
    memory: *mut *mut c_void,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let plan = unsafe { plan(shared(machine, "machine")?, policy) }?;
        if memory.is_null() {
            return Err(CallError::null("memory"));
        }
        let start = inside::map(bytes, &plan)?;
        // SAFETY: as above.
        unsafe { memory.write(start.cast()) };
        Ok(())
    })
}

/// # Safety
/// `machine` is open, `policy` ends with a null byte, `bytes` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_room(
    machine: *const MachineHandle,
    policy: *const c_char,
    bytes: *mut u64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        // SAFETY: as above.
        let plan = unsafe { plan(machine, policy) }?;
        let room = inside::room(&machine.0, &plan)?.0;
        // SAFETY: as above.
        unsafe { put(bytes, "bytes", room) }
    })
}

/// # Safety
/// It came from [`numawise_alloc`] with as many bytes, and nothing uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_free(memory: *mut c_void, bytes: usize) -> c_int {
    call(|| {
        if memory.is_null() {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        Ok(unsafe { inside::free(memory.cast(), bytes) }?)
    })
}

/// # Safety
/// `nodes` is null or has room for `*count`, `absent` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_pages(
    start: *const c_void,
    bytes: usize,
    nodes: *mut NodeBytes,
    count: *mut usize,
    absent: *mut u64,
) -> c_int {
    call(|| {
        let found = inside::pages(start as usize, bytes)?;
        if !absent.is_null() {
            // SAFETY: the caller's promise.
            unsafe { absent.write(found.absent.0) };
        }
        // SAFETY: as above.
        unsafe { put_list(&found.on, nodes, count, "the list of nodes") }
    })
}
