//! The memory policy of a plan as the kernel takes it.

use numawise_facts::{MemoryMode, MemoryPlan};
use numawise_linux::calls::mempolicy::{PolicyMode, ThreadPolicy};
use numawise_units::NodeSet;

/// The policy to set; `None` for the default one, for which nothing is called.
pub fn policy(plan: &MemoryPlan) -> Option<ThreadPolicy> {
    if plan.mode == MemoryMode::Default {
        return None;
    }
    let mode = kernel_mode(plan.mode);
    let nodes = if mode == PolicyMode::Local { NodeSet::new() } else { plan.nodes.clone() };
    Some(ThreadPolicy { mode, balancing: plan.balancing, nodes })
}

/// What the kernel calls a mode.
pub fn kernel_mode(mode: MemoryMode) -> PolicyMode {
    match mode {
        MemoryMode::Default => PolicyMode::Default,
        MemoryMode::Local => PolicyMode::Local,
        MemoryMode::Bind => PolicyMode::Bind,
        MemoryMode::Preferred => PolicyMode::Preferred,
        MemoryMode::PreferredMany => PolicyMode::PreferredMany,
        MemoryMode::Interleave => PolicyMode::Interleave,
        MemoryMode::WeightedInterleave => PolicyMode::WeightedInterleave,
    }
}
