//! Where threads ran: who moved, and which CPUs several have in common.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::{Machine, Reading, ThreadActivity};
use numawise_tables::snapshot::{MaskSummary, OverfullCpu, OverfullMask, PlacementSummary, ProcessSpread};
use numawise_units::{CpuId, CpuSet, Nanoseconds, Pid};

use super::memory::nodes_of_threads;
use super::process::{Process, most_at_once};
use super::{Run, merged, sum};

/// A thread that was found on one CPU for this share of the times is at home there.
const AT_HOME: f64 = 0.9;
/// Sets of CPUs that are looked at on a host: those to which most threads are bound.
const SETS: usize = 256;
/// What threads of one CPU have to compute, but for the busiest, of the time of the run: what findings need.
const WORTH: f64 = 0.05;

/// Where the threads of all processes were.
pub fn summary(run: &Run<'_>) -> Reading<PlacementSummary> {
    match run.parts.merged {
        Some(_) => merged::placement(),
        None => Reading::Measured(of_all(run)),
    }
}

fn of_all(run: &Run<'_>) -> PlacementSummary {
    let (mut threads, mut unknown, mut moved, mut migrations) = (0, 0, 0, 0u64);
    for thread in run.processes.iter().flat_map(Process::working) {
        match thread.cpus.measured() {
            Some(stays) => {
                threads += 1;
                let sampled = thread.cpu_time_on.measured().map_or(0, Vec::len);
                moved += u64::from(stays.cpus.len() > 1 || stays.others > 0 || sampled > 1);
                migrations += u64::from(stays.migrations);
            }
            None => unknown += 1,
        }
    }
    let why = run.processes.iter().flat_map(Process::working).find_map(|thread| thread.cpus.reason());
    PlacementSummary {
        threads,
        unknown,
        moved,
        migrations: match (threads, why) {
            (0, Some(why)) => Reading::Unavailable { unavailable: why.clone() },
            (0, None) => Reading::unavailable("no thread was watched"),
            _ => Reading::Measured(migrations),
        },
        unbound: unbound(run),
        on_several_nodes: on_several_nodes(run),
        run_delay: run_delay(run),
        run_delays: spread(run, |process| process.run_delay().map(|delay| delay.0)).map(|of| ProcessSpread {
            mean: Nanoseconds(of.mean),
            most: Nanoseconds(of.most),
            most_of: of.most_of,
        }),
        migrations_by_process: spread(run, migrations_of),
        masks: masks(run),
        shared: shared(run),
        overfull: overfull(run),
    }
}

/// Working threads whose masks hold CPUs of several cores.
fn unbound(run: &Run<'_>) -> Reading<u64> {
    let mut count = 0;
    for process in &run.processes {
        let machine = run.parts.machines.get(&process.activity.host).copied();
        for thread in process.working() {
            match &thread.mask {
                Reading::Measured(mask) => count += u64::from(has_several_cores(machine, mask)),
                Reading::Unavailable { unavailable } => {
                    return Reading::unavailable(format!("{}: {unavailable}", process.name()));
                }
            }
        }
    }
    Reading::Measured(count)
}

fn has_several_cores(machine: Option<&Machine>, mask: &CpuSet) -> bool {
    let core = |cpu: CpuId| {
        let known = machine.and_then(|machine| machine.cpu(cpu));
        known.map_or((None, cpu.0), |cpu| (cpu.package, cpu.core))
    };
    mask.iter().map(core).collect::<BTreeSet<_>>().len() > 1
}

fn on_several_nodes(run: &Run<'_>) -> u64 {
    let mut count = 0;
    for process in &run.processes {
        let Some(machine) = run.parts.machines.get(&process.activity.host) else { continue };
        let several = |thread: &&ThreadActivity| {
            nodes_of_threads(machine, &[*thread]).measured().is_some_and(|nodes| nodes.len() > 1)
        };
        count += process.working().iter().filter(|thread| several(thread)).count() as u64;
    }
    count
}

/// Of the process where it is the most: what its threads waited for CPUs, for each of its CPUs.
fn run_delay(run: &Run<'_>) -> Reading<Nanoseconds> {
    let mut most = Nanoseconds(0);
    for process in &run.processes {
        match process.delay_of_a_cpu() {
            Reading::Measured(delay) => most = most.max(delay),
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        }
    }
    Reading::Measured(most)
}

fn migrations_of(process: &Process<'_>) -> Reading<u64> {
    let each = Reading::all(process.threads().map(|thread| thread.cpus.as_ref()));
    each.map(|each| sum(each.into_iter().map(|stays| u64::from(stays.migrations))))
}

/// Mean and most over processes. Where that of one is missing, so is the mean.
fn spread(run: &Run<'_>, of: impl Fn(&Process<'_>) -> Reading<u64>) -> Reading<ProcessSpread<u64>> {
    let (mut all, mut most) = (0u128, None);
    for process in &run.processes {
        match of(process) {
            Reading::Measured(value) => {
                all += u128::from(value);
                if most.as_ref().is_none_or(|(most, _)| value > *most) {
                    most = Some((value, process));
                }
            }
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        }
    }
    let Some((most, process)) = most else { return Reading::unavailable("no process was watched") };
    let mean = (all / run.processes.len() as u128) as u64;
    Reading::Measured(ProcessSpread { mean, most, most_of: process.named() })
}

/// The sets of CPUs on which processes may run.
fn masks(run: &Run<'_>) -> Reading<MaskSummary> {
    let mut sets: BTreeSet<(&str, Vec<u64>)> = BTreeSet::new();
    let (mut least, mut most) = (u64::MAX, 0);
    for process in &run.processes {
        match process.mask() {
            Reading::Measured(mask) => {
                let size = mask.len() as u64;
                (least, most) = (least.min(size), most.max(size));
                sets.insert((&process.activity.host, mask.words().to_vec()));
            }
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        }
    }
    match sets.len() as u64 {
        0 => Reading::unavailable("no process was watched"),
        sets => Reading::Measured(MaskSummary { sets, least, most }),
    }
}

