//! Memory on nodes: policies of ranges, new memory, and where pages are.

use std::collections::BTreeMap;
use std::io;
use std::str::FromStr;

use numawise_facts::{Machine, MemoryKind, MemoryMode, MemoryPlan, MemoryRequest, PlacementRequest};
use numawise_linux::Roots;
use numawise_linux::calls::mempolicy::{PagesThere, set_range};
use numawise_linux::calls::pages as kernel;
use numawise_linux::memory::MemoryInfo;
use numawise_units::{Bytes, Pid};

use crate::Error;
use crate::error::parsed;
use crate::machine::KINDS;

/// Addresses that the kernel is asked for at a time.
const AT_A_TIME: usize = 4096;

/// The policy that a text asks for, as `numawise run --memory` takes it, for the CPUs that we may use.
///
/// # Errors
/// A text that does not parse, a kind of memory that is not there, and what the planner says.
pub fn policy(machine: &Machine, text: &str) -> Result<MemoryPlan, Error> {
    let memory = match parsed::<Asked>(text, "policy")? {
        Asked::Memory(memory) => memory,
        Asked::Kind(kind) => {
            let nodes = machine.allowed_of_kind(kind);
            if nodes.is_empty() {
                let text = format!("there is no memory of kind {kind} that may be used");
                return Err(Error::Unavailable(text));
            }
            MemoryRequest::Bind(Some(nodes))
        }
    };
    let request = PlacementRequest { memory, ..PlacementRequest::as_the_os_does() };
    let placement = numawise_placement::place(machine, &request)?;
    let task = placement.tasks.into_iter().next();
    task.map(|task| task.memory).ok_or_else(|| Error::Fault("a plan has no task".to_owned()))
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
fn whole_pages(start: usize, bytes: usize) -> Result<(usize, usize), Error> {
    let page = kernel::page_size().0 as usize;
    if bytes == 0 {
        return Err(Error::Invalid { argument: "bytes", found: "0".to_owned(), expected: "1 or more" });
    }
    let end = start.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(page));
    let begin = start / page * page;
    let end = end.ok_or_else(|| Error::Invalid {
        argument: "bytes",
        found: bytes.to_string(),
        expected: "a range that ends within the address space",
    })?;
    Ok((begin, end - begin))
}

/// Gives whole pages of a range a policy.
///
/// # Safety
/// The range is memory that the caller has mapped.
///
/// # Errors
/// What the kernel says.
pub unsafe fn set_policy(
    start: usize,
    bytes: usize,
    plan: &MemoryPlan,
    pages: PagesThere,
) -> Result<(), Error> {
    let (begin, length) = whole_pages(start, bytes)?;
    let Some(policy) = numawise_launch::kernel_policy(plan) else { return Ok(()) };
    // SAFETY: policies change no contents, and the caller names memory that it has mapped.
    let set = unsafe { set_range(begin as *mut u8, length, (policy.mode, &policy.nodes), pages) };
    set.map_err(|source| Error::System { call: "mbind", source })
}

/// Maps whole pages under a policy: zeroed, and on its nodes once they are touched. To be given to [`free`] with as many bytes.
///
/// # Errors
/// What the kernel says; nothing stays mapped.
pub fn map(bytes: usize, plan: &MemoryPlan) -> Result<*mut u8, Error> {
    let (_, length) = whole_pages(0, bytes)?;
    let system = |source: io::Error| Error::System { call: "mmap", source };
    let start = kernel::map(length, false).map_err(system)?;
    // SAFETY: it was mapped just now.
    if let Err(error) = unsafe { set_policy(start as usize, length, plan, PagesThere::Stay) } {
        // SAFETY: as above, and nobody has it.
        unsafe { kernel::unmap(start, length) };
        return Err(error);
    }
    Ok(start)
}

/// # Safety
/// It came from [`map`] with as many bytes, and nothing uses it any more.
///
/// # Errors
/// Where the length cannot be one.
pub unsafe fn free(memory: *mut u8, bytes: usize) -> Result<(), Error> {
    let (_, length) = whole_pages(0, bytes)?;
    // SAFETY: the caller's promise.
    unsafe { kernel::unmap(memory, length) };
    Ok(())
}

