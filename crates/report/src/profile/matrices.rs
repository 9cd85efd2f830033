//! Tables of a profile by node, by core and by mix, as matrices of a document.

use numawise_facts::{Mix, Reading, Target, Workers};
use numawise_tables::{Cell, CoreMatrix, FigureUnit, LineHome, MatrixMeasure, NodeCores, NodeMatrix, Peak};
use numawise_units::{CpuId, NodeId};

use super::{Measured, plain, words};
use crate::amount::many;
use crate::document::{Matrix, MatrixCell, MatrixColours, MatrixColumn, MatrixFigure};

/// Up to so many pairs of nodes have a row in the matrix of mixes; beyond, every mix has its matrix.
const PAIRS: usize = 16;
const CORNER: &str = "from \\ to";

/// A matrix by node. `ratios` has what a page says below the figures.
pub fn by_node(measured: &Measured, of: &NodeMatrix, ratios: Option<&NodeMatrix>) -> Matrix {
    let column = |node: &NodeId| {
        let kind = words::kind(measured.profile, *node).map(|kind| kind.to_string());
        MatrixColumn {
            name: kind.as_ref().map_or_else(|| node.to_string(), |kind| format!("{node} {kind}")),
            short: node.to_string(),
            long: format!("node {node}"),
            note: kind,
        }
    };
    let ratio = |k: usize, l: usize| match ratios?.cells[k][l].as_ref()? {
        Reading::Measured(ratio) => Some(words::number(FigureUnit::Ratio, ratio.median)),
        Reading::Unavailable { .. } => None,
    };
    let rows = of.rows.iter().zip(&of.cells).enumerate().map(|(k, (node, cells))| {
        let cell = |(l, cell): (usize, &Cell)| node_cell(of, cell, ratio(k, l));
        (words::node(measured.profile, *node), cells.iter().enumerate().map(cell).collect())
    });
    let scale = scale(of.range, of.measure.unit());
    Matrix {
        title: words::matrix(of.measure),
        corner: CORNER.to_owned(),
        columns: of.columns.iter().map(column).collect(),
        rows: rows.collect(),
        intervals: !matches!(
            of.measure,
            MatrixMeasure::Transfers(_) | MatrixMeasure::LatencyVsLocal | MatrixMeasure::ReadVsLocal
        ),
        about: words::about(of.measure).map(str::to_owned),
        without_intervals: of.widest.map(|widest| match widest.0 {
            half if half < 1.0 => format!("Intervals: ±{} at most.", widest.percent()),
            _ => "Intervals: some are wider than the figure itself.".to_owned(),
        }),
        colours: if of.measure.more_is_better() {
            MatrixColours::Deep(scale)
        } else {
            MatrixColours::Hot(scale)
        },
    }
}

/// The reason of a matrix in which every cell has the same and none has a figure.
pub fn one_reason(matrix: &NodeMatrix) -> Option<String> {
    let mut cells = matrix.cells.iter().flatten().flatten().map(|cell| cell.reason());
    let first = cells.next()??;
    cells.all(|reason| reason == Some(first)).then(|| first.0.to_string())
}

fn node_cell(of: &NodeMatrix, cell: &Cell, ratio: Option<String>) -> MatrixCell {
    let (unit, pairs) = (of.measure.unit(), matches!(of.measure, MatrixMeasure::Transfers(_)));
    let mut made = matrix_cell(cell, unit);
    if let (MatrixCell::Figure(figure), Some(Reading::Measured(estimate))) = (&mut made, cell) {
        let samples = u64::from(estimate.samples);
        let number = |value| words::number(unit, value);
        let (bounds, repeats) = if pairs {
            let bounds = format!("{} to {}", number(estimate.low), number(estimate.high));
            (Some(bounds), many(samples, "pair"))
        } else {
            let half = figure.half.as_ref().map(|half| format!("±{half}"));
            (half, many(samples, "repetition"))
        };
        if let Some(bounds) = &bounds {
            figure.hover = format!("{}, {bounds}, {repeats}", figure.hover);
        }
        let small: Vec<String> = bounds.into_iter().chain(ratio).collect();
        figure.small = (!small.is_empty()).then(|| small.join(" · "));
        figure.depth = match of.range {
            Some((least, most)) if most > least => (estimate.median - least) / (most - least) * 100.0,
            _ => 0.0,
        };
    }
    made
}

pub fn matrix_cell(cell: &Cell, unit: FigureUnit) -> MatrixCell {
    match cell {
        None => MatrixCell::Absent,
        Some(Reading::Unavailable { unavailable }) => MatrixCell::Unavailable(unavailable.to_string()),
        Some(Reading::Measured(estimate)) => MatrixCell::Figure(MatrixFigure {
            number: words::number(unit, estimate.median),
            half: words::half(unit, estimate),
            short: words::short(unit, estimate.median),
            small: None,
            hover: words::quantity(unit, estimate.median),
            depth: 0.0,
        }),
    }
}

