//! Threads: whether those of a point were on the CPUs that the plan has for them.
//!
//! A mask is what the kernel holds a thread to, so it shows what became of a plan, whoever stood in the way: a sandbox, a program
//! that places its threads itself, one that the library cannot reach. By the rules of that library (`docs/formats/pin-protocol.md`)
//! a thread that a process creates has the CPUs of one thread of the plan, and the main thread too as soon as as many threads are
//! there as the plan has; before, it keeps the CPUs of the whole task. A thread that is seen at its very beginning only may be placed a moment
//! later, and tells nothing.

use std::collections::BTreeMap;

use numawise_facts::notice::{BindingLauncher, PlacementEvidence, StudyNotice};
use numawise_facts::{
    MemoryMode, Observation, Point, PointRole, RankBinding, Study, ThreadBinding, ThreadObservation,
};
use numawise_units::{CpuSet, Nanoseconds, Pid};

use super::reach::out_of_reach;
use crate::inside::workers;
use crate::summary;

#[cfg(test)]
#[path = "threads_tests.rs"]
mod tests;

/// A thread that had worked for less when its mask was read may be at its start still: it is placed a moment after it is there, and on a busy
/// machine a sample comes between.
const BEGINNING: Nanoseconds = Nanoseconds(5_000_000);

/// What was asked at a point and what was found, where most of its trials that show it disagree with the plan.
pub fn not_obeyed(study: &Study, point: &Point) -> Option<StudyNotice> {
    if point.role == PointRole::Baseline || point.plan().binding != ThreadBinding::Pinned {
        return None;
    }
    let asked = Asked::new(study, point);
    let trials: Vec<Vec<Stray>> =
        summary::watched(study, point).filter_map(|observation| asked.strays(observation)).collect();
    let astray = trials.iter().filter(|strays| !strays.is_empty()).count();
    if 2 * astray <= trials.len() {
        return None;
    }
    // The last says it for all: masks differ little between trials.
    let strays = trials.into_iter().rfind(|strays| !strays.is_empty())?;
    let Stray { found, evidence } = most_frequent(strays)?;
    Some(StudyNotice::NotObeyed {
        point: point.id.clone(),
        asked: asked.cpus,
        each: asked.threads.iter().map(|cpus| cpus.len() as u32).max().unwrap_or(0),
        found,
        evidence,
        trials: astray as u32,
    })
}

/// The CPUs that the working threads of the last run of a point that shows it were held to, all together.
pub fn held_to(study: &Study, point: &Point) -> Option<CpuSet> {
    let masks = |observation| -> Option<CpuSet> {
        let workers = workers_of(point, observation)?;
        let masks = workers.iter().filter_map(|thread| thread.mask.measured());
        Some(masks.fold(CpuSet::new(), |all, mask| all.union(mask))).filter(|all| !all.is_empty())
    };
    summary::watched(study, point).filter_map(masks).last()
}

/// The CPUs of threads that the program, or whoever steers it, bound where numawise places nothing.
pub fn bound_by_others(study: &Study) -> Option<StudyNotice> {
    let point = study.header.baseline()?;
    let allowed = &study.header.machine.allowed_cpus;
    let masks_of = |observation| {
        let workers = workers_of(point, observation)?;
        let is_main = |thread: &&&ThreadObservation| thread.tid == thread.pid;
        // A main thread that starts several others may stay as it was: what it did before counts as work.
        let several = workers.iter().filter(|thread| !is_main(thread)).count() > 1;
        let free = |thread: &&&ThreadObservation| thread.mask.measured().is_some_and(|mask| mask == allowed);
        let bound = workers.iter().filter(|thread| !(several && is_main(thread) && free(thread)));
        let masks: Option<Vec<&CpuSet>> = bound.map(|thread| thread.mask.measured()).collect();
        masks.filter(|masks| !masks.is_empty())
    };
    let trials: Vec<Vec<&CpuSet>> = summary::watched(study, point).filter_map(masks_of).collect();
    let narrow = |mask: &&CpuSet| mask.is_subset(allowed) && mask.len() < allowed.len();
    let bound = trials.iter().filter(|masks| masks.iter().all(narrow)).count();
    if 2 * bound <= trials.len() {
        return None;
    }
    let masks = trials.iter().rfind(|masks| masks.iter().all(narrow))?;
    let found = masks.iter().fold(CpuSet::new(), |all, mask| all.union(mask));
    let launcher = match point.ranks.clone() {
        Some(RankBinding::AskedFor { launcher, by }) => {
            Some(BindingLauncher { name: launcher, asked_by: Some(by) })
        }
        Some(RankBinding::LeftToLauncher { launcher, .. }) => {
            Some(BindingLauncher { name: launcher, asked_by: None })
        }
        Some(RankBinding::Planned { .. }) | None => None,
    };
    let (point, allowed) = (point.id.clone(), allowed.clone());
    Some(StudyNotice::BoundByOthers { point, found, allowed, launcher })
}

/// True where a launcher binds the ranks that are compared with those that numawise places. That is the finding then, and not what comes of it: more
/// threads than CPUs, and a gain by pinning them.
pub fn bound_by_launcher(study: &Study) -> bool {
    study.header.baseline().is_some_and(|point| point.ranks.is_some()) && bound_by_others(study).is_some()
}

