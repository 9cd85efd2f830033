//! Curves of a profile: latency by working set, latency by load.

use numawise_facts::{Estimate, LoadPoint, Mix, Reading};
use numawise_tables::{CacheStep, Cell, FigureUnit, LoadedCurve, WorkingSetCurve};
use numawise_units::{Arrange, Bytes, Latency, Nanoseconds};

use super::matrices::{column, matrix_cell};
use super::{Measured, data, figure, plain, plain_estimate, words};
use crate::amount::many;
use crate::document::{
    Block, Cell as TableCell, Column, Face, Matrix, MatrixColours, Row, Section, Span, Table, Text, chart,
    section,
};
use crate::series::spark_line;

/// Sizes on a terminal, about; a page and the JSON have all.
const SIZES: usize = 20;
/// Curves under load on a terminal, about.
const CURVES: usize = 24;
/// Curves under load in a page that are not folded.
const UNFOLDED: usize = 24;
/// Letters of a picture in a table, of one that is a line, and of a bar at most.
const SMALL: usize = 12;
const LINE: usize = 40;
const BAR: usize = 24;

pub fn working_sets(measured: &Measured) -> Option<Block> {
    let curves = &measured.tables.working_sets;
    let mut sizes: Vec<Bytes> =
        curves.iter().flat_map(|curve| curve.points.iter().map(|(bytes, _)| *bytes)).collect();
    sizes.arrange();
    sizes.dedup();
    let mut blocks = vec![
        Block::Legend(
            "How long a load takes by how much memory the loads go over: the steps are the caches.".into(),
        ),
        chart("chart-working-sets", "Latency by the size of the working set"),
        Block::Only(Face::Terminal, Box::new(Block::Matrices(vec![by_size(curves, &sizes)]))),
    ];
    for curve in curves {
        blocks.push(Block::Section(Section {
            id: None,
            title: format!("node {} -> {}", curve.from, curve.to),
            blocks: vec![Block::Legend(caches(curve)), Block::Picture(picture(curve))],
        }));
    }
    let mut columns = vec![Column::text("working set")];
    columns.extend(curves.iter().map(|curve| Column::number(format!("node {} -> {}", curve.from, curve.to))));
    let row = |size: &Bytes| {
        let figures = curves.iter().map(|curve| figure(&at(curve, *size), FigureUnit::Nanoseconds));
        std::iter::once(Text::from(size.to_string())).chain(figures).collect::<Row>()
    };
    let table = Block::Table(Table { columns, rows: sizes.iter().map(row).collect(), most: None });
    let summary = format!("{}, ns", many(sizes.len() as u64, "size"));
    blocks.push(Block::Folded { summary, blocks: vec![table] });
    (!curves.is_empty())
        .then(|| section("working-sets", "Latency by the size of the working set, ns", blocks))
}

/// The sizes that a terminal has room for: powers of two where these are many enough.
fn by_size(curves: &[WorkingSetCurve], sizes: &[Bytes]) -> Matrix {
    let even: Vec<Bytes> = sizes.iter().copied().filter(|size| size.0.is_power_of_two()).collect();
    let sizes = if sizes.len() > SIZES && even.len() >= SIZES / 2 { &even } else { sizes };
    let row = |size: &Bytes| {
        let cells = curves.iter().map(|curve| matrix_cell(&at(curve, *size), FigureUnit::Nanoseconds));
        (size.to_string(), cells.collect())
    };
    let name = |curve: &WorkingSetCurve| {
        let pair = format!("{} -> {}", curve.from, curve.to);
        column(&format!("node {pair}"), &pair)
    };
    Matrix {
        title: String::new(),
        corner: "in".to_owned(),
        columns: curves.iter().map(name).collect(),
        rows: sizes.iter().map(row).collect(),
        intervals: true,
        about: None,
        without_intervals: None,
        colours: MatrixColours::None,
    }
}

fn at(curve: &WorkingSetCurve, size: Bytes) -> Cell {
    curve.points.iter().find(|(bytes, _)| *bytes == size).map(|(_, latency)| plain(latency))
}

