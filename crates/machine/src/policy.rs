//! The memory policy that we were started with, and whether policies can be had at all. Only asked, never changed.

use std::io;

use numawise_units::NodeSet;

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;

/// What `get_mempolicy` says of this thread.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Policy {
    /// The kernel's default: pages come from the node of the CPU that touches them first.
    Default,
    /// Somebody set a policy before we were started.
    Inherited { mode: String, nodes: NodeSet },
    /// The call is forbidden, as by the seccomp filter of many containers.
    Forbidden,
    /// The kernel has no memory policies.
    Missing,
    /// The call failed in another way.
    Unknown(String),
}

/// The modes of `linux/mempolicy.h` in the order of their numbers.
const MODES: [&str; 7] =
    ["default", "preferred", "bind", "interleave", "local", "preferred-many", "weighted interleave"];
/// Mode flags (`MPOL_F_STATIC_NODES` and its like) stand in the highest bits.
const FLAGS: i32 = 0b111 << 13;
const BALANCING: i32 = 1 << 13;
/// Room for more nodes than any kernel is built for (`MAX_NUMNODES` is at most 1024); fewer and the call fails.
const MOST_NODES: usize = 4096;

/// The policy of this thread in the kernel's own terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetPolicy {
    /// `MPOL_DEFAULT` and so on, without flags.
    pub mode: i32,
    /// `MPOL_F_NUMA_BALANCING` is set.
    pub balancing: bool,
    pub nodes: NodeSet,
}

impl SetPolicy {
    // From linux/mempolicy.h.
    pub const PREFERRED: i32 = 1;
    pub const BIND: i32 = 2;
    pub const INTERLEAVE: i32 = 3;
    pub const LOCAL: i32 = 4;
    pub const PREFERRED_MANY: i32 = 5;
    pub const WEIGHTED_INTERLEAVE: i32 = 6;

    /// Asks the kernel.
    ///
    /// # Errors
    /// When the call is forbidden, or the kernel has no memory policies.
    pub fn of_this_thread() -> io::Result<Self> {
        let mut mode = 0i32;
        let mut nodes = [0u64; MOST_NODES / 64];
        // SAFETY: get_mempolicy writes one int and at most MOST_NODES bits, for which there is room.
        let result = unsafe {
            libc::syscall(libc::SYS_get_mempolicy, &mut mode, nodes.as_mut_ptr(), MOST_NODES, 0usize, 0usize)
        };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(SetPolicy::from_kernel(mode, NodeSet::from_words(nodes)))
    }

    /// From a mode with its flags.
    pub fn from_kernel(mode: i32, nodes: NodeSet) -> Self {
        SetPolicy { mode: mode & !FLAGS, balancing: mode & BALANCING != 0, nodes }
    }

    /// What the mode is called; `None` when it is newer than this program.
    pub fn name(&self) -> Option<&'static str> {
        MODES.get(usize::try_from(self.mode).ok()?).copied()
    }
}

impl Policy {
    /// Asks the kernel.
    pub fn of_this_thread() -> Self {
        let error = match SetPolicy::of_this_thread() {
            Ok(_) if may_not_be_set() => return Policy::Forbidden,
            Ok(policy) => return Policy::from_kernel(policy),
            Err(error) => error,
        };
        match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => Policy::Forbidden,
            Some(libc::ENOSYS) => Policy::Missing,
            _ => Policy::Unknown(error.to_string()),
        }
    }

    fn from_kernel(policy: SetPolicy) -> Self {
        match policy.mode {
            0 => Policy::Default,
            // What `numactl --localalloc` sets, by either of its names: the default in all but name.
            SetPolicy::PREFERRED if policy.nodes.is_empty() => Policy::Default,
            SetPolicy::LOCAL => Policy::Default,
            number => Policy::Inherited {
                mode: policy.name().map_or_else(|| format!("number {number}"), str::to_owned),
                nodes: policy.nodes,
            },
        }
    }
}

/// Asks for a mode that no kernel has: a filter refuses before the kernel looks at it, and nothing is changed either way.
fn may_not_be_set() -> bool {
    let (no_mode, no_nodes) = (-1, std::ptr::null::<u64>());
    // SAFETY: a null mask of 0 bits is not read.
    let result = unsafe { libc::syscall(libc::SYS_set_mempolicy, no_mode, no_nodes, 0usize) };
    result < 0 && matches!(io::Error::last_os_error().raw_os_error(), Some(libc::EPERM | libc::EACCES))
}
