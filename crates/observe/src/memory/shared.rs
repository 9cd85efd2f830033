//! Pages that several processes have mapped, each counted once.
//!
//! `numa_maps` shows a process the pages that it has touched itself, so that of a segment each process has its own view, and a sum over
//! processes holds a page as often as it is mapped. What a page counts for is divided among its mappings: by `smaps_rollup`
//! exactly, else by the page of a mapping that is mapped most often (`mapmax`), which is too little rather than too much. What one
//! process shows is there in any case, also where most of those that map it are none of ours.

use numawise_facts::PageUse;
use numawise_units::{Bytes, NodeId};

#[cfg(test)]
#[path = "shared_tests.rs"]
mod tests;

/// What other processes may have mapped too, of one use and under one policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedPages {
    /// Shared, huge or file.
    pub used_for: PageUse,
    /// As numa_maps writes it.
    pub policy: String,
    /// All that the process has mapped, in the order of nodes.
    pub by_node: Vec<(NodeId, Bytes)>,
    /// The part of it that is the process's: each page divided by the number of its mappings.
    pub part: Bytes,
}

impl SharedPages {
    pub fn total(&self) -> Bytes {
        self.by_node.iter().map(|(_, bytes)| *bytes).sum()
    }
}

/// Takes the part of shared memory that the kernel states in place of what `mapmax` allows to say.
pub(crate) fn take_part(of: &mut [SharedPages], stated: Bytes) {
    let shared = || of.iter().filter(|pages| pages.used_for == PageUse::Shared);
    let (all, least): (Bytes, Bytes) =
        (shared().map(SharedPages::total).sum(), shared().map(|of| of.part).sum());
    if stated <= least || all.0 == 0 {
        return;
    }
    let share = (stated.0 as f64 / all.0 as f64).min(1.0);
    for pages in of.iter_mut().filter(|pages| pages.used_for == PageUse::Shared) {
        pages.part = Bytes((pages.total().0 as f64 * share) as u64);
    }
}

/// For each process how many times its pages of a use count, at most once, so that all of them together are counted once.
pub(crate) fn counted_once(processes: &[&[SharedPages]], used_for: PageUse) -> Vec<f64> {
    let sums = |of: &&[SharedPages]| {
        let own = of.iter().filter(|pages| pages.used_for == used_for);
        own.fold((0.0, 0.0), |(all, part), pages| (all + pages.total().0 as f64, part + pages.part.0 as f64))
    };
    let sums: Vec<(f64, f64)> = processes.iter().map(sums).collect();
    let parts: f64 = sums.iter().map(|(_, part)| part).sum();
    let largest = sums.iter().map(|(all, _)| *all).fold(0.0, f64::max);
    let all: f64 = sums.iter().map(|(all, _)| all).sum();
    // What is more than the parts has its other mappings elsewhere.
    let elsewhere = if largest > parts { (largest - parts) / (all - parts) } else { 0.0 };
    let times = |(all, part): &(f64, f64)| {
        let times = if *all > 0.0 { (part / all).min(1.0) } else { 1.0 };
        times + (1.0 - times) * elsewhere
    };
    match sums.as_slice() {
        [_] => vec![1.0],
        _ => sums.iter().map(times).collect(),
    }
}
