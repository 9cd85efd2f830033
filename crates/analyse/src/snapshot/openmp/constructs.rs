//! The constructs of one process: what its threads have noted of each, added up.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::{
    CodePlace, Construct, ConstructName, ConstructTeam, LoopChunks, OpenMpSchedule, StateTimes,
};
use numawise_units::Nanoseconds;

use crate::snapshot::input::RunParts;
use crate::snapshot::places::place;
use crate::snapshot::process::Process;

/// How deep constructs may stand in one another; what is deeper, or runs in a circle, stands nowhere.
const DEEPEST: usize = 64;

/// One construct in one surrounding, of all threads.
#[derive(Debug, Clone)]
pub struct ConstructSum {
    pub parent: u64,
    pub name: ConstructName,
    pub place: Reading<CodePlace>,
    pub schedule: Reading<OpenMpSchedule>,
    pub calls: u64,
    /// By the thread that met it most often.
    pub most_calls: u64,
    pub opened: u64,
    pub openers: u64,
    pub wall: Nanoseconds,
    pub times: StateTimes,
    pub longest: Nanoseconds,
    pub chunks: LoopChunks,
    pub team: Option<ConstructTeam>,
    pub threads: u64,
    /// Iterations of the thread that did the fewest, and the most.
    pub iterations: (u64, u64),
}

/// All of a process.
pub struct Constructs {
    sums: BTreeMap<u64, ConstructSum>,
    /// A runtime with OMPT told of some of them.
    has_ompt: bool,
}

/// A team works in it.
pub fn is_region(name: ConstructName) -> bool {
    matches!(name, ConstructName::Parallel | ConstructName::Teams)
}

impl Constructs {
    pub fn of(parts: &RunParts<'_>, process: &Process<'_>) -> Self {
        let mut sums: BTreeMap<u64, ConstructSum> = BTreeMap::new();
        for row in process.threads().flat_map(|thread| &thread.constructs) {
            match sums.get_mut(&row.key) {
                Some(sum) => sum.add(row),
                None => {
                    let mut sum = ConstructSum::empty(row, place(parts, process.activity, &row.at));
                    sum.add(row);
                    sums.insert(row.key, sum);
                }
            }
        }
        let has_ompt = process.activity.openmp.measured().is_some_and(|runtimes| runtimes.ompt);
        Constructs { sums, has_ompt }
    }

    /// OMPT reports the wait behind a loop as that of a barrier, so that a loop of its own has none.
    pub fn tells_wait_of(&self, the_loop: &ConstructSum) -> bool {
        !self.has_ompt || the_loop.times.barrier.0 > 0
    }

    pub fn get(&self, key: u64) -> Option<&ConstructSum> {
        self.sums.get(&key)
    }

    /// The keys of all regions in which threads took part.
    pub fn regions(&self) -> impl Iterator<Item = u64> {
        let regions =
            self.sums.iter().filter(|(_, sum)| is_region(sum.name) && (sum.calls > 0 || sum.opened > 0));
        regions.map(|(key, _)| *key)
    }

    /// The construct itself and what it stands in, from inside to outside.
    pub fn outward(&self, key: u64) -> impl Iterator<Item = (u64, &ConstructSum)> {
        let first = self.sums.get(&key).map(|sum| (key, sum));
        let next = |(key, sum): &(u64, &ConstructSum)| {
            let parent = self.sums.get_key_value(&sum.parent)?;
            (parent.0 != key).then_some((*parent.0, parent.1))
        };
        std::iter::successors(first, next).take(DEEPEST)
    }

    /// The innermost region that it is or stands in.
    pub fn region_of(&self, key: u64) -> Option<u64> {
        self.outward(key).find(|(_, sum)| is_region(sum.name)).map(|(key, _)| key)
    }

    /// It is that of what found no row, or stands in it, and so nobody knows where.
    pub fn is_of_others(&self, key: u64) -> bool {
        self.region_of(key).is_none() && self.outward(key).any(|(_, sum)| sum.name == ConstructName::Others)
    }

    /// What stands in a region, with itself, but for regions within it and what is in those.
    pub fn members(&self, region: u64) -> impl Iterator<Item = (u64, &ConstructSum)> {
        let all = self.sums.iter().map(|(key, sum)| (*key, sum));
        all.filter(move |(key, _)| self.region_of(*key) == Some(region))
    }
}

impl ConstructSum {
    fn empty(row: &Construct, place: Reading<CodePlace>) -> Self {
        ConstructSum {
            parent: row.parent,
            name: row.name,
            place,
            schedule: row.schedule.clone(),
            calls: 0,
            most_calls: 0,
            opened: 0,
            openers: 0,
            wall: Nanoseconds(0),
            times: StateTimes::default(),
            longest: Nanoseconds(0),
            chunks: LoopChunks { count: 0, iterations: 0, trips: 0, size: 0 },
            team: None,
            threads: 0,
            iterations: (u64::MAX, 0),
        }
    }

    fn add(&mut self, row: &Construct) {
        self.calls = self.calls.saturating_add(row.calls);
        self.most_calls = self.most_calls.max(row.calls);
        self.opened = self.opened.saturating_add(row.opened);
        self.openers += u64::from(row.opened > 0);
        self.wall = self.wall + row.wall;
        add_times(&mut self.times, &row.times);
        self.longest = self.longest.max(row.longest);
        self.chunks.count = self.chunks.count.saturating_add(row.chunks.count);
        self.chunks.iterations = self.chunks.iterations.saturating_add(row.chunks.iterations);
        self.chunks.trips = self.chunks.trips.saturating_add(row.chunks.trips);
        self.chunks.size = self.chunks.size.max(row.chunks.size);
        self.team = join(self.team, row.team.measured().copied());
        if row.calls > 0 {
            self.threads += 1;
            let done = row.chunks.iterations;
            self.iterations = (self.iterations.0.min(done), self.iterations.1.max(done));
        }
        if self.schedule.measured().is_none() {
            self.schedule = row.schedule.clone();
        }
    }
}

pub fn add_times(sum: &mut StateTimes, one: &StateTimes) {
    sum.useful = sum.useful + one.useful;
    sum.mpi = sum.mpi + one.mpi;
    sum.barrier = sum.barrier + one.barrier;
    sum.scheduling = sum.scheduling + one.scheduling;
    sum.idle = sum.idle + one.idle;
    sum.lock = sum.lock + one.lock;
}

/// The smallest and the largest of both.
pub fn join(one: Option<ConstructTeam>, two: Option<ConstructTeam>) -> Option<ConstructTeam> {
    match (one, two) {
        (Some(one), Some(two)) => {
            Some(ConstructTeam { least: one.least.min(two.least), most: one.most.max(two.most) })
        }
        (one, two) => one.or(two),
    }
}
