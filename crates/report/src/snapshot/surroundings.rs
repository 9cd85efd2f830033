//! What surrounds the processes of a snapshot: the CPUs that they may use and used, how they waited for them, and their memory.

use std::fmt::Display;

use numawise_facts::Reading::{self, Measured};
use numawise_facts::activity::{MemoryByNode, MemoryMoment};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    MemorySpread, MemorySummary, OverfullCpus, PlacedMasks, PlacementSummary, ProcessName, ProcessRow,
    RemoteMemory, RemoteSummary, SharedCpu,
};
use numawise_units::{Bytes, CpuSet, NodeId, Ratio};
use serde_json::{Value, json as object};

use super::figure::{self, When, declare};
use super::processes::{WHO, with_who};
use super::words;
use crate::amount::{many, of_ranks, whose};
use crate::document::{Block, Cell, Column, Fact, Row, Table, Text, section};
use crate::object::{each, reading};

/// CPUs and sets of them that are named.
const NAMED: usize = 8;

/// Where threads ran and memory lies, of each process and over all.
pub fn sections(tables: &RunSnapshot) -> Vec<Block> {
    let mut blocks = Vec::new();
    match &tables.placement {
        Reading::Measured(placement) => {
            let lines = lines(placement);
            blocks.extend((!lines.is_empty()).then_some(Block::List(lines)));
        }
        Reading::Unavailable { unavailable } => {
            blocks.push(Block::Paragraph(Text::unavailable(unavailable.to_string())));
        }
    }
    blocks.push(Block::Table(processes(tables)));
    vec![section("placement", "Placement", blocks), section("memory", "Memory", memory(&tables.memory))]
}

fn ranks(of: &[u32], further: u64) -> String {
    if of.len() == 1 && further == 0 { String::new() } else { of_ranks(of, further) }
}

/// Nodes that are named on one screen.
const NODES: usize = 4;

/// Where threads ran and memory lies, in two lines for one screen.
pub fn in_short(tables: &RunSnapshot) -> [Fact; 2] {
    let fact = |name, text| Fact { name, text, code: false };
    [
        fact("Memory", memory_in_short(tables)),
        fact("Placement", Text::of(&tables.placement, placement_in_short)),
    ]
}

fn append(text: &mut Text, more: impl Into<Text>) {
    text.0.extend(more.into().0);
}

/// Once where they are the same: one process is its own mean.
fn mean_and_most<T: PartialEq + Display>(mean: &T, most: &T, of: &ProcessName) -> String {
    if mean == most { most.to_string() } else { format!("{mean} mean, {most} in {}", whose(of)) }
}

fn memory_in_short(tables: &RunSnapshot) -> Text {
    let spread = |of: &MemorySpread| mean_and_most(&of.mean, &of.most, &of.most_of);
    let mut text = Text::from("peak ");
    append(&mut text, Text::of(&tables.memory.peak, spread));
    match &tables.memory.nodes {
        Reading::Unavailable { unavailable } => {
            append(&mut text, "; by node ");
            append(&mut text, Text::unavailable(unavailable.to_string()));
        }
        Reading::Measured(nodes) => {
            for row in nodes.iter().take(NODES) {
                let host =
                    if tables.processes.hosts > 1 { format!(" of {}", row.host) } else { String::new() };
                append(&mut text, format!("; node {}{host}: ", row.node));
                append(&mut text, Text::of(&row.most, spread));
            }
            if nodes.len() > NODES {
                append(&mut text, format!("; and {} more nodes", nodes.len() - NODES));
            }
        }
    }
    text
}

/// Masks, waiting for CPUs, moves, and CPUs that are shared.
fn placement_in_short(of: &PlacementSummary) -> Text {
    let masks = |of: &PlacedMasks| {
        let cpus =
            if of.least == of.most { of.most.to_string() } else { format!("{} to {}", of.least, of.most) };
        let s = if of.most == 1 { "" } else { "s" };
        match of.sets {
            1 => format!("affinity {cpus} CPU{s}"),
            sets => format!("{sets} affinity masks of {cpus} CPU{s}"),
        }
    };
    let mut text = Text::from("");
    append(&mut text, Text::of(&of.masks, masks));
    append(&mut text, "; CPU wait ");
    append(&mut text, Text::of(&of.run_delays, |of| mean_and_most(&of.mean, &of.most, &of.most_of)));
    append(&mut text, "; migrations ");
    append(&mut text, Text::of(&of.migrations, u64::to_string));
    append(&mut text, "; shared CPUs ");
    append(&mut text, Text::of(&of.migrations, |_| shared_cpus(of)));
    match of.overfull.len() as u64 + of.further_overfull {
        0 => {}
        1 => append(&mut text, "; 1 affinity mask has more threads than CPUs"),
        masks => append(&mut text, format!("; {masks} masks have more threads than CPUs")),
    }
    text
}

