//! Two profiles compared, as people read it.

use numawise_tables::{CellCall, CellKey, ComparedCell};
use numawise_units::Arrange;

use super::{Compared, meaning, words};
use crate::amount::many;
use crate::document::{
    Block, Column, Document, Face, Fact, Opening, Row, RowLimits, Table, Text, Tone, list, section,
};

/// Rows of a table at most: in a page, so that it can be sent by mail.
const ROWS: RowLimits = RowLimits { terminal: 40, html: 1500, rest: "in the JSON" };
/// Names of cells that only one has, on a terminal.
const NAMES: usize = 8;

/// Two profiles as a document.
pub fn compare_document(compared: &Compared) -> Document {
    let comparison = compared.comparison;
    let [first, second] = compared.names;
    let meaning: Vec<String> = comparison.meaning.iter().map(meaning::of_comparison).collect();
    let mut blocks = vec![Block::Facts(sides(compared))];
    blocks.extend(list("meaning", "What it comes to", &meaning));
    blocks.extend(differences(compared));
    let different = [CellCall::Better, CellCall::Worse];
    blocks.extend(cells("different", "Clearly different", &furthest(compared, &different)));
    blocks.extend(cells("open", "Not decided", &furthest(compared, &[CellCall::Open])));
    blocks.extend(same(&furthest(compared, &[CellCall::Same])));
    blocks.extend(unknown(&furthest(compared, &[CellCall::Unknown])));
    blocks.extend(only_in_one("only-a", "Only in the first", &comparison.only_a));
    blocks.extend(only_in_one("only-b", "Only in the second", &comparison.only_b));
    blocks.extend(list("method", "How it was compared", &meaning::method(comparison)));
    Document {
        tool: "numawise machine compare",
        title: format!("{second} vs {first}"),
        opening: Opening { headline: format!("{second} vs {first}"), ..Opening::default() },
        blocks,
        charts: None,
        width: 120,
    }
}

/// The cells of some calls, the greatest difference first.
fn furthest<'a>(compared: &'a Compared, calls: &[CellCall]) -> Vec<&'a ComparedCell> {
    let cells = compared.comparison.cells.iter();
    let mut cells: Vec<&ComparedCell> = cells.filter(|cell| calls.contains(&cell.call)).collect();
    let distance = |cell: &ComparedCell| cell.ratio.measured().map_or(0.0, |ratio| ratio.ratio.0.ln().abs());
    cells.arrange_by(|one, other| distance(other).total_cmp(&distance(one)));
    cells
}

/// A cell in a few words.
fn name(key: &CellKey) -> String {
    match key {
        CellKey::IdleLatency { from, to } => format!("idle latency, node {from} -> {to}"),
        CellKey::LatencyWithTlbMisses { from, to } => format!("with TLB misses, node {from} -> {to}"),
        CellKey::Bandwidth { workers, target, mix } => format!("{mix}, {}", words::pair(*workers, *target)),
        CellKey::WorkingSet { from, to, bytes } => format!("in {bytes}, node {from} -> {to}"),
        CellKey::LoadedPeak { from, to, mix, .. } => format!("peak under load, {mix}, node {from} -> {to}"),
        CellKey::LoadedIdle { from, to, mix, .. } => format!("at least load, {mix}, node {from} -> {to}"),
        CellKey::Transfer { owner, reader, home } => {
            format!("line, CPU {owner} -> {reader}, memory of {home}")
        }
        CellKey::TransferOfNodes { .. } => key.to_string(),
    }
}

/// What both are called, with when each was measured.
fn sides(compared: &Compared) -> Vec<Fact> {
    let side = |name, k: usize, profile| Fact {
        name,
        text: format!("{}: {}", compared.names[k], words::measured(profile)).into(),
        code: false,
    };
    vec![side("First", 0, compared.a), side("Second", 1, compared.b)]
}

