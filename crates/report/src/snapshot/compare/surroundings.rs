//! Memory and placement of two runs.

use numawise_facts::Reading;
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    ComparedMemory, ComparedProcess, MemorySpread, PlacementSummary, ProcessRow,
};
use serde_json::{Value, json as object};

use super::Compared;
use crate::document::{Block, Cell, Column, Row, Table, Text};
use crate::object::reading;
use crate::snapshot::Shown;
use crate::snapshot::figure;
use crate::snapshot::surroundings::{self, MEMORY, PLACED};

/// What is counted and what memory there is; then each rank.
pub fn blocks(compared: &Compared) -> Vec<Block> {
    let of = compared.comparison;
    let [first, second] = compared.sides.each_ref().map(|side| counts(side.tables));
    let cell = |of: &Reading<u64>| Text::of(of, u64::to_string);
    let both = first.iter().zip(&second);
    let mut rows: Vec<Row> =
        both.map(|((_, title, first), (.., second))| row(*title, cell(first), cell(second))).collect();
    rows.extend(of.memory.iter().map(memory));
    let columns = vec![Column::text("what"), Column::number("first"), Column::number("second")];
    let mut blocks = vec![Block::Table(Table { columns, rows, most: None })];
    if !of.processes.is_empty() {
        blocks.push(Block::Table(processes(compared)));
    }
    blocks
}

fn row(name: impl Into<Cell>, first: impl Into<Cell>, second: impl Into<Cell>) -> Row {
    [name.into(), first.into(), second.into()].into_iter().collect()
}

/// What is counted of a run, by the names in JSON.
fn counts(run: &RunSnapshot) -> [(&'static str, &'static str, Reading<u64>); 5] {
    let of = run.placement.as_ref();
    // Of threads, where some were seen.
    let seen = |count: fn(&PlacementSummary) -> u64| {
        of.clone().and_then(|of| of.migrations.as_ref().map(|_| count(of)))
    };
    [
        ("masks", "masks that differ", of.clone().and_then(|of| of.masks.as_ref().map(|masks| masks.sets))),
        (
            "unbound_threads",
            "threads that may run on several cores",
            of.clone().and_then(|of| of.unbound.clone()),
        ),
        ("moved_threads", "threads seen on several CPUs", seen(|of| of.moved)),
        ("migrations", "moves of threads", of.clone().and_then(|of| of.migrations.clone())),
        ("shared_cpus", "CPUs that threads share", seen(|of| of.shared.len() as u64)),
    ]
}

pub fn counts_json(first: &RunSnapshot, second: &RunSnapshot) -> Value {
    let both = counts(first).into_iter().zip(counts(second));
    both.map(|((name, _, first), (.., second))| object!({ "name": name, "first": first, "second": second }))
        .collect()
}

fn memory(of: &ComparedMemory) -> Row {
    let name = match &of.node {
        None => "peak memory of processes: mean; most".to_owned(),
        Some((host, node)) if host.is_empty() => format!("on node {node}"),
        Some((host, node)) => format!("on node {node} of {host}"),
    };
    let cell = |of: &Option<Reading<MemorySpread>>| match of {
        Some(spread) => Text::of(spread, |of| format!("{}; {}", of.mean, of.most)),
        None => Text::from("none"),
    };
    row(name, cell(&of.runs.first), cell(&of.runs.second))
}

fn processes(compared: &Compared) -> Table {
    let row = |(number, of): (usize, &ComparedProcess)| {
        let name = of.rank.map_or_else(|| format!("process {}", number + 1), |rank| format!("rank {rank}"));
        (name, sides(compared, of))
    };
    figure::compared(&[PLACED, MEMORY], compared.comparison.processes.iter().enumerate().map(row).collect())
}

fn sides<'a>(compared: &'a Compared, of: &ComparedProcess) -> [Option<&'a ProcessRow>; 2] {
    let row = |side: &Shown<'a>, number: Option<usize>| side.tables.rows.get(number?);
    let [first, second] = &compared.sides;
    [row(first, of.runs.first), row(second, of.runs.second)]
}

/// Of one node, or of all.
pub fn memory_json(of: &ComparedMemory) -> Value {
    let side = |of: &Option<Reading<MemorySpread>>| {
        of.as_ref().map(|spread| reading(spread, surroundings::spread_json))
    };
    let host = of.node.as_ref().map(|(host, _)| host).filter(|host| !host.is_empty());
    object!({
        "host": host, "node": of.node.as_ref().map(|(_, node)| node),
        "first": side(&of.runs.first), "second": side(&of.runs.second),
    })
}

/// Of one rank.
pub fn process_json(compared: &Compared, of: &ComparedProcess) -> Value {
    let [first, second] = sides(compared, of).map(|row| figure::compared_json(&[PLACED, MEMORY], row));
    object!({ "rank": of.rank, "first": first, "second": second })
}
