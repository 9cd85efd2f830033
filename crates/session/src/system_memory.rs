//! The memory of this computer by node, as the kernel accounts it: what numastat(8) shows without a process.

use std::time::Duration;

use numawise_facts::{MeminfoAmount, Node, NodeAccount, Reading, SystemMemory};
use numawise_linux::Roots;
use numawise_linux::calls::clock;
use numawise_linux::node_account as kernel;
use numawise_units::Nanoseconds;

use crate::{Error, here};

#[cfg(test)]
#[path = "system_memory_tests.rs"]
mod tests;

/// The memory of all nodes now, and the pages that were taken from them since the start of the system.
///
/// # Errors
/// When the machine cannot be read.
pub fn system_memory() -> Result<SystemMemory, Error> {
    let machine = here::for_sampling()?;
    Ok(SystemMemory { nodes: machine.nodes.iter().map(account).collect(), span: None })
}

/// The memory of all nodes after an interval, and the pages that were taken from them within it.
///
/// # Errors
/// As of [`system_memory`].
pub fn system_memory_within(interval: Nanoseconds) -> Result<SystemMemory, Error> {
    let (before, began) = (system_memory()?, clock::since_boot());
    std::thread::sleep(Duration::from(interval));
    let (after, ended) = (system_memory()?, clock::since_boot());
    Ok(since(&before, after, ended.saturating_sub(began)))
}

fn account(node: &Node) -> NodeAccount {
    let roots = Roots::live();
    let memory = kernel::meminfo(&roots, node.id).map(|rows| {
        let amount = |amount| match amount {
            kernel::MeminfoAmount::Bytes(bytes) => MeminfoAmount::Bytes(bytes),
            kernel::MeminfoAmount::Pages(pages) => MeminfoAmount::Pages(pages),
        };
        rows.into_iter().map(|(name, of)| (name, amount(of))).collect()
    });
    NodeAccount {
        node: node.id,
        kind: node.kind,
        allocations: kernel::allocations(&roots, node.id).into(),
        memory: memory.into(),
    }
}

/// What was taken between two moments. A node that came meanwhile has no earlier count.
fn since(before: &SystemMemory, mut after: SystemMemory, span: Nanoseconds) -> SystemMemory {
    for account in &mut after.nodes {
        let earlier = before.nodes.iter().find(|earlier| earlier.node == account.node);
        let earlier = earlier.map_or_else(
            || Reading::unavailable("the node was not there before"),
            |earlier| earlier.allocations.clone(),
        );
        account.allocations = account.allocations.clone().zip(earlier).map(|(now, then)| {
            let taken = |(name, pages): (String, u64)| {
                let then = then.iter().find(|(earlier, _)| *earlier == name).map_or(0, |(_, pages)| *pages);
                (name, pages.saturating_sub(then))
            };
            now.into_iter().map(taken).collect()
        });
    }
    SystemMemory { span: Some(span), ..after }
}
