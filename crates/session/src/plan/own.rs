//! What this process may use and where its memory goes, as numactl shows it.

use numawise_facts::{MemoryMode, OwnPlacement};
use numawise_linux::calls::mempolicy::{PolicyMode, ThreadPolicy, next_interleaved_node};
use numawise_machine::Roots;

use super::job;
use crate::Error;

/// CPUs and memory policy of this process.
///
/// # Errors
/// When the kernel does not give its policy.
pub fn own_placement() -> Result<OwnPlacement, Error> {
    let allowed = job::allowed()?;
    let machine = numawise_machine::quick(&Roots::live())?;
    let policy = ThreadPolicy::own().map_err(Error::PolicyUnknown)?;
    Ok(OwnPlacement {
        policy: mode(policy.mode),
        balancing: policy.balancing,
        policy_nodes: policy.nodes,
        next: next_interleaved_node(),
        nodes_of_cpus: allowed.cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect(),
        cpus: allowed.cpus,
        nodes: allowed.nodes,
    })
}

/// A mode of the kernel's; none for one that is newer than this program.
pub fn mode(mode: PolicyMode) -> Option<MemoryMode> {
    Some(match mode {
        PolicyMode::Default => MemoryMode::Default,
        PolicyMode::Preferred => MemoryMode::Preferred,
        PolicyMode::Bind => MemoryMode::Bind,
        PolicyMode::Interleave => MemoryMode::Interleave,
        PolicyMode::Local => MemoryMode::Local,
        PolicyMode::PreferredMany => MemoryMode::PreferredMany,
        PolicyMode::WeightedInterleave => MemoryMode::WeightedInterleave,
        PolicyMode::Unknown(_) => return None,
    })
}
