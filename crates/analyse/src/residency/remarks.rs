//! What stands out, in sentences.

use std::collections::HashSet;

use numawise_facts::{PageUse, Reading};
use numawise_tables::{FarMemory, JobResidency, MemoryTable, Remark, RemarkKind, SharedCpu, TaskResidency};
use numawise_units::{Bytes, Nanoseconds, Pid, Ratio};

use super::apart;
use super::job::percent;
use super::threads::Clock;
use super::topology::Topology;

/// Less memory than this, or a smaller share of a task's, is not worth a sentence.
const FAR_BYTES: Bytes = Bytes::mib(1);
const FAR_SHARE: f64 = 0.01;
/// A node with at least this share of a task's CPU time ...
const TIME: f64 = 0.1;
/// ... and less than this part of the pages that it would have in proportion, for tasks with so much memory.
const PROPORTION: f64 = 0.25;
const OWN_BYTES: Bytes = Bytes::mib(16);
/// Moves of a busy thread in a second. The kernel balances load at most every few milliseconds, and a program that has
/// CPUs of its own hardly moves at all.
const MOVES: f64 = 10.0;
/// As many are named; the others are counted.
const NAMED: usize = 3;

pub fn remarks(
    tasks: &[TaskResidency],
    job: &JobResidency,
    clock: &Clock,
    topology: &Topology,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    remarks.extend(pinned_together(tasks, job));
    remarks.extend(shared_cpus(job));
    remarks.extend(far_memory(tasks));
    remarks.extend(threads_without_memory(tasks, topology));
    remarks.extend(migrations(tasks, clock));
    remarks
}

fn pinned_together(tasks: &[TaskResidency], job: &JobResidency) -> Option<Remark> {
    let crowded: Vec<_> = job.overlaps.iter().filter(|overlap| overlap.crowded).collect();
    let (first, rest) = crowded.split_first()?;
    let which = if first.ranks.len() == first.tasks.len() {
        format!("Ranks {}", named(&first.ranks, |rank| rank.to_string()))
    } else {
        format!("Processes {}", named(&first.tasks, |pid| called(tasks, *pid)))
    };
    let cpus = if first.cpus.len() == 1 { "CPU" } else { "CPUs" };
    let more = match rest.len() {
        0 => String::new(),
        1 => " The same holds for one more such group.".to_owned(),
        n => format!(" The same holds for {n} more such groups."),
    };
    let text = format!(
        "{which} are pinned on the same {cpus} {}, and have more threads at work than CPUs: they wait for each other \
         while other CPUs may be free.{more} Give each of them CPUs of its own (numawise run does).",
        first.cpus
    );
    Some(Remark {
        kind: RemarkKind::PinnedTogether,
        text,
        tasks: unique(crowded.iter().flat_map(|overlap| overlap.tasks.iter().copied())),
    })
}

fn shared_cpus(job: &JobResidency) -> Option<Remark> {
    let all: Vec<&SharedCpu> = job.shared_cpus.iter().filter(|shared| shared.contended).collect();
    if all.is_empty() {
        return None;
    }
    let which = |shared: &&SharedCpu| {
        let threads = named(&shared.threads, |thread| match thread.rank {
            Some(rank) => format!("{} ({}, rank {rank})", thread.name, thread.tid),
            None => format!("{} ({})", thread.name, thread.tid),
        });
        format!("CPU {}: {threads}", shared.cpu)
    };
    let cpus = if all.len() == 1 { "1 CPU is".to_owned() } else { format!("{} CPUs are", all.len()) };
    let shown: Vec<String> = all.iter().take(NAMED).map(which).collect();
    let more = if all.len() > NAMED { "; ..." } else { "" };
    let pinned = all.iter().any(|shared| shared.threads.iter().filter(|thread| thread.pinned).count() > 1);
    let why = if pinned { " Some of these threads are pinned there and can not move away." } else { "" };
    Some(Remark {
        kind: RemarkKind::SharedCpus,
        text: format!(
            "{cpus} shared by two or more busy threads, which get a part of it each ({}{more}).{why}",
            shown.join("; ")
        ),
        tasks: unique(all.iter().flat_map(|shared| shared.threads.iter().map(|thread| thread.pid))),
    })
}

/// Pages of files do not count: they lie where some program read the file first.
fn own(far: &FarMemory) -> Bytes {
    far.bytes - far.file
}

fn far_memory(tasks: &[TaskResidency]) -> Option<Remark> {
    let mut all: Vec<(&TaskResidency, &FarMemory, &MemoryTable)> = Vec::new();
    for task in tasks {
        if let (Some(far), Some(memory)) = (task.far.measured(), task.memory.measured()) {
            all.extend(
                far.iter().filter(|far| is_much(own(far), memory.total)).map(|far| (task, far, memory)),
            );
        }
    }
    all.sort_by_key(|(_, far, _)| std::cmp::Reverse(own(far)));
    if all.is_empty() {
        return None;
    }
    let one = |(task, far, memory): &(&TaskResidency, &FarMemory, &MemoryTable)| {
        let away = match (&far.distance, far.nearest) {
            (Reading::Measured(distance), Some(nearest)) => {
                format!(", {:.1} times as far from node {nearest} as its own memory", distance.0)
            }
            _ => String::new(),
        };
        let share = percent(far.bytes, memory.total);
        format!("{} has {} ({share}) on node {}{away}", in_words(task), far.bytes, far.node)
    };
    let shown: Vec<String> = all.iter().take(NAMED).map(one).collect();
    let rest: Bytes = all.iter().skip(NAMED).map(|(_, far, _)| far.bytes).sum();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!("; and {rest} more in {n} more places"),
    };
    let may = if all.iter().all(|(_, far, _)| !far.may_run) {
        "where none of its threads runs or may run"
    } else {
        "where none of its threads runs"
    };
    Some(Remark {
        kind: RemarkKind::FarMemory,
        text: format!("Memory is far from the threads, on a node {may}: {}{more}.", shown.join("; ")),
        tasks: unique(all.iter().map(|(task, _, _)| task.pid)),
    })
}

