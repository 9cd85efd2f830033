//! The objects of a machine in the order of its tree, as hwloc counts them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use numawise_facts::Machine;
use numawise_units::{Arrange, CpuId, CpuSet};

/// A level of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Machine,
    Package,
    Node,
    Cache(u32),
    Core,
    Pu,
}

impl Kind {
    /// The level of this name, in any case.
    pub fn named(name: &str) -> Option<Kind> {
        Some(match name.to_ascii_lowercase().as_str() {
            "machine" => Kind::Machine,
            "package" | "pack" | "socket" => Kind::Package,
            "node" | "numa" | "numanode" => Kind::Node,
            "core" => Kind::Core,
            "pu" | "thread" => Kind::Pu,
            cache => {
                let level = cache.strip_prefix('l')?;
                let level = level.strip_suffix("cache").unwrap_or(level);
                let level = level.strip_suffix(['d', 'u']).unwrap_or(level);
                Kind::Cache(level.parse().ok().filter(|level| (1..=5).contains(level))?)
            }
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Machine => f.write_str("machine"),
            Kind::Package => f.write_str("package"),
            Kind::Node => f.write_str("node"),
            Kind::Cache(level) => write!(f, "l{level}"),
            Kind::Core => f.write_str("core"),
            Kind::Pu => f.write_str("pu"),
        }
    }
}

/// The machine's objects.
pub struct Objects<'a> {
    machine: &'a Machine,
    /// All CPUs that are online.
    pub all: CpuSet,
    /// Each CPU's position when the tree is walked.
    rank: BTreeMap<CpuId, usize>,
}

impl<'a> Objects<'a> {
    pub fn of(machine: &'a Machine) -> Self {
        let mut objects = Objects { machine, all: machine.online(), rank: BTreeMap::new() };
        let kinds = [Kind::Package, Kind::Node, Kind::Core].into_iter().chain((1..=5).map(Kind::Cache));
        let mut sets: Vec<CpuSet> = kinds.flat_map(|kind| objects.sets(kind)).collect();
        sets.arrange_by_key(|set| (Reverse(set.len()), set.first()));
        sets.dedup();
        // A CPU's way through the tree: of every object around it, from the largest on, the lowest CPU. Two ways are the
        // same as long as the objects are, and go apart where the tree does.
        let mut ways: BTreeMap<CpuId, Vec<CpuId>> = objects.all.iter().map(|cpu| (cpu, Vec::new())).collect();
        for set in &sets {
            let Some(first) = set.first() else { continue };
            for cpu in set.iter() {
                if let Some(way) = ways.get_mut(&cpu) {
                    way.push(first);
                }
            }
        }
        let mut order: Vec<(Vec<CpuId>, CpuId)> = ways.into_iter().map(|(cpu, way)| (way, cpu)).collect();
        order.arrange();
        objects.rank = order.into_iter().enumerate().map(|(rank, (_, cpu))| (cpu, rank)).collect();
        objects
    }

    /// The CPUs of each object of a kind, in no order but that of the machine's own lists.
    fn sets(&self, kind: Kind) -> Vec<CpuSet> {
        let machine = self.machine;
        match kind {
            Kind::Machine => vec![self.all.clone()],
            Kind::Package => machine.packages.iter().map(|package| package.cpus.clone()).collect(),
            Kind::Node => machine.nodes.iter().map(|node| node.near.union(&node.cpus)).collect(),
            Kind::Cache(level) => {
                machine.caches.iter().filter(|cache| cache.level == level).map(|c| c.cpus.clone()).collect()
            }
            Kind::Core => {
                let mut cores: BTreeMap<u32, CpuSet> = BTreeMap::new();
                for cpu in &machine.cpus {
                    cores.entry(cpu.core).or_default().insert(cpu.id);
                }
                cores.into_values().collect()
            }
            Kind::Pu => self.all.iter().map(CpuSet::single).collect(),
        }
    }

    /// The objects of a kind whose CPUs are all in `cpus`, in the order of the tree; memory that is attached higher up comes
    /// after that below it. Objects without CPUs are inside of everything, and last.
    pub fn inside(&self, kind: Kind, cpus: &CpuSet) -> Vec<CpuSet> {
        let mut sets = self.sets(kind);
        sets.retain(|set| set.is_subset(cpus));
        let rank = |cpu: CpuId| self.rank.get(&cpu).copied();
        // The walk leaves an object when it has been at all its CPUs.
        let end = |set: &CpuSet| set.iter().filter_map(rank).max().unwrap_or(usize::MAX);
        sets.arrange_by_key(|set| (end(set), set.len()));
        sets
    }

    /// Why there may be none of a kind, as a clause.
    pub fn why_none(&self, kind: Kind) -> &'static str {
        match kind {
            Kind::Cache(_) if self.machine.caches.is_empty() => " (nothing is known of the machine's caches)",
            _ => "",
        }
    }
}
