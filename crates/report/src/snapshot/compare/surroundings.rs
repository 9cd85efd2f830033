//! Memory and placement of two runs.

use numawise_facts::Reading;
use numawise_tables::snapshot::{
    BothRuns, ComparedCount, ComparedMemory, ComparedProcess, MemorySpread, ProcessPlacement,
    SnapshotComparison,
};
use numawise_units::{Bytes, CpuSet, Nanoseconds};
use serde_json::{Value, json as object};

use crate::document::{Block, Cell, Column, Row, Table, Text};
use crate::object::reading;
use crate::snapshot::{surroundings, words};

/// What is counted and what memory there is; then each rank.
pub fn blocks(of: &SnapshotComparison) -> Vec<Block> {
    let mut rows: Vec<Row> = of.counts.iter().map(|(name, both)| count(*name, both)).collect();
    rows.extend(of.memory.iter().map(memory));
    let columns = vec![Column::text("what"), Column::number("first"), Column::number("second")];
    let mut blocks = vec![Block::Table(Table { columns, rows, most: None })];
    if !of.processes.is_empty() {
        blocks.push(Block::Table(processes(&of.processes)));
    }
    blocks
}

fn row(name: impl Into<Cell>, first: impl Into<Cell>, second: impl Into<Cell>) -> Row {
    [name.into(), first.into(), second.into()].into_iter().collect()
}

fn count(name: ComparedCount, both: &BothRuns<Reading<u64>>) -> Row {
    let name = match name {
        ComparedCount::Masks => "masks that differ",
        ComparedCount::UnboundThreads => "threads that may run on several cores",
        ComparedCount::MovedThreads => "threads seen on several CPUs",
        ComparedCount::Migrations => "moves of threads",
        ComparedCount::SharedCpus => "CPUs that threads share",
    };
    let cell = |of: &Reading<u64>| Text::of(of, u64::to_string);
    row(name, cell(&both.first), cell(&both.second))
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

fn processes(all: &[ComparedProcess]) -> Table {
    let row = |(number, of): (usize, &ComparedProcess)| {
        let both = |text: &dyn Fn(&ProcessPlacement) -> Text| {
            let cell = |of: &Option<ProcessPlacement>| of.as_ref().map_or_else(|| "-".into(), text);
            let mut all: Text = cell(&of.runs.first);
            all.0.extend(Text::from(" -> ").0);
            all.0.extend(cell(&of.runs.second).0);
            Cell::from(all)
        };
        let name = of.rank.map_or_else(|| format!("process {}", number + 1), |rank| format!("rank {rank}"));
        let cells: [Cell; 5] = [
            name.into(),
            both(&|of| Text::of(&of.mask, CpuSet::to_string)),
            both(&|of| Text::of(&of.run_delay, Nanoseconds::to_string)),
            both(&|of| Text::of(&of.migrations, u64::to_string)),
            both(&|of| Text::of(&of.peak_memory, Bytes::to_string)),
        ];
        cells.into_iter().collect::<Row>()
    };
    let columns = vec![
        Column::text("first -> second"),
        Column::text("may run on CPUs"),
        Column::number("CPU wait"),
        Column::number("migrations").expendable(1),
        Column::number("peak memory"),
    ];
    Table { columns, rows: all.iter().enumerate().map(row).collect(), most: words::limits(8) }
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
pub fn process_json(of: &ComparedProcess) -> Value {
    let side = |of: &Option<ProcessPlacement>| {
        of.as_ref().map(|of| {
            object!({
                "mask": of.mask,
                "run_delay_seconds": reading(&of.run_delay, |delay| object!(delay.seconds())),
                "migrations": of.migrations,
                "peak_bytes": reading(&of.peak_memory, |bytes| object!(bytes.0)),
            })
        })
    };
    object!({ "rank": of.rank, "first": side(&of.runs.first), "second": side(&of.runs.second) })
}
