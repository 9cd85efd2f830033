//! Plans: which CPUs each thread gets, by the planner that `numawise run` has.

use std::ffi::{CStr, c_char, c_int};
use std::fmt::Display;
use std::num::NonZeroU32;
use std::str::FromStr;

use numawise_facts::{CpuChoice, Placement, PlacementRequest, Strategy, ThreadBinding};
use numawise_units::{CpuSet, NodeSet};

use crate::bytes::put_mask;
use crate::entry::{call, give, put, shared, take_back};
use crate::machine::MachineHandle;
use crate::status::CallError;

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
    /// The CPUs of a thread, or of a whole task that leaves its threads alone.
    pub fn cpus(&self, task: u32, thread: u32) -> Result<&CpuSet, CallError> {
        let tasks = &self.0.tasks;
        let of = tasks.get(task as usize).ok_or_else(|| not_there("task", task, tasks.len()))?;
        if of.threads.is_empty() {
            return Ok(&of.cpus);
        }
        // Threads beyond those of the plan share its CPUs, as more threads than CPUs do.
        Ok(&of.threads[thread as usize % of.threads.len()])
    }
}

fn not_there(what: &'static str, found: u32, count: usize) -> CallError {
    CallError::NotThere { what, found: found.to_string(), exist: format!("{count}, from 0 on") }
}

/// A text of the caller's; nothing for NULL.
///
/// # Safety
/// It is null or ends with a null byte.
pub unsafe fn text<'a>(text: *const c_char, argument: &'static str) -> Result<Option<&'a str>, CallError> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let found = unsafe { CStr::from_ptr(text) };
    let found = found.to_str().map_err(|_| CallError::Invalid {
        argument,
        found: "not UTF-8".to_owned(),
        expected: "text",
    })?;
    Ok(Some(found))
}

/// What a text means; nothing for NULL.
///
/// # Safety
/// As of [`text`].
pub unsafe fn parsed<T>(given: *const c_char, argument: &'static str) -> Result<Option<T>, CallError>
where
    T: FromStr<Err: Display>,
{
    // SAFETY: the caller's promise.
    let Some(found) = (unsafe { text(given, argument) })? else { return Ok(None) };
    let problem = |error: T::Err| CallError::Text { argument, problem: error.to_string() };
    found.parse().map(Some).map_err(problem)
}

/// # Safety
/// As of the fields.
unsafe fn request(of: &Request) -> Result<PlacementRequest, CallError> {
    let size = size_of::<Request>();
    // A header of this version has them all.
    if of.size != size {
        return Err(CallError::Invalid {
            argument: "size",
            found: of.size.to_string(),
            expected: "that of struct numawise_request, as numawise_request_init sets it",
        });
    }
    // SAFETY: the caller's promise, for each field.
    unsafe {
        let strategy = parsed(of.strategy, "strategy")?;
        let choice = CpuChoice {
            order: parsed(of.order, "order")?.unwrap_or_default(),
            step: NonZeroU32::new(of.step).unwrap_or(NonZeroU32::MIN),
            smt: parsed(of.smt, "smt")?.unwrap_or_default(),
            skip: parsed(of.skip, "skip")?.unwrap_or_default(),
            skip_os_core: of.skip_os_core != 0,
            efficient_cores: of.efficient_cores != 0,
        };
        Ok(PlacementRequest {
            strategy: strategy.unwrap_or(Strategy::None),
            binding: ThreadBinding::Pinned,
            tasks: of.tasks.max(1),
            threads: (of.threads > 0).then_some(of.threads),
            cpus: parsed::<CpuSet>(of.cpus, "cpus")?,
            nodes: parsed::<NodeSet>(of.nodes, "nodes")?,
            choice,
            ..PlacementRequest::as_the_os_does()
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
        let asked = unsafe { self::request(shared(request, "request")?) }?;
        let plan = || Ok(PlacementHandle(numawise_placement::place(&machine.0, &asked)?));
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
        let tasks = &placement.0.tasks;
        let of = tasks.get(task as usize).ok_or_else(|| not_there("task", task, tasks.len()))?;
        // SAFETY: as above.
        unsafe { put(threads, "threads", of.threads.len() as u32) }
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
