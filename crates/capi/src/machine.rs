//! The machine that we may use: nodes, kinds of memory, distances, figures that were measured.

use std::ffi::{c_char, c_int};
use std::path::Path;

use numawise_facts::{Machine, MemoryKind, Node};
use numawise_inside as inside;
use numawise_units::{Bytes, Id};

use crate::bytes::{put_list, put_mask};
use crate::entry::{call, give, put, shared, take_back};
use crate::status::CallError;
use crate::text::text;

/// The version of the header that this library belongs to.
const VERSION: u32 = 1;

/// `numawise_machine`.
pub struct MachineHandle(pub Machine);

impl MachineHandle {
    pub fn node(&self, node: u32) -> Result<&Node, CallError> {
        Ok(inside::node(&self.0, node)?)
    }
}

/// Numbers of kinds in the header.
fn kind_number(kind: MemoryKind) -> c_int {
    match kind {
        MemoryKind::Unknown => 0,
        MemoryKind::Dram => 1,
        MemoryKind::Hbm => 2,
        MemoryKind::Cxl => 3,
        MemoryKind::Gpu => 4,
    }
}

fn kind_of_number(number: c_int) -> Result<MemoryKind, CallError> {
    let expected = "NUMAWISE_DRAM, NUMAWISE_HBM, NUMAWISE_CXL or NUMAWISE_GPU";
    let kind = inside::KINDS.into_iter().find(|kind| kind_number(*kind) == number);
    kind.ok_or_else(|| CallError::invalid("kind", number.to_string(), expected))
}

/// # Safety
/// `machine` is null or has room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_open_version(version: u32, machine: *mut *mut MachineHandle) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { opened(version, machine, || Ok(inside::open()?)) }
}

/// # Safety
/// As of [`numawise_open_version`]; `profile` is null or ends with a null byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_open_measured_version(
    version: u32,
    profile: *const c_char,
    machine: *mut *mut MachineHandle,
) -> c_int {
    let open = || {
        // SAFETY: the caller's promise.
        let file = unsafe { text(profile, "profile") }?;
        Ok(inside::open_measured(file.map(Path::new))?)
    };
    // SAFETY: as above.
    unsafe { opened(version, machine, open) }
}

/// Opens a machine for a program that was compiled with this version of the header.
///
/// # Safety
/// `machine` is null or has room for a pointer.
unsafe fn opened(
    version: u32,
    machine: *mut *mut MachineHandle,
    open: impl FnOnce() -> Result<Machine, CallError>,
) -> c_int {
    call(|| {
        let read = || {
            if version != VERSION {
                return Err(CallError::Version { header: version, library: VERSION });
            }
            Ok(MachineHandle(open()?))
        };
        // SAFETY: the caller's promise.
        unsafe { give(machine, "machine", read) }
    })
}

/// # Safety
/// `machine` is null or came from [`numawise_open_version`], and is closed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_close(machine: *mut MachineHandle) {
    // SAFETY: the caller's promise.
    unsafe { take_back(machine) };
}

/// # Safety
/// `machine` is open; `nodes` is null or has room for `*count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_nodes(
    machine: *const MachineHandle,
    nodes: *mut u32,
    count: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let all: Vec<u32> = machine.0.nodes.iter().map(|node| node.id.index()).collect();
        // SAFETY: as above.
        unsafe { put_list(&all, nodes, count, "the list of nodes") }
    })
}

/// # Safety
/// As of [`numawise_nodes`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_nodes_of_kind(
    machine: *const MachineHandle,
    kind: c_int,
    nodes: *mut u32,
    count: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let all: Vec<u32> =
            machine.0.allowed_of_kind(kind_of_number(kind)?).iter().map(|node| node.index()).collect();
        // SAFETY: as above.
        unsafe { put_list(&all, nodes, count, "the list of nodes") }
    })
}

/// # Safety
/// `machine` is open, `kind` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_node_kind(
    machine: *const MachineHandle,
    node: u32,
    kind: *mut c_int,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let number = kind_number(machine.node(node)?.kind);
        // SAFETY: as above.
        unsafe { put(kind, "kind", number) }
    })
}

/// # Safety
/// `machine` is open, `allowed` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_node_is_allowed(
    machine: *const MachineHandle,
    node: u32,
    allowed: *mut c_int,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let id = machine.node(node)?.id;
        // SAFETY: as above.
        unsafe { put(allowed, "allowed", c_int::from(machine.0.allowed_nodes.contains(id))) }
    })
}

/// # Safety
/// `machine` is open, `total` and `free` are null or have room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_node_memory(
    machine: *const MachineHandle,
    node: u32,
    total: *mut u64,
    free: *mut u64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let of = machine.node(node)?;
        for (place, bytes) in [(total, &of.memory), (free, &of.free)] {
            if !place.is_null() {
                let Bytes(bytes) = *inside::known(bytes)?;
                // SAFETY: as above.
                unsafe { place.write(bytes) };
            }
        }
        Ok(())
    })
}

/// # Safety
/// `machine` is open; `mask` is null or has room for `*bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_node_cpus(
    machine: *const MachineHandle,
    node: u32,
    mask: *mut u8,
    bytes: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        // SAFETY: as above.
        unsafe { put_mask(&machine.node(node)?.cpus, mask, bytes) }
    })
}

/// # Safety
/// As of [`numawise_node_cpus`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_allowed_cpus(
    machine: *const MachineHandle,
    mask: *mut u8,
    bytes: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        // SAFETY: as above.
        unsafe { put_mask(&machine.0.allowed_cpus, mask, bytes) }
    })
}

/// # Safety
/// `machine` is open, `node` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_node_of_cpu(
    machine: *const MachineHandle,
    cpu: u32,
    node: *mut u32,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let of = inside::node_of_cpu(&machine.0, cpu)?;
        // SAFETY: as above.
        unsafe { put(node, "node", of.index()) }
    })
}

/// # Safety
/// `machine` is open, `distance` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_distance(
    machine: *const MachineHandle,
    from: u32,
    to: u32,
    distance: *mut u32,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let found = inside::nodes_distance(&machine.0, from, to)?;
        // SAFETY: as above.
        unsafe { put(distance, "distance", found) }
    })
}

/// # Safety
/// `machine` is open, `nanoseconds` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_latency(
    machine: *const MachineHandle,
    from: u32,
    to: u32,
    nanoseconds: *mut f64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let found = inside::latency(&machine.0, from, to)?;
        // SAFETY: as above.
        unsafe { put(nanoseconds, "nanoseconds", found.0) }
    })
}

/// # Safety
/// `machine` is open, `bytes_per_second` is null or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_bandwidth(
    machine: *const MachineHandle,
    from: u32,
    to: u32,
    bytes_per_second: *mut f64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let machine = unsafe { shared(machine, "machine") }?;
        let found = inside::bandwidth(&machine.0, from, to)?;
        // SAFETY: as above.
        unsafe { put(bytes_per_second, "bytes_per_second", found.0) }
    })
}
