//! The calls that place a process, without a library between: `libnuma` would read all of `/sys` first.

use std::io;

use numawise_facts::{MemoryMode, MemoryPlan};
use numawise_units::{CpuSet, NodeSet};

/// The errno of the last failed call.
pub type Errno = i32;

// Modes of set_mempolicy(2), from the kernel's include/uapi/linux/mempolicy.h; the libc crate lacks the newest.
const MPOL_PREFERRED: libc::c_int = 1;
const MPOL_BIND: libc::c_int = 2;
const MPOL_INTERLEAVE: libc::c_int = 3;
const MPOL_LOCAL: libc::c_int = 4;
const MPOL_PREFERRED_MANY: libc::c_int = 5;
const MPOL_WEIGHTED_INTERLEAVE: libc::c_int = 6;
/// Goes with the mode: the kernel may move pages of this policy to where they are used, within its nodes.
const MPOL_F_NUMA_BALANCING: libc::c_int = 1 << 13;

/// Words of the largest mask that a kernel gives: CONFIG_NR_CPUS is at most 8192, and nodes are fewer.
const MASK_WORDS: usize = 128;
const MPOL_F_MEMS_ALLOWED: libc::c_ulong = 4;

/// The CPUs on which this thread may run.
///
/// # Errors
/// When the call is forbidden.
pub fn affinity() -> io::Result<CpuSet> {
    let mut words = [0u64; MASK_WORDS];
    // SAFETY: the kernel writes at most the given number of bytes into the live buffer.
    let bytes = unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(words.as_slice()), words.as_mut_ptr())
    };
    if bytes < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(CpuSet::from_words(words))
}

/// The nodes from which this process may take memory, as its cpuset says.
///
/// # Errors
/// When the kernel has no memory policies or the call is forbidden.
pub fn memory_nodes() -> io::Result<NodeSet> {
    let mut words = [0u64; MASK_WORDS];
    let (no_mode, no_address) = (std::ptr::null_mut::<libc::c_int>(), 0usize);
    // SAFETY: the kernel writes at most the given number of bits into the live buffer.
    let result = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            no_mode,
            words.as_mut_ptr(),
            MASK_WORDS * 64,
            no_address,
            MPOL_F_MEMS_ALLOWED,
        )
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(NodeSet::from_words(words))
}

/// Runs this thread on these CPUs only. Allocates nothing, so it may stand between fork and exec.
pub fn set_affinity(cpus: &[u64]) -> Result<(), Errno> {
    // SAFETY: the kernel reads the given number of bytes from the live slice.
    let result = unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(cpus), cpus.as_ptr()) };
    if result < 0 { Err(errno()) } else { Ok(()) }
}

/// A memory policy as the kernel takes it.
#[derive(Debug)]
pub struct Policy {
    mode: libc::c_int,
    nodes: Vec<u64>,
}

impl Policy {
    /// `None` for the default policy, for which nothing is called.
    pub fn new(plan: &MemoryPlan) -> Option<Policy> {
        let mode = match plan.mode {
            MemoryMode::Default => return None,
            MemoryMode::Local => MPOL_LOCAL,
            MemoryMode::Bind => MPOL_BIND,
            MemoryMode::Preferred => MPOL_PREFERRED,
            MemoryMode::PreferredMany => MPOL_PREFERRED_MANY,
            MemoryMode::Interleave => MPOL_INTERLEAVE,
            MemoryMode::WeightedInterleave => MPOL_WEIGHTED_INTERLEAVE,
        };
        let nodes = match plan.mode {
            MemoryMode::Local => Vec::new(),
            _ => plan.nodes.words().to_vec(),
        };
        let flags = if plan.balancing { MPOL_F_NUMA_BALANCING } else { 0 };
        Some(Policy { mode: mode | flags, nodes })
    }

    /// Sets the policy of this thread. Allocates nothing, so it may stand between fork and exec.
    pub fn apply(&self) -> Result<(), Errno> {
        let (nodes, bits) = if self.nodes.is_empty() {
            (std::ptr::null(), 0)
        } else {
            // The kernel takes one bit less than it is told (get_nodes in mm/mempolicy.c).
            (self.nodes.as_ptr(), self.nodes.len() * 64 + 1)
        };
        // SAFETY: the kernel reads `bits - 1` bits from the live slice, or nothing for a null mask of 0 bits.
        let result = unsafe { libc::syscall(libc::SYS_set_mempolicy, self.mode, nodes, bits) };
        if result < 0 { Err(errno()) } else { Ok(()) }
    }
}

pub fn errno() -> Errno {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}
