//! The memory policy that we were started with, and whether policies can be had at all. Only asked, never changed.

use numawise_linux::calls::mempolicy::{self, PolicyMode, ThreadPolicy};
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

impl Policy {
    /// Asks the kernel.
    pub fn of_this_thread() -> Self {
        let error = match ThreadPolicy::own() {
            Ok(_) if mempolicy::setting_is_forbidden() => return Policy::Forbidden,
            Ok(policy) => return Policy::from_kernel(policy),
            Err(error) => error,
        };
        match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => Policy::Forbidden,
            Some(libc::ENOSYS) => Policy::Missing,
            _ => Policy::Unknown(error.to_string()),
        }
    }

    fn from_kernel(policy: ThreadPolicy) -> Self {
        match policy.mode {
            PolicyMode::Default => Policy::Default,
            // What `numactl --localalloc` sets, by either of its names: the default in all but name.
            PolicyMode::Preferred if policy.nodes.is_empty() => Policy::Default,
            PolicyMode::Local => Policy::Default,
            mode => Policy::Inherited {
                mode: mode.name().map_or_else(|| format!("number {}", mode.number()), str::to_owned),
                nodes: policy.nodes,
            },
        }
    }
}
