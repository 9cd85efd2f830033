//! Memory by use and node, as `numastat -p` has it, and what rules it.

use numawise_facts::{MappingSnapshot, PolicyShare, Reading};
use numawise_tables::{MemoryRow, Residency, TaskResidency};
use numawise_units::{Bytes, Ratio, harmless};

use super::{called, places};
use crate::document::{Block, Column, Row, Table};
use crate::names::{clipped, end};

/// As numastat has it, which writes MB for it.
const UNIT: &str = "MiB";
/// As many policies at most.
const POLICIES: usize = 8;

pub fn of_task(residency: &Residency, task: &TaskResidency, width: usize) -> Vec<Block> {
    let memory = match &task.memory {
        Reading::Measured(memory) => memory,
        Reading::Unavailable { unavailable } => {
            let text = format!("Its memory: unavailable ({}).", harmless::line(&unavailable.to_string()));
            return vec![Block::Legend(text.into())];
        }
    };
    let mut lines = uses(&memory.rows);
    lines.push(Line::new("total".to_owned(), &memory.by_node, memory.total));
    if let Some(times) = task.time_by_node.measured() {
        let of = |share: &Ratio| format!("{:.1} %", share.0 * 100.0);
        let cells = times.iter().map(of).collect();
        lines.push(Line { name: "CPU time".to_owned(), cells, total: String::new() });
    }
    let times = task.time_by_node.measured();
    let runs = |column: usize| times.is_some_and(|times| times[column].0 > 0.0);
    let used = used(&memory.by_node, runs);
    let mut blocks = by_use(residency, &used, &lines, width);
    blocks.extend(policies(&memory.policies, width));
    blocks.extend(mappings(&memory.largest, memory.mappings, width));
    blocks
}

pub fn of_job(residency: &Residency, width: usize) -> Vec<Block> {
    let Some(rows) = residency.job.memory.measured() else {
        return Vec::new();
    };
    let by_node: Vec<Bytes> =
        (0..residency.nodes.len()).map(|column| rows.iter().map(|row| row.by_node[column]).sum()).collect();
    let total = residency.job.total.measured().copied().unwrap_or_default();
    let mut lines = uses(rows);
    lines.push(Line::new("total".to_owned(), &by_node, total));
    let used = used(&by_node, |_| false);
    let mut blocks = by_use(residency, &used, &lines, width);
    let of_task = |task: &TaskResidency| {
        let memory = task.memory.measured()?;
        Some(Line::new(clipped(&called(task), 24), &memory.by_node, memory.total))
    };
    let lines: Vec<Line> = residency.tasks.iter().filter_map(of_task).collect();
    blocks.extend(by_node_tables(residency, &used, &lines, width));
    blocks
}

/// A table with a column for each node and one for the total; in parts where that is too wide. Columns without anything are
/// then left out.
fn by_node_tables(residency: &Residency, used: &[bool], lines: &[Line], width: usize) -> Vec<Block> {
    let room = room(lines, width);
    let kept = kept(used, room);
    let mut parts: Vec<&[usize]> = kept.chunks(room).collect();
    // The total stands in the last part, or in one of its own.
    if parts.last().is_none_or(|part| part.len() == room) {
        parts.push(&[]);
    }
    let last = parts.len() - 1;
    let mut blocks = Vec::new();
    for (k, part) in parts.into_iter().enumerate() {
        let mut columns = vec![Column::text(UNIT)];
        columns.extend(
            part.iter().map(|column| Column::number(format!("node {}", residency.nodes[*column].node))),
        );
        if k == last {
            columns.push(Column::number("total"));
        }
        let row = |line: &Line| {
            let cells = part.iter().map(|column| line.cells[*column].clone());
            let total = (k == last).then(|| line.total.clone());
            std::iter::once(line.name.clone()).chain(cells).chain(total).collect::<Row>()
        };
        let rows = lines.iter().map(row).collect();
        blocks.push(Block::Table(Table { columns, rows, most: None }));
    }
    blocks.extend(left_out(residency, kept.len()));
    blocks
}

/// A table with a column for each use and a line for each node, where the other way round is too wide.
fn by_use(residency: &Residency, used: &[bool], lines: &[Line], width: usize) -> Vec<Block> {
    let room = room(lines, width);
    if used.len() < room {
        return by_node_tables(residency, used, lines, width);
    }
    let kept = kept(used, room);
    let mut columns = vec![Column::text(UNIT)];
    columns.extend(lines.iter().map(|line| Column::number(line.name.clone())));
    let row = |column: &usize| {
        let name = format!("node {}", residency.nodes[*column].node);
        std::iter::once(name).chain(lines.iter().map(|line| line.cells[*column].clone())).collect::<Row>()
    };
    let mut rows: Vec<Row> = kept.iter().map(row).collect();
    let totals = lines.iter().map(|line| line.total.clone());
    rows.push(std::iter::once("total".to_owned()).chain(totals).collect());
    let mut blocks = vec![Block::Table(Table { columns, rows, most: None })];
    blocks.extend(left_out(residency, kept.len()));
    blocks
}

