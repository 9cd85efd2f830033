//! What ranks send to whom, in a page: a table where it can be read, else a map with the greatest in a table.

use numawise_tables::snapshot::{TrafficCell, TrafficMatrix, VolumeTables};
use numawise_units::{Arrange, Bytes};
use serde_json::{Value, json};

use crate::amount::many;
use crate::document::{
    Block, Column, Face, HeatCell, HeatMap, Matrix, MatrixCell, MatrixColours, MatrixColumn, MatrixFigure,
    Row, Table,
};

#[cfg(test)]
#[path = "volume_tests.rs"]
mod tests;

/// A table of more rows and columns cannot be read.
const READABLE: u32 = 12;
/// Pairs that stand in the table beside a map.
const PAIRS: usize = 10;

/// What is counted in a cell.
struct Counted {
    /// Begins the title.
    title: &'static str,
    id: &'static str,
    of: fn(&TrafficCell) -> u64,
    text: fn(u64) -> String,
}

const COUNTED: [Counted; 2] = [
    Counted { title: "Bytes", id: "bytes", of: |cell| cell.bytes.0, text: |bytes| Bytes(bytes).to_string() },
    Counted {
        title: "Messages",
        id: "messages",
        of: |cell| cell.messages,
        text: |messages| messages.to_string(),
    },
];

/// Ranks, or computers.
struct Ends<'a> {
    id: &'static str,
    /// What a row is called: `rank`.
    noun: &'static str,
    matrix: &'a TrafficMatrix,
    name: Box<dyn Fn(u32) -> String + 'a>,
}

/// By rank, and by computer where there are several; what nothing was sent by is left out.
fn ends(of: &VolumeTables) -> Vec<Ends<'_>> {
    let ranks = &of.by_rank;
    let rank = |k: u32| match range(k, ranks.group) {
        Some((first, last)) => format!("{first}-{last}"),
        None => k.to_string(),
    };
    let host_of =
        |k: u32| of.hosts.get(k as usize).or(of.hosts.last()).map_or_else(|| k.to_string(), Clone::clone);
    let mut ends = Vec::new();
    if !ranks.cells.is_empty() {
        ends.push(Ends { id: "ranks", noun: "rank", matrix: ranks, name: Box::new(rank) });
    }
    if let Some(hosts) = of.by_host.measured().filter(|hosts| hosts.size > 1 && !hosts.cells.is_empty()) {
        let host = move |k: u32| match range(k, hosts.group) {
            Some((first, last)) => format!("{} to {}", host_of(first), host_of(last)),
            None => host_of(k),
        };
        ends.push(Ends { id: "hosts", noun: "computer", matrix: hosts, name: Box::new(host) });
    }
    ends
}

/// The first and the last of those that are one row; nothing where each has its own.
fn range(k: u32, group: u32) -> Option<(u32, u32)> {
    let first = k.saturating_mul(group);
    (group > 1).then(|| (first, first.saturating_add(group - 1)))
}

pub fn blocks(of: &VolumeTables) -> Vec<Block> {
    let blocks = ends(of).into_iter().flat_map(|ends| {
        if ends.matrix.size <= READABLE {
            vec![Block::Matrices(COUNTED.iter().map(|counted| matrix(&ends, counted)).collect())]
        } else {
            vec![Block::HeatMaps(COUNTED.iter().map(|counted| map(&ends, counted)).collect()), pairs(&ends)]
        }
    });
    let mut blocks: Vec<Block> = blocks.map(|block| Block::Only(Face::Html, Box::new(block))).collect();
    if of.lost.0 > 0 {
        let lost = format!(
            "{} of {} found no place and are in none of these",
            many(of.lost.0, "message"),
            of.lost.1
        );
        blocks.push(Block::Only(Face::Html, Box::new(Block::Legend(lost.into()))));
    }
    blocks
}

/// What the page's script says of a cell where the pointer rests.
pub fn data(of: &VolumeTables) -> Value {
    let one = |ends: Ends<'_>| {
        let names: Vec<String> = (0..ends.matrix.size).map(&ends.name).collect();
        let mut last = 0;
        let cells = ends.matrix.cells.iter().flat_map(|cell| {
            let place = u64::from(cell.from) * u64::from(ends.matrix.size) + u64::from(cell.to);
            let step = place - last;
            last = place;
            [step, short(cell.bytes.0), short(cell.messages)]
        });
        let cells: Vec<u64> = cells.collect();
        json!({
            "maps": COUNTED.map(|counted| map_id(ends.id, counted.id)), "noun": ends.noun, "names": names, "cells": cells,
        })
    };
    ends(of).into_iter().filter(|ends| ends.matrix.size > READABLE).map(one).collect()
}

