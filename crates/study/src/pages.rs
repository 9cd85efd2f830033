//! What else than places can be tried of a program's pages: their size, and whether the kernel moves them.
//!
//! Only what a process may ask for without being root: glibc's `malloc` asks for transparent huge pages when it is told to
//! (`glibc.malloc.hugetlb=1`, 2.35), which the system grants unless it has them off; `prctl` refuses them; and memory with a policy
//! of its own is left alone by NUMA balancing. What the system has off for all, no process can have.

use numawise_facts::notice::NotTriedReason;
use numawise_facts::{PageSize, Reading};
use numawise_units::Bytes;

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;

/// What the first run showed of its pages, and what the system gives.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstRunPages {
    /// `always`, `madvise` or `never`: to whom the system gives transparent huge pages.
    pub given_to: Reading<String>,
    /// Memory that was given in transparent huge pages meanwhile, on the whole machine.
    pub huge: Reading<Bytes>,
    /// The switch of NUMA balancing: `0` is off.
    pub balancing: Reading<String>,
    /// Memory that NUMA balancing moved meanwhile, on the whole machine.
    pub moved: Reading<Bytes>,
}

/// With less memory than this, small pages cost little: the translations that a core keeps reach for some megabytes.
const LARGE: Bytes = Bytes::mib(64);
/// Most of the memory is in huge pages from this share on.
const MOST: f64 = 0.5;
/// NUMA balancing is at work from this share of the memory on, and from so much.
const MOVED: f64 = 0.01;
const MOVED_LEAST: Bytes = Bytes::mib(4);

impl FirstRunPages {
    /// Before the first run.
    pub fn unknown() -> Self {
        const WHY: &str = "the program has not run yet";
        FirstRunPages {
            given_to: Reading::unavailable(WHY),
            huge: Reading::unavailable(WHY),
            balancing: Reading::unavailable(WHY),
            moved: Reading::unavailable(WHY),
        }
    }

    /// The other size of pages, where a program of so much memory may feel it and can have it; an error says why it cannot.
    pub fn other_size(&self, memory: &Reading<Bytes>) -> Option<Result<PageSize, NotTriedReason>> {
        let memory = memory.measured().filter(|memory| **memory >= LARGE)?;
        let huge = self.huge.measured()?.0 as f64 >= MOST * memory.0 as f64;
        match (self.given_to.measured()?.as_str(), huge) {
            ("always", true) => Some(Ok(PageSize::Small)),
            ("madvise", false) => Some(Ok(PageSize::Thp)),
            ("never", false) => Some(Err(NotTriedReason::TransparentHugePagesOff)),
            _ => None,
        }
    }

    /// True when the kernel moved pages in the first run.
    pub fn were_moved(&self, memory: &Reading<Bytes>) -> bool {
        let (Some(memory), Some(moved)) = (memory.measured(), self.moved.measured()) else { return false };
        let on = self.balancing.measured().is_some_and(|switch| switch != "0");
        on && *moved >= MOVED_LEAST && moved.0 as f64 >= MOVED * memory.0 as f64
    }
}