/// The caches as they show in the curve.
fn caches(curve: &WorkingSetCurve) -> Text {
    let shown = |latency: &Reading<Latency>| match latency {
        Reading::Measured(latency) => Span::Plain(latency.to_string()),
        Reading::Unavailable { unavailable } => Span::Unavailable(unavailable.to_string()),
    };
    let steps = match &curve.caches {
        Reading::Measured(steps) => steps,
        Reading::Unavailable { unavailable } => {
            return Text(vec![Span::Plain("caches ".to_owned()), Span::Unavailable(unavailable.to_string())]);
        }
    };
    let step = |step: &CacheStep| {
        let name = Span::Plain(format!("L{} ({}) ", step.level, step.size));
        [name, shown(&step.latency), Span::Plain(", ".to_owned())]
    };
    let memory = [Span::Plain("memory ".to_owned()), shown(&curve.memory)];
    Text(steps.iter().flat_map(step).chain(memory).collect())
}

/// The whole curve in a line, by the logarithm: a first-level cache is a hundred times as fast as memory.
fn picture(curve: &WorkingSetCurve) -> String {
    let (Some((first, _)), Some((last, _))) = (curve.points.first(), curve.points.last()) else {
        return String::new();
    };
    let of = |latency: &Reading<Estimate<Latency>>| latency.measured().map(|e| e.median.0.ln());
    let values: Vec<Option<f64>> = curve.points.iter().map(|(_, latency)| of(latency)).collect();
    let least = values.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = (most - least).max(1e-9);
    let heights: Vec<Option<f64>> =
        values.into_iter().map(|value| value.map(|value| (value - least) / range)).collect();
    format!("{first} {} {last}", spark_line(&heights, 1.0, LINE))
}

pub fn loaded(measured: &Measured) -> Option<Block> {
    let curves = &measured.tables.loaded;
    let by_mix = data::by_mix(curves);
    let by_pair = data::by_pair(curves);
    let mut blocks = vec![Block::Legend(words::LOADED.into())];
    let html = |block| Block::Only(Face::Html, Box::new(block));
    if let Some(curve) = by_mix.first() {
        blocks.push(html(Block::Section(Section {
            id: None,
            title: format!("{}, by mix of reads and writes", words::pair_loaded(curve)),
            blocks: vec![chart("chart-by-mix", "Latency by bandwidth, for every mix")],
        })));
    }
    if by_pair.len() > 1 {
        blocks.push(html(Block::Section(Section {
            id: None,
            title: "Reads, by pair of nodes".to_owned(),
            blocks: vec![chart("chart-by-pair", "Latency by bandwidth, for pairs of nodes")],
        })));
    }
    let all: Vec<&LoadedCurve> = curves.iter().collect();
    if curves.len() > UNFOLDED {
        let summary = format!("{}, with the knee of each", many(curves.len() as u64, "curve"));
        blocks.push(Block::Folded { summary, blocks: vec![summary_table(&all)] });
    } else {
        blocks.push(html(summary_table(&all)));
    }
    let shown = shown(curves);
    blocks.push(Block::Only(Face::Terminal, Box::new(summary_table(&shown))));
    if shown.len() < curves.len() {
        let left = curves.len() - shown.len();
        let text = format!("... and {left} more, in the page of --html and in the JSON.");
        blocks.push(Block::Only(Face::Terminal, Box::new(Block::Legend(text.into()))));
    }
    let known = |curve: &&LoadedCurve| curve.points.measured().is_some();
    let reads = curves.iter().filter(known).find(|curve| curve.mix == Mix::Read);
    if let Some(curve) = reads.or(curves.iter().find(known)) {
        blocks.push(Block::Only(Face::Terminal, Box::new(points(curve))));
    }
    let mut drawn = by_mix;
    for curve in by_pair {
        if !drawn.iter().any(|known| std::ptr::eq(*known, curve)) {
            drawn.push(curve);
        }
    }
    if !drawn.is_empty() {
        let summary = "The points of the curves in the charts".to_owned();
        let one = |curve: &LoadedCurve| {
            Block::Section(Section { id: None, title: title(curve), blocks: vec![points(curve)] })
        };
        blocks.push(Block::Folded { summary, blocks: drawn.into_iter().map(one).collect() });
    }
    (!curves.is_empty()).then(|| section("loaded", "Latency under load", blocks))
}

