//! Objects by thread, over time, and those for the fast memory; what the memory of the machine had to do.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::objects::{BandwidthMoment, BandwidthOverTime};
use numawise_tables::objects::{FastMemoryChoice, ObjectRow, ResidenceMoment};
use numawise_units::{Arrange, BytesPerSecond, Nanoseconds, NodeId};

use super::code::{self, FastMemoryCode};
use super::{Shown, words};
use crate::amount::many;
use crate::document::{
    Block, Cell, Column, Command, Face, Matrix, MatrixCell, MatrixColours, MatrixColumn, MatrixFigure, Row,
    RowLimits, Table, captioned, section,
};
use crate::names;

/// Objects with a chart of their residence.
pub const OVER_TIME: usize = 6;
/// Objects and threads in the matrix: those with most.
const MATRIX: (usize, usize) = (10, 64);
/// Statements for the program, for the objects with most.
const CODE: usize = 3;
/// Rows of a table over time, about.
const MOMENTS: usize = 60;

/// Which thread uses which object how much, for a page.
pub fn by_thread(shown: &Shown) -> Option<Block> {
    let used: Vec<&ObjectRow> =
        shown.tables.rows.iter().filter(|row| row.used.measured().is_some()).take(MATRIX.0).collect();
    let threads: BTreeSet<u32> = used
        .iter()
        .filter_map(|row| row.used.measured())
        .flat_map(|used| used.threads.iter().map(|of| of.thread))
        .collect();
    if threads.len() < 2 {
        return None;
    }
    let columns = used.iter().map(|row| {
        let name = words::name(row);
        MatrixColumn {
            short: names::clipped(&name, 8),
            long: name.clone(),
            name: names::clipped(&name, 16),
            note: Some(row.bytes.to_string()),
        }
    });
    let mut shares: Vec<(u32, Vec<f64>)> = threads
        .into_iter()
        .map(|thread| (thread, used.iter().map(|row| share(row, thread)).collect()))
        .collect();
    let all = shares.len();
    if all > MATRIX.1 {
        let sum = |of: &(u32, Vec<f64>)| of.1.iter().sum::<f64>();
        shares.arrange_by(|one, other| sum(other).total_cmp(&sum(one)));
        shares.truncate(MATRIX.1);
        shares.arrange_by_key(|(thread, _)| *thread);
    }
    let most = shares.iter().flat_map(|(_, shares)| shares).copied().fold(0.0, f64::max);
    let rows = shares.iter().map(|(thread, shares)| {
        (thread_name(shown, *thread), shares.iter().map(|share| cell(*share, most)).collect())
    });
    let matrix = Matrix {
        title: String::new(),
        corner: "thread".to_owned(),
        columns: columns.collect(),
        rows: rows.collect(),
        intervals: false,
        about: Some("Shares of the time for memory of all threads, by samples.".to_owned()),
        without_intervals: None,
        colours: MatrixColours::Deep(Some(("none".to_owned(), format!("{:.1} %", 100.0 * most)))),
    };
    let mut blocks = vec![Block::Matrices(vec![matrix])];
    if all > MATRIX.1 {
        let text = format!("The {} with most of {}.", many(MATRIX.1 as u64, "thread"), all);
        blocks.push(Block::Legend(text.into()));
    }
    Some(html_only(section("threads", "By thread", blocks)))
}

/// What a thread has of all time for memory by an object.
fn share(row: &ObjectRow, thread: u32) -> f64 {
    let of = row.used.measured().and_then(|used| used.threads.iter().find(|of| of.thread == thread));
    let time = row.memory_time.measured().map_or(0.0, |share| share.value.0);
    of.map_or(0.0, |of| of.share.0 * time)
}

fn cell(share: f64, most: f64) -> MatrixCell {
    let hover = if share > 0.0 {
        format!("{:.2} % of the time for memory", 100.0 * share)
    } else {
        "no sample of this thread is of it".to_owned()
    };
    MatrixCell::Figure(MatrixFigure {
        number: if share > 0.0 { format!("{:.1} %", 100.0 * share) } else { "0".to_owned() },
        half: None,
        short: format!("{:.0}", 100.0 * share),
        small: None,
        hover,
        depth: if most > 0.0 { 100.0 * share / most } else { 0.0 },
    })
}

fn thread_name(shown: &Shown, thread: u32) -> String {
    let threads = &shown.run.threads;
    let Some(of) = threads.get(thread as usize) else { return format!("thread {thread}") };
    let name = of.name.measured().map(|name| format!(" {name}")).unwrap_or_default();
    let is_one_process =
        threads.first().is_some_and(|first| threads.iter().all(|of| of.process == first.process));
    let process = if is_one_process { String::new() } else { format!(" of {}", of.process) };
    format!("{}{process}{name}", of.number)
}

