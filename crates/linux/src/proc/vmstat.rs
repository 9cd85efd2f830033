//! `/proc/vmstat`: what the kernel has done with memory since the start of the system, on the whole computer.

use crate::error::{Error, Malformed};
use crate::file::{number, read_path};
use crate::roots::Roots;

#[cfg(test)]
#[path = "vmstat_tests.rs"]
mod tests;

/// What we use of it: pages, but where it says otherwise. A line that is not there gives `None`: the kernel was built without what
/// it counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VmCounters {
    /// Moved by NUMA balancing (`numa_pages_migrated`).
    pub balanced: Option<u64>,
    /// Page faults that NUMA balancing made (`numa_hint_faults`).
    pub hint_faults: Option<u64>,
    pub swapped_in: Option<u64>,
    pub swapped_out: Option<u64>,
    /// Transparent huge pages given at a page fault (`thp_fault_alloc`).
    pub huge_given: Option<u64>,
    /// Transparent huge pages made of small ones later (`thp_collapse_alloc`).
    pub huge_made: Option<u64>,
    /// Times that pages were dropped on a full node before another was asked (`zone_reclaim_success`).
    pub node_reclaims: Option<u64>,
}

impl VmCounters {
    /// Reads what was counted until now.
    ///
    /// # Errors
    /// When the file cannot be read or a line of it is no number.
    pub fn read(roots: &Roots) -> Result<Self, Error> {
        let path = roots.proc().join("vmstat");
        let mut buffer = Vec::with_capacity(8 << 10);
        read_path(&path, &mut buffer)?;
        Self::parse(&buffer).map_err(|problem| problem.at(&path))
    }

    /// Takes lines such as `pswpin 0`; other names than ours are passed over.
    ///
    /// # Errors
    /// When one of ours has no number.
    pub fn parse(text: &[u8]) -> Result<Self, Malformed> {
        let mut counters = VmCounters::default();
        for line in text.split(|&byte| byte == b'\n') {
            let Some(space) = line.iter().position(|&byte| byte == b' ') else { continue };
            let (name, value) = (&line[..space], line[space + 1..].trim_ascii());
            let place = match name {
                b"numa_pages_migrated" => &mut counters.balanced,
                b"numa_hint_faults" => &mut counters.hint_faults,
                b"pswpin" => &mut counters.swapped_in,
                b"pswpout" => &mut counters.swapped_out,
                b"thp_fault_alloc" => &mut counters.huge_given,
                b"thp_collapse_alloc" => &mut counters.huge_made,
                b"zone_reclaim_success" => &mut counters.node_reclaims,
                _ => continue,
            };
            let count = number(value).ok_or_else(|| Malformed::new(line, "a name and a number"))?;
            *place = Some(count);
        }
        Ok(counters)
    }
}
