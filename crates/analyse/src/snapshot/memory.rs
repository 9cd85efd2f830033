//! Memory of processes by node, and where that is as seen from their threads.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::activity::MemoryByNode;
use numawise_facts::{Machine, MergedRanks, Reading, ThreadActivity};
use numawise_tables::snapshot::{MemorySpread, MemorySummary, NodeMemoryRow, ProcessName, RemoteMemory};
use numawise_units::{Bytes, CpuId, NodeId, NodeSet};

use super::Run;
use super::process::Process;

/// A node with less of a process's processor time than this is one that its threads came by.
const AT_WORK: f64 = 0.05;
/// Memory elsewhere: a quarter of it, and no less than counts anywhere (as for files, NW056 and NW058).
const ELSEWHERE: f64 = 0.25;
const NOTABLE: Bytes = Bytes::mib(16);

/// Over all processes that count: the most of each, and each node.
pub fn summary(run: &Run<'_>) -> MemorySummary {
    if let Some(of) = run.parts.merged {
        return of_merged(of);
    }
    let peaks = run.processes.iter().map(|of| (of, of.activity.surroundings.peak_memory.clone()));
    MemorySummary { peak: spread(peaks), nodes: nodes(run) }
}

fn of_merged(merged: &MergedRanks) -> MemorySummary {
    let of = &merged.memory;
    let missing = merged.ranks.saturating_sub(of.known);
    let peak = match &of.most {
        Some((most, name)) if missing == 0 && of.sum.0 < u64::MAX => Reading::Measured(MemorySpread {
            mean: Bytes(of.sum.0 / of.known.max(1)),
            most: *most,
            most_of: ProcessName {
                host: name.host.clone(),
                pid: name.pid,
                rank: Some(name.rank),
                world: None,
            },
        }),
        _ => Reading::unavailable(format!("it is not known of {missing} of {} ranks", merged.ranks)),
    };
    MemorySummary { peak, nodes: Reading::unavailable("ranks are merged without their memory by node") }
}

/// Mean and most. Where that of one process is missing, so is the mean.
fn spread<'a>(of: impl Iterator<Item = (&'a Process<'a>, Reading<Bytes>)>) -> Reading<MemorySpread> {
    let mut all: Vec<(Bytes, ProcessName)> = Vec::new();
    for (process, bytes) in of {
        match bytes {
            Reading::Measured(bytes) => all.push((bytes, process.named())),
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        }
    }
    let sum = all.iter().fold(0u128, |sum, (bytes, _)| sum + u128::from(bytes.0));
    let count = all.len() as u128;
    match all.into_iter().max_by_key(|(bytes, _)| *bytes) {
        Some((most, most_of)) => {
            Reading::Measured(MemorySpread { mean: Bytes((sum / count) as u64), most, most_of })
        }
        None => Reading::unavailable("no process was watched"),
    }
}

fn nodes(run: &Run<'_>) -> Reading<Vec<NodeMemoryRow>> {
    let mut hosts: BTreeMap<&str, Vec<&Process<'_>>> = BTreeMap::new();
    for process in &run.processes {
        if let Reading::Unavailable { unavailable } = &process.activity.surroundings.memory {
            return Reading::unavailable(format!("{}: {unavailable}", process.name()));
        }
        hosts.entry(&process.activity.host).or_default().push(process);
    }
    let mut rows = Vec::new();
    for (host, processes) in hosts {
        let all = processes.iter().filter_map(|process| memory_of(process));
        let used: BTreeSet<NodeId> = all
            .flat_map(|memory| memory.last.by_node.iter().chain(&memory.most.by_node))
            .map(|(node, _)| *node)
            .collect();
        for node in used {
            let on = |by_node: &[(NodeId, Bytes)]| {
                by_node.iter().find(|(of, _)| *of == node).map_or(Bytes(0), |(_, bytes)| *bytes)
            };
            let each =
                |at: fn(&MemoryByNode) -> &[(NodeId, Bytes)]| {
                    spread(processes.iter().filter_map(|process| {
                        Some((*process, Reading::Measured(on(at(memory_of(process)?)))))
                    }))
                };
            rows.push(NodeMemoryRow {
                host: host.to_owned(),
                node,
                last: each(|memory| &memory.last.by_node),
                most: each(|memory| &memory.most.by_node),
            });
        }
    }
    Reading::Measured(rows)
}

