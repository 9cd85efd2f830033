//! Threads of running processes that were put on other CPUs: a document for the terminal, and JSON.

use numawise_facts::{PlacedProcess, PlacedThread, Reading};
use numawise_units::{Bytes, CpuSet, NodeSet};
use serde_json::{Value, json};

use crate::document::{Block, Column, Document, Opening, Row, Table};

#[cfg(test)]
#[path = "placed_tests.rs"]
mod tests;

/// Name and version of the JSON; `docs/formats/place-json.md` says what it holds.
pub const SCHEMA: &str = "numawise/place/1";

/// As JSON.
pub fn json(all: &[PlacedProcess]) -> Value {
    let thread = |one: &PlacedThread| {
        json!({
            "tid": one.tid,
            "name": one.name,
            "planned": one.planned,
            "before": one.before,
            "after": one.after,
        })
    };
    let process = |one: &PlacedProcess| {
        json!({
            "pid": one.pid,
            "name": one.name,
            "cpus": one.cpus,
            "nodes": one.nodes,
            "threads": one.threads.iter().map(thread).collect::<Vec<_>>(),
            "remote_memory": one.remote_memory().map(|remote| -> Vec<Value> {
                remote.iter().map(|(node, bytes)| json!({ "node": node, "bytes": bytes })).collect()
            }),
        })
    };
    json!({ "schema": SCHEMA, "processes": all.iter().map(process).collect::<Vec<_>>() })
}

/// As a document.
pub fn document(all: &[PlacedProcess]) -> Document {
    let threads = || all.iter().flat_map(|one| &one.threads);
    let placed = threads().filter(|thread| thread.after.measured().is_some()).count();
    let cpus = threads()
        .filter_map(|thread| thread.after.measured())
        .fold(CpuSet::default(), |all, cpus| all.union(cpus));
    let of = match all {
        [one] => whose(one),
        several => format!("{} processes", several.len()),
    };
    let headline = format!(
        "Placed {placed} {} of {of} on {} {cpus}",
        plural(placed, "thread"),
        plural(cpus.len(), "CPU")
    );
    let mut blocks = vec![Block::Table(table(all))];
    blocks.extend(all.iter().flat_map(lines).map(|line| Block::Paragraph(line.into())));
    Document {
        tool: "numawise place",
        title: headline.clone(),
        opening: Opening { headline, ..Opening::default() },
        blocks,
        charts: None,
        width: 120,
    }
}

fn whose(one: &PlacedProcess) -> String {
    format!("{} ({})", one.name, one.pid)
}

fn plural(number: usize, noun: &str) -> String {
    if number == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// A row for all threads of a process where all had and have the same CPUs, else one for each.
fn table(all: &[PlacedProcess]) -> Table {
    let cell = |of: &Reading<CpuSet>| match of {
        Reading::Measured(cpus) => cpus.to_string(),
        // Below stands why.
        Reading::Unavailable { .. } => "unavailable".to_owned(),
    };
    let rows = all.iter().flat_map(|one| {
        let same = |a: &PlacedThread, b: &PlacedThread| a.before == b.before && a.after == b.after;
        let groups: Vec<&[PlacedThread]> = one.threads.chunk_by(same).collect();
        let row = |group: &[PlacedThread]| -> Option<Row> {
            let (first, last) = (group.first()?, group.last()?);
            let tids = if group.len() == 1 {
                first.tid.to_string()
            } else {
                format!("{} to {} ({})", first.tid, last.tid, group.len())
            };
            Some([whose(one), tids, cell(&first.before), cell(&first.after)].into_iter().collect())
        };
        groups.into_iter().filter_map(row).collect::<Vec<_>>()
    });
    let columns = vec![
        Column::text("process"),
        Column::text("threads"),
        Column::text("CPUs before"),
        Column::text("CPUs now"),
    ];
    Table { columns, rows: rows.collect(), most: None }
}

/// What is not as planned, and memory that is elsewhere.
fn lines(one: &PlacedProcess) -> Vec<String> {
    let name = whose(one);
    let mut lines = Vec::new();
    for thread in one.threads.iter().filter(|thread| !thread.is_where_planned()) {
        let (tid, planned) = (thread.tid, &thread.planned);
        lines.push(match &thread.after {
            Reading::Measured(cpus) => format!(
                "{name}: of the planned CPUs {planned} thread {tid} has {cpus}: its cpuset leaves the others out, or somebody else has \
                 placed it since."
            ),
            Reading::Unavailable { unavailable } => format!("{name}: thread {tid} is not known to be on CPUs {planned}: {unavailable}."),
        });
    }
    match one.remote_memory() {
        Reading::Measured(remote) if !remote.is_empty() => {
            let from: NodeSet = remote.iter().map(|(node, _)| *node).collect();
            let bytes = Bytes(remote.iter().map(|(_, bytes)| bytes.0).sum());
            let (pid, nodes) = (one.pid, &one.nodes);
            lines.push(format!(
                "{name}: {bytes} of its memory (files and shared memory left out) are on node {from}, its CPUs on node {nodes}. This moves them there:"
            ));
            // By itself, so that no line is broken in it.
            lines.push(format!("numawise move {pid} {from} {nodes}"));
        }
        Reading::Measured(_) => {}
        Reading::Unavailable { unavailable } => {
            lines
                .push(format!("{name}: whether its memory is near to its CPUs is not known: {unavailable}."));
        }
    }
    lines
}
