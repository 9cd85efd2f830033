//! The `MPI_COMM_WORLD`s of a run: of `MPI_Comm_spawn`, or of jobs that ran at the same time. Ranks are compared within their own only.

use std::collections::BTreeSet;

use numawise_facts::activity::WorldRank;
use numawise_units::{Arrange, Nanoseconds, Pid};

use super::process::Process;

#[cfg(test)]
#[path = "worlds_tests.rs"]
mod tests;

/// A world, as far as it is known.
struct World<'a> {
    name: Option<u64>,
    size: u32,
    ranks: BTreeSet<u32>,
    /// Who started its ranks, on which hosts.
    starters: BTreeSet<(&'a str, Pid)>,
}

impl<'a> World<'a> {
    fn takes(&self, name: Option<u64>, of: WorldRank) -> bool {
        let is_named_so = self.name == name || self.name.is_none() || name.is_none();
        is_named_so && self.size == of.size && !self.ranks.contains(&of.rank)
    }
}

/// The number of each process's world, from 0 in the order in which they began; what is no rank is of the first. Where the launcher names no
/// worlds, a rank is of the one that has not got it yet, and has most in common with it: who started them, else when they began.
pub fn of(processes: &[Process<'_>]) -> Vec<usize> {
    let began = |process: &Process<'_>| {
        let mpi = process.activity.mpi.measured();
        let init = mpi.and_then(|mpi| mpi.initialised.measured()).map_or(Nanoseconds(0), |[begin, _]| *begin);
        process.activity.began + init
    };
    let mut order: Vec<usize> = (0..processes.len()).collect();
    order.arrange_by_key(|index| processes.get(*index).map(began));
    let mut worlds: Vec<World<'_>> = Vec::new();
    let mut found = vec![0; processes.len()];
    for index in order {
        let Some((process, place)) = processes.get(index).zip(found.get_mut(index)) else { continue };
        let Some(of) = process.world() else { continue };
        let name = process.activity.mpi.measured().and_then(|mpi| mpi.world);
        let starter = (process.activity.host.as_str(), process.activity.parent);
        let takes = |world: &&World<'_>| world.takes(name, of);
        let number = worlds
            .iter()
            .position(|world| takes(&world) && world.starters.contains(&starter))
            .or_else(|| worlds.iter().position(|world| takes(&world)));
        *place = number.unwrap_or(worlds.len());
        if number.is_none() {
            let (ranks, starters) = (BTreeSet::new(), BTreeSet::new());
            worlds.push(World { name, size: of.size, ranks, starters });
        }
        if let Some(world) = worlds.get_mut(*place) {
            world.name = world.name.or(name);
            world.ranks.insert(of.rank);
            world.starters.insert(starter);
        }
    }
    found
}

/// How many worlds there are.
pub fn count(worlds: &[usize]) -> usize {
    worlds.iter().max().map_or(1, |last| last + 1)
}
