//! The placement of the processes of one computer, all of them together.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::merged::{
    DelayedProcess, MergedPlacement, OverfullCpus, PlacedHost, PlacedMasks, ProcessName, RemoteProcess,
    RemoteSum, SharedCpu, SumOverProcesses,
};
use numawise_facts::{Machine, Reading, ThreadActivity};
use numawise_units::{Arrange, CpuId, CpuSet, Nanoseconds, Pid, TimeSum};

use crate::snapshot::memory::{is_notable, nodes_of_threads, remote};
use crate::snapshot::process::{Process, most_at_once};
use crate::snapshot::sum;

use super::order::{by_delay, by_part};

/// A thread that was found on one CPU for this share of the times is at home there.
const AT_HOME: f64 = 0.9;
/// Sets of CPUs that are looked at on a host: those to which most threads are bound.
const SETS: usize = 256;

/// The processes of a computer, and the computer where it is known.
pub struct OnHost<'a> {
    pub host: &'a str,
    pub processes: Vec<&'a Process<'a>>,
    pub machine: Option<&'a Machine>,
}

impl OnHost<'_> {
    /// Where its threads were.
    pub fn placement(&self) -> MergedPlacement {
        let (mut threads, mut unknown, mut moved, mut migrations) = (0, 0, 0, 0u64);
        let working = || self.processes.iter().flat_map(|process| process.working());
        for thread in working() {
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
        let (shared, overfull) = (self.shared(), self.overfull());
        let allowed = self.allowed();
        let with_machine = |cpus: CpuSet| match self.machine {
            Some(machine) => cpus.union(&machine.allowed_cpus),
            None => cpus,
        };
        let host = PlacedHost { parts: 1, usable: allowed.clone().map(with_machine), allowed };
        let delays = self.spread(|process| process.run_delay().map(|delay| delay.0));
        MergedPlacement {
            processes: self.processes.len() as u64,
            hosts: if self.processes.is_empty() {
                BTreeMap::new()
            } else {
                [(self.host.to_owned(), host)].into()
            },
            threads,
            unknown,
            why_unknown: working().find_map(|thread| thread.cpus.reason().cloned()),
            moved,
            migrations,
            unbound: self.unbound(),
            on_several_nodes: self.on_several_nodes(),
            run_delay: self.run_delay(),
            delayed: self.delayed(),
            run_delays: delays.map(|(sum, most, most_of)| SumOverProcesses {
                sum: TimeSum(sum),
                most: Nanoseconds(most),
                most_of,
            }),
            migrations_by_process: self.spread(migrations_of).map(|(sum, most, most_of)| SumOverProcesses {
                sum: u64::try_from(sum).unwrap_or(u64::MAX),
                most,
                most_of,
            }),
            forced_switches: self.forced_switches(),
            masks: self.masks(),
            all_shared: shared.len() as u64,
            shared,
            all_overfull: overfull.len() as u64,
            overfull,
            remote: self.remote(),
        }
    }

    /// The masks of the processes together, or what the computer has for us where they are not known.
    fn allowed(&self) -> Reading<CpuSet> {
        let mut all = CpuSet::default();
        for process in &self.processes {
            let mask = process.mask();
            let machine = self.machine.map(|machine| &machine.allowed_cpus);
            let Some(cpus) = mask.measured().or(machine) else {
                return Reading::unavailable("the masks of the processes were not read");
            };
            all = all.union(cpus);
        }
        Reading::Measured(all)
    }

    /// Working threads whose masks hold CPUs of several cores.
    fn unbound(&self) -> Reading<u64> {
        let of = |process: &Process<'_>| {
            let masks = Reading::all(process.working().into_iter().map(|thread| thread.mask.as_ref()));
            masks
                .map(|masks| masks.iter().filter(|mask| has_several_cores(self.machine, mask)).count() as u64)
        };
        self.each(of).map(|each| sum(each.into_iter()))
    }

    fn on_several_nodes(&self) -> u64 {
        let Some(machine) = self.machine else { return 0 };
        let several = |thread: &&ThreadActivity| {
            nodes_of_threads(machine, &[*thread]).measured().is_some_and(|nodes| nodes.len() > 1)
        };
        self.processes.iter().flat_map(|process| process.working()).filter(several).count() as u64
    }

    /// Of the process where it is the most: what its threads waited for CPUs, for each of its CPUs.
    fn run_delay(&self) -> Reading<Nanoseconds> {
        self.each(|process| process.delay_of_a_cpu()).map(|each| each.into_iter().max().unwrap_or_default())
    }

    /// That process, of those of which it is known.
    fn delayed(&self) -> Option<DelayedProcess> {
        let of = |process: &&Process<'_>| {
            let delay = *process.delay_of_a_cpu().measured()?;
            Some(DelayedProcess { delay, lived: process.delayed_in(), process: process.named() })
        };
        self.processes.iter().filter_map(of).max_by(by_delay)
    }

    fn forced_switches(&self) -> Reading<u64> {
        let of = |process: &Process<'_>| {
            process.activity.surroundings.switches.as_ref().map(|switches| switches.forced)
        };
        self.each(of).map(|each| sum(each.into_iter()))
    }

    /// Of each process; of none where that of one is missing.
    fn each<T>(&self, of: impl Fn(&Process<'_>) -> Reading<T>) -> Reading<Vec<T>> {
        Reading::all(self.processes.iter().map(|process| match of(process) {
            Reading::Unavailable { unavailable } => {
                Reading::unavailable(format!("{}: {unavailable}", process.name()))
            }
            measured => measured,
        }))
    }

    /// Sum and most over processes. Where that of one is missing, so is the sum.
    fn spread(&self, of: impl Fn(&Process<'_>) -> Reading<u64>) -> Reading<(u128, u64, ProcessName)> {
        self.each(of).and_then(|each| {
            let all = each.iter().fold(0u128, |all, one| all + u128::from(*one));
            let named = each.into_iter().zip(self.processes.iter().map(|process| process.named()));
            match named.min_by_key(|(value, process)| (std::cmp::Reverse(*value), process.clone())) {
                Some((most, most_of)) => Reading::Measured((all, most, most_of)),
                None => Reading::unavailable("no process was watched"),
            }
        })
    }

    /// The sets of CPUs on which processes may run.
    fn masks(&self) -> Reading<PlacedMasks> {
        self.each(|process| process.mask()).and_then(|masks| {
            let sizes = || masks.iter().map(|mask| mask.len() as u64);
            let sets: BTreeSet<&[u64]> = masks.iter().map(CpuSet::words).collect();
            match sizes().min().zip(sizes().max()) {
                Some((least, most)) => {
                    Reading::Measured(PlacedMasks { sets: sets.len() as u64, least, most })
                }
                None => Reading::unavailable("no process was watched"),
            }
        })
    }

    /// CPUs at which several working threads are at home that lived at the same time.
    fn shared(&self) -> Vec<SharedCpu> {
        let mut homes: BTreeMap<CpuId, Vec<Resident<'_>>> = BTreeMap::new();
        for resident in self.processes.iter().flat_map(|process| residents(process)) {
            if let Some(cpu) = home(resident.thread) {
                homes.entry(cpu).or_default().push(resident);
            }
        }
        let mut shared = Vec::new();
        for (cpu, mut residents) in homes {
            together(&mut residents);
            if residents.len() < 2 || have_room(&residents) {
                continue;
            }
            residents.arrange_by_key(|resident| (resident.pid, resident.thread.tid));
            shared.push(SharedCpu {
                host: self.host.to_owned(),
                cpu,
                count: residents.len() as u64,
                others_computed: others_computed(&residents),
                threads: residents.iter().map(|resident| (resident.pid, resident.thread.tid)).collect(),
                ranks: ranks_of(residents.iter()),
                further_ranks: 0,
            });
        }
        shared
    }

    /// Sets of CPUs to which more threads are bound at once than there are CPUs: whatever the system does, they share.
    fn overfull(&self) -> Vec<OverfullCpus> {
        let mut masks: BTreeMap<Vec<u64>, Vec<Resident<'_>>> = BTreeMap::new();
        for resident in self.processes.iter().flat_map(|process| residents(process)) {
            let Some(mask) = resident.thread.mask.measured() else { continue };
            masks.entry(mask.words().to_vec()).or_default().push(resident);
        }
        let mut masks: Vec<(CpuSet, Vec<Resident<'_>>)> =
            masks.into_iter().map(|(words, residents)| (CpuSet::from_words(words), residents)).collect();
        masks.arrange_by_key(|(_, residents)| std::cmp::Reverse(residents.len()));
        let mut found = Vec::new();
        for (cpus, _) in masks.iter().take(SETS) {
            let inside = || masks.iter().filter(|(mask, _)| mask.is_subset(cpus)).flat_map(|(_, all)| all);
            let threads = most_at_once(inside().map(|resident| (resident.life, 1)));
            if threads > cpus.len() as u64 {
                let (host, cpus, ranks) = (self.host.to_owned(), cpus.clone(), ranks_of(inside()));
                found.push(OverfullCpus { host, cpus, threads, ranks, further_ranks: 0 });
            }
        }
        found
    }

    /// Memory elsewhere than its threads.
    pub fn remote(&self) -> RemoteSum {
        let mut all = RemoteSum::default();
        for process in &self.processes {
            match remote(self.machine, process) {
                Reading::Unavailable { unavailable } => {
                    all.unknown += 1;
                    all.why_unknown.get_or_insert(unavailable);
                }
                Reading::Measured(of) => {
                    all.known += 1;
                    (all.all, all.elsewhere) = (all.all + of.all, all.elsewhere + of.remote);
                    let Some(most_on) = of.most_on.filter(|_| is_notable(&of)) else { continue };
                    all.notable += 1;
                    let (process, elsewhere) = (process.named(), of.remote);
                    let one =
                        RemoteProcess { process, all: of.all, elsewhere, most_on, threads_on: of.threads_on };
                    all.worst = all.worst.into_iter().chain([one]).max_by(by_part);
                }
            }
        }
        all
    }
}

fn has_several_cores(machine: Option<&Machine>, mask: &CpuSet) -> bool {
    let core = |cpu: CpuId| {
        let known = machine.and_then(|machine| machine.cpu(cpu));
        known.map_or((None, cpu.0), |cpu| (cpu.package, cpu.core))
    };
    mask.iter().map(core).collect::<BTreeSet<_>>().len() > 1
}

fn migrations_of(process: &Process<'_>) -> Reading<u64> {
    let each = Reading::all(process.threads().map(|thread| thread.cpus.as_ref()));
    each.map(|each| sum(each.into_iter().map(|stays| u64::from(stays.migrations))))
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

/// They may run on as many CPUs as they are, so that they are not in each other's way: where they stay on one CPU all the same, something else
/// has the others. Not known where a mask is not.
fn have_room(residents: &[Resident<'_>]) -> bool {
    let masks = residents.iter().map(|resident| resident.thread.mask.measured());
    let all = masks.collect::<Option<Vec<&CpuSet>>>();
    let cpus = all.map(|masks| masks.into_iter().fold(CpuSet::default(), |all, mask| all.union(mask)));
    cpus.is_some_and(|cpus| cpus.len() >= residents.len())
}

/// What all but the busiest computed.
fn others_computed(residents: &[Resident<'_>]) -> Reading<Nanoseconds> {
    let computed = Reading::all(residents.iter().map(|resident| resident.thread.processor.clone()));
    computed.map(|computed| {
        let busiest = computed.iter().max().copied().unwrap_or_default();
        computed.into_iter().fold(Nanoseconds(0), |all, one| all + one).saturating_sub(busiest)
    })
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
