//! What a pass of a loop does: bytes, operations, the memory that it goes over.

use numawise_facts::Reading;
use numawise_facts::objects::{LoopPass, LoopTrips, PassCount};
use numawise_tables::survey::{Ceiling, LoopRow, LoopStream};
use numawise_units::{Arrange, Bytes, BytesPerSecond, NodeSet, Ratio};

use super::{ROWS, Shown, at};
use crate::document::{Block, Cell, Column, Row, Table, Text, section};
use crate::objects::words::percent;

/// A table of those loops of which something is known.
pub fn passes(shown: &Shown) -> Option<Block> {
    let is_known = |of: &&LoopRow| of.pass.measured().is_some() || of.trips.measured().is_some();
    let rows: Vec<Row> = shown.tables.rows.iter().filter(is_known).map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let columns = vec![
        Column::number("time"),
        Column::text("loop"),
        Column::number("trips"),
        Column::number("loads"),
        Column::number("stores"),
        Column::number("stack").expendable(3),
        Column::number("flop"),
        Column::number("flop/byte").expendable(1),
        Column::text("strides").expendable(2),
        Column::number("of lines").expendable(1),
        Column::text("bound by"),
        Column::number("reached"),
    ];
    let mut blocks = vec![Block::Table(Table { columns, rows, most: Some(ROWS) })];
    if let Reading::Unavailable { unavailable } = &shown.tables.ceilings {
        let text =
            format!("What bounds loops is unknown: {unavailable}. numawise machine measure measures it");
        blocks.push(Block::Paragraph(text.into()));
    }
    Some(section("passes", "A pass of each loop, and what bounds it", blocks))
}

fn row(of: &LoopRow) -> Row {
    let counted = |pick: fn(&PassCount) -> f64| Cell::from(Text::of(&of.pass, |pass| range(pass, pick)));
    let cells: [Cell; 12] = [
        percent(of.time.value).into(),
        at(&of.place, of.last_line).into(),
        Text::of(&of.trips, trips).into(),
        counted(|count| count.loaded),
        counted(|count| count.stored),
        counted(|count| count.stack_loaded + count.stack_stored),
        counted(PassCount::operations),
        Text::of(&of.pass, intensity).into(),
        strides(&of.streams).into(),
        Text::of(&of_lines(&of.streams), |share| percent(*share)).into(),
        Text::of(&of.roof, |roof| ceiling(roof.ceilings[0].of)).into(),
        Text::of(&of.roof.as_ref().and_then(|roof| roof.reached.clone()), |reached| percent(*reached)).into(),
    ];
    cells.into_iter().collect()
}

/// What is lowest.
pub fn ceiling(of: Ceiling) -> String {
    match of {
        Ceiling::Arithmetic => "arithmetic".to_owned(),
        Ceiling::NearestCache => "loads, stores".to_owned(),
        Ceiling::Cache(level) => format!("L{level} cache"),
        Ceiling::Memory => "memory".to_owned(),
    }
}

/// Evidence that memory bounds it: what a thread moves, and over how much; nothing where that is not known.
pub fn seen_of_memory(row: &LoopRow) -> Option<String> {
    let roof = row.roof.measured()?;
    let memory = roof.ceilings.iter().find(|ceiling| ceiling.of == Ceiling::Memory)?;
    let (moved, passes) = (roof.moved.measured()?, roof.passes.measured()?);
    let span: u64 = row.streams.iter().map(|of| Some(of.span.measured()?.0)).sum::<Option<_>>()?;
    let mut names: Vec<&str> = Vec::new();
    for name in row.streams.iter().filter_map(|of| of.variable.measured()) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let nodes: NodeSet = row.streams.iter().flat_map(|of| of.nodes.iter().copied()).collect();
    let variables = if names.is_empty() { String::new() } else { format!(" of {}", names.join(", ")) };
    let lies = if nodes.is_empty() { String::new() } else { format!(", on NUMA node {nodes}") };
    Some(format!(
        "a thread moves {} of {} that memory gives it; no cache holds {}{variables}{lies}",
        BytesPerSecond(moved * passes),
        BytesPerSecond(moved * memory.passes),
        Bytes(span)
    ))
}

/// `1024`, or `12 +- 3`.
fn trips(of: &LoopTrips) -> String {
    let mean = number(of.mean);
    if of.deviation < 0.01 * of.mean { mean } else { format!("{mean} +- {}", number(of.deviation)) }
}

fn number(value: f64) -> String {
    if value >= 100.0 || value == value.round() { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// The mean; without one from the least to the most.
fn range(pass: &LoopPass, pick: fn(&PassCount) -> f64) -> String {
    match &pass.mean {
        Reading::Measured(mean) => number(pick(mean)),
        Reading::Unavailable { .. } => {
            let (least, most) = (number(pick(&pass.least)), number(pick(&pass.most)));
            if least == most { least } else { format!("{least}-{most}") }
        }
    }
}

fn intensity(pass: &LoopPass) -> String {
    let of = |count: &PassCount| count.operations() / count.moved();
    match &pass.mean {
        Reading::Measured(mean) if mean.moved() > 0.0 => format!("{:.2}", of(mean)),
        _ => "-".to_owned(),
    }
}

/// `8, 64 bytes`, each once.
fn strides(streams: &[LoopStream]) -> String {
    let mut known: Vec<i64> = streams.iter().filter_map(|of| of.stride.measured().copied()).collect();
    known.arrange();
    known.dedup();
    let mut texts: Vec<String> = known.iter().map(i64::to_string).collect();
    let gathers = streams.iter().any(|of| of.elements > 1);
    let is_irregular = streams.iter().any(|of| of.stride.measured().is_none() && of.elements == 1);
    texts.extend(gathers.then(|| "gathered".to_owned()));
    texts.extend(is_irregular.then(|| "irregular".to_owned()));
    texts.join(", ")
}

/// Of the stream that uses least of its lines.
pub fn of_lines(streams: &[LoopStream]) -> Reading<Ratio> {
    let shares = streams.iter().filter_map(|of| of.of_lines.measured().map(|share| share.0));
    match shares.min_by(f64::total_cmp) {
        Some(share) => Reading::Measured(Ratio(share)),
        None => Reading::unavailable("no access of it moves on by the same in each pass"),
    }
}