fn differences(compared: &Compared) -> Option<Block> {
    let differences = &compared.comparison.differences;
    let row = |d: &numawise_tables::ProfileDifference| {
        [d.property.to_string(), d.a.to_string(), d.b.to_string()].into_iter().collect()
    };
    let table = Table {
        columns: vec![Column::text(""), Column::text("first"), Column::text("second")],
        rows: differences.iter().map(row).collect(),
        most: None,
    };
    let sentence = |d: &numawise_tables::ProfileDifference| -> Text {
        format!("{}: {} in the first, {} in the second", d.property, d.a, d.b).into()
    };
    // What both say may be long: a terminal has no room for it in columns.
    let blocks = vec![
        Block::Only(Face::Html, Box::new(Block::Table(table))),
        Block::Only(Face::Terminal, Box::new(Block::List(differences.iter().map(sentence).collect()))),
    ];
    (!differences.is_empty()).then(|| section("differences", "Not the same", blocks))
}

fn table(cells: &[&ComparedCell]) -> Block {
    let columns = vec![
        Column::text(""),
        Column::number("first"),
        Column::number("second"),
        Column::number("ratio"),
        Column::number("between").expendable(1),
        Column::text("second is"),
    ];
    Block::Table(Table { columns, rows: cells.iter().map(|cell| row(cell)).collect(), most: Some(ROWS) })
}

fn row(cell: &ComparedCell) -> Row {
    let unit = cell.cell.unit();
    let one = |side: &numawise_facts::Reading<numawise_facts::Estimate<f64>>| {
        side.measured().map_or_else(|| "?".to_owned(), |estimate| words::quantity(unit, estimate.median))
    };
    let ratio = cell.ratio.measured();
    let between = ratio.and_then(|ratio| ratio.interval.measured());
    let figures = [
        name(&cell.cell),
        one(&cell.a),
        one(&cell.b),
        ratio.map_or_else(|| "?".to_owned(), |ratio| ratio.ratio.to_string()),
        between.map_or_else(|| "-".to_owned(), |(low, high)| format!("{low} to {high}")),
        words::call(cell.call).to_owned(),
    ];
    let mut row: Row = figures.into_iter().collect();
    row.cells[0].hover = Some(cell.cell.to_string());
    row.tone = match cell.call {
        CellCall::Better => Tone::Good,
        CellCall::Worse => Tone::Bad,
        CellCall::Open => Tone::Doubt,
        CellCall::Same | CellCall::Unknown => Tone::Plain,
    };
    row
}

fn cells(id: &'static str, title: &str, cells: &[&ComparedCell]) -> Option<Block> {
    (!cells.is_empty()).then(|| section(id, title, vec![table(cells)]))
}

fn same(cells: &[&ComparedCell]) -> Option<Block> {
    let summary = many(cells.len() as u64, "figure");
    let folded = Block::Folded { summary, blocks: vec![table(cells)] };
    (!cells.is_empty()).then(|| section("same", "No difference", vec![folded]))
}

/// Reasons, each with the cells that it keeps from being compared.
fn unknown(cells: &[&ComparedCell]) -> Option<Block> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for cell in cells {
        let why = cell.ratio.reason().map_or("", |reason| &reason.0);
        let name = name(&cell.cell);
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    let entry = |(why, names): &(&str, Vec<String>)| Text::from(format!("{}: {why}", several(names)));
    let entries: Vec<Text> = reasons.iter().map(entry).collect();
    (!cells.is_empty()).then(|| section("unavailable", "Could not be compared", vec![Block::List(entries)]))
}

fn only_in_one(id: &'static str, title: &str, keys: &[CellKey]) -> Option<Block> {
    let names: Vec<String> = keys.iter().map(name).collect();
    let all = keys.iter().take(ROWS.html).map(|key| Text::from(key.to_string())).collect();
    let summary = many(keys.len() as u64, "figure");
    let blocks = vec![
        Block::Only(Face::Terminal, Box::new(Block::List(vec![several(&names).into()]))),
        Block::Folded { summary, blocks: vec![Block::List(all)] },
    ];
    (!keys.is_empty()).then(|| section(id, title, blocks))
}

/// Some names, and how many more there are.
fn several(names: &[String]) -> String {
    let shown = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join("; ");
    match names.len().checked_sub(NAMES) {
        Some(more) if more > 0 => format!("{shown}; and {more} more"),
        _ => shown,
    }
}
