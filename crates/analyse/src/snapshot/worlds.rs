//! The `MPI_COMM_WORLD`s of a run: of `MPI_Comm_spawn`, or of jobs that ran at the same time. Ranks are compared within their own only.

use std::collections::BTreeSet;

use numawise_facts::activity::WorldRank;
use numawise_facts::finding::{Amount, WatchedQuantity, WatchedSubject};
use numawise_facts::{Activity, FindingId};
use numawise_tables::snapshot::{SnapshotFinding, WorldRow};
use numawise_units::{Nanoseconds, Pid};

use super::input::RunParts;
use super::process::Process;
use super::{Run, findings, run_snapshot};

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
    order.sort_by_key(|index| processes.get(*index).map(began));
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

/// What is said of each world by itself, and what was found between its ranks; nothing where there is one.
pub fn all(run: &Run<'_>) -> (Vec<WorldRow>, Vec<SnapshotFinding>) {
    let worlds = count(&run.worlds);
    if worlds < 2 {
        return Default::default();
    }
    let begin = run.processes.iter().map(|process| process.activity.began).min().unwrap_or_default();
    let (mut rows, mut findings) = (Vec::new(), Vec::new());
    for number in 0..worlds {
        let members = run.processes.iter().zip(&run.worlds).filter(|(_, world)| **world == number);
        let activities: Vec<Activity> = members.map(|(process, _)| process.activity.clone()).collect();
        let Some(first) = activities.iter().min_by_key(|activity| activity.began) else { continue };
        let parts = RunParts { activities: &activities, exit: None, unwatched: Nanoseconds(0), ..*run.parts };
        let of_world = run_snapshot(&parts);
        let row = WorldRow {
            number: number as u32 + 1,
            program: first.program.clone(),
            ranks: of_world.processes.ranks,
            size: of_world.processes.world,
            began: first.began.saturating_sub(begin),
            span: of_world.span,
            useful: of_world.useful,
            mpi: of_world.mpi.map(|mpi| mpi.share),
            efficiency: of_world.efficiency,
        };
        findings.extend(of_world.findings.into_iter().filter_map(|found| of_run(run, &row, found)));
        rows.push(row);
    }
    (rows, findings)
}

/// What was found between the ranks of a world, as a part of the run.
fn of_run(run: &Run<'_>, row: &WorldRow, mut found: SnapshotFinding) -> Option<SnapshotFinding> {
    if !matches!(found.finding.id, FindingId::MpiImbalance | FindingId::MpiTransfer) {
        return None;
    }
    let seconds = found.potential.map(|gain| gain.time.seconds());
    found.potential = seconds.and_then(|seconds| findings::gain(run, seconds));
    let subject = WatchedSubject::World { number: row.number, program: row.program.clone() };
    let of_world = findings::evidence(WatchedQuantity::RanksOfWorld, Amount::Count(row.ranks), None, subject);
    found.finding.evidence.insert(0, of_world);
    Some(found)
}
