//! Threads, a line for each or for those that are alike.

use std::collections::{BTreeMap, HashMap};

use numawise_facts::Reading;
use numawise_tables::{Residency, ShareSpan, TaskResidency, ThreadResidency};
use numawise_units::{Arrange, CpuId, CpuSet, Nanoseconds, NodeId, NodeSet, Pid, harmless};

use crate::document::{Block, Column, Table};
use crate::names::clipped;
use crate::residency::groups::{Group, groups, total};

const NAME: usize = 16;
const LIST: usize = 12;

/// Of one task, or of several together.
pub fn blocks(residency: &Residency, tasks: &[TaskResidency], every_thread: bool) -> Vec<Block> {
    let threads: Vec<&ThreadResidency> =
        tasks.iter().filter_map(|task| task.threads.measured()).flatten().collect();
    if threads.is_empty() {
        let reason = tasks.iter().find_map(|task| task.threads.reason());
        let reason = reason.map_or_else(|| "none was seen".to_owned(), ToString::to_string);
        let text = format!("Its threads: unavailable ({}).", harmless::line(&reason));
        return vec![Block::Legend(text.into())];
    }
    let recent = matches!(residency.span, ShareSpan::BetweenSamples(_));
    let process_of: HashMap<Pid, Pid> = tasks
        .iter()
        .flat_map(|task| task.threads.measured().into_iter().flatten().map(|thread| (thread.tid, task.pid)))
        .collect();
    let mut columns = vec![
        Column::number("PID").expendable(1),
        Column::number("TID"),
        Column::text("name"),
        Column::text("state").expendable(2),
        Column::number("CPU"),
        Column::number("node"),
        Column::text("may run on"),
        Column::number("CPU %"),
        Column::number("CPU time").expendable(3),
        Column::number("migrations"),
        Column::number("faults").expendable(4),
    ];
    let groups = groups(&threads, every_thread);
    let folded = groups.len() < threads.len();
    let mut rows: Vec<Vec<String>> = groups.iter().map(|group| row(group, &process_of, recent)).collect();
    // With one process the title says which.
    if tasks.len() < 2 {
        columns.remove(0);
        rows.iter_mut().for_each(|row| drop(row.remove(0)));
    }
    let rows = rows.into_iter().map(|row| row.into_iter().collect()).collect();
    let mut words = if recent {
        "CPU %, moves to another CPU and faults: between the samples.".to_owned()
    } else {
        "CPU %, moves to another CPU and faults: since each thread began.".to_owned()
    };
    if folded {
        words += " Threads that are alike share a line, with the sums; --threads shows each.";
    }
    vec![Block::Table(Table { columns, rows, most: None }), Block::Legend(words.into())]
}

fn row(group: &Group, process_of: &HashMap<Pid, Pid>, recent: bool) -> Vec<String> {
    let threads = group.threads.as_slice();
    let moves = |thread: &ThreadResidency| {
        if recent { thread.recent_migrations.clone() } else { thread.migrations.clone() }
    };
    let faults = |thread: &ThreadResidency| {
        if recent {
            thread.recent_faults.clone()
        } else {
            Reading::Measured(thread.minor_faults.saturating_add(thread.major_faults))
        }
    };
    let mut processes: Vec<&Pid> = threads.iter().filter_map(|thread| process_of.get(&thread.tid)).collect();
    processes.arrange();
    processes.dedup();
    vec![
        match processes.as_slice() {
            [pid] => pid.to_string(),
            several => format!("{} PIDs", several.len()),
        },
        group.single().map_or_else(|| format!("{} of", threads.len()), |thread| thread.tid.to_string()),
        clipped(&harmless::line(&group.name), NAME),
        states(threads),
        clipped(&cpus(threads), LIST),
        clipped(&nodes(threads), LIST),
        clipped(&group.mask(), LIST + 2),
        known(
            total(threads, |thread| &thread.share, |share| share.0).map(|sum| format!("{:.1}", sum * 100.0)),
        ),
        threads.iter().fold(Nanoseconds(0), |sum, thread| sum + thread.cpu_time).to_string(),
        sum(threads, moves),
        sum(threads, faults),
    ]
}

/// A sum of counts, as far as they are known.
fn sum(threads: &[&ThreadResidency], of: impl Fn(&ThreadResidency) -> Reading<u64>) -> String {
    let mut known = threads.iter().filter_map(|thread| of(thread).measured().copied()).peekable();
    match known.peek() {
        None => "?".to_owned(),
        Some(_) => known.fold(0u64, u64::saturating_add).to_string(),
    }
}

fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| "?".to_owned())
}

/// `R`, or `R3 S1`.
fn states(threads: &[&ThreadResidency]) -> String {
    if let [thread] = threads {
        return harmless::line(&thread.state.to_string());
    }
    let mut numbers: BTreeMap<char, usize> = BTreeMap::new();
    for thread in threads {
        *numbers.entry(thread.state).or_default() += 1;
    }
    let words: Vec<String> =
        numbers.iter().map(|(state, n)| harmless::line(&format!("{state}{n}"))).collect();
    words.join(" ")
}

/// The CPUs where they are; numbers beyond what a set holds are not from a kernel.
fn cpus(threads: &[&ThreadResidency]) -> String {
    let real = |cpu: &CpuId| cpu.0 <= 65_535;
    match threads {
        [thread] => thread.cpu.to_string(),
        _ => threads.iter().map(|thread| thread.cpu).filter(real).collect::<CpuSet>().to_string(),
    }
}

fn nodes(threads: &[&ThreadResidency]) -> String {
    let nodes: NodeSet =
        threads.iter().filter_map(|thread| thread.node).filter(|node: &NodeId| node.0 <= 65_535).collect();
    if nodes.is_empty() { "?".to_owned() } else { nodes.to_string() }
}
