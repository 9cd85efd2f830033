//! What this machine was measured to do at most.

use numawise_facts::objects::{ArithmeticCeiling, CacheCeiling, Ceilings};
use numawise_facts::{Machine, Mix, PeakArithmetic, PeakCache, Profile, Reading, Target, Workers};
use numawise_units::{Arrange, BytesPerSecond};

use crate::profiles;

#[cfg(test)]
#[path = "ceilings_tests.rs"]
mod tests;

/// By its newest profile.
pub fn of(machine: &Machine) -> Reading<Ceilings> {
    match profiles::newest_of(machine) {
        Some(saved) => by(machine, &saved.profile),
        None => Reading::unavailable("there is no saved profile of this machine"),
    }
}

fn by(machine: &Machine, profile: &Profile) -> Reading<Ceilings> {
    let Some(cpu) = profile.arithmetic.first().map(|of| of.cpu) else {
        return Reading::unavailable(
            "the newest profile of this machine has no arithmetic: an older version made it",
        );
    };
    let own = machine.cpus.iter().find(|of| of.id == cpu);
    let node = machine.nodes.iter().find(|node| node.cpus.contains(cpu)).map(|node| node.id);
    let cores_of = |of: &PeakCache| {
        let mut caches = machine.caches.iter().filter(|cache| cache.level == of.level);
        let cpus = caches.find(|cache| cache.cpus.contains(cpu)).map(|cache| &cache.cpus);
        let sharing = machine.cpus.iter().filter(|cpu| cpus.is_some_and(|cpus| cpus.contains(cpu.id)));
        let mut cores: Vec<u32> = sharing.map(|cpu| cpu.core).collect();
        cores.arrange();
        cores.dedup();
        cores.len().max(1) as u32
    };
    let cache = |of: &PeakCache| CacheCeiling {
        level: of.level,
        size: of.size,
        cores: cores_of(of),
        read: of.read.as_ref().map(|rate| rate.median),
    };
    let arithmetic =
        |of: &PeakArithmetic| Some(ArithmeticCeiling { kind: of.kind, rate: of.rate.measured()?.median });
    let rate = |workers: Workers, target: Target| {
        let mixes = [Mix::Triad, Mix::Read2Write1, Mix::Read];
        let found = mixes.iter().filter_map(|mix| profile.bandwidth_of(workers, target, *mix));
        let rates = found.filter_map(|cell| Some(cell.rate.measured()?.median.0));
        match rates.max_by(f64::total_cmp) {
            Some(rate) => Reading::Measured(BytesPerSecond(rate)),
            None => Reading::unavailable("the newest profile of this machine does not tell it"),
        }
    };
    let core_memory = match node.filter(|_| own.is_some()) {
        Some(node) => rate(Workers::Core(node), Target::Node(node)),
        None => Reading::unavailable("the CPU that was measured is not there"),
    };
    Reading::Measured(Ceilings {
        arithmetic: profile.arithmetic.iter().filter_map(arithmetic).collect(),
        caches: profile.caches.iter().map(cache).collect(),
        core_memory,
        machine_memory: rate(Workers::Machine, Target::Local),
    })
}