/// The threads that worked in a run of a point: not those of a launcher, which is what was started and seen first, where the plan is that of its
/// ranks.
fn workers_of<'a>(point: &Point, observation: &'a Observation) -> Option<Vec<&'a ThreadObservation>> {
    let mut workers = workers(observation)?;
    if point.ranks.is_some() {
        let launcher = observation.threads.measured()?.first()?.pid;
        workers.retain(|thread| thread.pid != launcher);
    }
    Some(workers)
}

/// A thread that is not where the plan has it.
#[derive(Debug, Clone, PartialEq)]
struct Stray {
    found: CpuSet,
    evidence: PlacementEvidence,
}

fn most_frequent(strays: Vec<Stray>) -> Option<Stray> {
    let same = |stray: &Stray| strays.iter().filter(|other| *other == stray).count();
    strays.iter().max_by_key(|stray| same(stray)).cloned()
}

/// The CPUs that a point has for its threads, over all its tasks.
struct Asked<'a> {
    point: &'a Point,
    cpus: CpuSet,
    threads: Vec<&'a CpuSet>,
    /// Threads of one task.
    each: usize,
    /// CPU time from which on a mask is the last one that a thread was given.
    settled: Nanoseconds,
}

/// True where a point is another placement even when its threads stay free on the CPUs of their task: these are not all, or its memory
/// lies elsewhere.
fn places_without_pinning(study: &Study, point: &Point) -> bool {
    let allowed = &study.header.machine.allowed_cpus;
    let near = [MemoryMode::Default, MemoryMode::Local];
    point.plan().tasks.iter().any(|task| task.cpus != *allowed || !near.contains(&task.memory.mode))
}

impl<'a> Asked<'a> {
    /// Of a program that takes no library the CPUs of the task are asked, and it is said that its threads are not pinned one by one.
    fn new(study: &Study, point: &'a Point) -> Self {
        let tasks = &point.plan().tasks;
        let is_out_of_reach = out_of_reach(point);
        let threads = if is_out_of_reach && places_without_pinning(study, point) {
            tasks.iter().map(|task| &task.cpus).collect()
        } else {
            tasks.iter().flat_map(|task| &task.threads).collect()
        };
        Asked {
            point,
            cpus: tasks.iter().fold(CpuSet::new(), |all, task| all.union(&task.cpus)),
            threads,
            each: point.threads() as usize,
            // What no library reaches is as it was started.
            settled: if is_out_of_reach { Nanoseconds(0) } else { BEGINNING },
        }
    }

    fn is_of_a_thread(&self, mask: &CpuSet) -> bool {
        self.threads.iter().any(|cpus| mask.is_subset(cpus))
    }

    /// The threads that are not where they should be, when at least half of those that worked are not; empty when the plan was
    /// obeyed, `None` when no mask of a thread at work was seen.
    fn strays(&self, observation: &Observation) -> Option<Vec<Stray>> {
        let mut processes: BTreeMap<Pid, Vec<&ThreadObservation>> = BTreeMap::new();
        for thread in observation.threads.measured()? {
            processes.entry(thread.pid).or_default().push(thread);
        }
        let workers: Vec<(&ThreadObservation, &CpuSet)> = workers_of(self.point, observation)?
            .into_iter()
            .filter(|thread| thread.cpu_time >= self.settled)
            .filter_map(|thread| Some((thread, thread.mask.measured()?)))
            .collect();
        if workers.is_empty() {
            return None;
        }
        let complete = |pid: Pid| {
            let others = processes[&pid].iter().filter(|thread| thread.tid != pid);
            let pinned = |thread: &&&ThreadObservation| {
                thread.mask.measured().is_some_and(|mask| self.is_of_a_thread(mask))
            };
            others.filter(pinned).count() + 1 >= self.each
        };
        let strays = workers.iter().filter_map(|(thread, mask)| {
            let is_main = thread.tid == thread.pid;
            let in_place = if is_main && !complete(thread.pid) {
                mask.is_subset(&self.cpus)
            } else {
                self.is_of_a_thread(mask)
            };
            if !in_place {
                return Some(Stray { found: (*mask).clone(), evidence: PlacementEvidence::Masks });
            }
            // A main thread may have worked elsewhere until it was pinned.
            let elsewhere = seen_outside(thread, mask).filter(|_| !is_main)?;
            Some(Stray { found: elsewhere, evidence: PlacementEvidence::SeenOnCpus })
        });
        let strays: Vec<Stray> = strays.collect();
        Some(if 2 * strays.len() >= workers.len() { strays } else { Vec::new() })
    }
}

/// The CPUs outside of its mask on which a thread spent more time than on those inside.
fn seen_outside(thread: &ThreadObservation, mask: &CpuSet) -> Option<CpuSet> {
    let time = |inside: bool| -> f64 {
        let there = thread.cpu_time_on.iter().filter(|(cpu, _)| mask.contains(*cpu) == inside);
        there.map(|(_, time)| time.seconds()).sum()
    };
    (time(false) > time(true)).then(|| {
        let outside = thread.cpu_time_on.iter().map(|(cpu, _)| *cpu).filter(|cpu| !mask.contains(*cpu));
        outside.collect()
    })
}
