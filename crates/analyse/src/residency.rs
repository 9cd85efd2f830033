//! Where a job's threads and pages are: one or two samples at its processes, joined with the machine.

mod job;
mod local;
mod memory;
mod notes;
mod overlaps;
mod remarks;
#[cfg(test)]
pub(crate) mod sample;
mod threads;
mod topology;

use std::collections::HashMap;

use numawise_facts::{Machine, Reading, Snapshot, TaskSnapshot, ThreadSnapshot};
use numawise_tables::{Residency, TaskResidency};
use numawise_units::{Arrange, Nanoseconds, Pid};

use threads::{Clock, SampledThread, busy};
use topology::Topology;

#[cfg(test)]
#[path = "residency_tests.rs"]
mod tests;

/// What one sample tells, or what two tell: shares of CPUs are meant between them. Processes and threads are the same in both
/// samples when their number and their start are.
pub fn residency(now: &Snapshot, before: Option<&Snapshot>, machine: &Machine) -> Residency {
    let topology = Topology::new(machine, now);
    let clock = Clock::new(now, before);
    let earlier: HashMap<(Pid, Nanoseconds), &TaskSnapshot> = before
        .into_iter()
        .flat_map(|sample| &sample.tasks)
        .map(|task| ((task.pid, task.started), task))
        .collect();
    let mut tasks: Vec<TaskResidency> = now
        .tasks
        .iter()
        .map(|task| one(task, earlier.get(&(task.pid, task.started)).copied(), &clock, &topology))
        .collect();
    tasks.arrange_by_key(|task| {
        let rank = task.rank.measured().copied();
        (rank.is_none(), rank, task.pid)
    });
    let job = job::job(&tasks, &clock, &topology);
    let notes = notes::notes(&tasks, &clock, before);
    Residency {
        at: now.at,
        unix_time: now.unix_time,
        span: clock.span(),
        nodes: topology.columns().to_vec(),
        tasks,
        job,
        notes,
        rehearsal: machine.rehearsal(),
    }
}

/// What was seen of each of these threads before. As a rule the same threads are there, in the same order.
fn earlier<'a>(before: &'a [ThreadSnapshot], now: &[ThreadSnapshot]) -> Vec<Option<&'a ThreadSnapshot>> {
    let who = |thread: &ThreadSnapshot| (thread.tid, thread.started);
    if before.iter().map(who).eq(now.iter().map(who)) {
        return before.iter().map(Some).collect();
    }
    let known: HashMap<(Pid, Nanoseconds), &ThreadSnapshot> =
        before.iter().map(|thread| (who(thread), thread)).collect();
    now.iter().map(|thread| known.get(&who(thread)).copied()).collect()
}

/// One process.
fn one(
    task: &TaskSnapshot,
    before: Option<&TaskSnapshot>,
    clock: &Clock,
    topology: &Topology,
) -> TaskResidency {
    let threads_before = before.and_then(|task| task.threads.measured()).map_or(&[][..], Vec::as_slice);
    let seen: Reading<Vec<SampledThread>> = task.threads.as_ref().map(|threads| {
        let mut seen: Vec<SampledThread> = threads
            .iter()
            .zip(earlier(threads_before, threads))
            .map(|(thread, before)| threads::thread(thread, before, clock, topology))
            .collect();
        seen.arrange_by_key(|seen| seen.row.tid);
        seen
    });
    let weights = local::weights(&seen, clock.span());
    let memory = task.memory.as_ref().map(|memory| memory::table(memory, topology.columns()));
    let mask = threads::mask(&seen);
    TaskResidency {
        pid: task.pid,
        parent: task.parent,
        name: task.name.clone(),
        command: task.command.clone(),
        user: task.user,
        rank: task.rank.clone(),
        started: task.started,
        busy: busy(&seen),
        working: seen.as_ref().map(|seen| threads::working(seen).count() as u64),
        runs_on: weights.as_ref().map(|weights| weights.nodes()),
        time_by_node: weights.as_ref().map(|weights| weights.columns(topology)),
        local: local::share(&memory, &weights, topology),
        remote: local::remote(&memory, &weights, &mask, topology),
        mask,
        threads: seen.map(|seen| seen.into_iter().map(|seen| seen.row).collect()),
        memory,
    }
}