fn is_much(bytes: Bytes, of: Bytes) -> bool {
    bytes >= FAR_BYTES && bytes.0 as f64 >= FAR_SHARE * of.0 as f64
}

fn threads_without_memory(tasks: &[TaskResidency], topology: &Topology) -> Option<Remark> {
    let mut shown = Vec::new();
    let mut about = Vec::new();
    for task in tasks {
        // Memory that is far from all threads has its own sentence.
        let is_far = |far: &FarMemory, memory: &MemoryTable| is_much(own(far), memory.total);
        let (Some(memory), Some(far), Some(times)) =
            (task.memory.measured(), task.far.measured(), task.time_by_node.measured())
        else {
            continue;
        };
        if far.iter().any(|far| is_far(far, memory)) {
            continue;
        }
        let own: Vec<Bytes> = (0..memory.by_node.len()).map(|column| own_pages(memory, column)).collect();
        let total: Bytes = own.iter().copied().sum();
        if total < OWN_BYTES {
            continue;
        }
        for (column, Ratio(time)) in topology.columns().iter().zip(times) {
            let (node, time) = (column.node, *time);
            let near = |column: &usize| topology.local_to(*column).contains(node);
            let here: Bytes = (0..own.len()).filter(near).map(|column| own[column]).sum();
            if time >= TIME && (here.0 as f64) < PROPORTION * time * total.0 as f64 {
                shown.push(format!(
                    "{} uses {} of its CPU time on node {node}, where {} of its memory lies",
                    in_words(task),
                    Ratio(time).percent(),
                    percent(here, total)
                ));
                about.push(task.pid);
            }
        }
    }
    let more = match shown.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!("; and {n} more"),
    };
    let named = shown.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    (!shown.is_empty()).then(|| Remark {
        kind: RemarkKind::ThreadsWithoutMemory,
        text: format!("Threads have hardly any memory beside them: {named}{more}."),
        tasks: unique(about.into_iter()),
    })
}

/// Without the pages of files.
fn own_pages(memory: &MemoryTable, column: usize) -> Bytes {
    let rows = memory.rows.iter().filter(|row| row.used_for != PageUse::File);
    rows.map(|row| row.by_node[column]).sum()
}

fn migrations(tasks: &[TaskResidency], clock: &Clock) -> Option<Remark> {
    let span: Nanoseconds = apart(clock.span())?;
    let mut moving: Vec<(&TaskResidency, u64)> = Vec::new();
    for task in tasks {
        let busy = task.threads.measured().into_iter().flatten().filter(|thread| thread.busy);
        let known: Vec<u64> =
            busy.filter_map(|thread| thread.recent_migrations.measured().copied()).collect();
        let moves: u64 = known.iter().sum();
        if !known.is_empty() && moves as f64 >= MOVES * known.len() as f64 * span.seconds().max(1.0) {
            moving.push((task, moves));
        }
    }
    moving.sort_by_key(|(_, moves)| std::cmp::Reverse(*moves));
    let (task, moves) = moving.first()?;
    let more = match moving.len() - 1 {
        0 => String::new(),
        n => format!(", and so do those of {n} more"),
    };
    Some(Remark {
        kind: RemarkKind::ManyMigrations,
        text: format!(
            "Busy threads of {} moved to another CPU {moves} times in {span}{more}: pinned, they would keep their caches.",
            in_words(task)
        ),
        tasks: unique(moving.iter().map(|(task, _)| task.pid)),
    })
}

/// `rank 3 (app, 1234)` or `app (1234)`.
fn in_words(task: &TaskResidency) -> String {
    match task.rank.measured() {
        Some(rank) => format!("rank {rank} ({}, {})", task.name, task.pid),
        None => format!("{} ({})", task.name, task.pid),
    }
}

fn called(tasks: &[TaskResidency], pid: Pid) -> String {
    tasks.iter().find(|task| task.pid == pid).map_or_else(|| pid.to_string(), in_words)
}

/// `0 and 1`, `0, 1, 2 and 5 more`.
fn named<T>(all: &[T], name: impl Fn(&T) -> String) -> String {
    let names: Vec<String> = all.iter().take(NAMED).map(name).collect();
    match (names.split_last(), all.len().saturating_sub(NAMED)) {
        (None, _) => String::new(),
        (Some((last, [])), 0) => last.clone(),
        (Some((last, others)), 0) => format!("{} and {last}", others.join(", ")),
        (Some(_), more) => format!("{} and {more} more", names.join(", ")),
    }
}

/// In the order of their first appearance.
fn unique(pids: impl Iterator<Item = Pid>) -> Vec<Pid> {
    let mut seen = HashSet::new();
    pids.filter(|pid| seen.insert(*pid)).collect()
}
