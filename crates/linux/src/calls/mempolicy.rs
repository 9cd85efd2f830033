//! Memory policies of threads, in the kernel's own terms.

use std::io;

use numawise_syscalls::{self as raw, MASK_WORDS};
use numawise_units::{NodeId, NodeSet};

use super::error;

#[cfg(test)]
#[path = "mempolicy_tests.rs"]
mod tests;

/// A mode of set_mempolicy(2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyMode {
    Default,
    Preferred,
    Bind,
    Interleave,
    Local,
    PreferredMany,
    WeightedInterleave,
    /// One that is newer than this program.
    Unknown(i32),
}

/// The one table of modes: the kernel's number, and the name that the kernel's documentation uses.
const MODES: [(PolicyMode, i32, &str); 7] = [
    (PolicyMode::Default, raw::MPOL_DEFAULT, "default"),
    (PolicyMode::Preferred, raw::MPOL_PREFERRED, "preferred"),
    (PolicyMode::Bind, raw::MPOL_BIND, "bind"),
    (PolicyMode::Interleave, raw::MPOL_INTERLEAVE, "interleave"),
    (PolicyMode::Local, raw::MPOL_LOCAL, "local"),
    (PolicyMode::PreferredMany, raw::MPOL_PREFERRED_MANY, "preferred-many"),
    (PolicyMode::WeightedInterleave, raw::MPOL_WEIGHTED_INTERLEAVE, "weighted interleave"),
];

impl PolicyMode {
    /// The mode of a number without flags.
    pub fn from_number(number: i32) -> Self {
        MODES.iter().find(|row| row.1 == number).map_or(PolicyMode::Unknown(number), |row| row.0)
    }

    /// The `MPOL_` number.
    pub fn number(self) -> i32 {
        match self {
            PolicyMode::Unknown(number) => number,
            known => MODES.iter().find(|row| row.0 == known).map_or(raw::MPOL_DEFAULT, |row| row.1),
        }
    }

    /// The mode's name; none for a mode that is newer than this program.
    pub fn name(self) -> Option<&'static str> {
        MODES.iter().find(|row| row.0 == self).map(|row| row.2)
    }
}

/// The memory policy of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadPolicy {
    pub mode: PolicyMode,
    /// `MPOL_F_NUMA_BALANCING`: the kernel may move pages to where they are used, within the nodes.
    pub balancing: bool,
    pub nodes: NodeSet,
}

impl ThreadPolicy {
    /// The policy of the calling thread.
    ///
    /// # Errors
    /// When the call is forbidden, or the kernel has no memory policies.
    #[doc(alias = "get_mempolicy")]
    pub fn own() -> io::Result<Self> {
        let mut nodes = [0u64; MASK_WORDS];
        let mode = raw::memory_policy(&mut nodes, 0).map_err(error)?;
        Ok(ThreadPolicy::from_kernel(mode, NodeSet::from_words(nodes)))
    }

    /// From a mode with its flags.
    pub fn from_kernel(mode: i32, nodes: NodeSet) -> Self {
        ThreadPolicy {
            mode: PolicyMode::from_number(mode & !raw::MPOL_MODE_FLAGS),
            balancing: mode & raw::MPOL_F_NUMA_BALANCING != 0,
            nodes,
        }
    }

    /// Sets the policy of the calling thread. Allocates nothing, so it may stand between fork and exec.
    ///
    /// # Errors
    /// When the call is forbidden, or kernel or cpuset lack the mode or the nodes.
    #[doc(alias = "set_mempolicy")]
    pub fn set_own(&self) -> Result<(), raw::Errno> {
        let flags = if self.balancing { raw::MPOL_F_NUMA_BALANCING } else { 0 };
        raw::set_memory_policy(self.mode.number() | flags, self.nodes.words())
    }
}

/// The nodes from which this process may take memory, as its cpuset says.
///
/// # Errors
/// When the kernel has no memory policies or the call is forbidden.
#[doc(alias = "MPOL_F_MEMS_ALLOWED")]
pub fn allowed_nodes() -> io::Result<NodeSet> {
    let mut nodes = [0u64; MASK_WORDS];
    raw::memory_policy(&mut nodes, raw::MPOL_F_MEMS_ALLOWED).map_err(error)?;
    Ok(NodeSet::from_words(nodes))
}

/// The node from which the next interleaved page comes; none where the policy is another one.
#[doc(alias = "MPOL_F_NODE")]
pub fn next_interleaved_node() -> Option<NodeId> {
    let next = raw::memory_policy(&mut [], raw::MPOL_F_NODE).ok()?;
    u32::try_from(next).ok().map(NodeId)
}

/// True when a filter refuses to set policies. Asks for a mode that no kernel has: a filter refuses before the kernel looks
/// at it, and nothing is changed either way.
pub fn setting_is_forbidden() -> bool {
    matches!(raw::set_memory_policy(-1, &[]), Err(libc::EPERM | libc::EACCES))
}

/// What becomes of pages that are in a range already when its policy is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagesThere {
    Stay,
    /// They go to the nodes of the policy, as far as they are of this process alone.
    #[doc(alias = "MPOL_MF_MOVE")]
    Move,
    /// They stay, and it fails where they do not follow the policy.
    #[doc(alias = "MPOL_MF_STRICT")]
    MustFollow,
}

/// Sets the policy of a range of addresses of this process.
///
/// # Safety
/// The range lies in mappings of the caller's.
///
/// # Errors
/// When the call is forbidden, kernel or cpuset lack the mode or the nodes, or a part of the range is not mapped (`EFAULT`).
#[doc(alias = "mbind")]
pub unsafe fn set_range(
    start: *mut u8,
    bytes: usize,
    (mode, nodes): (PolicyMode, &NodeSet),
    pages: PagesThere,
) -> io::Result<()> {
    let flags = match pages {
        PagesThere::Stay => 0,
        PagesThere::Move => raw::MPOL_MF_MOVE,
        PagesThere::MustFollow => raw::MPOL_MF_STRICT,
    };
    // SAFETY: the caller's promise.
    unsafe { raw::set_memory_policy_of(start, bytes, mode.number(), nodes.words(), flags) }.map_err(error)
}