/// Where the pages of the first objects lay from moment to moment, for a page.
pub fn over_time(shown: &Shown) -> Option<Block> {
    let nodes = nodes(shown);
    let mut blocks = Vec::new();
    for (k, (row, moments)) in timed(shown).enumerate() {
        let name = words::name(row);
        blocks.push(captioned(
            format!("chart-residence-{k}"),
            format!("Memory of {name} by node over time"),
            format!("{name}: memory by node"),
        ));
        let step = moments.len().div_ceil(MOMENTS).max(1);
        let rows: Vec<Row> = moments.iter().step_by(step).map(|moment| at(&nodes, moment)).collect();
        let mut columns = vec![Column::text("time"), Column::number("size")];
        columns.extend(nodes.iter().map(|node| Column::number(format!("node {node}"))));
        let summary =
            format!("{name}: {} of {}", many(rows.len() as u64, "row"), many(moments.len() as u64, "sample"));
        let table = Block::Table(Table { columns, rows, most: None });
        blocks.push(Block::Folded { summary, blocks: vec![table] });
    }
    (!blocks.is_empty()).then(|| html_only(section("over-time", "Where they lay over time", blocks)))
}

/// Objects of which it is known at several moments where they lay.
pub fn timed<'a>(shown: &Shown<'a>) -> impl Iterator<Item = (&'a ObjectRow, &'a [ResidenceMoment])> {
    let known = shown.tables.rows.iter().filter_map(|row| Some((row, row.residence.measured()?.as_slice())));
    known.filter(|(_, moments)| moments.len() > 1).take(OVER_TIME)
}

/// The nodes that hold some of them.
pub fn nodes(shown: &Shown) -> Vec<NodeId> {
    let moments = timed(shown).flat_map(|(_, moments)| moments);
    let nodes: BTreeSet<NodeId> = moments.flat_map(|of| of.nodes.iter().filter_map(|of| of.node)).collect();
    nodes.into_iter().collect()
}

fn at(nodes: &[NodeId], moment: &ResidenceMoment) -> Row {
    let share = |node: &NodeId| {
        let of = moment.nodes.iter().find(|of| of.node == Some(*node));
        of.map_or_else(|| "-".to_owned(), |of| words::percent(of.share))
    };
    let first = [time(moment.at), moment.bytes.to_string()];
    first.into_iter().chain(nodes.iter().map(share)).collect()
}

fn time(at: Nanoseconds) -> String {
    format!("+{:.2} s", at.seconds())
}

/// What to put into the fast memory.
pub fn fast_memory(shown: &Shown) -> Option<Block> {
    let choice = shown.tables.fast_memory.measured()?;
    if choice.chosen.is_empty() {
        return None;
    }
    let columns = vec![
        Column::text("object").named(),
        Column::number("time"),
        Column::number("size"),
        Column::text("allocated"),
        Column::text("certain"),
    ];
    let rows = choice.chosen.iter().filter_map(|one| {
        let row = shown.tables.rows.get(one.row)?;
        let time = row.memory_time.measured().map(|share| words::percent(share.value)).unwrap_or_default();
        let certain = if one.is_certain { "yes" } else { "within the intervals others are as good" };
        let cells: [Cell; 5] = [
            words::name(row).into(),
            time.into(),
            row.bytes.to_string().into(),
            words::place(&row.allocated).into(),
            certain.into(),
        ];
        Some(cells.into_iter().collect::<Row>())
    });
    let most = Some(RowLimits { terminal: 8, html: 100, rest: "the rest is in --json" });
    let table = Table { columns, rows: rows.collect(), most };
    let mut blocks = vec![Block::Table(table), Block::Legend(legend(choice).into())];
    let rows = choice.chosen.iter().filter_map(|one| shown.tables.rows.get(one.row));
    let code: Vec<Command> = rows.filter_map(code::for_fast_memory).take(CODE).map(of_code).collect();
    if !code.is_empty() {
        blocks.push(Block::Legend("In the program itself, linked with libnumawise:".into()));
        blocks.push(Block::Commands(code));
    }
    Some(section("fast-memory", "For the fast memory", blocks))
}

fn of_code(of: FastMemoryCode) -> Command {
    let note = format!("at {}, with <{}>", of.at, of.header);
    Command { tool: None, line: of.statement, note: Some(note) }
}

