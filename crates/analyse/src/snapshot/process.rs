//! Which processes count, which of their threads work, and what their time was spent on.

use std::collections::BTreeSet;

use numawise_facts::activity::{CpuUse, ProcessEnd, StateTimes, ThreadRole, WorldRank};
use numawise_facts::{Activity, Reading, ThreadActivity};
use numawise_tables::snapshot::{CpuTime, ProcessName};
use numawise_units::{Arrange, CpuSet, Nanoseconds, TimeSum};

use super::input::RunParts;
use super::inside::mpi_outside_of_regions;
use super::jobs::mpi_jobs;
use super::team::most_in_teams;

/// A thread outside of MPI and OpenMP works from this share of the processor time of the busiest on, as in samples of `/proc`.
const WORKS: f64 = 0.1;
/// What computed for less of its life and has a child that was watched is a launcher or a shell.
const LAUNCHER: f64 = 0.1;
/// What lasted for less of the longest is an errand of a script, unless all of them together computed for more of what the others did.
const ERRAND: f64 = 0.01;
const ERRANDS: f64 = 0.05;

/// A process of the run.
pub struct Process<'a> {
    pub activity: &'a Activity,
    /// The number of its `MPI_COMM_WORLD`, from 1 on, where there are several.
    pub numbered_world: Option<u32>,
    /// The most of its working threads that lived at once.
    pub cpus: Reading<u64>,
    /// The part of its life that efficiencies are of.
    pub span: Reading<Nanoseconds>,
    pub time: Reading<CpuTime>,
}

impl<'a> Process<'a> {
    pub fn new(activity: &'a Activity) -> Self {
        let not_yet = || "it was not asked for";
        let mut process = Process {
            activity,
            numbered_world: None,
            cpus: Reading::unavailable(not_yet()),
            span: Reading::unavailable(not_yet()),
            time: Reading::unavailable(not_yet()),
        };
        process.measure();
        process
    }

    /// Fills in what follows from the activity.
    pub fn measure(&mut self) {
        self.span = self.elapsed().map(|elapsed| Nanoseconds(elapsed.0.saturating_sub(self.outside().0)));
        self.cpus = self.at_once();
        self.time = self.by_use();
    }

    pub fn world(&self) -> Option<WorldRank> {
        self.activity.mpi.measured()?.rank.measured().copied()
    }

    pub fn rank(&self) -> Option<u32> {
        self.world().map(|world| world.rank)
    }

    /// The ranks of a communicator; none of one with two groups, or that is not known.
    pub fn ranks_of(&self, communicator: Option<u16>) -> Option<u32> {
        self.activity.ranks_of(communicator)
    }

    pub fn elapsed(&self) -> Reading<Nanoseconds> {
        self.activity.elapsed.clone()
    }

    /// It did not come to its end: neither to that of the process, nor to that of MPI, after which it may become another program.
    pub fn died(&self) -> bool {
        let finalised = self.activity.mpi.measured().and_then(|mpi| mpi.finalised.measured());
        self.activity.end != ProcessEnd::Exit && finalised.is_none()
    }

    /// A text that names it, for reasons.
    pub fn name(&self) -> String {
        match self.rank() {
            Some(rank) => format!("rank {rank}"),
            None => format!("process {} on {}", self.activity.pid, self.activity.host),
        }
    }

    /// Which it is, as a value.
    pub fn named(&self) -> ProcessName {
        ProcessName {
            host: self.activity.host.clone(),
            pid: self.activity.pid,
            rank: self.rank(),
            world: self.numbered_world.filter(|_| self.rank().is_some()),
        }
    }

    /// All threads but those that serve it in the background.
    pub fn threads(&self) -> impl Iterator<Item = &'a ThreadActivity> + use<'a> {
        let activity: &'a Activity = self.activity;
        let all = activity.threads.measured().into_iter().flatten();
        all.filter(|thread| thread.role.measured() != Some(&ThreadRole::Helper))
    }