fn left_out(residency: &Residency, kept: usize) -> Option<Block> {
    let all = residency.nodes.len();
    (kept < all).then(|| Block::Legend(format!("{} of {all} nodes have none of it.", all - kept).into()))
}

fn policies(policies: &[PolicyShare], width: usize) -> Vec<Block> {
    if policies.is_empty() {
        return Vec::new();
    }
    let row = |share: &PolicyShare| -> Row {
        let total: Bytes = share.by_node.iter().map(|(_, bytes)| *bytes).sum();
        [
            harmless::line(&share.policy),
            share.mappings.to_string(),
            total.to_string(),
            places(&share.by_node, width),
        ]
        .into_iter()
        .collect()
    };
    let columns = vec![
        Column::text("policy"),
        Column::number("mappings").expendable(2),
        Column::number("memory").expendable(1),
        Column::text("on nodes"),
    ];
    let rows = policies.iter().take(POLICIES).map(row).collect();
    let mut blocks = vec![Block::Table(Table { columns, rows, most: None })];
    if policies.len() > POLICIES {
        blocks.push(Block::Legend(format!("and {} more policies", policies.len() - POLICIES).into()));
    }
    blocks
}

fn mappings(largest: &[MappingSnapshot], all: u64, width: usize) -> Vec<Block> {
    if largest.is_empty() {
        return Vec::new();
    }
    let row = |mapping: &MappingSnapshot| -> Row {
        [
            format!("{:012x}", mapping.address),
            mapping.page.to_string(),
            mapping.resident().to_string(),
            harmless::line(&mapping.policy),
            places(&mapping.by_node, width),
            match &mapping.file {
                Some(file) => end(&harmless::line(file), 24),
                None => mapping.used_for.to_string(),
            },
        ]
        .into_iter()
        .collect()
    };
    let columns = vec![
        Column::text("address").expendable(3),
        Column::number("page").expendable(2),
        Column::number("memory"),
        Column::text("policy").expendable(1),
        Column::text("on nodes"),
        Column::text("what"),
    ];
    let table = Table { columns, rows: largest.iter().map(row).collect(), most: None };
    let mut blocks = vec![Block::Table(table)];
    if largest.len() as u64 != all {
        blocks.push(Block::Legend(format!("The largest {} of {all} mappings.", largest.len()).into()));
    }
    blocks
}

/// A line of a table by node.
struct Line {
    name: String,
    /// One for each node.
    cells: Vec<String>,
    total: String,
}

impl Line {
    fn new(name: String, by_node: &[Bytes], total: Bytes) -> Self {
        Line { name, cells: by_node.iter().map(|bytes| mib(*bytes)).collect(), total: mib(total) }
    }
}

fn uses(rows: &[MemoryRow]) -> Vec<Line> {
    rows.iter().map(|row| Line::new(row.used_for.to_string(), &row.by_node, row.total)).collect()
}

/// How many columns there is room for, the total among them.
fn room(lines: &[Line], width: usize) -> usize {
    let length = |text: &String| text.chars().count();
    let first = lines.iter().map(|line| length(&line.name)).max().unwrap_or(0).max(UNIT.len());
    let cells = lines.iter().flat_map(|line| line.cells.iter().chain([&line.total]));
    let widest = cells.map(length).chain(["node 99".len()]).max().unwrap_or(0);
    (width.saturating_sub(first) / (widest + 2)).max(2)
}

/// All nodes where there is room for them and the total, and else those with something.
fn kept(used: &[bool], room: usize) -> Vec<usize> {
    let fits = used.len() < room;
    (0..used.len()).filter(|column| fits || used[*column]).collect()
}

/// Which nodes have pages or threads.
fn used(by_node: &[Bytes], runs: impl Fn(usize) -> bool) -> Vec<bool> {
    by_node.iter().enumerate().map(|(column, bytes)| *bytes > Bytes(0) || runs(column)).collect()
}

/// With two decimals, as numastat writes it.
fn mib(bytes: Bytes) -> String {
    format!("{:.2}", bytes.0 as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residency::sample;

    /// Nodes stand at its end.
    #[test]
    fn a_policy_is_never_cut() {
        let long = "prefer (many)=relative:0-1,4-7";
        let mut table = sample::table(&[8, 1]);
        table.largest[0].policy = long.to_owned();
        table.policies[0].policy = long.to_owned();
        let shown = [policies(&table.policies, 2), mappings(&table.largest, table.mappings, 2)];
        for blocks in shown {
            let Some(Block::Table(table)) = blocks.first() else { panic!("no table") };
            let texts = table.rows.iter().map(|row| format!("{row:?}"));
            assert!(texts.into_iter().any(|row| row.contains(long)));
        }
    }
}