fn legend(choice: &FastMemoryChoice) -> String {
    let time = choice.memory_time;
    let best = if choice.is_best {
        "the best choice that fits"
    } else {
        "the search was given up, another choice may have more"
    };
    format!(
        "{} on node {}: these {} of {} use {} and have {} of the time for memory (95 % interval {} to {}); {best}",
        choice.capacity,
        choice.nodes,
        choice.chosen.len(),
        many(choice.candidates, "object"),
        choice.bytes,
        words::percent(time.value),
        words::percent(time.low),
        words::percent(time.high)
    )
}

/// Bandwidth of the nodes, for a page.
pub fn bandwidth(shown: &Shown) -> Option<Block> {
    let of = shown.run.bandwidth.measured()?;
    let flows = flows(of);
    let step = of.moments.len().div_ceil(MOMENTS).max(1);
    let rows = of.moments.iter().step_by(step).map(|moment| {
        let text = |rate: Option<BytesPerSecond>| rate.map_or("?".to_owned(), |rate| rate.to_string());
        let values = flows.iter().map(|flow| text(flow.rate(moment)));
        std::iter::once(time(moment.at)).chain(values).collect::<Row>()
    });
    let mut columns = vec![Column::text("time")];
    columns.extend(flows.iter().map(|flow| Column::number(flow.name())));
    let rows: Vec<Row> = rows.collect();
    let summary =
        format!("{} of {}", many(rows.len() as u64, "row"), many(of.moments.len() as u64, "moment"));
    let table = Block::Table(Table { columns, rows, most: None });
    let caption = words::bandwidth_source(of.source).to_owned();
    let chart = captioned("chart-bandwidth", "Memory bandwidth by node over time", caption);
    let blocks = vec![chart, Block::Folded { summary, blocks: vec![table] }];
    Some(html_only(section("bandwidth", "Memory bandwidth over time", blocks)))
}

/// What is shown of a node: where it is known what went to and from other nodes, that and the rest, and else all.
#[derive(Debug, Clone, Copy)]
pub enum Flow {
    All(NodeId),
    Local(NodeId),
    Remote(NodeId),
}

pub fn flows(of: &BandwidthOverTime) -> Vec<Flow> {
    let mut nodes: BTreeMap<NodeId, bool> = BTreeMap::new();
    for moment in &of.moments {
        for (node, _) in &moment.by_node {
            *nodes.entry(*node).or_default() |= moment.remote.iter().any(|(of, _)| of == node);
        }
    }
    let of_node = |(node, is_remote_known): (NodeId, bool)| {
        if is_remote_known { vec![Flow::Local(node), Flow::Remote(node)] } else { vec![Flow::All(node)] }
    };
    nodes.into_iter().flat_map(of_node).collect()
}

impl Flow {
    pub fn name(self) -> String {
        match self {
            Flow::All(node) => format!("node {node}"),
            Flow::Local(node) => format!("node {node}, local"),
            Flow::Remote(node) => format!("node {node}, remote"),
        }
    }

    pub fn rate(self, moment: &BandwidthMoment) -> Option<BytesPerSecond> {
        let of = |all: &[(NodeId, BytesPerSecond)], node| {
            all.iter().find(|(of, _)| *of == node).map(|(_, rate)| *rate)
        };
        match self {
            Flow::All(node) => of(&moment.by_node, node),
            Flow::Remote(node) => of(&moment.remote, node),
            Flow::Local(node) => {
                let (all, remote) = (of(&moment.by_node, node)?, of(&moment.remote, node)?);
                Some(BytesPerSecond(all.0 - remote.0))
            }
        }
    }
}

fn html_only(block: Block) -> Block {
    Block::Only(Face::Html, Box::new(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_whose_remote_part_is_not_known_is_shown_as_a_whole() {
        let rate = |rate| BytesPerSecond(rate);
        let moment = |remote: Vec<(NodeId, BytesPerSecond)>| BandwidthMoment {
            at: Nanoseconds(5),
            by_node: vec![(NodeId(0), rate(8.0)), (NodeId(2), rate(3.0))],
            remote,
        };
        let shown = |moment: BandwidthMoment| -> Vec<(String, Option<BytesPerSecond>)> {
            let source = numawise_facts::objects::BandwidthSource::MemoryControllers;
            let of = BandwidthOverTime { source, moments: vec![moment.clone()] };
            flows(&of).into_iter().map(|flow| (flow.name(), flow.rate(&moment))).collect()
        };
        let whole = ("node 2".to_owned(), Some(rate(3.0)));
        assert_eq!(shown(moment(vec![])), [("node 0".to_owned(), Some(rate(8.0))), whole.clone()]);
        let parts =
            [("node 0, local".to_owned(), Some(rate(6.0))), ("node 0, remote".to_owned(), Some(rate(2.0)))];
        let [local, remote] = parts;
        assert_eq!(shown(moment(vec![(NodeId(0), rate(2.0))])), [local, remote, whole]);
    }
}
