//! The kernel's own moving of pages (NUMA balancing) for one program.
//!
//! The kernel samples a mapping only when its policy, or else its task's, migrates on fault (`vma_policy_mof` in
//! mm/mempolicy.c, asked by `task_numa_work` in kernel/sched/fair.c). The system's default policy does; one that a task set
//! does only with `MPOL_F_NUMA_BALANCING`, which `sanitize_mpol_flags` in mm/mempolicy.c takes with `MPOL_BIND` (Linux 5.12,
//! set_mempolicy(2)) and `MPOL_PREFERRED_MANY` (Linux 6.10) and refuses (`EINVAL`) with all others.

use numawise_facts::notice::PlanNotice;
use numawise_facts::{Balancing, MemoryMode, MemoryPlan, Notice, PlacementRequest};

use crate::{PlacementError, once};

#[cfg(test)]
#[path = "balancing_tests.rs"]
mod tests;

/// Puts what the request says of NUMA balancing into the plan.
///
/// # Errors
/// When it is to be on with a policy for which the kernel has none.
pub fn add(
    request: &PlacementRequest,
    plan: &mut MemoryPlan,
    warnings: &mut Vec<Notice>,
) -> Result<(), PlacementError> {
    match (request.balancing, plan.mode) {
        (Balancing::Default, _) => {}
        // `local` puts pages where the default does, and is a policy of the task's own: its pages stay.
        (Balancing::Off, MemoryMode::Default) => plan.mode = MemoryMode::Local,
        (Balancing::Off, _) => {}
        (Balancing::On, MemoryMode::Default) => once(warnings, PlanNotice::BalancingWithoutPolicy),
        (Balancing::On, MemoryMode::Bind) => plan.balancing = true,
        (Balancing::On, MemoryMode::PreferredMany) => {
            plan.balancing = true;
            once(warnings, PlanNotice::BalancingNeedsLinux610);
        }
        (Balancing::On, _) => return Err(PlacementError::BalancingPolicy { policy: request.memory.clone() }),
    }
    Ok(())
}
