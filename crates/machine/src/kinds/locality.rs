//! Cores from the sets of their CPUs, numbered alike whatever the source.

use std::collections::HashMap;

use numawise_units::{Arrange, CpuId, CpuSet};

/// The core and the place in it of every CPU. Cores are numbered by their lowest CPU, hardware threads in ascending order.
pub(crate) struct Locality {
    places: HashMap<CpuId, (u32, u32)>,
}

impl Locality {
    /// From the sets of cores; a CPU in none of them is a core of its own.
    pub(crate) fn of_sets(online: &CpuSet, cores: &[CpuSet]) -> Self {
        let mut sets: Vec<CpuSet> = Vec::with_capacity(cores.len());
        let mut covered = CpuSet::new();
        for core in cores {
            let core = core.intersection(online).difference(&covered);
            covered.extend(core.iter());
            if !core.is_empty() {
                sets.push(core);
            }
        }
        sets.extend(online.difference(&covered).iter().map(CpuSet::single));
        sets.arrange_by_key(CpuSet::first);
        let mut places = HashMap::with_capacity(online.len());
        for (core, set) in (0..).zip(&sets) {
            places.extend((0..).zip(set.iter()).map(|(smt, cpu)| (cpu, (core, smt))));
        }
        Locality { places }
    }

    /// The core and the hardware thread of a CPU that is online.
    pub(crate) fn place(&self, cpu: CpuId) -> (u32, u32) {
        self.places.get(&cpu).copied().unwrap_or((cpu.0, 0))
    }
}