/// Memory under a policy, as long as this lives.
#[derive(Debug)]
pub struct Mapping {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the memory belongs to the process, and not to the thread that has mapped it.
unsafe impl Send for Mapping {}
// SAFETY: what is shared is an address and a length.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// # Errors
    /// As of [`map`].
    pub fn new(bytes: usize, plan: &MemoryPlan) -> Result<Mapping, Error> {
        Ok(Mapping { start: map(bytes, plan)?, bytes })
    }

    /// Memory under the first of these policies that is to be had here and whose nodes have room for so many bytes, and which it is.
    ///
    /// # Errors
    /// That of the last one, where none is.
    pub fn first_with_room(
        bytes: usize,
        machine: &Machine,
        policies: &[String],
    ) -> Result<(Mapping, usize), Error> {
        let with_room = |text: &String| {
            let plan = policy(machine, text)?;
            let there = room(machine, &plan)?.0;
            if there < bytes as u64 {
                return Err(Error::NoRoom { policy: text.clone(), wanted: bytes as u64, there });
            }
            Mapping::new(bytes, &plan)
        };
        let none =
            Error::Invalid { argument: "policies", found: "none".to_owned(), expected: "one at least" };
        let mut refused = none;
        for (k, text) in policies.iter().enumerate() {
            match with_room(text) {
                Ok(mapping) => return Ok((mapping, k)),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    pub fn start(&self) -> *mut u8 {
        self.start
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it is our own, and goes with us. A length that was mapped is one.
        let _ = unsafe { free(self.start, self.bytes) };
    }
}

/// Bytes that can be had now on the nodes of a policy, those that the kernel keeps of files included, which it gives back: of a policy that
/// prefers nodes, on all that we may use.
///
/// # Errors
/// Where the kernel does not say.
pub fn room(machine: &Machine, plan: &MemoryPlan) -> Result<Bytes, Error> {
    let strict =
        matches!(plan.mode, MemoryMode::Bind | MemoryMode::Interleave | MemoryMode::WeightedInterleave);
    let nodes = if strict { &plan.nodes } else { &machine.allowed_nodes };
    let mut room = 0;
    for node in nodes.iter() {
        let of = MemoryInfo::of_node(&Roots::live(), node)
            .map_err(|source| Error::System { call: "reading the node's meminfo", source })?;
        let there = of.to_be_had().ok_or_else(|| {
            Error::Unavailable(format!("the kernel does not say what of node {node} is free"))
        })?;
        room += there.0;
    }
    Ok(Bytes(room))
}

/// Bytes on a node; `struct numawise_node_bytes` of the library for C.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeBytes {
    pub node: u32,
    pub bytes: u64,
}

/// Where the pages of a range lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Where {
    /// Ascending; nodes without any are left out.
    pub on: Vec<NodeBytes>,
    /// Of pages that are nowhere: they were not touched, or nothing is mapped there.
    pub absent: Bytes,
}

/// Asks the kernel where the pages of a range lie now; a page that is in it in part counts as a whole.
///
/// # Errors
/// What the kernel says.
pub fn pages(start: usize, bytes: usize) -> Result<Where, Error> {
    let (begin, length) = whole_pages(start, bytes)?;
    let page = kernel::page_size().0 as usize;
    let mut on: BTreeMap<u32, u64> = BTreeMap::new();
    let mut absent = 0;
    let mut addresses = Vec::with_capacity(AT_A_TIME);
    let mut found = vec![0; AT_A_TIME.min(length / page)];
    for first in (begin..begin + length).step_by(page * AT_A_TIME) {
        addresses.clear();
        addresses.extend((first..begin + length).step_by(page).take(AT_A_TIME));
        let found = &mut found[..addresses.len()];
        kernel::page_nodes(Pid(0), &addresses, found)
            .map_err(|source| Error::System { call: "move_pages", source })?;
        for node in found {
            match u32::try_from(*node) {
                Ok(node) => *on.entry(node).or_default() += page as u64,
                Err(_) => absent += page as u64,
            }
        }
    }
    let on = on.into_iter().map(|(node, bytes)| NodeBytes { node, bytes }).collect();
    Ok(Where { on, absent: Bytes(absent) })
}
