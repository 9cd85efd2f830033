//! What the kernel tells of the memory of a node: rows of `numastat` and of `meminfo`, by the names that it has for them.

use numawise_units::harmless::quoted;
use numawise_units::{Bytes, NodeId};

use crate::error::Error;
use crate::file::slurp;
use crate::roots::Roots;

#[cfg(test)]
#[path = "node_account_tests.rs"]
mod tests;

/// The amount of a row of `meminfo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeminfoAmount {
    Bytes(Bytes),
    /// Huge pages, which have no unit there.
    Pages(u64),
}

/// Where the kernel has them.
pub(crate) fn allocations_path(node: NodeId) -> String {
    format!("/sys/devices/system/node/node{node}/numastat")
}

/// Pages that were taken from a node since the start of the system, by how (`numa_hit`, `numa_miss`, ...).
///
/// # Errors
/// When the kernel shows no such node, or a line is none of a name and a number.
pub fn allocations(roots: &Roots, node: NodeId) -> Result<Vec<(String, u64)>, Error> {
    let path = roots.path(&allocations_path(node));
    let text = slurp(&path).map_err(|error| Error::from_io(&path, error))?;
    let row = |line: &str| {
        let (name, number) = line.split_once(' ')?;
        Some((name.to_owned(), number.trim().parse().ok()?))
    };
    text.lines()
        .map(|line| {
            row(line).ok_or_else(|| Error::Malformed {
                path: path.clone(),
                found: quoted(line),
                expected: "a name and a number of pages",
            })
        })
        .collect()
}

/// Name and amount of a line such as `MemFree: 1024 kB` or `Node 1 MemFree: 1024 kB`.
pub(crate) fn meminfo_row(line: &str) -> Option<(&str, MeminfoAmount)> {
    let (name, amount) = line.split_once(':')?;
    let name = name.split_whitespace().last()?;
    let amount = match amount.trim().strip_suffix("kB") {
        Some(number) => MeminfoAmount::Bytes(Bytes(number.trim().parse::<u64>().ok()?.checked_mul(1024)?)),
        None => MeminfoAmount::Pages(amount.trim().parse().ok()?),
    };
    Some((name, amount))
}

/// The rows of a node's `meminfo`, in their order.
///
/// # Errors
/// When the kernel shows no such node, or a line is none of a name and an amount.
pub fn meminfo(roots: &Roots, node: NodeId) -> Result<Vec<(String, MeminfoAmount)>, Error> {
    let path = roots.path(&format!("/sys/devices/system/node/node{node}/meminfo"));
    let text = slurp(&path).map_err(|error| Error::from_io(&path, error))?;
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let row = line.strip_prefix("Node ").and_then(meminfo_row);
            row.map(|(name, amount)| (name.to_owned(), amount)).ok_or_else(|| Error::Malformed {
                path: path.clone(),
                found: quoted(line),
                expected: "a line such as 'Node 0 MemFree: 1024 kB'",
            })
        })
        .collect()
}