    /// The CPUs on which its threads may run, all together.
    pub fn mask(&self) -> Reading<CpuSet> {
        if let Reading::Unavailable { unavailable } = &self.activity.threads {
            return Reading::Unavailable { unavailable: unavailable.clone() };
        }
        let masks = Reading::all(self.threads().map(|thread| thread.mask.clone()));
        masks.and_then(|masks| match masks.iter().fold(CpuSet::default(), |all, mask| all.union(mask)) {
            all if all.is_empty() => Reading::unavailable("no thread was watched"),
            all => Reading::Measured(all),
        })
    }

    /// What its first thread computed and waited for a CPU in [`Process::between`], where that is known.
    fn first_thread(&self) -> Option<CpuUse> {
        self.activity.mpi.measured()?.first_thread
    }

    /// How long it had threads to be delayed, as [`Process::run_delay`] counts.
    pub fn delayed_in(&self) -> Reading<Nanoseconds> {
        self.first_thread().map_or_else(|| self.elapsed(), |_| self.span.clone())
    }

    /// How long its working threads were ready and waited for a CPU, summed; the first one of a rank between `MPI_Init` and `MPI_Finalize`, where
    /// that is known.
    pub fn run_delay(&self) -> Reading<Nanoseconds> {
        if let Reading::Unavailable { unavailable } = &self.activity.threads {
            return Reading::Unavailable { unavailable: unavailable.clone() };
        }
        let delay = |thread: &ThreadActivity| match self.first_thread().filter(|_| thread.is_first) {
            Some(of) => Reading::Measured(of.run_delay),
            None => thread.run_delay.clone(),
        };
        let delays = Reading::all(self.working().into_iter().map(delay));
        delays.map(|delays| delays.into_iter().fold(Nanoseconds(0), |sum, delay| sum + delay))
    }

    /// The same for each of its CPUs.
    pub fn delay_of_a_cpu(&self) -> Reading<Nanoseconds> {
        self.run_delay().zip(self.cpus.clone()).map(|(delay, cpus)| Nanoseconds(delay.0 / cpus.max(1)))
    }

