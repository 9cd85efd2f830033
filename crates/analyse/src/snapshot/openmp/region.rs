//! One region: of a process, and of all.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, ConstructName, ConstructTeam, OpenMpSchedule, StateTimes};
use numawise_tables::snapshot::{LoopRow, RegionRow, ThreadIterations, WaitRow};
use numawise_units::{Nanoseconds, Ratio};

use super::constructs::{ConstructSum, Constructs, add_times, is_region, join};
use crate::snapshot::Run;

/// The region and the regions and tasks that it stands in, from inside to outside: the same in all processes of a program.
pub type Surrounding = Vec<(ConstructName, Reading<CodePlace>)>;

/// A loop is told apart by these.
type LoopKey = (ConstructName, Reading<CodePlace>, Reading<u8>, u64);

/// A region of one or more processes.
#[derive(Debug, Default)]
pub struct RegionSum {
    pub processes: u64,
    pub calls: u64,
    pub time: Nanoseconds,
    pub longest_time: Nanoseconds,
    pub team: Option<ConstructTeam>,
    pub times: StateTimes,
    pub gain: Nanoseconds,
    pub most_gain: Nanoseconds,
    /// Threads that worked in it at once, summed over the processes, as far as is known.
    pub threads: u64,
    loops: BTreeMap<LoopKey, LoopSum>,
    waits: BTreeMap<(ConstructName, Reading<CodePlace>), WaitSum>,
}

#[derive(Debug, Default)]
struct LoopSum {
    schedule: Option<OpenMpSchedule>,
    /// The region itself is the loop: it is counted where it is opened, not where threads meet it.
    calls: u64,
    met: u64,
    trips: u64,
    chunks: u64,
    iterations: Option<(u64, u64)>,
    threads: u64,
    times: StateTimes,
    /// The wait behind it stands in a row of its own.
    wait_is_elsewhere: bool,
}

#[derive(Debug, Default)]
struct WaitSum {
    waits: u64,
    time: Nanoseconds,
    longest: Nanoseconds,
}

/// A region of a process.
pub fn of_process(constructs: &Constructs, key: u64) -> (Surrounding, RegionSum) {
    let surrounds = |sum: &ConstructSum| {
        is_region(sum.name) || matches!(sum.name, ConstructName::Task | ConstructName::PythonLine)
    };
    let surrounding = constructs
        .outward(key)
        .filter(|(_, sum)| surrounds(sum))
        .map(|(_, sum)| (sum.name, sum.place.clone()))
        .collect();
    let mut region = RegionSum { processes: 1, ..RegionSum::default() };
    let Some(own) = constructs.get(key) else { return (surrounding, region) };
    // Threads that open it at the same time have a team each.
    let openers = own.openers.max(1);
    region.calls = own.opened;
    region.team = own.team;
    region.time = Nanoseconds(own.wall.0 / openers);
    region.longest_time = region.time;
    region.threads = own.team.map_or(own.threads, |team| u64::from(team.most) * openers).max(1);
    for (member, sum) in constructs.members(key) {
        add_times(&mut region.times, &sum.times);
        region.add_member(member == key, sum, constructs);
    }
    // In a team of one a barrier takes its own time, and nobody is waited for.
    let is_alone = own.team.is_some_and(|team| team.most == 1);
    let waiting = if is_alone { Nanoseconds(0) } else { region.times.barrier };
    region.gain = Nanoseconds(waiting.0 / region.threads);
    region.most_gain = region.gain;
    (surrounding, region)
}

impl RegionSum {
    pub fn gain(&self) -> Nanoseconds {
        self.gain
    }

    fn add_member(&mut self, is_region: bool, sum: &ConstructSum, constructs: &Constructs) {
        let is_loop = match sum.name {
            ConstructName::Loop | ConstructName::Sections => true,
            // A region that is one with its loop.
            _ => is_region && sum.chunks.trips > 0,
        };
        if is_loop {
            let schedule = sum.schedule.clone().map(|schedule| schedule as u8);
            let key = (sum.name, sum.place.clone(), schedule, sum.chunks.size);
            let is_elsewhere = !constructs.tells_wait_of(sum);
            let of = self.loops.entry(key).or_default();
            of.add_construct(is_region, sum, self.threads);
            of.wait_is_elsewhere |= is_elsewhere;
        }
        let waited = sum.times.barrier + sum.times.lock;
        if !is_loop && !is_region && waited.0 > 0 {
            let wait = self.waits.entry((sum.name, sum.place.clone())).or_default();
            wait.add(&WaitSum { waits: sum.calls, time: waited, longest: sum.longest });
        }
    }

    /// Adds that of another process.
    pub fn add(&mut self, one: RegionSum) {
        self.processes += one.processes;
        self.calls = self.calls.saturating_add(one.calls);
        self.time = self.time + one.time;
        self.longest_time = self.longest_time.max(one.longest_time);
        self.team = join(self.team, one.team);
        add_times(&mut self.times, &one.times);
        self.gain = self.gain + one.gain;
        self.most_gain = self.most_gain.max(one.most_gain);
        self.threads += one.threads;
        for (key, of) in one.loops {
            self.loops.entry(key).or_default().add(of);
        }
        for (key, of) in one.waits {
            self.waits.entry(key).or_default().add(&of);
        }
    }