/// How many; of very many merged ranks it is not known of all of them whether they count.
fn shared_cpus(of: &PlacementSummary) -> String {
    match (of.shared.len() as u64, of.further_shared) {
        (known, 0) => known.to_string(),
        (known, further) => format!("{known} to {}", known + further),
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
            format!(
                "{} of {} {} seen on more than one CPU{times}",
                of.moved,
                many(of.threads, "thread"),
                if of.moved == 1 { "was" } else { "were" }
            )
            .into(),
        );
    }
    let overfull = |one: &OverfullCpus| {
        let s = if one.cpus.len() == 1 { "" } else { "s" };
        let (threads, ranks) = (one.threads, ranks(&one.ranks, one.further_ranks));
        Text::from(format!("{threads} threads are bound to CPU{s} {} of {}{ranks}", one.cpus, one.host))
    };
    lines.extend(of.overfull.iter().take(NAMED).map(overfull));
    let shared = |cpu: &SharedCpu| {
        let (threads, ranks) = (cpu.count, ranks(&cpu.ranks, cpu.further_ranks));
        Text::from(format!("CPU {} of {} is shared by {threads} threads{ranks}", cpu.cpu, cpu.host))
    };
    let more = |named: usize, further: u64| named.saturating_sub(NAMED) as u64 + further;
    let masks = more(of.overfull.len(), of.further_overfull);
    if masks > 0 {
        lines.push(format!("and to {masks} more sets of CPUs more threads are bound than they have").into());
    }
    lines.extend(of.shared.iter().take(NAMED).map(shared));
    let cpus = more(of.shared.len(), 0);
    match of.further_shared {
        0 if cpus == 0 => {}
        0 => lines.push(format!("and {cpus} more CPUs are shared").into()),
        further => lines.push(format!("and {cpus} to {} more CPUs are shared", cpus + further).into()),
    }
    lines.extend(of.remote.measured().filter(|remote| remote.remote.0 > 0).map(remote_line));
    lines
}

fn remote_line(of: &RemoteSummary) -> Text {
    let mut line = format!(
        "{} of {} of memory {} on nodes where no thread of its process worked",
        of.remote,
        of.all,
        if of.processes == 1 { "was" } else { "in all was" }
    );
    if of.notable > 0 && of.processes > 1 {
        line += &format!("; of {} of {} a quarter or more", of.notable, many(of.processes, "process"));
    }
    if of.unknown > 0 {
        line += &format!("; of {} it is not known", many(of.unknown, "process"));
    }
    line.into()
}

declare! {
    /// Where a process ran.
    pub PLACED: ProcessRow {
        both "mask" Name |of| of.mask.as_ref().map(CpuSet::to_string) => text: "may run on CPUs", compared: 1;
        both "cpus" Name |of| of.seen_on_cpus().map(|cpus| cpus.to_string()) => in_csv: "seen_on_cpus", text: "ran on CPUs";
        both "nodes" Name |of| of.seen_on_nodes().map(|nodes| nodes.to_string()) => in_csv: "seen_on_nodes", text: "nodes";
        both "migrations" Count |of| of.migrations() => number: "migrations", expendable: 2, compared: 3;
        json "switches" Json |of| Measured(object!(of.surroundings.switches));
        csv "voluntary_switches" Count |of| of.surroundings.switches.as_ref().map(|of| of.voluntary);
        csv "forced_switches" Count |of| of.surroundings.switches.as_ref().map(|of| of.forced)
            => number: "CPU taken away", when: When::InPage, at: 101;
        both "run_delay_seconds" Time |of| of.run_delay.clone() => number: "CPU wait", compared: 2;
    }

    /// And its memory.
    pub MEMORY: ProcessRow {
        both "peak_bytes" Bytes |of| of.surroundings.peak_memory.clone() => number: "peak memory", at: 102, compared: 4;
        both "swapped_bytes" Bytes |of| of.surroundings.swapped.clone();
        json "last" Shaped |of| by_node(&of.surroundings.memory, |memory| &memory.last);
        json "most" Shaped |of| by_node(&of.surroundings.memory, |memory| &memory.most)
            => text: "by node", expendable: 1, at: 103;
        json "remote" Json |of| Measured(reading(&of.remote, remote));
        csv "remote_bytes" Bytes |of| of.remote.as_ref().map(|remote| remote.remote);
    }
}