    /// Threads that do its work: those of MPI and OpenMP, and of the others those that compute.
    pub fn working(&self) -> Vec<&'a ThreadActivity> {
        let processor = |thread: &ThreadActivity| thread.processor.measured().map_or(0, |time| time.0);
        let busiest = self.threads().map(processor).max().unwrap_or(0) as f64;
        let has_others = self.threads().any(|thread| !is_plain(thread));
        let works = |thread: &&ThreadActivity| match thread.processor.measured() {
            _ if !is_plain(thread) => true,
            Some(time) => time.0 as f64 >= WORKS * busiest,
            // How long it computed is not known; a process with MPI or OpenMP is those threads.
            None => !has_others || thread.is_first,
        };
        self.threads().filter(works).collect()
    }

    /// Processor time of its threads, in nanoseconds, as far as it is known.
    fn computed(&self) -> u64 {
        let computed = self.threads().filter_map(|thread| thread.processor.measured());
        computed.fold(0, |sum: u64, time| sum.saturating_add(time.0))
    }

    pub fn uses_openmp(&self) -> bool {
        self.activity.openmp.measured().is_some_and(|runtimes| runtimes.libgomp || runtimes.ompt)
    }

    /// It has threads of OpenMP, or constructs that a runtime told of.
    pub fn has_team(&self) -> bool {
        let is_of_team = |thread: &ThreadActivity| {
            thread.role.measured() == Some(&ThreadRole::OpenMp) || thread.constructs.len() > 2
        };
        self.threads().any(is_of_team)
    }

    /// What is before the end of `MPI_Init` and behind the begin of `MPI_Finalize`.
    fn outside(&self) -> Nanoseconds {
        let elapsed = self.activity.elapsed.measured().copied().unwrap_or_default();
        let (begin, end) = self.between();
        begin + elapsed.saturating_sub(end)
    }

    /// The end of `MPI_Init` and the begin of `MPI_Finalize`; without them the begin and the end of the process.
    fn between(&self) -> (Nanoseconds, Nanoseconds) {
        let elapsed = self.activity.elapsed.measured().copied().unwrap_or_default();
        let mpi = self.activity.mpi.measured();
        let Some([_, begin]) = mpi.and_then(|mpi| mpi.initialised.measured()) else {
            return (Nanoseconds(0), elapsed);
        };
        let end = mpi.and_then(|mpi| mpi.finalised.measured()).map_or(elapsed, |[begin, _]| *begin);
        (*begin, end)
    }

    /// How long a thread of a team lived outside of that; there it idles.
    fn idle_outside(&self, thread: &ThreadActivity) -> Nanoseconds {
        let (begin, end) = self.between();
        let elapsed = self.activity.elapsed.measured().copied().unwrap_or_default();
        let last = thread.end.measured().copied().unwrap_or(elapsed);
        begin.saturating_sub(thread.begin) + last.saturating_sub(end)
    }

    fn at_once(&self) -> Reading<u64> {
        if let Reading::Unavailable { unavailable } = &self.activity.threads {
            return Reading::Unavailable { unavailable: unavailable.clone() };
        }
        let elapsed = self.activity.elapsed.measured().copied().unwrap_or(Nanoseconds(u64::MAX));
        let at_once = |threads: &[&ThreadActivity]| {
            let lives = threads.iter().map(|thread| {
                // Begin and end are those of the last of several that had its place.
                let begin = if thread.lives > 1 { 0 } else { thread.begin.0 };
                ((begin, thread.end.measured().map_or(elapsed.0, |end| end.0)), 1)
            });
            most_at_once(lives)
        };
        let working = self.working();
        let of_teams =
            |thread: &&ThreadActivity| thread.is_first || thread.role.measured() == Some(&ThreadRole::OpenMp);
        let has_one_runtime = self.activity.openmp.measured().is_some_and(|omp| omp.libgomp != omp.ompt);
        let in_teams = most_in_teams(working.iter().copied()).filter(|_| has_one_runtime);
        let mut most = at_once(&working);
        if let Some(in_teams) = in_teams {
            let others: Vec<&ThreadActivity> =
                working.iter().copied().filter(|thread| !of_teams(thread)).collect();
            most = most.min(in_teams.saturating_add(at_once(&others)));
        }
        Reading::Measured(most.max(1))
    }

    fn by_use(&self) -> Reading<CpuTime> {
        if let Reading::Unavailable { unavailable } = &self.activity.threads {
            return Reading::Unavailable { unavailable: unavailable.clone() };
        }
        if let Some(reason) = self.unseen_openmp() {
            return Reading::unavailable(reason);
        }
        let mut sum = CpuTime::default();
        for thread in self.working() {
            match of_thread(thread) {
                Reading::Measured(mut time) => {
                    time.serial = time.serial.saturating_sub(self.idle_outside(thread).into());
                    if thread.is_first {
                        inside_only(&mut time, self.useful_outside().into());
                        if let Some(of) = self.first_thread().filter(|_| !is_plain(thread)) {
                            let useful = Nanoseconds(u64::try_from(time.useful.0).unwrap_or(u64::MAX));
                            let delayed = delayed_in_useful(useful, Some(&of.processor), Some(of.run_delay));
                            (time.delayed, time.delay_unknown) = (delayed.into(), TimeSum::default());
                        }
                    }
                    add(&mut sum, &time);
                }
                Reading::Unavailable { unavailable } => return Reading::Unavailable { unavailable },
            }
        }
        self.leave_out_begin_and_end(&mut sum);
        let (cpus, span) = match (&self.cpus, &self.span) {
            (Reading::Measured(cpus), Reading::Measured(span)) => (*cpus, *span),
            _ => return Reading::Measured(sum),
        };
        // Threads that are not there yet, or no longer.
        let missing = TimeSum(u128::from(cpus) * u128::from(span.0)).saturating_sub(sum.total());
        let to = if self.uses_openmp() { &mut sum.serial } else { &mut sum.waiting };
        *to = *to + missing;
        sum.serial_in_mpi = self.serial_in_mpi(cpus).min(sum.serial);
        Reading::Measured(sum)
    }

    /// What the team idles while the first thread is in MPI, as TALP counts it: a CPU for each of its threads.
    fn serial_in_mpi(&self, cpus: u64) -> TimeSum {
        let Some(first) = self.threads().find(|thread| thread.is_first).filter(|_| self.uses_openmp()) else {
            return TimeSum::default();
        };
        let in_mpi = mpi_outside_of_regions(first).saturating_sub(self.begin_and_end_of_mpi());
        TimeSum(u128::from(in_mpi.0) * u128::from(cpus.saturating_sub(1)))
    }

    /// Why the time of threads of an OpenMP runtime that told nothing is not known: it would all look useful.
    fn unseen_openmp(&self) -> Option<&'static str> {
        let has_team = self.threads().any(|thread| thread.role.measured() == Some(&ThreadRole::OpenMp));
        match self.activity.openmp.measured() {
            Some(runtimes) if runtimes.libgomp || runtimes.ompt => None,
            Some(_) => Some("its OpenMP runtime told another tool what it did"),
            None if has_team => Some("its OpenMP runtime did not tell what its threads did"),
            None => None,
        }
    }

    /// Efficiencies are of the time between `MPI_Init` and `MPI_Finalize`, as TALP's.
    fn leave_out_begin_and_end(&self, sum: &mut CpuTime) {
        sum.mpi = sum.mpi.saturating_sub(self.begin_and_end_of_mpi().into());
    }

    /// Time of its first thread in `MPI_Init` and `MPI_Finalize`, as far as it is left out.
    fn begin_and_end_of_mpi(&self) -> Nanoseconds {
        let ends = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize"];
        let first = self.threads().find(|thread| thread.is_first);
        let calls = first.into_iter().flat_map(|thread| &thread.calls);
        let calls = calls.filter(|site| ends.contains(&site.call.as_str()));
        calls.fold(Nanoseconds(0), |time, site| time + site.calls.time).min(self.outside())
    }

    /// What its first thread did before `MPI_Init` and after `MPI_Finalize`, which is left out.
    pub fn useful_outside(&self) -> Nanoseconds {
        self.outside().saturating_sub(self.begin_and_end_of_mpi())
    }
}

