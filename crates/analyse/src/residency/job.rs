//! All tasks together.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_tables::{
    JobResidency, LeftOut, LocalShare, MemoryRow, NodeTotal, Occupant, ShareSpan, SharedCpu, TaskResidency,
    ThreadResidency,
};
use numawise_units::{CpuId, Ratio};

use super::threads::{Clock, sum};
use super::topology::Topology;
use super::{memory, overlaps, remarks};

/// Two threads with less than this of a CPU between them do not wait for each other much.
const LOADED: f64 = 0.9;

const NO_TASKS: &str = "there are no processes to sample";

pub fn job(tasks: &[TaskResidency], clock: &Clock, topology: &Topology) -> JobResidency {
    let memory = rows(tasks, topology.columns().len());
    let mut job = JobResidency {
        by_node: totals(tasks, &memory, topology),
        total: memory.as_ref().map(|rows| rows.iter().map(|row| row.total).sum()),
        memory,
        threads: threads(tasks).count() as u64,
        busy: sum(tasks.iter().map(|task| &task.busy), NO_TASKS),
        local: local(tasks, clock),
        shared_cpus: shared(tasks, topology),
        overlaps: overlaps::overlaps(tasks, topology),
        left_out: left_out(tasks),
        remarks: Vec::new(),
    };
    job.remarks = remarks::remarks(tasks, &job, clock, topology);
    job
}

fn left_out(tasks: &[TaskResidency]) -> LeftOut {
    LeftOut {
        threads: tasks.iter().filter(|task| task.threads.measured().is_none()).count() as u64,
        memory: tasks.iter().filter(|task| task.memory.measured().is_none()).count() as u64,
    }
}

/// All threads that could be read, with their tasks.
fn threads(tasks: &[TaskResidency]) -> impl Iterator<Item = (&TaskResidency, &ThreadResidency)> {
    tasks
        .iter()
        .flat_map(|task| task.threads.measured().into_iter().flatten().map(move |thread| (task, thread)))
}

/// The sums of what could be read.
fn rows(tasks: &[TaskResidency], columns: usize) -> Reading<Vec<MemoryRow>> {
    let mut rows = memory::empty(columns);
    let mut known = false;
    for table in tasks.iter().filter_map(|task| task.memory.measured()) {
        known = true;
        for (row, more) in rows.iter_mut().zip(&table.rows) {
            row.total = row.total + more.total;
            for (sum, more) in row.by_node.iter_mut().zip(&more.by_node) {
                *sum = *sum + *more;
            }
        }
    }
    match (known, tasks.iter().find_map(|task| task.memory.reason())) {
        (true, _) => Reading::Measured(rows),
        (false, Some(reason)) => Reading::Unavailable { unavailable: reason.clone() },
        (false, None) => Reading::unavailable(NO_TASKS),
    }
}

fn totals(tasks: &[TaskResidency], memory: &Reading<Vec<MemoryRow>>, topology: &Topology) -> Vec<NodeTotal> {
    let columns = topology.columns();
    let mut on: Vec<Vec<&ThreadResidency>> = vec![Vec::new(); columns.len()];
    for (_, thread) in threads(tasks) {
        let column = thread.node.and_then(|node| columns.binary_search_by_key(&node, |c| c.node).ok());
        if let Some(column) = column {
            on[column].push(thread);
        }
    }
    let unseen = if tasks.iter().any(|task| task.threads.measured().is_some()) {
        None
    } else {
        Some(tasks.iter().find_map(|task| task.threads.reason()))
    };
    let busy = |here: &[&ThreadResidency]| match (here.is_empty(), &unseen) {
        (true, Some(Some(reason))) => Reading::Unavailable { unavailable: (*reason).clone() },
        (true, Some(None)) => Reading::unavailable(NO_TASKS),
        // Threads were seen, and none is here.
        (true, None) => Reading::Measured(Ratio(0.0)),
        (false, _) => sum(here.iter().map(|thread| &thread.share), NO_TASKS),
    };
    let total = |column: usize| NodeTotal {
        node: columns[column].node,
        threads: on[column].len() as u64,
        busy_threads: on[column].iter().filter(|thread| thread.busy).count() as u64,
        busy: busy(&on[column]),
        memory: memory.as_ref().map(|rows| rows.iter().map(|row| row.by_node[column]).sum()),
    };
    (0..columns.len()).map(total).collect()
}

/// Weighted by the tasks' memory.
fn local(tasks: &[TaskResidency], clock: &Clock) -> Reading<LocalShare> {
    let (mut all, mut near, mut alike) = (0.0, 0.0, 0.0);
    let mut weighed = clock.span();
    for task in tasks {
        if let (Some(memory), Some(local)) = (task.memory.measured(), task.local.measured()) {
            let bytes = memory.total.0 as f64;
            all += bytes;
            near += local.at_most.0 * bytes;
            alike += local.if_alike.0 * bytes;
            if local.weighed == ShareSpan::SinceBegin {
                weighed = ShareSpan::SinceBegin;
            }
        }
    }
    if all > 0.0 {
        let of_all = |part: f64| Ratio((part / all).min(1.0));
        return Reading::Measured(LocalShare { at_most: of_all(near), if_alike: of_all(alike), weighed });
    }
    match tasks.iter().find_map(|task| task.local.reason()) {
        Some(reason) => Reading::Unavailable { unavailable: reason.clone() },
        None => Reading::unavailable(NO_TASKS),
    }
}

fn shared(tasks: &[TaskResidency], topology: &Topology) -> Vec<SharedCpu> {
    let mut on: BTreeMap<CpuId, (usize, Vec<Occupant>)> = BTreeMap::new();
    for (task, thread) in threads(tasks).filter(|(_, thread)| thread.busy) {
        let (runnable, occupants) = on.entry(thread.cpu).or_default();
        *runnable += usize::from(thread.state == 'R');
        occupants.push(Occupant {
            pid: task.pid,
            rank: task.rank.measured().copied(),
            tid: thread.tid,
            name: thread.name.clone(),
            share: thread.share.clone(),
            pinned: thread.mask.measured().is_some_and(|mask| mask.len() == 1),
        });
    }
    on.into_iter()
        .filter(|(_, (_, threads))| threads.len() > 1)
        .map(|(cpu, (runnable, threads))| {
            let load = sum(threads.iter().map(|thread| &thread.share), NO_TASKS);
            let contended = runnable > 1 || load.measured().is_some_and(|load| load.0 >= LOADED);
            SharedCpu { cpu, node: topology.node_of(cpu), load, contended, threads }
        })
        .collect()
}
