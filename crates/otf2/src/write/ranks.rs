//! What becomes of processes and threads: ranks are location groups with the numbers of the ranks, threads are locations.

use std::collections::BTreeMap;

use numawise_facts::activity::{ThreadTrace, WorldRank};
use numawise_facts::{Activity, WatchedRun};

use crate::Otf2Error;

/// More than any computer has: what a broken record says must not take all memory.
const MOST_RANKS: u32 = 1 << 20;

/// One `MPI_COMM_WORLD`: its ranks are the groups from `first` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct World {
    pub first: u32,
    pub size: u32,
}

/// A rank, or a process without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Which of the run's processes; none of a rank that was not traced.
    pub process: Option<usize>,
    /// Its world and its number there.
    pub rank: Option<(usize, u32)>,
}

/// A thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub group: usize,
    /// Which of the process's threads; none of a rank that was not traced.
    pub thread: Option<usize>,
}

#[derive(Debug, Default)]
pub struct Ranks {
    pub worlds: Vec<World>,
    /// The ranks of all worlds, then other processes.
    pub groups: Vec<Group>,
    /// The first thread of each group has the group's number.
    pub locations: Vec<Location>,
}

fn world_rank(activity: &Activity) -> Option<WorldRank> {
    activity.mpi.measured().and_then(|mpi| mpi.rank.measured()).copied()
}

/// The threads of a process that were traced: the one that began the process is the first of them.
fn traced(activity: &Activity) -> Vec<usize> {
    let threads = activity.threads.measured().map_or(&[][..], Vec::as_slice);
    let mut traced: Vec<(bool, usize)> = threads
        .iter()
        .enumerate()
        .filter(|(_, thread)| thread.trace.is_some())
        .map(|(number, thread)| (!thread.is_first, number))
        .collect();
    traced.sort_unstable();
    traced.into_iter().map(|(_, number)| number).collect()
}

/// Processes by their ranks, of one world.
struct Filling {
    name: Option<u64>,
    size: u32,
    processes: BTreeMap<u32, usize>,
}

impl Ranks {
    pub fn of(run: &WatchedRun) -> Result<Ranks, Otf2Error> {
        let mut worlds: Vec<Filling> = Vec::new();
        let mut others = Vec::new();
        for (process, activity) in run.processes.iter().enumerate() {
            if traced(activity).is_empty() {
                continue;
            }
            let Some(WorldRank { rank, size }) = world_rank(activity) else {
                others.push(Group { process: Some(process), rank: None });
                continue;
            };
            if rank >= size || size > MOST_RANKS {
                return Err(Otf2Error::Ranks { rank, ranks: size, most: MOST_RANKS });
            }
            let name = activity.mpi.measured().and_then(|mpi| mpi.world);
            let takes = |world: &Filling| {
                world.name == name && world.size == size && !world.processes.contains_key(&rank)
            };
            match worlds.iter_mut().find(|world| takes(world)) {
                Some(world) => {
                    world.processes.insert(rank, process);
                }
                None => worlds.push(Filling { name, size, processes: BTreeMap::from([(rank, process)]) }),
            }
        }
        let mut ranks = Ranks::default();
        for (number, world) in worlds.iter().enumerate() {
            let first = ranks.groups.len() as u32;
            if first.saturating_add(world.size) > MOST_RANKS {
                return Err(Otf2Error::Ranks { rank: first, ranks: world.size, most: MOST_RANKS });
            }
            ranks.worlds.push(World { first, size: world.size });
            let group =
                |rank| Group { process: world.processes.get(&rank).copied(), rank: Some((number, rank)) };
            ranks.groups.extend((0..world.size).map(group));
        }
        ranks.groups.extend(others);
        if ranks.groups.is_empty() {
            return Err(Otf2Error::NoTrace);
        }
        ranks.number_locations(run);
        Ok(ranks)
    }

    fn number_locations(&mut self, run: &WatchedRun) {
        let mut further = Vec::new();
        for (group, of) in self.groups.iter().enumerate() {
            let threads = of.process.and_then(|process| run.processes.get(process)).map(traced);
            let threads = threads.unwrap_or_default();
            self.locations.push(Location { group, thread: threads.first().copied() });
            further.extend(threads.iter().skip(1).map(|thread| Location { group, thread: Some(*thread) }));
        }
        self.locations.extend(further);
    }

    /// How many ranks all worlds have together: so many groups, and the first threads of these.
    pub fn ranks(&self) -> u32 {
        self.worlds.iter().map(|world| world.size).sum()
    }

    pub fn without_trace(&self) -> u64 {
        self.groups.iter().filter(|group| group.process.is_none()).count() as u64
    }

    pub fn locations_of(&self, group: usize) -> impl Iterator<Item = u64> {
        let further = self.locations.iter().enumerate().skip(self.groups.len());
        let further = further.filter(move |(_, location)| location.group == group);
        std::iter::once(group as u64).chain(further.map(|(number, _)| number as u64))
    }

    pub fn location(&self, number: u64) -> Option<&Location> {
        self.locations.get(usize::try_from(number).ok()?)
    }

    pub fn group_of(&self, location: u64) -> Option<&Group> {
        self.groups.get(self.location(location)?.group)
    }

    pub fn activity<'r>(&self, run: &'r WatchedRun, location: u64) -> Option<&'r Activity> {
        run.processes.get(self.group_of(location)?.process?)
    }

    pub fn trace<'r>(&self, run: &'r WatchedRun, location: u64) -> Option<&'r ThreadTrace> {
        let threads = self.activity(run, location)?.threads.measured()?;
        threads.get(self.location(location)?.thread?)?.trace.as_deref()
    }
}