/// A rank of MPI. A child of fork has its parent's, and is none.
pub fn rank_of(activity: &Activity) -> Option<Process<'_>> {
    let process = Some(Process::new(activity)).filter(|_| !activity.is_forked)?;
    process.world().is_some().then_some(process)
}

/// Neither MPI nor OpenMP has seen it.
pub fn is_plain(thread: &ThreadActivity) -> bool {
    let in_runtimes = |times: &StateTimes| times.total().0 - times.useful.0 > 0;
    thread.role.measured() != Some(&ThreadRole::OpenMp)
        && thread.calls.is_empty()
        && !thread.times.measured().is_some_and(in_runtimes)
}

fn of_thread(thread: &ThreadActivity) -> Reading<CpuTime> {
    let times = match &thread.times {
        Reading::Measured(times) => times,
        Reading::Unavailable { unavailable } => {
            return Reading::Unavailable { unavailable: unavailable.clone() };
        }
    };
    let zero = Nanoseconds(0);
    let delay = thread.processor.measured().and(thread.run_delay.measured()).copied();
    let (useful, waiting, delayed, delayed_waiting) = match (&thread.processor, is_plain(thread)) {
        (on_cpu, false) => {
            (times.useful, zero, delayed_in_useful(times.useful, on_cpu.measured(), delay), zero)
        }
        // What a plain thread waits for is not seen, only that it was on no CPU.
        (Reading::Measured(on_cpu), true) => {
            let waiting = times.useful.saturating_sub(*on_cpu);
            (times.useful.min(*on_cpu), waiting, zero, delay.unwrap_or(zero).min(waiting))
        }
        (Reading::Unavailable { unavailable }, true) => {
            return Reading::Unavailable { unavailable: unavailable.clone() };
        }
    };
    Reading::Measured(CpuTime {
        useful: useful.into(),
        mpi: times.mpi.into(),
        imbalance: TimeSum::from(times.barrier) + times.lock,
        lock: times.lock.into(),
        scheduling: times.scheduling.into(),
        serial: times.idle.into(),
        serial_in_mpi: TimeSum::default(),
        waiting: waiting.into(),
        delayed: delayed.into(),
        delayed_waiting: delayed_waiting.into(),
        delay_unknown: if delay.is_some() { zero } else { useful }.into(),
    })
}