fn title(curve: &LoadedCurve) -> String {
    format!("{}, {}", words::pair_loaded(curve), words::mix(curve.mix))
}

fn summary_table(curves: &[&LoadedCurve]) -> Block {
    let html = |column: Column| Column { only: Some(Face::Html), ..column };
    let columns = vec![
        Column::text("nodes"),
        Column::text("mix"),
        Column::number("idle"),
        Column::number("knee"),
        Column::number("of peak").expendable(1),
        html(Column::number("latency there")),
        Column::number("peak"),
        Column::number("there").expendable(2),
        html(Column::text("the knee is")),
        Column::picture("latency by load").expendable(3),
    ];
    Block::Table(Table { columns, rows: curves.iter().map(|curve| loaded_row(curve)).collect(), most: None })
}

fn loaded_row(curve: &LoadedCurve) -> Row {
    let mut cells: Vec<TableCell> = vec![words::pair_loaded(curve).into(), curve.mix.to_string().into()];
    let (Some(points), Some(idle), Some((peak, there))) =
        (curve.points.measured(), curve.unloaded.measured(), curve.peak.measured())
    else {
        cells.extend(curve.points.reason().map(|reason| Text::unavailable(reason.to_string()).into()));
        cells.resize(10, "-".into());
        return Row { cells, ..Row::default() };
    };
    let [knee, share, latency, why]: [TableCell; 4] = match &curve.knee {
        Reading::Measured(knee) => [
            knee.bandwidth.to_string().into(),
            format!("{:.0} %", knee.share.0 * 100.0).into(),
            knee.latency.to_string().into(),
            words::knee(knee.why).into(),
        ],
        Reading::Unavailable { unavailable } => {
            let mut marked = TableCell::from(Text::unavailable(unavailable.to_string()));
            marked.hover = Some(unavailable.to_string());
            [marked, "-".into(), "-".into(), "-".into()]
        }
    };
    let most = points.iter().map(|point| point.latency.median.0).fold(0.0, f64::max);
    let heights: Vec<Option<f64>> = points.iter().map(|point| Some(point.latency.median.0)).collect();
    cells.extend([
        idle.to_string().into(),
        knee,
        share,
        latency,
        peak.to_string().into(),
        there.to_string().into(),
        why,
        spark_line(&heights, most, SMALL).into(),
    ]);
    Row { cells, ..Row::default() }
}

/// The points of a curve, on a terminal with bars as long as their latency.
fn points(curve: &LoadedCurve) -> Block {
    let points = curve.points.measured().map_or(&[][..], Vec::as_slice);
    let most = points.iter().map(|point| point.latency.median.0).fold(0.0, f64::max);
    let row = |LoadPoint { delay, bandwidth, latency }: &LoadPoint| {
        let shown = |unit, estimate| figure(&Some(Reading::Measured(estimate)), unit);
        let bar = (latency.median.0 / most * BAR as f64).round().max(1.0) as usize;
        let delay = delay.measured().map_or_else(|| "-".to_owned(), Nanoseconds::to_string);
        [
            Text::from(delay),
            shown(FigureUnit::BytesPerSecond, plain_estimate(bandwidth)),
            shown(FigureUnit::Nanoseconds, plain_estimate(latency)),
            "█".repeat(bar).into(),
        ]
        .into_iter()
        .collect::<Row>()
    };
    let columns = vec![
        Column::number("delay"),
        Column::number("GB/s"),
        Column::number("ns"),
        Column { only: Some(Face::Terminal), ascii: Some('#'), expendable: 1, ..Column::text(title(curve)) },
    ];
    Block::Table(Table { columns, rows: points.iter().map(row).collect(), most: None })
}

/// As many curves as one wants to read on a terminal: all, or the reads of all, or those of local memory.
fn shown(curves: &[LoadedCurve]) -> Vec<&LoadedCurve> {
    let mut shown: Vec<&LoadedCurve> = curves.iter().collect();
    if shown.len() > CURVES {
        shown.retain(|curve| curve.mix == Mix::Read);
    }
    if shown.len() > CURVES {
        shown.retain(|curve| curve.from == curve.to);
    }
    shown
}
