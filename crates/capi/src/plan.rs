//! Plans: which CPUs each thread gets, by the planner that `numawise run` has.

use std::ffi::{c_char, c_int};

use numawise_facts::Placement;
use numawise_inside::{self as inside, Asked};
use numawise_units::CpuSet;

use crate::bytes::put_mask;
use crate::entry::{call, give, put, shared, take_back};
use crate::machine::MachineHandle;
use crate::status::CallError;
use crate::text::text;

/// `struct numawise_request`. A field of 0 or NULL is as if it was not asked for. Newer versions have more fields at its end.
#[repr(C)]
pub struct Request {
    /// Of the structure, as the caller's header has it.
    size: usize,
    /// `local`, `distributed`, `semi`, `none`, `explicit`.
    strategy: *const c_char,
    tasks: u32,
    threads: u32,
    cpus: *const c_char,
    nodes: *const c_char,
    /// `spread`, `compact`, `scatter`, `balanced`, or CPUs in their order.
    order: *const c_char,
    step: u32,
    /// Hardware threads of each core, as `--smt` takes them.
    smt: *const c_char,
    skip: *const c_char,
    skip_os_core: c_int,
    efficient_cores: c_int,
}

/// `numawise_placement`.
pub struct PlacementHandle(pub Placement);

impl PlacementHandle {
    pub fn cpus(&self, task: u32, thread: u32) -> Result<&CpuSet, CallError> {
        Ok(inside::cpus_of(&self.0, task, thread)?)
    }
}

/// # Safety
/// As of the fields.
unsafe fn asked(of: &Request) -> Result<Asked<'_>, CallError> {
    let size = size_of::<Request>();
    // A header of this version has them all.
    if of.size != size {
        let expected = "that of struct numawise_request, as numawise_request_init sets it";
        return Err(CallError::invalid("size", of.size.to_string(), expected));
    }
    // SAFETY: the caller's promise, for each field.
    unsafe {
        Ok(Asked {
            strategy: text(of.strategy, "strategy")?,
            tasks: of.tasks,
            threads: of.threads,
            cpus: text(of.cpus, "cpus")?,
            nodes: text(of.nodes, "nodes")?,
            order: text(of.order, "order")?,
            step: of.step,
            smt: text(of.smt, "smt")?,
            skip: text(of.skip, "skip")?,
            skip_os_core: of.skip_os_core != 0,
            efficient_cores: of.efficient_cores != 0,
        })
    }
}

/// # Safety
/// `machine` is open, `request` is null or filled in, `placement` is null or has room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_plan(
    machine: *const MachineHandle,
    request: *const Request,
    placement: *mut *mut PlacementHandle,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        // SAFETY: as above.
        let asked = unsafe { asked(shared(request, "request")?) }?;
        let plan = || Ok(PlacementHandle(inside::plan(&machine.0, &asked)?));
        // SAFETY: as above.
        unsafe { give(placement, "placement", plan) }
    })
}

/// # Safety
/// `placement` is null or came from [`numawise_plan`], and is freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_placement_free(placement: *mut PlacementHandle) {
    // SAFETY: the caller's promise.
    unsafe { take_back(placement) };
}

/// # Safety
/// `placement` is there, `threads` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_placement_threads(
    placement: *const PlacementHandle,
    task: u32,
    threads: *mut u32,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let placement = unsafe { shared(placement, "placement") }?;
        let count = inside::threads_of(&placement.0, task)?;
        // SAFETY: as above.
        unsafe { put(threads, "threads", count as u32) }
    })
}

/// # Safety
/// `placement` is there; `mask` is null or has room for `*bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_placement_cpus(
    placement: *const PlacementHandle,
    task: u32,
    thread: u32,
    mask: *mut u8,
    bytes: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let placement = unsafe { shared(placement, "placement") }?;
        // SAFETY: as above.
        unsafe { put_mask(placement.cpus(task, thread)?, mask, bytes) }
    })
}
