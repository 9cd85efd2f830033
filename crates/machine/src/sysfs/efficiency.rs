//! Which cores are built for speed and which for thrift, as far as a file or two of the kernel tell.

use numawise_facts::Reading;
use numawise_units::{CpuId, CpuSet};

use crate::files::CPUS;
use crate::{Roots, core_kinds};

#[cfg(test)]
#[path = "efficiency_tests.rs"]
mod tests;

/// What is known of the kinds of cores.
pub(super) struct Efficiency {
    /// The CPUs of each kind, the most thrifty first; one or none where all are alike.
    kinds: Vec<CpuSet>,
}

/// The lists that Intel's hybrid processors have, one for each kind, the most thrifty first (drivers/perf and
/// arch/x86/events/intel of the kernel).
const LISTS: [&str; 3] =
    ["/sys/devices/cpu_lowpower/cpus", "/sys/devices/cpu_atom/cpus", "/sys/devices/cpu_core/cpus"];

pub(super) fn read(roots: &Roots, online: &CpuSet) -> Efficiency {
    let lists = LISTS.iter().filter_map(|file| roots.try_value::<CpuSet>(file));
    let lists: Vec<CpuSet> =
        lists.map(|cpus| cpus.intersection(online)).filter(|cpus| !cpus.is_empty()).collect();
    if !lists.is_empty() {
        Efficiency { kinds: lists }
    } else {
        Efficiency { kinds: capacities(roots, online) }
    }
}

/// Arm's kernels give every CPU a capacity, 1024 for the fastest. A kind may have several: clocks differ from cluster to cluster.
fn capacities(roots: &Roots, online: &CpuSet) -> Vec<CpuSet> {
    let capacity = |cpu: CpuId| roots.try_value::<u32>(&format!("{CPUS}/cpu{cpu}/cpu_capacity"));
    // Where the first CPU has none, no other is asked.
    if online.first().and_then(capacity).is_none() {
        return Vec::new();
    }
    let (cpus, known): (Vec<CpuId>, Vec<u64>) =
        online.iter().filter_map(|cpu| Some((cpu, u64::from(capacity(cpu)?)))).unzip();
    let mut kinds: Vec<CpuSet> = Vec::new();
    for (cpu, rank) in cpus.into_iter().zip(core_kinds::ranks(&known)) {
        let rank = rank as usize;
        kinds.resize(kinds.len().max(rank + 1), CpuSet::new());
        kinds[rank].insert(cpu);
    }
    kinds
}

impl Efficiency {
    /// The rank of a CPU's kind, 0 the most thrifty.
    pub(super) fn of(&self, cpu: CpuId) -> Reading<u32> {
        if self.kinds.len() < 2 {
            return Reading::unavailable("the kernel does not distinguish kinds of cores");
        }
        match self.kinds.iter().position(|cpus| cpus.contains(cpu)) {
            Some(rank) => Reading::Measured(rank as u32),
            None => Reading::unavailable("the kernel does not tell the kind of this one"),
        }
    }
}
