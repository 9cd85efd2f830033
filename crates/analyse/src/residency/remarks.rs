//! What stands out, as notices.

use numawise_facts::notice::{
    ContendedCpu, MovedTask, NamedTask, NamedThread, PinnedGroup, RemotePlace, ResidencyNotice,
    UnsuppliedNode,
};
use numawise_facts::{PageUse, Reading};
use numawise_tables::{JobResidency, MemoryTable, RemoteMemory, SharedCpu, TaskResidency};
use numawise_units::{Arrange, Bytes, Nanoseconds, Pid, Ratio};

use super::threads::Clock;
use super::topology::Topology;

/// Less memory than this, or a smaller share of a task's, is not worth a notice.
const REMOTE_BYTES: Bytes = Bytes::mib(1);
const REMOTE_SHARE: f64 = 0.01;
/// A node with at least this share of a task's CPU time ...
const TIME: f64 = 0.1;
/// ... and less than this part of the pages that it would have in proportion, for tasks with so much memory.
const PROPORTION: f64 = 0.25;
const LEAST_TOTAL: Bytes = Bytes::mib(16);
/// Moves of a busy thread in a second. The kernel balances load at most every few milliseconds, and a program that has
/// CPUs of its own hardly moves at all.
const MOVES: f64 = 10.0;

pub fn remarks(
    tasks: &[TaskResidency],
    job: &JobResidency,
    clock: &Clock,
    topology: &Topology,
) -> Vec<ResidencyNotice> {
    let all = [
        pinned_together(tasks, job),
        shared_cpus(job),
        remote_memory(tasks),
        threads_without_memory(tasks, topology),
        migrations(tasks, clock),
    ];
    all.into_iter().flatten().collect()
}

fn named(task: &TaskResidency) -> NamedTask {
    NamedTask { pid: task.pid, name: task.name.clone(), rank: task.rank.measured().copied() }
}

fn pinned_together(tasks: &[TaskResidency], job: &JobResidency) -> Option<ResidencyNotice> {
    let called = |pid: &Pid| tasks.iter().find(|task| task.pid == *pid).map(named);
    let groups: Vec<PinnedGroup> = (job.overlaps.iter())
        .filter(|overlap| overlap.oversubscribed)
        .map(|overlap| PinnedGroup {
            cpus: overlap.cpus.clone(),
            tasks: overlap.tasks.iter().filter_map(called).collect(),
        })
        .collect();
    (!groups.is_empty()).then_some(ResidencyNotice::PinnedTogether { groups })
}

fn shared_cpus(job: &JobResidency) -> Option<ResidencyNotice> {
    let one = |shared: &SharedCpu| ContendedCpu {
        cpu: shared.cpu,
        threads: (shared.threads.iter())
            .map(|thread| NamedThread {
                pid: thread.pid,
                tid: thread.tid,
                name: thread.name.clone(),
                rank: thread.rank,
                pinned: thread.pinned,
            })
            .collect(),
    };
    let cpus: Vec<ContendedCpu> = job.shared_cpus.iter().filter(|shared| shared.contended).map(one).collect();
    (!cpus.is_empty()).then_some(ResidencyNotice::SharedCpus { cpus })
}

/// Pages of files do not count: they lie where some program read the file first.
fn without_files(remote: &RemoteMemory) -> Bytes {
    remote.bytes - remote.file
}

fn remote_memory(tasks: &[TaskResidency]) -> Option<ResidencyNotice> {
    let mut all: Vec<(&TaskResidency, &RemoteMemory, &MemoryTable)> = Vec::new();
    for task in tasks {
        if let (Some(remote), Some(memory)) = (task.remote.measured(), task.memory.measured()) {
            let much = remote.iter().filter(|remote| is_much(without_files(remote), memory.total));
            all.extend(much.map(|remote| (task, remote, memory)));
        }
    }
    all.arrange_by_key(|(_, remote, _)| std::cmp::Reverse(without_files(remote)));
    let place = |(task, remote, memory): (&TaskResidency, &RemoteMemory, &MemoryTable)| RemotePlace {
        task: named(task),
        node: remote.node,
        bytes: remote.bytes,
        total: memory.total,
        may_run: remote.may_run,
        nearest: match (&remote.distance, remote.nearest) {
            (Reading::Measured(distance), Some(nearest)) => Some((nearest, *distance)),
            _ => None,
        },
    };
    let places: Vec<RemotePlace> = all.into_iter().map(place).collect();
    (!places.is_empty()).then_some(ResidencyNotice::RemoteMemory { places })
}

fn is_much(bytes: Bytes, of: Bytes) -> bool {
    bytes >= REMOTE_BYTES && bytes.0 as f64 >= REMOTE_SHARE * of.0 as f64
}

fn threads_without_memory(tasks: &[TaskResidency], topology: &Topology) -> Option<ResidencyNotice> {
    let mut places = Vec::new();
    for task in tasks {
        let (Some(memory), Some(remote), Some(times)) =
            (task.memory.measured(), task.remote.measured(), task.time_by_node.measured())
        else {
            continue;
        };
        // Memory that is remote for all threads has its own notice.
        if remote.iter().any(|remote| is_much(without_files(remote), memory.total)) {
            continue;
        }
        let pages: Vec<Bytes> = (0..memory.by_node.len()).map(|column| pages(memory, column)).collect();
        let total: Bytes = pages.iter().copied().sum();
        if total < LEAST_TOTAL {
            continue;
        }
        for (column, Ratio(time)) in topology.columns().iter().zip(times) {
            let (node, time) = (column.node, *time);
            let near = |column: &usize| topology.local_to(*column).contains(node);
            let local: Bytes = (0..pages.len()).filter(near).map(|column| pages[column]).sum();
            if time >= TIME && (local.0 as f64) < PROPORTION * time * total.0 as f64 {
                places.push(UnsuppliedNode { task: named(task), node, cpu_time: Ratio(time), local, total });
            }
        }
    }
    (!places.is_empty()).then_some(ResidencyNotice::ThreadsWithoutMemory { places })
}

/// Without the pages of files.
fn pages(memory: &MemoryTable, column: usize) -> Bytes {
    let rows = memory.rows.iter().filter(|row| row.used_for != PageUse::File);
    rows.map(|row| row.by_node[column]).sum()
}

fn migrations(tasks: &[TaskResidency], clock: &Clock) -> Option<ResidencyNotice> {
    let span: Nanoseconds = clock.apart()?;
    let mut moving: Vec<MovedTask> = Vec::new();
    for task in tasks {
        let busy = task.threads.measured().into_iter().flatten().filter(|thread| thread.busy);
        let known: Vec<u64> =
            busy.filter_map(|thread| thread.recent_migrations.measured().copied()).collect();
        let moves: u64 = known.iter().sum();
        if !known.is_empty() && moves as f64 >= MOVES * known.len() as f64 * span.seconds().max(1.0) {
            moving.push(MovedTask { task: named(task), moves });
        }
    }
    moving.arrange_by_key(|moved| std::cmp::Reverse(moved.moves));
    (!moving.is_empty()).then_some(ResidencyNotice::ManyMigrations { tasks: moving, span })
}
