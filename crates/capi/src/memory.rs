//! Memory on nodes: policies of ranges, new memory, and where pages are.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};
use std::io;
use std::str::FromStr;

use numawise_facts::{MemoryKind, MemoryMode, MemoryPlan, MemoryRequest, PlacementRequest};
use numawise_linux::Roots;
use numawise_linux::calls::mempolicy::{PagesThere, set_range};
use numawise_linux::calls::pages;
use numawise_linux::memory::MemoryInfo;
use numawise_units::Pid;

use crate::bytes::put_list;
use crate::entry::{call, put, shared};
use crate::machine::{KINDS, MachineHandle};
use crate::plan::parsed;
use crate::status::CallError;

/// Addresses that the kernel is asked for at a time.
const AT_A_TIME: usize = 4096;

/// `struct numawise_node_bytes`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeBytes {
    node: u32,
    bytes: u64,
}

/// The policy that a text asks for, as `numawise run --memory` takes it, for the CPUs that we may use.
///
/// # Safety
/// The text is null or ends with a null byte.
unsafe fn plan(machine: &MachineHandle, policy: *const c_char) -> Result<MemoryPlan, CallError> {
    // SAFETY: the caller's promise.
    let asked: Asked = unsafe { parsed(policy, "policy") }?.ok_or_else(|| CallError::null("policy"))?;
    let memory = match asked {
        Asked::Memory(memory) => memory,
        Asked::Kind(kind) => {
            let nodes = machine.0.allowed_of_kind(kind);
            if nodes.is_empty() {
                let text = format!("there is no memory of kind {kind} that may be used");
                return Err(CallError::Unavailable(text));
            }
            MemoryRequest::Bind(Some(nodes))
        }
    };
    let request = PlacementRequest { memory, ..PlacementRequest::as_the_os_does() };
    let placement = numawise_placement::place(&machine.0, &request)?;
    placement
        .tasks
        .into_iter()
        .next()
        .map(|task| task.memory)
        .ok_or_else(|| CallError::Fault("a plan has no task".to_owned()))
}

/// A policy as `numawise run --memory` takes it, or `kind:KIND`.
enum Asked {
    Memory(MemoryRequest),
    Kind(MemoryKind),
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Asked, String> {
        let Some(name) = text.strip_prefix("kind:") else {
            let memory = MemoryRequest::from_str(text).map(Asked::Memory);
            return memory.map_err(|error| error.to_string());
        };
        let kind = KINDS.into_iter().find(|kind| kind.to_string() == name);
        kind.map(Asked::Kind)
            .ok_or_else(|| format!("'{name}' is no kind of memory; expected dram, hbm, cxl or gpu"))
    }
}

/// Pages that are in the range in part count too.
fn whole_pages(start: usize, bytes: usize) -> Result<(usize, usize), CallError> {
    let page = pages::page_size().0 as usize;
    if bytes == 0 {
        return Err(CallError::Invalid { argument: "bytes", found: "0".to_owned(), expected: "1 or more" });
    }
    let end = start.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(page));
    let begin = start / page * page;
    let end = end.ok_or_else(|| CallError::Invalid {
        argument: "bytes",
        found: bytes.to_string(),
        expected: "a range that ends within the address space",
    })?;
    Ok((begin, end - begin))
}

fn set_policy(start: *mut u8, bytes: usize, plan: &MemoryPlan, pages: PagesThere) -> Result<(), CallError> {
    let system = |source: io::Error| CallError::System { call: "mbind", source };
    let Some(policy) = numawise_launch::kernel_policy(plan) else { return Ok(()) };
    // SAFETY: policies change no contents, and the caller of the library names memory that it has mapped.
    unsafe { set_range(start, bytes, (policy.mode, &policy.nodes), pages) }.map_err(system)
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
        let (begin, length) = whole_pages(start as usize, bytes)?;
        let pages = if move_pages != 0 { PagesThere::Move } else { PagesThere::Stay };
        set_policy(begin as *mut u8, length, &plan, pages)
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
        let (_, length) = whole_pages(0, bytes)?;
        let system = |source: io::Error| CallError::System { call: "mmap", source };
        let start = pages::map(length, false).map_err(system)?;
        if let Err(error) = set_policy(start, length, &plan, PagesThere::Stay) {
            // SAFETY: it was mapped just now, and nobody has it.
            unsafe { pages::unmap(start, length) };
            return Err(error);
        }
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
        let strict =
            matches!(plan.mode, MemoryMode::Bind | MemoryMode::Interleave | MemoryMode::WeightedInterleave);
        let nodes = if strict { &plan.nodes } else { &machine.0.allowed_nodes };
        let mut room = 0;
        for node in nodes.iter() {
            let of = MemoryInfo::of_node(&Roots::live(), node)
                .map_err(|source| CallError::System { call: "reading the node's meminfo", source })?;
            let free = of.free.ok_or_else(|| {
                CallError::Unavailable(format!("the kernel does not say what of node {node} is free"))
            })?;
            room += free.0;
        }
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
        let (_, length) = whole_pages(0, bytes)?;
        // SAFETY: the caller's promise.
        unsafe { pages::unmap(memory.cast(), length) };
        Ok(())
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
        let (begin, length) = whole_pages(start as usize, bytes)?;
        let page = pages::page_size().0 as usize;
        let mut on: BTreeMap<u32, u64> = BTreeMap::new();
        let mut not_there = 0;
        let mut addresses = Vec::with_capacity(AT_A_TIME);
        let mut found = vec![0; AT_A_TIME.min(length / page)];
        for first in (begin..begin + length).step_by(page * AT_A_TIME) {
            addresses.clear();
            addresses.extend((first..begin + length).step_by(page).take(AT_A_TIME));
            let found = &mut found[..addresses.len()];
            pages::page_nodes(Pid(0), &addresses, found)
                .map_err(|source| CallError::System { call: "move_pages", source })?;
            for node in found {
                match u32::try_from(*node) {
                    Ok(node) => *on.entry(node).or_default() += page as u64,
                    Err(_) => not_there += page as u64,
                }
            }
        }
        let all: Vec<NodeBytes> = on.into_iter().map(|(node, bytes)| NodeBytes { node, bytes }).collect();
        if !absent.is_null() {
            // SAFETY: the caller's promise.
            unsafe { absent.write(not_there) };
        }
        // SAFETY: as above.
        unsafe { put_list(&all, nodes, count, "the list of nodes") }
    })
}
