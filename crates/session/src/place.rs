//! Putting the threads of running processes on other CPUs, by the plan that `run` would make for as many tasks, and what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use numawise_facts::notice::PlanNotice;
use numawise_facts::{
    Notice, PlacedProcess, PlacedThread, Reading, Reason, TaskPlacement, TaskSnapshot, ThreadBinding,
    ThreadSnapshot,
};
use numawise_linux::Roots;
use numawise_linux::calls::affinity;
use numawise_linux::proc::tasks;
use numawise_observe::{FindError, SnapshotOptions};
use numawise_units::{Arrange, CpuSet, Pid};

use crate::Error;
use crate::plan::{self, RunRequest};
use crate::watch::{TargetRequest, Targets};

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;

/// A program may start threads while others are placed: those get their starter's CPUs, old or new. After so many rounds it is left alone.
const ROUNDS: usize = 20;

/// Which processes, and where they are to go: each is a task of the plan, in the order of ranks and of process numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceRequest {
    pub targets: TargetRequest,
    /// Only these of their threads; all where there are none.
    pub threads: Vec<Pid>,
    /// What is asked of CPUs, of order and of pinning; without a number of threads the largest that one of the processes has.
    pub on: RunRequest,
}

/// What came of it.
#[derive(Debug)]
pub struct PlacedProcesses {
    /// In the order of the plan's tasks.
    pub processes: Vec<PlacedProcess>,
    pub warnings: Vec<Notice>,
    /// What was asked for and is not there.
    pub missing: Vec<FindError>,
}

/// Places the threads of all processes that are asked for.
///
/// # Errors
/// When no CPUs were asked for or there is no plan for them; when no process, or one of the threads, is not found; where the kernel places
/// none of the threads, why it does not.
pub fn place(request: &PlaceRequest) -> Result<PlacedProcesses, Error> {
    if !request.on.chooses_cpus() {
        return Err(Error::NoCpusAskedFor);
    }
    let mut targets = Targets::new(&request.targets)?;
    let missing = targets.search()?;
    let mut before = snapshot(targets.now()?, false);
    before.arrange_by_key(|task| (task.rank.measured().copied().unwrap_or(u32::MAX), task.pid));
    let threads = threads_to_place(&before, &request.threads)?;
    let programs = u32::try_from(before.len()).unwrap_or(u32::MAX);
    if programs == 0 {
        return Err(Error::Ended);
    }
    let on = RunRequest { threads: request.on.threads.or(Some(threads.most)), ..request.on.clone() };
    let (machine, mut placement) = plan::for_running(&on, programs)?;
    if request.on.threads.is_none() && !threads.as_many_of_each {
        // The plan has more threads than there are.
        placement.warnings.retain(|warning| !is_about_too_many(warning));
    }
    let mut processes = Vec::new();
    for (process, task) in before.iter().zip(&placement.tasks) {
        let planned = Planned { task, pinned: placement.binding == ThreadBinding::Pinned };
        let refusals = set(process.pid, &request.threads, &planned);
        let Some(after) = snapshot(&[process.pid], true).pop() else { continue };
        let threads = placed(process, &after, &refusals);
        let nodes = task.cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
        let memory = after.memory.map(|memory| memory.by_use);
        let (pid, name, cpus) = (process.pid, process.name.clone(), task.cpus.clone());
        processes.push(PlacedProcess { pid, name, cpus, nodes, threads, memory });
    }
    match refused_of_all(&processes) {
        Some((pid, reason)) => Err(Error::NothingPlaced { pid, processes: processes.len(), reason }),
        None if processes.is_empty() => Err(Error::Ended),
        None => Ok(PlacedProcesses { processes, warnings: placement.warnings, missing }),
    }
}

fn snapshot(pids: &[Pid], memory: bool) -> Vec<TaskSnapshot> {
    let options = SnapshotOptions { largest: 0, memory, ..SnapshotOptions::default() };
    numawise_observe::snapshot(pids, &options).tasks
}

/// How many threads are to be placed of each process.
struct ThreadCount {
    most: u32,
    as_many_of_each: bool,
}

