//! Efficiencies with the names and formulas of POP and TALP.
//!
//! E is the time of the run, N its CPUs, U M L S Z are sums over CPUs: useful, in MPI, load imbalance (with locks), scheduling, serial.
//! m, time in MPI per CPU, has the part of Z in it in which a team idled while its first thread was in MPI, as TALP has it (DLB's
//! `mpi_worker_idle_time`; releases up to 3.7 add it to M itself).

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::merged::MergedPhase;
use numawise_facts::{MergedRanks, RankSet, Reading};
use numawise_tables::snapshot::{CpuCount, CpuTime, Efficiencies, RatedShare};
use numawise_units::{Nanoseconds, Ratio, TimeSum};

use super::process::{Process, add, in_mpi};
use super::{Run, rating};

/// A rank that was there for less of the time died before the others.
const WHOLE: f64 = 0.98;

/// Sums over the processes.
pub fn time(processes: &[Process<'_>]) -> Reading<CpuTime> {
    let mut sum = CpuTime::default();
    for process in processes {
        match &process.time {
            Reading::Measured(time) => add(&mut sum, time),
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        }
    }
    some(sum)
}

/// Sums of times, where there was any.
pub fn some(sum: CpuTime) -> Reading<CpuTime> {
    match sum.total().0 {
        0 => Reading::unavailable("no time was measured"),
        _ => Reading::Measured(sum),
    }
}

/// The same of a run, merged or not; unavailable where most of it was in processes that were not watched: a shell that waits for such a program
/// is not the program. Ranks that are missing are said elsewhere, and figures are of the others.
pub fn time_of_run(run: &Run<'_>) -> Reading<CpuTime> {
    if let Some(merged) = run.parts.merged {
        return time_of_merged(merged);
    }
    let unwatched = run.parts.unwatched;
    let threads = run.processes.iter().flat_map(Process::threads);
    let watched = threads.filter_map(|thread| thread.processor.measured());
    let watched = watched.fold(TimeSum::default(), |sum, time| sum + *time);
    if !run.has_ranks() && TimeSum::from(unwatched) > watched {
        return Reading::unavailable(format!(
            "processes that were not watched computed for {unwatched}, those that were for {watched}"
        ));
    }
    time(&run.processes)
}

/// Time in the program's code and on a CPU, as far as that is known, of all that the CPUs had.
pub fn useful(run: &Run<'_>, time: &Reading<CpuTime>, cpus: &Reading<CpuCount>) -> Reading<Ratio> {
    let known = time.as_ref().zip(cpus.as_ref()).zip(run.seconds());
    known.map(|((time, cpus), elapsed)| {
        Ratio((time.on_cpu().seconds() / (cpus.count as f64 * elapsed)).min(1.0))
    })
}

pub fn all(run: &Run<'_>) -> Efficiencies {
    let of_cpus = time_of_run(run);
    let time = of_cpus.as_ref().map(Times::of);
    by_formula(&of_cpus, &time, &openmp_times(run, &time), &mpi_times(run))
}

/// Of ranks that were merged, with the same formulas.
pub fn of_merged(merged: &MergedRanks) -> Efficiencies {
    let of_cpus = time_of_merged(merged);
    let time = of_cpus.as_ref().map(Times::of);
    by_formula(&of_cpus, &time, &openmp_times_of_merged(merged, &time), &mpi_times_of_merged(merged, None))
}

/// Of a phase of merged ranks, whose `time` it is; of which computers these are is not kept.
pub fn of_merged_phase(
    merged: &MergedRanks,
    asked: Option<&RankSet>,
    phase: &MergedPhase,
    time: &Reading<CpuTime>,
) -> Efficiencies {
    let times = time.as_ref().map(Times::of);
    let mpi = time.as_ref().and_then(|time| match phase.least_mpi {
        Some(least) if phase.elapsed.0 > 0 => Reading::Measured(MpiTimes {
            elapsed: phase.elapsed.seconds(),
            mean: in_mpi(time).seconds() / phase.cpus as f64,
            least: least.seconds(),
            least_host: f64::NAN,
            unequal: partial(phase.ranks, merged.ranks).or_else(|| unequal_of_merged(merged, asked)),
        }),
        _ => Reading::unavailable("the phase took no time that could be measured"),
    });
    let by_computer =
        || rating::efficiency(Reading::unavailable("phases of ranks are merged without their computers"));
    Efficiencies {
        mpi_load_balance_in: by_computer(),
        mpi_load_balance_out: by_computer(),
        ..by_formula(time, &times, &openmp_times_of_merged(merged, &times), &mpi)
    }
}

/// Why a phase of some ranks cannot be compared over all.
pub fn partial(ranks: u64, all: u64) -> Option<String> {
    (ranks < all).then(|| format!("{ranks} of {all} ranks had this phase"))
}

fn openmp_times_of_merged(merged: &MergedRanks, time: &Reading<Times>) -> Reading<Times> {
    match merged.openmp.ranks {
        0 => Reading::unavailable("no OpenMP runtime told what it did"),
        _ => time.as_ref().map(|time| Times { ..*time }),
    }
}

/// Of the time in which threads had something to do, that in which they had a CPU for it. No figure of POP's or TALP's, whose useful time
/// has both.
pub fn with_cpu(time: &Reading<CpuTime>) -> RatedShare {
    let of = time.as_ref().and_then(|time| {
        time.without_cpu().and_then(|_| {
            let had_work = time.useful + time.delayed_waiting;
            efficiency(time.on_cpu().seconds() / had_work.seconds())
        })
    });
    rating::own_efficiency(of)
}

fn by_formula(
    of_cpus: &Reading<CpuTime>,
    time: &Reading<Times>,
    openmp: &Reading<Times>,
    mpi: &Reading<MpiTimes>,
) -> Efficiencies {
    let of_openmp = |formula: fn(&Times) -> f64| {
        rating::efficiency(openmp.as_ref().and_then(|times| efficiency(formula(times))))
    };
    let of_mpi = |formula: fn(&MpiTimes) -> f64| {
        let checked = mpi.as_ref().and_then(|times| match &times.unequal {
            Some(reason) => Reading::unavailable(reason.clone()),
            None => Reading::Measured(times),
        });
        rating::efficiency(checked.and_then(|times| efficiency(formula(times))))
    };
    Efficiencies {
        with_cpu: with_cpu(of_cpus),
        parallel: rating::efficiency(time.as_ref().and_then(|t| efficiency(t.u / t.all()))),
        mpi_parallel: rating::efficiency(
            mpi.as_ref().and_then(|t| efficiency((t.elapsed - t.mean) / t.elapsed)),
        ),
        mpi_communication: of_mpi(|t| (t.elapsed - t.least) / t.elapsed),
        mpi_load_balance: of_mpi(|t| (t.elapsed - t.mean) / (t.elapsed - t.least)),
        mpi_load_balance_in: of_mpi(|t| (t.elapsed - t.least_host) / (t.elapsed - t.least)),
        mpi_load_balance_out: of_mpi(|t| (t.elapsed - t.mean) / (t.elapsed - t.least_host)),
        openmp_parallel: of_openmp(|t| (t.u + t.m) / t.all()),
        openmp_serialization: of_openmp(|t| (t.u + t.m) / (t.u + t.m + t.z)),
        openmp_load_balance: of_openmp(|t| (t.u + t.m + t.z) / (t.u + t.m + t.z + t.l)),
        openmp_scheduling: of_openmp(|t| (t.u + t.m + t.z + t.l) / t.all()),
    }
}

fn efficiency(value: f64) -> Reading<Ratio> {
    if value.is_nan() {
        return Reading::unavailable("all of the time was lost: there is nothing to compare with");
    }
    Reading::Measured(Ratio(value.clamp(0.0, 1.0)))
}

/// The letters of the formulas, in seconds.
struct Times {
    u: f64,
    m: f64,
    l: f64,
    s: f64,
    z: f64,
}

impl Times {
    /// What threads of no runtime wait for counts as serial: there it is the only loss.
    fn of(time: &CpuTime) -> Self {
        Times {
            u: time.useful.seconds(),
            m: time.mpi.seconds(),
            l: time.imbalance.seconds(),
            s: time.scheduling.seconds(),
            z: time.serial.seconds() + time.waiting.seconds(),
        }
    }

    fn all(&self) -> f64 {
        self.u + self.m + self.l + self.s + self.z
    }
}

/// Those of the processes with OpenMP, and why there are none: an efficiency is never 1 for lack of data.
fn openmp_times(run: &Run<'_>, time: &Reading<Times>) -> Reading<Times> {
    let of_merged = run.parts.merged.is_some_and(|merged| merged.openmp.ranks > 0);
    if !of_merged && !run.processes.iter().any(Process::uses_openmp) {
        let why = run.processes.iter().find_map(|process| process.activity.openmp.reason());
        return why.map_or_else(
            || Reading::unavailable("no OpenMP runtime told what it did"),
            |why| Reading::Unavailable { unavailable: why.clone() },
        );
    }
    time.as_ref().map(|time| Times { ..*time })
}

/// Time in MPI per CPU, in seconds. Teams that idle while their first thread is in MPI are there too.
pub struct MpiTimes {
    pub elapsed: f64,
    /// Over all CPUs.
    pub mean: f64,
    /// In the process, and on the host, where it is the least.
    pub least: f64,
    pub least_host: f64,
    /// Why the least is that of no whole run.
    pub unequal: Option<String>,
}

pub fn mpi_times(run: &Run<'_>) -> Reading<MpiTimes> {
    if let Some(merged) = run.parts.merged {
        return mpi_times_of_merged(merged, run.parts.asked);
    }
    if !run.has_ranks() {
        let mpi = run.processes.iter().find_map(|process| match &process.activity.mpi {
            Reading::Measured(mpi) => mpi.rank.reason(),
            Reading::Unavailable { unavailable } => Some(unavailable),
        });
        return mpi.map_or_else(
            || Reading::unavailable("no process was watched"),
            |why| Reading::Unavailable { unavailable: why.clone() },
        );
    }
    run.seconds().and_then(|elapsed| {
        let mut hosts: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        let mut least = f64::INFINITY;
        for process in &run.processes {
            let known = process.time.as_ref().zip(process.cpus.as_ref());
            let (mpi, cpus) = match known {
                Reading::Measured((time, cpus)) => (in_mpi(time).seconds(), *cpus as f64),
                Reading::Unavailable { unavailable } => {
                    return Reading::unavailable(format!("{}: {unavailable}", process.name()));
                }
            };
            least = least.min(mpi / cpus);
            let host = hosts.entry(&process.activity.host).or_default();
            *host = (host.0 + mpi, host.1 + cpus);
        }
        let (mpi, cpus) = hosts.values().fold((0.0, 0.0), |sum, host| (sum.0 + host.0, sum.1 + host.1));
        let least_host = hosts.values().map(|(mpi, cpus)| mpi / cpus).fold(f64::INFINITY, f64::min);
        Reading::Measured(MpiTimes { elapsed, mean: mpi / cpus, least, least_host, unequal: unequal(run) })
    })
}

/// Why ranks cannot be compared with one another, if they cannot.
fn unequal(run: &Run<'_>) -> Option<String> {
    if let Some(reason) = &run.partial {
        return Some(reason.clone());
    }
    let worlds: Vec<_> = run.processes.iter().filter_map(Process::world).collect();
    let ranks: BTreeSet<u32> = worlds.iter().map(|world| world.rank).collect();
    let size = worlds.iter().map(|world| world.size).max().unwrap_or(0);
    if super::worlds::count(&run.worlds) > 1 {
        return Some(
            "there are several MPI_COMM_WORLDs in the run: each has its own, in the table of worlds"
                .to_owned(),
        );
    }
    match run.parts.asked {
        // They were chosen: figures are of these alone.
        Some(asked) if asked.iter().filter(|rank| rank.0 < size).count() > ranks.len() => {
            return Some(format!("of the ranks {asked} that were asked for {} were watched", ranks.len()));
        }
        None if ranks.len() < size as usize => {
            return Some(format!("of {size} ranks {} were watched", ranks.len()));
        }
        _ => {}
    }
    let all = run.seconds().measured().copied()?;
    let died = run.processes.iter().find(|process| {
        let lived = process.span.measured().map_or(0.0, |span| span.seconds());
        process.died() && lived < WHOLE * all
    })?;
    let lived = died.span.measured().copied().unwrap_or_default();
    Some(format!("{} ended after {lived}, before the others", died.name()))
}

/// Why times of merged ranks are missing: without those of one there is no sum.
pub fn unmeasured(merged: &MergedRanks) -> Option<String> {
    match merged.unmeasured {
        0 if merged.cpus == 0 => Some("no rank was watched".to_owned()),
        0 => None,
        some => Some(format!("the times of {some} ranks are not known")),
    }
}

fn time_of_merged(merged: &MergedRanks) -> Reading<CpuTime> {
    unmeasured(merged).map_or_else(|| some(merged.time), Reading::unavailable)
}

fn mpi_times_of_merged(merged: &MergedRanks, asked: Option<&RankSet>) -> Reading<MpiTimes> {
    if let Some(why) = unmeasured(merged) {
        return Reading::unavailable(why);
    }
    let Some((least, _)) = merged.mpi.least.first().filter(|_| merged.span.0 > 0) else {
        return Reading::unavailable("the run took no time that could be measured");
    };
    let hosts = || merged.hosts.values().map(|host| (host.mpi.seconds(), host.cpus as f64));
    let (mpi, cpus) = hosts().fold((0.0, 0.0), |sum, host| (sum.0 + host.0, sum.1 + host.1));
    Reading::Measured(MpiTimes {
        elapsed: merged.span.seconds(),
        mean: mpi / cpus,
        least: least.seconds(),
        least_host: hosts().map(|(mpi, cpus)| mpi / cpus).fold(f64::INFINITY, f64::min),
        unequal: unequal_of_merged(merged, asked),
    })
}

fn unequal_of_merged(merged: &MergedRanks, asked: Option<&RankSet>) -> Option<String> {
    let MergedRanks { ranks, world, .. } = *merged;
    if merged.has_several_worlds || ranks > u64::from(world) {
        return Some("there are several MPI_COMM_WORLDs in the run".to_owned());
    }
    match asked {
        Some(asked) if asked.iter().filter(|rank| rank.0 < world).count() as u64 > ranks => {
            return Some(format!("of the ranks {asked} that were asked for {ranks} were watched"));
        }
        None if ranks < u64::from(world) => return Some(format!("of {world} ranks {ranks} were watched")),
        _ => {}
    }
    let (lived, rank) = *merged.dead.first()?;
    let died_before = |all: Nanoseconds| lived.seconds() < WHOLE * all.seconds();
    died_before(merged.span).then(|| format!("rank {rank} ended after {lived}, before the others"))
}