fn by_node(of: &Reading<MemoryByNode>, when: fn(&MemoryByNode) -> &MemoryMoment) -> Reading<(Value, Text)> {
    let nodes = of.as_ref().map(|of| &when(of).by_node);
    let value = reading(&nodes, |all| each(all, |(node, bytes)| object!({ "node": node, "bytes": bytes.0 })));
    let one = |(node, bytes): &(NodeId, Bytes)| format!("node {node}: {bytes}");
    let text = Text::of(&nodes, |all| all.iter().map(one).collect::<Vec<_>>().join(", "));
    Measured((value, text))
}

fn processes(tables: &RunSnapshot) -> Table {
    let figures = [WHO, PLACED, MEMORY];
    let mut table = figure::table(&figures, &tables.rows, words::limits(8), with_who(tables));
    // The widest of all tables: rather the CPUs than the computer.
    table.columns[1].expendable = 3;
    table
}

/// Mean; most, and of which process.
pub fn spread(of: &MemorySpread) -> String {
    format!("{}; {} in {}", of.mean, of.most, whose(&of.most_of))
}

fn memory(of: &MemorySummary) -> Vec<Block> {
    let row = |name: String, last: Cell, most: Cell| [name.into(), last, most].into_iter().collect::<Row>();
    let peak = Text::of(&of.peak, spread);
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
        let (last, most) = (Text::of(&one.last, spread), Text::of(&one.most, spread));
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
    let mut value = figure::object(PLACED, of);
    value["memory"] = figure::object(MEMORY, of);
    value
}

fn remote(of: &RemoteMemory) -> Value {
    let share = Ratio(of.remote.0 as f64 / of.all.0.max(1) as f64);
    object!({ "share": share.0, "bytes": of.remote.0, "threads_on": of.threads_on })
}

fn process_name(of: &ProcessName) -> Value {
    object!({ "rank": of.rank, "host": of.host, "pid": of.pid })
}

/// Over all processes.
pub fn placement_json(tables: &RunSnapshot) -> Value {
    reading(&tables.placement, placement)
}

fn placement(of: &PlacementSummary) -> Value {
    object!({
        "threads": of.threads,
        "unknown": of.unknown,
        "moved": of.moved,
        "migrations": of.migrations,
        "unbound": of.unbound,
        "on_several_nodes": of.on_several_nodes,
        "run_delay_seconds": reading(&of.run_delay, |delay| object!(delay.seconds())),
        "run_delay_by_process": reading(&of.run_delays, |of| object!({
            "mean_seconds": of.mean.seconds(), "most_seconds": of.most.seconds(), "most_of": process_name(&of.most_of),
        })),
        "migrations_by_process": reading(&of.migrations_by_process, |of| object!({
            "mean": of.mean, "most": of.most, "most_of": process_name(&of.most_of),
        })),
        "masks": reading(&of.masks, |of| object!({ "sets": of.sets, "least": of.least, "most": of.most })),
        "shared": each(&of.shared, |cpu| object!({
            "host": cpu.host, "cpu": cpu.cpu, "count": cpu.count, "ranks": cpu.ranks,
            "further_ranks": cpu.further_ranks,
            "threads": each(&cpu.threads, |(pid, tid)| object!({ "pid": pid, "tid": tid })),
        })),
        "overfull": each(&of.overfull, |mask| object!({
            "host": mask.host, "cpus": mask.cpus, "threads": mask.threads, "ranks": mask.ranks,
            "further_ranks": mask.further_ranks,
        })),
        "further_shared": of.further_shared,
        "further_overfull": of.further_overfull,
        "remote": reading(&of.remote, |of| object!({
            "processes": of.processes, "unknown": of.unknown, "bytes": of.all.0, "remote_bytes": of.remote.0,
            "notable": of.notable,
        })),
    })
}

/// Mean, most, and of which process, with the unit.
pub fn spread_json(of: &MemorySpread) -> Value {
    object!({ "mean_bytes": of.mean.0, "most_bytes": of.most.0, "most_of": process_name(&of.most_of) })
}

/// Over all processes.
pub fn memory_json(of: &MemorySummary) -> Value {
    let spread = |of: &Reading<MemorySpread>| reading(of, spread_json);
    object!({
        "peak": spread(&of.peak),
        "nodes": reading(&of.nodes, |nodes| each(nodes, |row| object!({
            "host": row.host, "node": row.node, "last": spread(&row.last), "most": spread(&row.most),
        }))),
    })
}