/// Two digits are read where the pointer rests, and a page has many cells: 32 times the binary logarithm, in a few letters.
fn short(value: u64) -> u64 {
    ((value as f64 + 1.0).log2() * 32.0).round() as u64
}

fn map_id(ends: &str, counted: &str) -> String {
    format!("map-{ends}-{counted}")
}

fn title(ends: &Ends<'_>, counted: &Counted) -> String {
    let (noun, group) = (ends.noun, ends.matrix.group);
    let rows = if group > 1 { format!(", {group} neighbours in a row") } else { String::new() };
    format!("{} from {noun} to {noun}{rows}", counted.title)
}

/// The least figure but zero, and the greatest.
fn bounds(ends: &Ends<'_>, counted: &Counted) -> (u64, u64) {
    let figures = || ends.matrix.cells.iter().map(counted.of).filter(|figure| *figure > 0);
    (figures().min().unwrap_or(0), figures().max().unwrap_or(0))
}

/// From 0 to 1 by the logarithm: small messages are to be seen too.
fn depth(value: u64, (least, most): (u64, u64)) -> f64 {
    let log = |value: u64| (value.max(1) as f64).ln();
    match value {
        0 => 0.0,
        _ if most <= least => 1.0,
        _ => 0.05 + 0.95 * (log(value) - log(least)) / (log(most) - log(least)),
    }
}

fn map(ends: &Ends<'_>, counted: &Counted) -> HeatMap {
    let (bounds, size) = (bounds(ends, counted), ends.matrix.size);
    let cell = |cell: &TrafficCell| HeatCell {
        row: cell.from,
        column: cell.to,
        depth: depth((counted.of)(cell), bounds),
    };
    let is_there = |cell: &&TrafficCell| (counted.of)(cell) > 0;
    HeatMap {
        id: map_id(ends.id, counted.id),
        title: title(ends, counted),
        size,
        axes: ("from", "to"),
        ticks: [0, size / 4, size / 2, size / 4 * 3, size - 1].map(|k| (k, tick(ends, k))).into(),
        cells: ends.matrix.cells.iter().filter(is_there).map(cell).collect(),
        scale: ((counted.text)(bounds.0), format!("{}, by the logarithm", (counted.text)(bounds.1))),
    }
}

/// The first of a row, which is short.
fn tick(ends: &Ends<'_>, k: u32) -> String {
    match ends.noun {
        "rank" => k.saturating_mul(ends.matrix.group.max(1)).to_string(),
        _ => k.to_string(),
    }
}

/// The pairs that exchange most.
fn pairs(ends: &Ends<'_>) -> Block {
    let mut cells: Vec<&TrafficCell> = ends.matrix.cells.iter().collect();
    cells.arrange_by_key(|cell| std::cmp::Reverse((cell.bytes, cell.messages)));
    let row = |cell: &&TrafficCell| {
        let figures =
            [(ends.name)(cell.from), (ends.name)(cell.to), cell.bytes.to_string(), cell.messages.to_string()];
        figures.into_iter().collect::<Row>()
    };
    let columns = vec![
        Column::text(format!("from {}", ends.noun)),
        Column::text(format!("to {}", ends.noun)),
        Column::number("bytes"),
        Column::number("messages"),
    ];
    Block::Table(Table { columns, rows: cells.iter().take(PAIRS).map(row).collect(), most: None })
}

fn matrix(ends: &Ends<'_>, counted: &Counted) -> Matrix {
    let (of, bounds) = (ends.matrix, bounds(ends, counted));
    let cell = |from: u32, to: u32| {
        let found = of.cells.binary_search_by_key(&(from, to), |cell| (cell.from, cell.to)).ok();
        let value = found.map_or(0, |at| (counted.of)(&of.cells[at]));
        let number = if value > 0 { (counted.text)(value) } else { "-".to_owned() };
        let what = found.map_or_else(
            || "nothing was sent".to_owned(),
            |at| format!("{} in {}", of.cells[at].bytes, many(of.cells[at].messages, "message")),
        );
        MatrixCell::Figure(MatrixFigure {
            hover: format!("{} to {}: {what}", (ends.name)(from), (ends.name)(to)),
            number: number.clone(),
            half: None,
            short: number,
            small: None,
            depth: 100.0 * depth(value, bounds),
        })
    };
    let column = |to: u32| {
        let name = (ends.name)(to);
        MatrixColumn { short: name.clone(), long: name.clone(), name, note: None }
    };
    Matrix {
        title: title(ends, counted),
        corner: "from \\ to".to_owned(),
        columns: (0..of.size).map(column).collect(),
        rows: (0..of.size)
            .map(|from| ((ends.name)(from), (0..of.size).map(|to| cell(from, to)).collect()))
            .collect(),
        intervals: false,
        about: None,
        without_intervals: None,
        colours: MatrixColours::Deep(None),
    }
}