fn memory_of<'a>(process: &Process<'a>) -> Option<&'a MemoryByNode> {
    process.activity.surroundings.memory.measured()
}

/// Nodes on which the threads of a process worked: by their processor time where they were sampled, else where they were found.
pub fn nodes_of_threads(machine: &Machine, threads: &[&ThreadActivity]) -> Reading<NodeSet> {
    let mut times: BTreeMap<NodeId, u64> = BTreeMap::new();
    let mut found = NodeSet::new();
    for thread in threads {
        let cpus: Vec<(CpuId, u64)> = match (&thread.cpu_time_on, &thread.cpus) {
            (Reading::Measured(on), _) => on.iter().map(|(cpu, time)| (*cpu, time.0)).collect(),
            (_, Reading::Measured(stays)) => stays.cpus.iter().map(|(cpu, _)| (*cpu, 0)).collect(),
            (_, Reading::Unavailable { unavailable }) => {
                return Reading::Unavailable { unavailable: unavailable.clone() };
            }
        };
        let sampled = thread.cpu_time_on.measured().is_some();
        for (cpu, time) in cpus {
            let Some(node) = machine.node_of(cpu) else {
                return Reading::unavailable("the nodes of the CPUs are not known");
            };
            if sampled {
                let sum = times.entry(node).or_default();
                *sum = sum.saturating_add(time);
            } else {
                found.insert(node);
            }
        }
    }
    let all = times.values().fold(0u64, |sum, time| sum.saturating_add(*time)) as f64;
    found = times.iter().filter(|(_, time)| **time as f64 >= AT_WORK * all).fold(
        found,
        |mut found, (node, _)| {
            found.insert(*node);
            found
        },
    );
    if found.is_empty() { Reading::unavailable("no thread was watched") } else { Reading::Measured(found) }
}

/// So much is elsewhere that it is worth saying.
pub fn is_notable(of: &RemoteMemory) -> bool {
    of.remote >= NOTABLE && of.remote.0 as f64 >= ELSEWHERE * of.all.0.max(1) as f64
}

/// How much of a process's memory, when it had most, was on nodes with CPUs on which none of its threads worked.
pub fn remote(machine: Option<&Machine>, process: &Process<'_>) -> Reading<RemoteMemory> {
    let Some(machine) = machine else {
        return Reading::unavailable("the nodes of its computer are not known");
    };
    let with_cpus = machine.nodes.iter().filter(|node| !node.cpus.is_empty()).count();
    if with_cpus < 2 {
        return Reading::unavailable("the computer has one node with CPUs");
    }
    let memory = process.activity.surroundings.memory.as_ref();
    memory.zip(nodes_of_threads(machine, &process.working())).and_then(|(memory, threads_on)| {
        // Memory of nodes without CPUs is chosen on purpose, or is nearest to these threads too.
        let has_cpus = |node: NodeId| machine.node(node).is_some_and(|node| !node.cpus.is_empty());
        let by_node = &memory.most.by_node;
        let elsewhere = || by_node.iter().filter(|(node, _)| !threads_on.contains(*node) && has_cpus(*node));
        Reading::Measured(RemoteMemory {
            all: memory.most.total(),
            remote: elsewhere().map(|(_, bytes)| *bytes).sum(),
            most_on: elsewhere().max_by_key(|(_, bytes)| *bytes).map(|(node, _)| *node),
            threads_on,
        })
    })
}