/// The texts of the least and the greatest.
pub fn scale(range: Option<(f64, f64)>, unit: FigureUnit) -> Option<(String, String)> {
    let (least, most) = range.filter(|(least, most)| most > least)?;
    Some((words::quantity(unit, least), words::quantity(unit, most)))
}

/// A column of which nothing is shorter than its name.
pub fn column(name: &str, short: &str) -> MatrixColumn {
    MatrixColumn { name: name.to_owned(), short: short.to_owned(), long: name.to_owned(), note: None }
}

/// Every core to every other.
pub fn by_core(cores: &CoreMatrix) -> Matrix {
    let row = |(cpu, cells): (&CpuId, &Vec<Cell>)| {
        let cells = cells.iter().map(|cell| matrix_cell(cell, FigureUnit::Nanoseconds));
        (format!("CPU {cpu}"), cells.collect())
    };
    let title = format!("A changed line from CPU to CPU, ns; {}", words::line_home(cores.home));
    Matrix {
        title,
        corner: CORNER.to_owned(),
        columns: cores.cpus.iter().map(|cpu| column(&cpu.to_string(), &cpu.to_string())).collect(),
        rows: cores.cpus.iter().zip(&cores.cells).map(row).collect(),
        intervals: false,
        about: None,
        without_intervals: None,
        colours: MatrixColours::None,
    }
}

/// The mixes that were asked for.
pub fn mixes(peaks: &[Peak]) -> Vec<Mix> {
    let asked = |mix: &Mix| peaks.iter().any(|peak| peak.by_mix.iter().any(|(of, _)| of == mix));
    Mix::ALL.into_iter().filter(asked).collect()
}

/// The nodes are so many that every mix has its matrix.
pub fn are_many(measured: &Measured) -> bool {
    let read = MatrixMeasure::Bandwidth { cores: NodeCores::All, mix: Mix::Read };
    measured.tables.matrix(read).is_some_and(|matrix| matrix.rows.len() * matrix.columns.len() > PAIRS)
}

/// Everybody, every pair of nodes where these are few, one core: by mix.
pub fn by_mix(measured: &Measured) -> Option<Matrix> {
    let tables = measured.tables;
    let pairs = !are_many(measured);
    let shown = mixes(&tables.peaks);
    let mut rows: Vec<(String, Vec<Cell>)> = Vec::new();
    // A matrix has each node on its local memory, but for many nodes only by one mix.
    let in_matrix = pairs || shown.len() == 1;
    let peaks = tables.peaks.iter().filter(|peak| !in_matrix || matches!(peak.workers, Workers::Machine));
    rows.extend(peaks.map(|peak| {
        let cells = shown.iter().map(|mix| peak_cell(peak, *mix)).collect();
        (words::pair(peak.workers, peak.target), cells)
    }));
    for cores in [NodeCores::All, NodeCores::One].into_iter().filter(|_| pairs) {
        rows.extend(pair_rows(measured, cores, &shown));
    }
    let row = |(name, cells): (String, Vec<Cell>)| {
        (name, cells.iter().map(|cell| matrix_cell(cell, FigureUnit::BytesPerSecond)).collect())
    };
    (!shown.is_empty()).then(|| Matrix {
        title: "Bandwidth by mix of reads and writes, GB/s".to_owned(),
        corner: String::new(),
        columns: shown.iter().map(|mix| column(&mix.to_string(), &mix.to_string())).collect(),
        rows: rows.into_iter().map(row).collect(),
        intervals: true,
        about: None,
        without_intervals: None,
        colours: MatrixColours::None,
    })
}

pub fn peak_cell(peak: &Peak, mix: Mix) -> Cell {
    peak.by_mix.iter().find(|(known, _)| *known == mix).map(|(_, rate)| plain(rate))
}

fn pair_rows(measured: &Measured, cores: NodeCores, shown: &[Mix]) -> Vec<(String, Vec<Cell>)> {
    let of = |mix: &Mix| measured.tables.matrix(MatrixMeasure::Bandwidth { cores, mix: *mix });
    let Some(first) = shown.iter().find_map(of) else { return Vec::new() };
    let mut rows = Vec::new();
    for (k, from) in first.rows.iter().enumerate() {
        for (l, to) in first.columns.iter().enumerate() {
            let cells: Vec<Cell> =
                shown.iter().map(|mix| of(mix).and_then(|matrix| matrix.cells[k][l].clone())).collect();
            let workers = match cores {
                NodeCores::All => Workers::Node(*from),
                NodeCores::One => Workers::Core(*from),
            };
            // Reads alone have their matrix.
            let more = shown.iter().zip(&cells).any(|(mix, cell)| *mix != Mix::Read && cell.is_some());
            if more || (cores == NodeCores::One && cells.iter().any(Option::is_some)) {
                rows.push((words::pair(workers, Target::Node(*to)), cells));
            }
        }
    }
    rows
}

/// Where the memory of lines may be, in the order in which it is shown.
pub const HOMES: [LineHome; 3] = [LineHome::Owner, LineHome::Reader, LineHome::Elsewhere];