/// A working thread, with its life since 1970.
struct Resident<'a> {
    pid: Pid,
    thread: &'a ThreadActivity,
    rank: Option<u32>,
    life: (u64, u64),
}

fn residents<'a>(process: &Process<'a>) -> Vec<Resident<'a>> {
    let began = process.activity.began.0;
    let last = process.activity.elapsed.measured().copied().unwrap_or(Nanoseconds(0));
    let life = |thread: &ThreadActivity| {
        let end = thread.end.measured().copied().unwrap_or(last);
        (began.saturating_add(thread.begin.0), began.saturating_add(end.0))
    };
    let (pid, rank) = (process.activity.pid, process.rank());
    let resident = |thread: &'a ThreadActivity| Resident { pid, thread, rank, life: life(thread) };
    process.working().into_iter().map(resident).collect()
}

fn ranks_of<'a>(residents: impl Iterator<Item = &'a Resident<'a>>) -> Vec<u32> {
    residents.filter_map(|resident| resident.rank).collect::<BTreeSet<u32>>().into_iter().collect()
}

/// Those that lived when most of them did.
fn together(residents: &mut Vec<Resident<'_>>) {
    let lives = |resident: &Resident<'_>, at: u64| resident.life.0 <= at && at < resident.life.1;
    let begins = residents.iter().map(|resident| resident.life.0);
    let most = begins.max_by_key(|at| residents.iter().filter(|resident| lives(resident, *at)).count());
    residents.retain(|resident| most.is_some_and(|at| lives(resident, at)));
}

/// True where one CPU was hardly in the way of the threads: all but the busiest computed for little of the run. Others that
/// keep the CPU busy make these wait too.
fn hardly_computed(run: &Run<'_>, residents: &[Resident<'_>]) -> bool {
    let computed = Reading::all(residents.iter().map(|resident| resident.thread.processor.clone()));
    let (Reading::Measured(computed), Reading::Measured(seconds)) = (computed, run.seconds()) else {
        return false;
    };
    let busiest = computed.iter().max().copied().unwrap_or_default();
    let all = computed.into_iter().fold(Nanoseconds(0), |all, one| all + one);
    all.saturating_sub(busiest).seconds() < WORTH * seconds
}

/// CPUs at which several working threads are at home that lived at the same time.
fn shared(run: &Run<'_>) -> Vec<OverfullCpu> {
    let mut homes: BTreeMap<(&str, CpuId), Vec<Resident<'_>>> = BTreeMap::new();
    for process in &run.processes {
        for resident in residents(process) {
            let Some(cpu) = home(resident.thread) else { continue };
            homes.entry((&process.activity.host, cpu)).or_default().push(resident);
        }
    }
    let mut shared = Vec::new();
    for ((host, cpu), mut residents) in homes {
        together(&mut residents);
        if residents.len() < 2 || hardly_computed(run, &residents) {
            continue;
        }
        residents.sort_by_key(|resident| (resident.pid, resident.thread.tid));
        let threads = residents.iter().map(|resident| (resident.pid, resident.thread.tid)).collect();
        shared.push(OverfullCpu { host: host.to_owned(), cpu, threads, ranks: ranks_of(residents.iter()) });
    }
    shared
}

/// By processor time where the thread was sampled, else by how often it came to a CPU.
fn home(thread: &ThreadActivity) -> Option<CpuId> {
    let most = |on: &[(CpuId, u64)], others: u64| {
        let all = sum(on.iter().map(|(_, part)| *part).chain([others]));
        let (cpu, part) = on.iter().max_by_key(|(_, part)| *part)?;
        (*part as f64 >= AT_HOME * all as f64).then_some(*cpu)
    };
    match (thread.cpu_time_on.measured(), thread.cpus.measured()) {
        (Some(times), _) => most(&times.iter().map(|(cpu, time)| (*cpu, time.0)).collect::<Vec<_>>(), 0),
        (None, Some(stays)) => most(&stays.cpus, stays.others),
        (None, None) => None,
    }
}

/// Sets of CPUs to which more threads are bound at once than there are CPUs: whatever the system does, they share.
fn overfull(run: &Run<'_>) -> Vec<OverfullMask> {
    let mut hosts: BTreeMap<&str, BTreeMap<Vec<u64>, Vec<Resident<'_>>>> = BTreeMap::new();
    for process in &run.processes {
        let host = hosts.entry(&process.activity.host).or_default();
        for resident in residents(process) {
            let Some(mask) = resident.thread.mask.measured() else { continue };
            host.entry(mask.words().to_vec()).or_default().push(resident);
        }
    }
    let mut found = Vec::new();
    for (host, masks) in &hosts {
        let mut masks: Vec<(CpuSet, &Vec<Resident<'_>>)> =
            masks.iter().map(|(words, residents)| (CpuSet::from_words(words.clone()), residents)).collect();
        masks.sort_by_key(|(_, residents)| std::cmp::Reverse(residents.len()));
        for (cpus, _) in masks.iter().take(SETS) {
            let inside = || masks.iter().filter(|(mask, _)| mask.is_subset(cpus)).flat_map(|(_, all)| *all);
            let threads = most_at_once(inside().map(|resident| (resident.life, 1)));
            if threads > cpus.len() as u64 {
                let (host, cpus) = ((*host).to_owned(), cpus.clone());
                found.push(OverfullMask { host, cpus, threads, ranks: ranks_of(inside()) });
            }
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.threads * 1000 / (one.cpus.len() as u64).max(1)));
    found
}