fn threads_to_place(processes: &[TaskSnapshot], only: &[Pid]) -> Result<ThreadCount, Error> {
    let threads = |process: &TaskSnapshot| -> BTreeSet<Pid> {
        process.threads.measured().into_iter().flatten().map(|thread| thread.tid).collect()
    };
    let all: Vec<BTreeSet<Pid>> = processes.iter().map(threads).collect();
    if let Some(tid) = only.iter().find(|tid| !all.iter().any(|threads| threads.contains(tid))) {
        return Err(Error::NoSuchThread { tid: *tid });
    }
    let counted = |threads: &BTreeSet<Pid>| threads.iter().filter(|tid| is_meant(only, **tid)).count();
    let counts: BTreeSet<usize> = all.iter().map(counted).collect();
    let most = counts.last().map_or(1, |most| u32::try_from(*most).unwrap_or(u32::MAX));
    Ok(ThreadCount { most: most.max(1), as_many_of_each: counts.len() <= 1 })
}

fn is_about_too_many(warning: &Notice) -> bool {
    matches!(warning, Notice::Plan(PlanNotice::Oversubscribed { .. } | PlanNotice::TaskOversubscribed { .. }))
}

fn is_meant(only: &[Pid], tid: Pid) -> bool {
    only.is_empty() || only.contains(&tid)
}

/// The plan of one process.
struct Planned<'a> {
    task: &'a TaskPlacement,
    pinned: bool,
}

impl Planned<'_> {
    /// Threads beyond those that were planned for have all CPUs of the task.
    fn of(&self, thread: usize) -> CpuSet {
        let own = if self.pinned { self.task.threads.get(thread) } else { None };
        own.unwrap_or(&self.task.cpus).clone()
    }
}

/// The CPUs planned for a thread, and the kernel's refusal of them.
type Set = (CpuSet, Option<String>);

/// Sets the CPUs of each thread, until there is none that was not seen. Threads that end meanwhile are passed over.
fn set(pid: Pid, only: &[Pid], planned: &Planned<'_>) -> BTreeMap<Pid, Set> {
    let mut seen = BTreeMap::new();
    for _ in 0..ROUNDS {
        let Ok(mut threads) = tasks::numbered(&Roots::live().process(pid).join("task")) else { break };
        threads.retain(|tid| is_meant(only, *tid) && !seen.contains_key(tid));
        if threads.is_empty() {
            break;
        }
        threads.arrange_by_key(|tid| (*tid != pid, *tid));
        for tid in threads {
            let cpus = planned.of(seen.len());
            let refusal = affinity::set(tid, &cpus).err().map(|error| refused(&cpus, &error));
            seen.insert(tid, (cpus, refusal));
        }
    }
    seen
}

/// Why the kernel does not place a thread.
fn refused(cpus: &CpuSet, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "it is another user's: its user, or root (CAP_SYS_NICE), may do it".to_owned()
        }
        io::ErrorKind::InvalidInput => format!("its cpuset has none of CPUs {cpus}"),
        _ => error.to_string(),
    }
}

/// Each thread that was placed, and lives, with its CPUs before and after.
fn placed(before: &TaskSnapshot, after: &TaskSnapshot, set: &BTreeMap<Pid, Set>) -> Vec<PlacedThread> {
    let of = |process: &TaskSnapshot, tid: Pid| -> Option<ThreadSnapshot> {
        process.threads.measured()?.iter().find(|thread| thread.tid == tid).cloned()
    };
    let mut threads: Vec<PlacedThread> = set
        .iter()
        .filter_map(|(tid, (planned, refusal))| {
            let now = of(after, *tid)?;
            let before = of(before, *tid)
                .map_or_else(|| Reading::unavailable("it was started meanwhile"), |thread| thread.mask);
            let after = refusal.clone().map_or(now.mask, Reading::unavailable);
            Some(PlacedThread { tid: *tid, name: now.name, planned: planned.clone(), before, after })
        })
        .collect();
    threads.arrange_by_key(|thread| (thread.tid != after.pid, thread.tid));
    threads
}

/// The first refusal, where the kernel refused all.
fn refused_of_all(processes: &[PlacedProcess]) -> Option<(Pid, Reason)> {
    let mut all = processes.iter().flat_map(|one| one.threads.iter().map(move |thread| (one.pid, thread)));
    let (pid, first) = all.next()?;
    let reason = first.after.reason()?.clone();
    all.all(|(_, thread)| thread.after.reason().is_some()).then_some((pid, reason))
}