/// How long a thread of MPI or OpenMP had no CPU while it was useful. The kernel counts that over all that it does: whatever it does on a
/// CPU is taken to have lost as much to it. Where it sleeps when it waits for others, all of it is in useful time then; where it spins, as
/// large a part as useful time is of its life.
fn delayed_in_useful(
    useful: Nanoseconds,
    on_cpu: Option<&Nanoseconds>,
    delay: Option<Nanoseconds>,
) -> Nanoseconds {
    let (Some(on_cpu), Some(delay)) = (on_cpu, delay) else { return Nanoseconds(0) };
    let ready = on_cpu.seconds() + delay.seconds();
    let part = if ready > 0.0 { (useful.seconds() / ready).min(1.0) } else { 0.0 };
    Nanoseconds::from_seconds(delay.seconds() * part).min(useful)
}

/// Without useful time that is left out, which had as little of a CPU as the rest.
fn inside_only(time: &mut CpuTime, outside: TimeSum) {
    let inside = time.useful.saturating_sub(outside);
    let part = if time.useful.0 > 0 { inside.seconds() / time.useful.seconds() } else { 0.0 };
    for of_useful in [&mut time.delayed, &mut time.delay_unknown] {
        *of_useful = Nanoseconds::from_seconds(of_useful.seconds() * part).into();
    }
    time.useful = inside;
}

pub fn add(sum: &mut CpuTime, one: &CpuTime) {
    sum.useful = sum.useful + one.useful;
    sum.mpi = sum.mpi + one.mpi;
    sum.imbalance = sum.imbalance + one.imbalance;
    sum.lock = sum.lock + one.lock;
    sum.scheduling = sum.scheduling + one.scheduling;
    sum.serial = sum.serial + one.serial;
    sum.serial_in_mpi = sum.serial_in_mpi + one.serial_in_mpi;
    sum.waiting = sum.waiting + one.waiting;
    sum.delayed = sum.delayed + one.delayed;
    sum.delayed_waiting = sum.delayed_waiting + one.delayed_waiting;
    sum.delay_unknown = sum.delay_unknown + one.delay_unknown;
}

/// What TALP's efficiencies of MPI count as MPI.
pub fn in_mpi(time: &CpuTime) -> TimeSum {
    time.mpi + time.serial_in_mpi
}

/// The most of what is there at once: times from and to, with how much each is.
pub fn most_at_once(lives: impl Iterator<Item = ((u64, u64), u64)>) -> u64 {
    // At one moment what ends goes before what begins.
    let mut changes: Vec<(u64, bool, u64)> = lives
        .filter(|((begin, end), _)| begin < end)
        .flat_map(|((begin, end), weight)| [(begin, true, weight), (end, false, weight)])
        .collect();
    changes.arrange();
    let (mut now, mut most) = (0u64, 0);
    for (_, begins, weight) in changes {
        now = if begins { now.saturating_add(weight) } else { now.saturating_sub(weight) };
        most = most.max(now);
    }
    most
}

