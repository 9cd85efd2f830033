//! A job over time, as people read it.

use numawise_facts::Reading;
use numawise_tables::{MemoryChange, Moment, TaskTimeline};
use numawise_units::Bytes;
use serde_json::{Value, json as object};

use super::{Series, spark, words};
use crate::amount;
use crate::amount::many;
use crate::document::{
    Block, Cell, Charts, Column, Document, Fact, Opening, Row, RowLimits, Table, chart, list, section,
};
use crate::notice;
use crate::page_text::{PageText, page_text};

const SCRIPT: PageText = page_text!("src/series/charts.js");
/// Rows of the table over time, about: what is between them is in the file.
const MOMENTS: usize = 120;
/// As many processes have a row on a terminal.
const TASKS: RowLimits =
    RowLimits { terminal: 40, html: usize::MAX, rest: "with --json and in the page that --html writes" };
/// Letters of a picture of a node over time.
const PICTURE: usize = 16;

/// The series as a document.
pub fn document(series: &Series) -> Document {
    let heading = words::heading(series);
    let record = Fact {
        name: "Record",
        text: format!("{} (SQLite: samples, threads, memory)", series.record).into(),
        code: false,
    };
    let mut blocks = Vec::new();
    if series.timeline.samples > 0 {
        let facts = words::summary(series).into_iter();
        let facts = facts.map(|(name, text)| Fact { name, text: text.into(), code: false });
        blocks.push(Block::Facts(facts.chain([record]).collect()));
        blocks.extend([nodes(series), tasks(series), over_time(series)]);
    } else {
        blocks.push(Block::Facts(vec![record]));
    }
    let unavailable: Vec<String> =
        series.timeline.unavailable.iter().map(|notice| notice::text(&notice.clone().into())).collect();
    blocks.extend(list("unavailable", "Could not be seen", &unavailable));
    let rehearsal: Vec<String> = series.timeline.rehearsal.iter().map(notice::text).collect();
    blocks.extend(list("rehearsal", "Where this was seen", &rehearsal));
    Document {
        tool: "numawise where --record",
        title: format!("Where the job was: {heading}"),
        opening: Opening {
            headline: "Where the job was".to_owned(),
            sentence: Some(heading),
            ..Opening::default()
        },
        blocks,
        charts: Some(Charts { data: data(series), scripts: vec![SCRIPT] }),
        width: 120,
    }
}

/// A column as people call it: `node 0 (dram)`.
fn columns(series: &Series) -> Vec<String> {
    series.timeline.nodes.iter().map(|column| format!("node {} ({})", column.node, column.kind)).collect()
}

/// Memory and CPUs of each node, with pictures that all have the same scale.
fn nodes(series: &Series) -> Block {
    let timeline = series.timeline;
    let memory = |moment: &Moment, k: usize| Some(moment.memory.measured()?[k].0 as f64);
    let busy = |moment: &Moment, k: usize| Some(moment.busy.measured()?[k].0);
    let most = |of: &dyn Fn(&Moment, usize) -> Option<f64>| {
        let all = timeline.moments.iter().flat_map(|m| (0..timeline.nodes.len()).filter_map(|k| of(m, k)));
        all.fold(0.0, f64::max)
    };
    let (most_memory, most_busy) = (most(&memory), most(&busy));
    let draw = |of: &dyn Fn(&Moment, usize) -> Option<f64>, k: usize, most: f64| {
        let values: Vec<_> = timeline.moments.iter().map(|moment| of(moment, k)).collect();
        spark::line(&values, most, PICTURE)
    };
    let amounts = |memory: &MemoryChange, busy: &str| {
        [
            words::size(&memory.first),
            words::size(&memory.last),
            words::size(&memory.peak),
            words::peak_at(series, memory),
            busy.to_owned(),
        ]
    };
    let mut rows: Vec<Row> = Vec::new();
    for (k, (name, node)) in columns(series).into_iter().zip(&timeline.by_node).enumerate() {
        let cells = std::iter::once(name).chain(amounts(&node.memory, &words::cpus(&node.busy)));
        rows.push(cells.chain([draw(&memory, k, most_memory), draw(&busy, k, most_busy)]).collect());
    }
    let all = amounts(&timeline.total, &words::cpus(&timeline.busy));
    rows.push(std::iter::once("all".to_owned()).chain(all).collect());
    let columns = vec![
        Column::text("node"),
        Column::number("first"),
        Column::number("last"),
        Column::number("peak"),
        Column::number("at").expendable(1),
        Column::number("CPUs"),
        Column::picture("memory over time").expendable(2),
        Column::picture("CPUs over time").expendable(3),
    ];
    section(
        "nodes",
        "By node",
        vec![
            chart("chart-memory", "Memory by node over time"),
            chart("chart-cpus", "Busy CPUs by node over time"),
            chart("chart-local", "Share of local pages over time"),
            Block::Table(Table { columns, rows, most: None }),
            Block::Legend(words::NODE_LEGEND.into()),
        ],
    )
}

