//! Two profiles beside each other, on the terminal and as a page.

mod html;
mod terminal;

use numawise_tables::{CellCall, CellKey, ComparedCell};

pub use html::compare_html;
pub use terminal::compare_terminal;

use super::{Compared, words};

/// The cells of some calls, the greatest difference first.
fn furthest<'a>(compared: &'a Compared, calls: &[CellCall]) -> Vec<&'a ComparedCell> {
    let cells = compared.comparison.cells.iter();
    let mut cells: Vec<&ComparedCell> = cells.filter(|cell| calls.contains(&cell.call)).collect();
    let far = |cell: &ComparedCell| cell.ratio.measured().map_or(0.0, |ratio| ratio.ratio.0.ln().abs());
    cells.sort_by(|one, other| far(other).total_cmp(&far(one)));
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

/// Title of the column and figures of a row: what, first, second, ratio, interval.
const TITLES: [&str; 5] = ["", "first", "second", "ratio", "between"];

fn figures(cell: &ComparedCell) -> [String; 5] {
    let unit = cell.cell.unit();
    let one = |side: &numawise_facts::Reading<numawise_facts::Estimate<f64>>| {
        side.measured().map_or_else(|| "?".to_owned(), |estimate| words::quantity(unit, estimate.median))
    };
    let ratio = cell.ratio.measured();
    let between = ratio.and_then(|ratio| ratio.interval.measured());
    [
        name(&cell.cell),
        one(&cell.a),
        one(&cell.b),
        ratio.map_or_else(|| "?".to_owned(), |ratio| ratio.ratio.to_string()),
        between.map_or_else(|| "-".to_owned(), |(low, high)| format!("{low} to {high}")),
    ]
}

/// Why a cell is unknown: the reason of the first side that has one.
fn reason(cell: &ComparedCell) -> String {
    cell.ratio.reason().map_or_else(String::new, |reason| reason.0.to_string())
}

/// What both are called, with when each was measured.
fn sides(compared: &Compared) -> [(&'static str, String); 2] {
    let side = |k: usize, profile| format!("{}: {}", compared.names[k], words::measured(profile));
    [("First", side(0, compared.a)), ("Second", side(1, compared.b))]
}
