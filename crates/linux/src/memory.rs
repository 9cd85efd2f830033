//! Memory of the computer and of its nodes, and its huge pages.

use std::io;
use std::path::PathBuf;

use numawise_units::{Bytes, NodeId, NodeSet};

use crate::error::Error;
use crate::host;
use crate::node_account::{MeminfoAmount, allocations, allocations_path, meminfo_row};
use crate::roots::Roots;

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;

/// What we use of `meminfo`, of the computer or of a node. A line that is not there gives `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryInfo {
    pub total: Option<Bytes>,
    pub free: Option<Bytes>,
    /// What programs can have without swapping (`MemAvailable`); only the computer's file has it.
    pub available: Option<Bytes>,
    /// Contents of files that the kernel keeps as long as nobody needs the memory (`Active(file)`, `Inactive(file)`).
    pub files: Option<Bytes>,
    /// The same of its own objects (`SReclaimable`).
    pub objects: Option<Bytes>,
    /// The usual size of a huge page (`Hugepagesize`); only the computer's file has it.
    pub huge_page: Option<Bytes>,
}

impl MemoryInfo {
    /// Takes lines such as `MemFree: 1024 kB` or `Node 1 MemFree: 1024 kB`.
    pub fn parse(text: &str) -> Self {
        let of = |wanted: &str| {
            text.lines().filter_map(meminfo_row).find_map(|(name, amount)| match amount {
                MeminfoAmount::Bytes(bytes) if name == wanted => Some(bytes),
                _ => None,
            })
        };
        MemoryInfo {
            total: of("MemTotal"),
            free: of("MemFree"),
            available: of("MemAvailable"),
            files: of("Active(file)")
                .zip(of("Inactive(file)"))
                .map(|(active, inactive)| Bytes(active.0.saturating_add(inactive.0))),
            objects: of("SReclaimable"),
            huge_page: of("Hugepagesize"),
        }
    }

    /// What programs can have of a node without swapping: what is free, and what the kernel can give back. The kernel counts so for the
    /// whole computer (`si_mem_available`); a part of what can be given back stays, here at most a 64th of the node, where the kernel has
    /// its low watermark.
    pub fn to_be_had(&self) -> Option<Bytes> {
        let kept = self.total.map_or(u64::MAX, |total| total.0 / 64);
        let given = |cached: Option<Bytes>| cached.map_or(0, |Bytes(cached)| cached - (cached / 2).min(kept));
        self.free
            .map(|free| Bytes(free.0.saturating_add(given(self.files)).saturating_add(given(self.objects))))
    }

    /// Of the computer.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of_computer(roots: &Roots) -> io::Result<Self> {
        roots.text("/proc/meminfo").map(|text| MemoryInfo::parse(&text))
    }

    /// What programs can have of the computer's memory; nothing where the kernel does not say it.
    pub fn available(roots: &Roots) -> Option<Bytes> {
        MemoryInfo::of_computer(roots).ok()?.available
    }

    /// Of a node.
    ///
    /// # Errors
    /// When the kernel shows no such node.
    pub fn of_node(roots: &Roots, node: NodeId) -> io::Result<Self> {
        let text = roots.text(&format!("/sys/devices/system/node/node{node}/meminfo"))?;
        Ok(MemoryInfo::parse(&text))
    }
}

/// Where the switch of transparent huge pages is.
pub const TRANSPARENT_HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
/// Where the reserved huge pages are, a folder for each size.
pub const HUGE_PAGES: &str = "/sys/kernel/mm/hugepages";

/// The choice in brackets of `always [madvise] never`; the whole where there are no brackets.
///
/// # Errors
/// [`Error::Gone`] where the kernel has no transparent huge pages.
pub fn transparent_huge_pages(roots: &Roots) -> Result<String, Error> {
    let choices = host::line(&roots.path(TRANSPARENT_HUGE_PAGES))?;
    let inside = choices.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    Ok(inside.map_or(choices.as_str(), |(choice, _)| choice).to_owned())
}

/// The size of a transparent huge page; `None` where the kernel has none.
pub fn transparent_huge_page(roots: &Roots) -> Option<Bytes> {
    roots.try_value("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").map(Bytes)
}

/// Pages that were meant for a node since the start of the system and had to be given by another (`numa_foreign`), for every node
/// with memory.
///
/// # Errors
/// When the kernel shows no nodes, does not count (`vm.numa_stat` is 0), or the file of a node cannot be read.
pub fn turned_away(roots: &Roots) -> Result<Vec<(NodeId, u64)>, Error> {
    const SWITCH: &str = "/proc/sys/vm/numa_stat";
    if roots.try_text(SWITCH).is_some_and(|switch| switch.trim() == "0") {
        let (path, found) = (roots.path(SWITCH), "0".to_owned());
        return Err(Error::Malformed { path, found, expected: "1, with which the kernel counts" });
    }
    let nodes = "/sys/devices/system/node/has_memory";
    let list = host::line(&roots.path(nodes))?;
    let set: NodeSet = list.parse().map_err(|_| Error::Malformed {
        path: roots.path(nodes),
        found: list,
        expected: "a list of nodes such as 0-1",
    })?;
    set.iter().map(|node| Ok((node, turned_away_by(roots, node)?))).collect()
}

fn turned_away_by(roots: &Roots, node: NodeId) -> Result<u64, Error> {
    let rows = allocations(roots, node)?;
    let foreign = rows.iter().find(|(name, _)| name == "numa_foreign");
    foreign.map(|(_, pages)| *pages).ok_or_else(|| Error::Malformed {
        path: roots.path(&allocations_path(node)),
        found: rows.first().map_or_else(String::new, |(name, pages)| format!("{name} {pages}")),
        expected: "a line 'numa_foreign' with a number of pages",
    })
}

/// Huge pages of all sizes that are free, or that the kernel may still reserve on demand.
///
/// # Errors
/// When the kernel shows no huge pages.
pub fn huge_pages_to_be_had(roots: &Roots) -> io::Result<u64> {
    let sizes = std::fs::read_dir(roots.path(HUGE_PAGES))?.flatten().map(|entry| entry.path());
    Ok(sizes
        .map(|size| count(size.join("free_hugepages")) + count(size.join("nr_overcommit_hugepages")))
        .sum())
}

/// Reserved huge pages of a size on a node that nobody uses.
pub fn free_huge_pages(roots: &Roots, node: NodeId, page: Bytes) -> u64 {
    let folder = format!("/sys/devices/system/node/node{node}/hugepages/hugepages-{}kB", page.0 >> 10);
    count(roots.path(&folder).join("free_hugepages"))
}

/// A size without the file has none of that kind to give.
fn count(file: PathBuf) -> u64 {
    std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