fn tasks(series: &Series) -> Block {
    let tasks = &series.timeline.tasks;
    let ranks = words::has_ranks(series);
    let mut columns = vec![
        Column::number("PID"),
        Column::number("rank"),
        Column::text("name"),
        Column::number("threads").expendable(3),
        Column::number("last"),
        Column::number("peak"),
        Column::number("at").expendable(5),
        Column::number("CPUs"),
        Column::number("local").expendable(1),
        Column::number("moved").expendable(4),
        Column::number("seen").expendable(2),
    ];
    let mut rows: Vec<Row> = tasks.iter().map(|task| row(series, task)).collect();
    if !ranks {
        columns.remove(1);
        rows.iter_mut().for_each(|row| drop(row.cells.remove(1)));
    }
    let title = if tasks.len() == 1 { "The process" } else { "Processes" };
    section(
        "tasks",
        title,
        vec![Block::Table(Table { columns, rows, most: Some(TASKS) }), Block::Legend(words::LEGEND.into())],
    )
}

fn row(series: &Series, task: &TaskTimeline) -> Row {
    let mut name = Cell::from(task.name.as_str());
    name.below = task.command.measured().cloned();
    let first_seen = words::after(series, task.first_seen);
    let last_seen = words::after(series, task.last_seen);
    let cells: [Cell; 11] = [
        task.pid.to_string().into(),
        words::rank(task).into(),
        name,
        words::count(&task.threads).into(),
        words::size(&task.memory.last).into(),
        words::size(&task.memory.peak).into(),
        words::peak_at(series, &task.memory).into(),
        words::cpus(&task.busy).into(),
        words::local_last(&task.local).into(),
        words::count(&task.migrations).into(),
        format!("{first_seen}-{}", last_seen.trim_start_matches('+')).into(),
    ];
    cells.into_iter().collect()
}

/// The charts as a table.
fn over_time(series: &Series) -> Block {
    let timeline = series.timeline;
    let step = timeline.moments.len().div_ceil(MOMENTS).max(1);
    let mut columns_shown =
        vec![Column::text("time"), Column::number("processes"), Column::number("threads")];
    columns_shown.extend(columns(series).into_iter().map(Column::number));
    columns_shown
        .extend(timeline.nodes.iter().map(|column| Column::number(format!("CPUs on {}", column.node))));
    columns_shown.push(Column::number("local"));
    let rows: Vec<Row> = timeline.moments.iter().step_by(step).map(|moment| at(series, moment)).collect();
    let summary = format!(
        "{} of {}, memory and busy CPUs by node",
        many(rows.len() as u64, "row"),
        many(timeline.samples, "sample")
    );
    let table = Block::Table(Table { columns: columns_shown, rows, most: None });
    section("over-time", "Over time", vec![Block::Folded { summary, blocks: vec![table] }])
}

fn at(series: &Series, moment: &Moment) -> Row {
    let nodes = series.timeline.nodes.len();
    let mut time = Cell::from(words::after(series, moment.at));
    time.hover = Some(amount::moment(moment.at));
    let local = moment.local.measured().map_or_else(|| words::UNKNOWN.to_owned(), |share| share.percent());
    let counts = [moment.tasks.to_string(), moment.threads.to_string()];
    let figures = (counts.into_iter())
        .chain(each(&moment.memory, nodes, Bytes::to_string))
        .chain(each(&moment.busy, nodes, |busy| format!("{:.2}", busy.0)))
        .chain([local]);
    std::iter::once(time).chain(figures.map(Cell::from)).collect()
}

fn each<T>(reading: &Reading<Vec<T>>, nodes: usize, text: impl Fn(&T) -> String) -> Vec<String> {
    match reading {
        Reading::Measured(values) => values.iter().map(text).collect(),
        Reading::Unavailable { .. } => vec![words::UNKNOWN.to_owned(); nodes],
    }
}

/// What the charts draw: times in milliseconds, memory in MiB; null where nothing is known.
fn data(series: &Series) -> Value {
    let begun = series.timeline.sessions.first().map_or(0, |session| session.first.0);
    let moments = series.timeline.moments.iter().map(|moment| {
        let memory: Option<Vec<f64>> = moment
            .memory
            .measured()
            .map(|nodes| nodes.iter().map(|bytes| short(bytes.0 as f64 / f64::from(1 << 20))).collect());
        let busy: Option<Vec<f64>> =
            moment.busy.measured().map(|nodes| nodes.iter().map(|busy| short(busy.0)).collect());
        let local = moment.local.measured().map(|share| short(share.0));
        object!([moment.at.0.saturating_sub(begun) / 1_000_000, moment.session, memory, busy, local])
    });
    object!({ "nodes": columns(series), "begun": begun / 1_000_000, "moments": moments.collect::<Vec<_>>() })
}

/// Six digits are finer than any screen.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
