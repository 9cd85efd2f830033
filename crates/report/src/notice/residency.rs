//! Texts of the notices of residency.

use numawise_facts::notice::{
    ContendedCpu, NamedTask, NamedThread, RemotePlace, ResidencyNotice, ResidencyPart, UnsuppliedNode,
};
use numawise_units::{Arrange, Bytes, Pid, Ratio};

#[cfg(test)]
#[path = "residency_tests.rs"]
mod tests;

/// As many are named; the others are counted.
const NAMED: usize = 3;
/// Processes that are named where something could not be seen of them.
const NAMED_PIDS: usize = 8;

pub fn text(notice: &ResidencyNotice) -> String {
    match notice {
        ResidencyNotice::PinnedTogether { groups } => {
            let Some((first, rest)) = groups.split_first() else {
                return "Tasks are pinned on the same CPUs".to_owned();
            };
            let ranks: Option<Vec<u32>> = first.tasks.iter().map(|task| task.rank).collect();
            let which = match ranks {
                Some(mut ranks) => {
                    ranks.arrange();
                    format!("Ranks {}", named(&ranks, u32::to_string))
                }
                None => format!("Processes {}", named(&first.tasks, task)),
            };
            let cpus = if first.cpus.len() == 1 { "CPU" } else { "CPUs" };
            let more = match rest.len() {
                0 => String::new(),
                1 => " The same holds for one more such group.".to_owned(),
                n => format!(" The same holds for {n} more such groups."),
            };
            format!(
                "{which} are pinned on the same {cpus} {}, and have more threads at work than CPUs: they wait for \
                 each other while other CPUs may be free.{more} Give each of them CPUs of its own (numawise run \
                 does)",
                first.cpus
            )
        }
        ResidencyNotice::SharedCpus { cpus } => shared_cpus(cpus),
        ResidencyNotice::RemoteMemory { places } => remote_memory(places),
        ResidencyNotice::ThreadsWithoutMemory { places } => {
            let place = |UnsuppliedNode { task: of, node, cpu_time, local, total }: &UnsuppliedNode| {
                let (time, here) = (cpu_time.percent(), percent(*local, *total));
                format!(
                    "{} uses {time} of its CPU time on node {node}, where {here} of its memory lies",
                    task(of)
                )
            };
            let more = match places.len().saturating_sub(NAMED) {
                0 => String::new(),
                n => format!("; and {n} more"),
            };
            format!("Threads have hardly any local memory: {}{more}", first(places, place))
        }
        ResidencyNotice::ManyMigrations { tasks, span } => {
            let Some((first, rest)) = tasks.split_first() else {
                return "Busy threads are moved from CPU to CPU".to_owned();
            };
            let more = match rest.len() {
                0 => String::new(),
                n => format!(", and so do those of {n} more"),
            };
            format!(
                "Busy threads of {} moved to another CPU {} times in {span}{more}: pinned, they would keep their caches",
                task(&first.task),
                first.moves
            )
        }
        ResidencyNotice::Unavailable { part: of, tasks, reason } => {
            let whose = match tasks.as_slice() {
                [] => String::new(),
                [pid] => format!(" of process {pid}"),
                [first, ..] => format!(" of {} processes (the first is {first})", tasks.len()),
            };
            format!("{}{whose}: {reason}", part(*of))
        }
        ResidencyNotice::UnavailableInSamples { part: of, tasks, reason, missing, samples } => {
            let times = if missing < samples {
                format!(" (in {missing} of {samples} samples)")
            } else {
                String::new()
            };
            format!("{}{}: {reason}{times}", part(*of), whose(tasks))
        }
    }
}

/// What is unavailable, as tables call it.
fn part(part: ResidencyPart) -> &'static str {
    match part {
        ResidencyPart::Threads => "threads",
        ResidencyPart::Memory => "memory",
        ResidencyPart::LocalShare => "local share",
        ResidencyPart::ThreadMasks => "masks of threads",
        ResidencyPart::ThreadMigrations => "migrations of threads",
        ResidencyPart::ThreadShares => "shares of threads",
        ResidencyPart::RemoteDistance => "distance of remote memory",
        ResidencyPart::CpuShares => "shares of CPUs",
    }
}

fn shared_cpus(all: &[ContendedCpu]) -> String {
    let thread = |thread: &NamedThread| match thread.rank {
        Some(rank) => format!("{} ({}, rank {rank})", thread.name, thread.tid),
        None => format!("{} ({})", thread.name, thread.tid),
    };
    let which = |shared: &ContendedCpu| format!("CPU {}: {}", shared.cpu, named(&shared.threads, thread));
    let cpus = if all.len() == 1 { "1 CPU is".to_owned() } else { format!("{} CPUs are", all.len()) };
    let more = if all.len() > NAMED { "; ..." } else { "" };
    let pinned = all.iter().any(|shared| shared.threads.iter().filter(|thread| thread.pinned).count() > 1);
    let why = if pinned { ". Some of these threads are pinned there and cannot move away" } else { "" };
    format!(
        "{cpus} shared by two or more busy threads, which get a part of it each ({}{more}){why}",
        first(all, which)
    )
}

fn remote_memory(all: &[RemotePlace]) -> String {
    let place = |place: &RemotePlace| {
        let away = match place.nearest {
            Some((nearest, distance)) => {
                format!(", {:.1} times as far from node {nearest} as local memory", distance.0)
            }
            None => String::new(),
        };
        let share = percent(place.bytes, place.total);
        format!("{} has {} ({share}) on node {}{away}", task(&place.task), place.bytes, place.node)
    };
    let rest: Bytes = all.iter().skip(NAMED).map(|place| place.bytes).sum();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!("; and {rest} more in {n} more places"),
    };
    let may = if all.iter().all(|place| !place.may_run) {
        "where none of its threads runs or may run"
    } else {
        "where none of its threads runs"
    };
    format!("Memory is remote, on a node {may}: {}{more}", first(all, place))
}

/// `rank 3 (app, 1234)` or `app (1234)`.
fn task(task: &NamedTask) -> String {
    match task.rank {
        Some(rank) => format!("rank {rank} ({}, {})", task.name, task.pid),
        None => format!("{} ({})", task.name, task.pid),
    }
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

/// The first of several, in words.
fn first<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    all.iter().take(NAMED).map(one).collect::<Vec<_>>().join("; ")
}

fn whose(tasks: &[Pid]) -> String {
    let mut text = String::new();
    for (k, pid) in tasks.iter().take(NAMED_PIDS).enumerate() {
        text += &format!("{} {pid}", if k == 0 { " of" } else { "," });
    }
    if tasks.len() > NAMED_PIDS {
        text += &format!(" and {} more", tasks.len() - NAMED_PIDS);
    }
    text
}

fn percent(part: Bytes, whole: Bytes) -> String {
    match whole.0 {
        0 => "0.0 %".to_owned(),
        whole => Ratio(part.0 as f64 / whole as f64).percent(),
    }
}