    /// What is shown of it.
    pub fn row(self, surrounding: Surrounding, run: &Run<'_>) -> RegionRow {
        let mean = |sum: Nanoseconds| Nanoseconds(sum.0 / self.processes.max(1));
        let mut surrounding = surrounding.into_iter();
        let own = surrounding.next();
        let (name, place) = own.unwrap_or_else(|| {
            (ConstructName::Parallel, Reading::unavailable("where it stands was not noted"))
        });
        RegionRow {
            name,
            place,
            within: surrounding.map(|(_, place)| place).collect(),
            processes: self.processes,
            calls: self.calls,
            time: mean(self.time),
            longest_time: self.longest_time,
            share: run.share(mean(self.time).seconds()),
            team: match self.team {
                Some(team) => Reading::Measured(team),
                None => Reading::unavailable("it had not ended, or the runtime does not tell"),
            },
            threads: self.threads,
            useful: self.times.useful,
            mpi: self.times.mpi,
            imbalance: self.times.barrier,
            lock: self.times.lock,
            scheduling: self.times.scheduling,
            potential_gain: Reading::Measured(mean(self.gain)),
            most_potential_gain: Reading::Measured(self.most_gain),
            loops: Reading::Measured(self.loops.into_iter().map(|(key, sum)| sum.row(key)).collect()),
            waits: Reading::Measured(
                self.waits.into_iter().map(|((name, place), sum)| sum.row(name, place)).collect(),
            ),
        }
    }
}

impl WaitSum {
    fn row(self, name: ConstructName, place: Reading<CodePlace>) -> WaitRow {
        WaitRow { name, place, waits: self.waits, time: self.time, longest: self.longest }
    }

    fn add(&mut self, one: &WaitSum) {
        self.waits = self.waits.saturating_add(one.waits);
        self.time = self.time + one.time;
        self.longest = self.longest.max(one.longest);
    }
}

impl LoopSum {
    fn add_construct(&mut self, is_region: bool, sum: &ConstructSum, team: u64) {
        let (calls, met) = if is_region { (sum.opened, sum.opened) } else { (sum.most_calls, sum.calls) };
        self.add(LoopSum {
            schedule: sum.schedule.measured().copied(),
            calls,
            met,
            trips: sum.chunks.trips,
            chunks: sum.chunks.count,
            iterations: (sum.threads > 0).then_some(sum.iterations),
            threads: team.max(sum.threads),
            times: sum.times,
            wait_is_elsewhere: false,
        });
    }

    fn add(&mut self, one: LoopSum) {
        self.schedule = self.schedule.or(one.schedule);
        self.calls = self.calls.saturating_add(one.calls);
        self.met = self.met.saturating_add(one.met);
        self.trips = self.trips.saturating_add(one.trips);
        self.chunks = self.chunks.saturating_add(one.chunks);
        self.iterations = match (self.iterations, one.iterations) {
            (Some(all), Some(one)) => Some((all.0.min(one.0), all.1.max(one.1))),
            (all, one) => all.or(one),
        };
        self.threads = self.threads.max(one.threads);
        add_times(&mut self.times, &one.times);
        self.wait_is_elsewhere |= one.wait_is_elsewhere;
    }

    fn row(self, (name, place, _, chunk): LoopKey) -> LoopRow {
        let iterations = match (self.trips, self.met) {
            (0, _) | (_, 0) => Reading::unavailable("its number of iterations is not told"),
            (trips, met) => Reading::Measured(Ratio(trips as f64 / met as f64)),
        };
        let handed_out = self.chunks > 0;
        let not_told = || "a compiler or a runtime shared them out without telling";
        LoopRow {
            name,
            place,
            schedule: self.schedule.map_or_else(
                || Reading::unavailable("the runtime does not tell how it shares iterations out"),
                Reading::Measured,
            ),
            chunk: match chunk {
                0 => Reading::unavailable("none was asked for"),
                size => Reading::Measured(size),
            },
            calls: match self.calls {
                0 => Reading::unavailable("it had not ended"),
                calls => Reading::Measured(calls),
            },
            at_best: iterations.as_ref().map(|found| at_best(found.0, self.threads, chunk)),
            iterations,
            threads: self.threads,
            chunks: if handed_out {
                Reading::Measured(self.chunks)
            } else {
                Reading::unavailable(not_told())
            },
            per_thread: match self.iterations.filter(|_| handed_out) {
                Some((least, most)) => Reading::Measured(ThreadIterations { least, most }),
                None => Reading::unavailable(not_told()),
            },
            useful: self.times.useful,
            scheduling: self.times.scheduling,
            imbalance: if self.wait_is_elsewhere {
                Reading::unavailable(
                    "the runtime reports the wait behind a loop as that of a barrier, which has a row of its own",
                )
            } else {
                Reading::Measured(self.times.barrier)
            },
        }
    }
}

/// The share of the threads' time that is used at best where all iterations take as long: the thread with the most chunks has one more
/// than some others.
fn at_best(iterations: f64, threads: u64, chunk: u64) -> Ratio {
    let (threads, chunk) = (threads.max(1) as f64, chunk.max(1) as f64);
    let chunks = (iterations / chunk).ceil();
    let of_busiest = ((chunks / threads).ceil() * chunk).min(iterations);
    Ratio(if of_busiest > 0.0 { (iterations / (threads * of_busiest)).min(1.0) } else { 1.0 })
}
