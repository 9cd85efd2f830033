//! Memory and its limits while we measure, and the CPU time of others: read afresh each time, below a root that tests
//! choose.

#[cfg(test)]
#[path = "system_tests.rs"]
mod tests;

use numawise_linux::Roots;
use numawise_linux::cgroup::Cgroups;
use numawise_linux::memory::{self, MemoryInfo};
use numawise_linux::proc::cpu_time::{self, CpuTicks};
use numawise_linux::proc::{numa_maps, smaps};
use numawise_units::{Bytes, CpuId, NodeId};

/// What is read of the system while measuring.
#[derive(Debug, Clone)]
pub struct System {
    roots: Roots,
}

/// Jiffies of the CPUs that a measurement uses, of all that is not idle on all CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Jiffies {
    /// Time that the hypervisor gave to others while one of these CPUs had work.
    pub steal: u64,
    /// Time in which any CPU of the machine ran anything.
    pub busy: u64,
}

/// `USER_HZ`: the unit of `/proc/stat`, fixed in the kernel's interface.
pub const JIFFIES_PER_SECOND: f64 = 100.0;

impl System {
    pub fn live() -> Self {
        System { roots: Roots::live() }
    }

    #[cfg(test)]
    pub fn at(root: impl AsRef<std::path::Path>) -> Self {
        System { roots: Roots::at(root.as_ref()) }
    }

    /// Free memory of a node; where the kernel shows no nodes, of the machine.
    pub fn free(&self, node: NodeId) -> Option<Bytes> {
        match MemoryInfo::of_node(&self.roots, node) {
            Ok(info) => info.free,
            Err(_) if node == NodeId(0) => MemoryInfo::of_computer(&self.roots).ok()?.free,
            Err(_) => None,
        }
    }

    /// What the cgroups on the way up leave us at most, and the file that says so.
    pub fn cgroup_left(&self) -> Option<(Bytes, String)> {
        Cgroups::of_this_process(&self.roots).memory_left()
    }

    /// The size of a huge page, and whether transparent ones can be asked for.
    pub fn huge_page(&self) -> Option<(usize, bool)> {
        let page = MemoryInfo::of_computer(&self.roots).ok()?.huge_page?;
        let enabled = memory::transparent_huge_pages(&self.roots);
        let asked = enabled.is_ok_and(|choice| choice == "madvise" || choice == "always");
        // A size that is no power of two would be nonsense, and aligning to it too.
        page.0.is_power_of_two().then_some((page.0 as usize, asked))
    }

    /// Reserved huge pages of a node that nobody uses.
    pub fn reserved_free(&self, node: NodeId, page: usize) -> u64 {
        memory::free_huge_pages(&self.roots, node, Bytes(page as u64))
    }

    /// Steal time of these CPUs and the whole machine's work so far.
    pub fn jiffies(&self, cpus: &[CpuId]) -> Option<Jiffies> {
        let text = cpu_time::text(&self.roots).ok()?;
        let busy = CpuTicks::of_all(&text).ok()?.busy();
        let ours = CpuTicks::by_cpu(&text).filter(|(cpu, _)| cpus.contains(cpu));
        Some(Jiffies { steal: ours.map(|(_, ticks)| ticks.steal).sum(), busy })
    }

    /// Bytes of a mapping that lie in transparent huge pages.
    pub fn transparent(&self, start: usize) -> Option<u64> {
        smaps::own_mapping(&self.roots, start as u64).map(|mapping| mapping.transparent.0)
    }

    /// How many pages of a mapping lie on each node, as `/proc/self/numa_maps` has it.
    pub fn numa_maps(&self, start: usize) -> Option<Vec<(NodeId, u64)>> {
        numa_maps::own_mapping(&self.roots, start as u64)
    }
}
