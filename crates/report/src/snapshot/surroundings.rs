//! What surrounds the processes of a snapshot: the CPUs that they may use and used, how they waited for them, and their memory.

use numawise_facts::Reading;
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    MemorySpread, MemorySummary, OverfullCpu, OverfullMask, PlacementSummary, ProcessName, ProcessRow,
    RemoteMemory,
};
use numawise_units::{Bytes, CpuSet, NodeId, NodeSet, Ratio};
use serde_json::{Value, json as object};

use super::words;
use crate::document::{Block, Cell, Column, Face, Row, Table, Text, section};
use crate::object::{each, reading};

/// CPUs and sets of them that are named.
const NAMED: usize = 8;

/// Where threads ran and memory lies, of each process and over all.
pub fn sections(tables: &RunSnapshot) -> Vec<Block> {
    let lines = lines(&tables.placement);
    let mut blocks = vec![Block::Table(processes(tables))];
    if !lines.is_empty() {
        blocks.insert(0, Block::List(lines));
    }
    vec![section("placement", "Placement", blocks), section("memory", "Memory", memory(&tables.memory))]
}

fn ranks(of: &[u32]) -> String {
    match of {
        [] | [_] => String::new(),
        _ => format!(" (ranks {})", of.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Nothing where threads are alone on their CPUs.
fn lines(of: &PlacementSummary) -> Vec<Text> {
    let mut lines: Vec<Text> = Vec::new();
    if of.moved > 0 {
        let times = of.migrations.measured().map_or_else(String::new, |times| {
            format!(", {times} move{} in all", if *times == 1 { "" } else { "s" })
        });
        lines.push(
            format!("{} of {} threads were seen on more than one CPU{times}", of.moved, of.threads).into(),
        );
    }
    let overfull = |one: &OverfullMask| {
        let s = if one.cpus.len() == 1 { "" } else { "s" };
        let (threads, ranks) = (one.threads, ranks(&one.ranks));
        Text::from(format!("{threads} threads are bound to CPU{s} {} of {}{ranks}", one.cpus, one.host))
    };
    lines.extend(of.overfull.iter().take(NAMED).map(overfull));
    let shared = |cpu: &OverfullCpu| {
        let (threads, ranks) = (cpu.threads.len(), ranks(&cpu.ranks));
        Text::from(format!("CPU {} of {} is shared by {threads} threads{ranks}", cpu.cpu, cpu.host))
    };
    lines.extend(of.shared.iter().take(NAMED).map(shared));
    if of.shared.len() > NAMED {
        lines.push(format!("and {} more CPUs are shared", of.shared.len() - NAMED).into());
    }
    lines
}

/// The CPUs on which the threads of a process were seen.
fn cpus(of: &ProcessRow) -> Reading<CpuSet> {
    of.threads.as_ref().and_then(|threads| {
        let each = Reading::all(threads.iter().map(|thread| thread.cpus.as_ref()));
        each.map(|each| each.into_iter().flatten().map(|stay| stay.cpu).collect())
    })
}

/// Their nodes.
fn nodes(of: &ProcessRow) -> Reading<NodeSet> {
    of.threads.as_ref().and_then(|threads| {
        let each = Reading::all(threads.iter().map(|thread| thread.nodes.as_ref()));
        each.map(|each| each.into_iter().flat_map(NodeSet::iter).collect())
    })
}

/// How often threads were found on another CPU than before.
fn migrations(of: &ProcessRow) -> Reading<u64> {
    of.threads.as_ref().and_then(|threads| {
        let each = Reading::all(threads.iter().map(|thread| thread.migrations.as_ref()));
        each.map(|each| each.into_iter().fold(0, |sum: u64, moves| sum.saturating_add(*moves)))
    })
}

fn by_node(of: &[(NodeId, Bytes)]) -> String {
    of.iter().map(|(node, bytes)| format!("node {node}: {bytes}")).collect::<Vec<_>>().join(", ")
}

fn processes(tables: &RunSnapshot) -> Table {
    let rows = tables.rows.iter().map(|row| {
        let cells: [Cell; 11] = [
            words::reading(&row.rank, u32::to_string).into(),
            row.host.as_str().into(),
            row.pid.to_string().into(),
            words::reading(&row.mask, CpuSet::to_string).into(),
            words::reading(&cpus(row), CpuSet::to_string).into(),
            words::reading(&nodes(row), NodeSet::to_string).into(),
            words::reading(&migrations(row), u64::to_string).into(),
            words::time(&row.run_delay).into(),
            words::reading(&row.switches, |switches| switches.forced.to_string()).into(),
            words::reading(&row.memory.peak, Bytes::to_string).into(),
            words::reading(&row.memory.most, |most| by_node(most)).into(),
        ];
        cells.into_iter().collect::<Row>()
    });
    let only_page = |is_shown: bool, column: Column| {
        if is_shown { column } else { Column { only: Some(Face::Html), ..column } }
    };
    let has_ranks = tables.rows.iter().any(|row| row.rank.measured().is_some());
    let columns = vec![
        only_page(has_ranks, Column::number("rank")),
        only_page(tables.processes.hosts > 1, Column::text("computer")),
        Column::number("process"),
        Column::text("may run on CPUs"),
        Column::text("ran on CPUs"),
        Column::text("nodes"),
        Column::number("moves").expendable(2),
        Column::number("no CPU for"),
        only_page(false, Column::number("CPU taken away")),
        Column::number("peak memory"),
        Column::text("by node").expendable(1),
    ];
    Table { columns, rows: rows.collect(), most: words::limits(8) }
}

fn whose(of: &ProcessName) -> String {
    match of.rank {
        Some(rank) => format!("rank {rank}"),
        None => format!("process {}", of.pid),
    }
}

fn memory(of: &MemorySummary) -> Vec<Block> {
    let spread = |of: &MemorySpread| format!("{}; {} in {}", of.mean, of.most, whose(&of.most_of));
    let row = |name: String, last: Cell, most: Cell| [name.into(), last, most].into_iter().collect::<Row>();
    let peak = words::reading(&of.peak, spread);
    let mut rows = vec![row("all".to_owned(), "".into(), peak.into())];
    let nodes = match &of.nodes {
        Reading::Measured(nodes) => nodes.as_slice(),
        Reading::Unavailable { unavailable } => {
            let missing = || Text::unavailable(unavailable.to_string());
            rows.push(row("by node".to_owned(), missing().into(), missing().into()));
            &[]
        }
    };
    rows.extend(nodes.iter().map(|one| {
        let (last, most) = (words::reading(&one.last, spread), words::reading(&one.most, spread));
        row(format!("node {} of {}", one.node, one.host), last.into(), most.into())
    }));
    let columns = vec![
        Column::text("memory of processes: mean; most"),
        Column::number("at the last look"),
        Column::number("at their most"),
    ];
    vec![Block::Table(Table { columns, rows, most: words::limits(8) })]
}

/// Of one process.
pub fn process_json(of: &ProcessRow) -> Value {
    let amounts = |of: &Reading<Vec<(NodeId, Bytes)>>| {
        reading(of, |all| each(all, |(node, bytes)| object!({ "node": node, "bytes": bytes.0 })))
    };
    let bytes = |of: &Reading<Bytes>| reading(of, |bytes| object!(bytes.0));
    object!({
        "mask": of.mask,
        "cpus": cpus(of),
        "nodes": nodes(of),
        "migrations": migrations(of),
        "switches": of.switches,
        "run_delay_seconds": reading(&of.run_delay, |delay| object!(delay.seconds())),
        "memory": {
            "peak_bytes": bytes(&of.memory.peak),
            "swapped_bytes": bytes(&of.memory.swapped),
            "last": amounts(&of.memory.last),
            "most": amounts(&of.memory.most),
            "remote": reading(&of.remote, remote),
        },
    })
}

fn remote(of: &RemoteMemory) -> Value {
    let share = Ratio(of.remote.0 as f64 / of.all.0.max(1) as f64);
    object!({ "share": share.0, "bytes": of.remote.0, "threads_on": of.threads_on })
}

/// Over all processes.
pub fn placement_json(tables: &RunSnapshot) -> Value {
    let of = &tables.placement;
    object!({
        "threads": of.threads,
        "unknown": of.unknown,
        "moved": of.moved,
        "migrations": of.migrations,
        "unbound": of.unbound,
        "on_several_nodes": of.on_several_nodes,
        "run_delay_seconds": reading(&of.run_delay, |delay| object!(delay.seconds())),
        "shared": each(&of.shared, |cpu| object!({
            "host": cpu.host, "cpu": cpu.cpu, "ranks": cpu.ranks,
            "threads": each(&cpu.threads, |(pid, tid)| object!({ "pid": pid, "tid": tid })),
        })),
        "overfull": each(&of.overfull, |mask| object!({
            "host": mask.host, "cpus": mask.cpus, "threads": mask.threads, "ranks": mask.ranks,
        })),
    })
}

/// Over all processes.
pub fn memory_json(of: &MemorySummary) -> Value {
    let spread = |of: &Reading<MemorySpread>| {
        reading(of, |of| {
            object!({
                "mean_bytes": of.mean.0, "most_bytes": of.most.0,
                "most_of": { "rank": of.most_of.rank, "host": of.most_of.host, "pid": of.most_of.pid },
            })
        })
    };
    object!({
        "peak": spread(&of.peak),
        "nodes": reading(&of.nodes, |nodes| each(nodes, |row| object!({
            "host": row.host, "node": row.node, "last": spread(&row.last), "most": spread(&row.most),
        }))),
    })
}