/// The processes that count, and all others: launchers and shells, what a process was before it became the program, errands of
/// scripts. With MPI the ranks count, of one job, and nothing else.
pub fn select<'a>(parts: &RunParts<'a>) -> (Vec<Process<'a>>, Vec<Process<'a>>) {
    let all: Vec<Process<'a>> = parts.activities.iter().map(Process::new).collect();
    let job: BTreeSet<usize> =
        mpi_jobs(parts.activities).into_iter().next().unwrap_or_default().into_iter().collect();
    let longest = all.iter().filter_map(|process| process.activity.elapsed.measured()).max().copied();
    let part_of = |(index, process): (usize, &Process<'a>)| match job.contains(&index) {
        true => PartOfRun::Program,
        false if !job.is_empty() => PartOfRun::Other,
        false => part_of_run(process, &all, longest),
    };
    let parts_of: Vec<PartOfRun> = all.iter().enumerate().map(part_of).collect();
    let computed = |part: PartOfRun| {
        let those = all.iter().zip(&parts_of).filter(|(_, of)| **of == part);
        those.map(|(process, _)| process.computed() as f64).sum::<f64>()
    };
    // A build, or a loop of a script, is nothing but errands.
    let errands_count = computed(PartOfRun::Errand) > ERRANDS * computed(PartOfRun::Program);
    let counts = |part: &PartOfRun| match part {
        PartOfRun::Program => true,
        PartOfRun::Errand => errands_count,
        PartOfRun::Other => false,
    };
    let counts: Vec<bool> = parts_of.iter().map(counts).collect();
    // Of a run of nothing but errands all count.
    let none = !counts.contains(&true);
    let (mut counted, mut others) = (Vec::new(), Vec::new());
    for (process, counts) in all.into_iter().zip(counts) {
        if counts || none { counted.push(process) } else { others.push(process) }
    }
    counted.arrange_by_key(|process| {
        (process.rank(), process.activity.host.clone(), process.activity.pid, process.activity.began)
    });
    (counted, others)
}

/// What a process is to a run without MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartOfRun {
    Program,
    /// It lasted for a moment.
    Errand,
    /// It only waits for processes that were watched too.
    Other,
}

fn part_of_run(process: &Process<'_>, all: &[Process<'_>], longest: Option<Nanoseconds>) -> PartOfRun {
    let activity = process.activity;
    let (Some(elapsed), Some(longest)) = (activity.elapsed.measured(), longest) else {
        return if longest.is_none() { PartOfRun::Program } else { PartOfRun::Other };
    };
    let is_child =
        |other: &&Process<'_>| other.activity.host == activity.host && other.activity.parent == activity.pid;
    let waits =
        all.iter().any(|other| is_child(&other)) && (process.computed() as f64) < LAUNCHER * elapsed.0 as f64;
    let is_known = process.time.measured().is_some();
    // taskset, numactl and their kind, and a shell at its last command, whose processor time is not known.
    let became = |other: &Process<'_>| {
        let is_same = other.activity.host == activity.host && other.activity.pid == activity.pid;
        let lived = other.activity.elapsed.measured().map_or(0.0, |elapsed| elapsed.0 as f64);
        let is_short = (elapsed.0 as f64) < LAUNCHER * lived;
        is_same && other.activity.began > activity.began && (is_short || !is_known)
    };
    if waits || activity.end == ProcessEnd::NotTold && all.iter().any(became) {
        PartOfRun::Other
    } else if (elapsed.0 as f64) < ERRAND * longest.0 as f64 {
        // For one that was killed no sum is to be missing.
        if is_known { PartOfRun::Errand } else { PartOfRun::Other }
    } else {
        PartOfRun::Program
    }
}
