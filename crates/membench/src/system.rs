//! What the kernel says of the machine while we measure: free memory, limits of the cgroup, steal time. Read afresh each
//! time, below a root that tests choose.

mod cgroup;

#[cfg(test)]
#[path = "system_tests.rs"]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use numawise_units::{Bytes, CpuId, NodeId};

/// Where `/proc`, `/sys` and the cgroup file systems are looked for.
#[derive(Debug, Clone)]
pub struct System {
    root: PathBuf,
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
        System::at("/")
    }

    pub fn at(root: impl AsRef<Path>) -> Self {
        System { root: root.as_ref().to_owned() }
    }

    fn text(&self, absolute: &str) -> Option<String> {
        fs::read_to_string(self.root.join(absolute.trim_start_matches('/'))).ok()
    }

    /// Free memory of a node; where the kernel shows no nodes, of the machine.
    pub fn free(&self, node: NodeId) -> Option<Bytes> {
        let kib = |text: String| {
            let line = text.lines().find(|line| line.contains("MemFree:"))?;
            line.split_ascii_whitespace().rev().nth(1)?.parse::<u64>().ok()
        };
        let of_node = self.text(&format!("/sys/devices/system/node/node{node}/meminfo"));
        let text = match of_node {
            Some(text) => Some(text),
            None if node == NodeId(0) => self.text("/proc/meminfo"),
            None => None,
        };
        text.and_then(kib).map(Bytes::kib)
    }

    /// What the cgroups on the way up leave us at most, and the file that says so.
    pub fn cgroup_left(&self) -> Option<(Bytes, String)> {
        cgroup::left(self)
    }

    /// The size of a huge page, and whether transparent ones can be asked for.
    pub fn huge_page(&self) -> Option<(usize, bool)> {
        let meminfo = self.text("/proc/meminfo")?;
        let line = meminfo.lines().find_map(|line| line.strip_prefix("Hugepagesize:"))?;
        let kib: usize = line.split_ascii_whitespace().next()?.parse().ok()?;
        let enabled = self.text("/sys/kernel/mm/transparent_hugepage/enabled");
        let asked = enabled.is_some_and(|text| text.contains("[madvise]") || text.contains("[always]"));
        // A size that is no power of two would be nonsense, and aligning to it too.
        (kib > 0 && kib.is_power_of_two()).then_some((kib << 10, asked))
    }

    /// Reserved huge pages of a node that nobody uses.
    pub fn reserved_free(&self, node: NodeId, page: usize) -> u64 {
        let directory = format!("/sys/devices/system/node/node{node}/hugepages/hugepages-{}kB", page >> 10);
        let text = self.text(&format!("{directory}/free_hugepages"));
        text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// Steal time of these CPUs and the whole machine's work so far.
    pub fn jiffies(&self, cpus: &[CpuId]) -> Option<Jiffies> {
        let text = self.text("/proc/stat")?;
        let mut jiffies = Jiffies::default();
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            let Some(name) = words.next().and_then(|name| name.strip_prefix("cpu")) else { break };
            let fields: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
            match name.parse() {
                // user, nice, system, irq, softirq: all but idle, iowait, steal, and guests, who are in user already.
                Err(_) => jiffies.busy = [0, 1, 2, 5, 6].iter().filter_map(|&at| fields.get(at)).sum(),
                Ok(cpu) if cpus.contains(&CpuId(cpu)) => jiffies.steal += fields.get(7).copied().unwrap_or(0),
                Ok(_) => {}
            }
        }
        Some(jiffies)
    }

    /// Bytes of a mapping that lie in transparent huge pages.
    pub fn transparent(&self, start: usize) -> Option<u64> {
        let smaps = self.text("/proc/self/smaps")?;
        let mut lines = smaps.lines().skip_while(|line| !holds(line, start));
        let line = lines.find_map(|line| line.strip_prefix("AnonHugePages:"))?;
        let kib: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
        Some(kib << 10)
    }

    /// How many pages of a mapping lie on each node, as `/proc/self/numa_maps` has it.
    pub fn numa_maps(&self, start: usize) -> Option<Vec<(NodeId, u64)>> {
        let maps = self.text("/proc/self/numa_maps")?;
        let begins = |line: &str| usize::from_str_radix(line.split(' ').next()?, 16).ok();
        let line =
            maps.lines().take_while(|line| begins(line).is_none_or(|begins| begins <= start)).last()?;
        let counts = line.split(' ').filter_map(|word| {
            let (node, pages) = word.strip_prefix('N')?.split_once('=')?;
            Some((NodeId(node.parse().ok()?), pages.parse().ok()?))
        });
        Some(counts.collect())
    }
}

/// Whether this line begins the mapping with that address: `7f0000000000-7f0000200000 rw-p ...`
fn holds(line: &str, address: usize) -> bool {
    let range = line.split(' ').next().and_then(|range| range.split_once('-'));
    let parse = |text| usize::from_str_radix(text, 16).ok();
    let range = range.and_then(|(from, to)| Some(parse(from)?..parse(to)?));
    range.is_some_and(|range| range.contains(&address))
}
