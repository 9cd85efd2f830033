//! Curves along a factor whose levels are numbers: speedup and efficiency by the number of workers, or the metric by any other number.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use numawise_facts::{Effect, FactorKind, FactorLevels, Reading};
use numawise_tables::{GridRow, GridTables, ScalingModel, ScalingSeries};
use numawise_units::{Arrange, Ratio};

use super::{ShownStudy, cell, interval, words};
use crate::amount::{self, many};
use crate::document::{Block, Cell, Column, Face, Row, RowLimits, Table, captioned};
use crate::series::spark_line;

/// Lines at most: there are as many colours.
const LINES: usize = 8;
/// Points of a line at most: a screen has no more room.
const POINTS: usize = 400;
/// Fewer different numbers make no curve.
const LEAST: usize = 3;
/// Points of the curve of a law.
const SAMPLES: u32 = 48;
/// Numbers each so many times the one before, in the middle, stand on a scale of logarithms.
const GEOMETRIC: f64 = 1.5;

const OF_WORKERS: [FactorKind; 3] = [FactorKind::Threads, FactorKind::Ranks, FactorKind::Copies];

/// What a curve shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveMeasure {
    /// Against the baseline; above 1 is better.
    Speedup,
    /// The median of the metric.
    Metric,
}

/// The curves of a study.
#[derive(Debug, Clone)]
pub struct Curves<'a> {
    /// What goes along: `threads`.
    pub along: String,
    /// The numbers grow by factors, not by steps.
    pub is_geometric: bool,
    pub measure: CurveMeasure,
    /// As many workers as the baseline has, where the numbers count workers: the ideal line is how many times as many there are.
    pub first_workers: Option<f64>,
    pub lines: Vec<CurveLine<'a>>,
    /// Lines and points for which there was no room.
    pub lines_left_out: usize,
    pub points_left_out: usize,
}

/// A line: the levels of all other factors are alike.
#[derive(Debug, Clone)]
pub struct CurveLine<'a> {
    pub name: String,
    /// With increasing numbers.
    pub points: Vec<(f64, &'a GridRow)>,
    pub law: Option<CurveLaw>,
}

/// A law of scaling that describes a line.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveLaw {
    pub name: &'static str,
    /// Numbers of workers with the speedup by the law.
    pub points: Vec<(f64, f64)>,
}

impl CurveLine<'_> {
    fn has_value(row: &GridRow) -> bool {
        row.median.measured().is_some()
    }

    fn best(&self, of: impl Fn(&GridRow) -> Option<f64>) -> f64 {
        self.points.iter().filter_map(|(_, row)| of(row)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// The curves of a study; nothing where no factor is of numbers.
pub fn curves<'a>(shown: &ShownStudy<'a>) -> Option<Curves<'a>> {
    let tables = shown.tables;
    let factor = along(tables)?;
    let numbers = numbers(tables, factor);
    let higher = shown.study.header.metric.higher_is_better();
    let (mut lines, points_left_out) = lines(tables, factor, &numbers.at);
    let is_of_speedup =
        tables.rows.iter().any(|row| row.point != tables.baseline && row.speedup.measured().is_some());
    let measure = match numbers.first_workers {
        Some(_) if is_of_speedup => CurveMeasure::Speedup,
        _ => CurveMeasure::Metric,
    };
    let rank = |line: &CurveLine<'_>| {
        let holds_baseline = line.points.iter().any(|(_, row)| row.point == tables.baseline);
        let best = line.best(|row| row.median.measured().map(|value| if higher { *value } else { -value }));
        (Reverse(holds_baseline), best)
    };
    let lines_left_out = lines.len().saturating_sub(LINES);
    if lines_left_out > 0 {
        let mut ranks: Vec<_> = lines.iter().map(&rank).enumerate().collect();
        ranks.arrange_by(|(_, one), (_, other)| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
        let mut chosen: Vec<usize> = ranks.iter().take(LINES).map(|(k, _)| *k).collect();
        chosen.arrange();
        lines = chosen.into_iter().map(|k| lines[k].clone()).collect();
    }
    if measure == CurveMeasure::Speedup {
        for line in &mut lines {
            line.law = law(tables, line);
        }
    }
    (!lines.is_empty()).then(|| Curves {
        along: numbers.name,
        is_geometric: is_geometric(&lines),
        measure,
        first_workers: numbers.first_workers,
        lines,
        lines_left_out,
        points_left_out,
    })
}

/// A factor with enough numbers, one of workers before any other, and the one with most levels among these.
fn along(tables: &GridTables) -> Option<usize> {
    let enough = |factor: &FactorLevels| {
        let numbers: Option<Vec<f64>> = factor.levels.iter().map(|level| number(level)).collect();
        numbers.is_some_and(|all| all.len() >= LEAST)
    };
    let with_numbers = tables.factors.iter().enumerate().filter(|(_, factor)| enough(factor));
    let best = with_numbers
        .min_by_key(|(_, factor)| (!OF_WORKERS.contains(&factor.kind), Reverse(factor.levels.len())));
    best.map(|(k, _)| k)
}

fn number(level: &str) -> Option<f64> {
    level.parse().ok().filter(|number: &f64| number.is_finite())
}

/// What the points of a line stand at.
struct AxisNumbers {
    name: String,
    first_workers: Option<f64>,
    /// One for each row.
    at: Vec<f64>,
}

/// The workers of each point, where the factor changes how many there are and all are known; else its level.
fn numbers(tables: &GridTables, factor: usize) -> AxisNumbers {
    let levels: Vec<f64> =
        tables.rows.iter().map(|row| number(&row.levels[factor]).unwrap_or_default()).collect();
    let name = tables.factors[factor].name.clone();
    let workers: Option<Vec<f64>> = tables.rows.iter().map(|row| row.workers.map(f64::from)).collect();
    let baseline = tables.rows.iter().find(|row| row.point == tables.baseline);
    let first_workers = baseline.and_then(|row| row.workers).filter(|workers| *workers > 0).map(f64::from);
    match workers {
        Some(workers) if OF_WORKERS.contains(&tables.factors[factor].kind) && first_workers.is_some() => {
            let name = if workers == levels { name } else { "threads of all processes".to_owned() };
            AxisNumbers { name, first_workers, at: workers }
        }
        _ => AxisNumbers { name, first_workers: None, at: levels },
    }
}

/// A line for each combination of the other factors that has two values at least, and how many points were left out of them.
fn lines<'a>(tables: &'a GridTables, factor: usize, at: &[f64]) -> (Vec<CurveLine<'a>>, usize) {
    let mut groups: BTreeMap<Vec<usize>, Vec<(f64, &GridRow)>> = BTreeMap::new();
    let place = |k: usize, level: &String| {
        tables.factors[k].levels.iter().position(|one| one == level).unwrap_or_default()
    };
    for (row, at) in tables.rows.iter().zip(at) {
        let others = row.levels.iter().enumerate().filter(|(k, _)| *k != factor);
        let key = others.map(|(k, level)| place(k, level)).collect();
        groups.entry(key).or_default().push((*at, row));
    }
    let mut left_out = 0;
    let mut lines = Vec::new();
    for mut points in groups.into_values() {
        points.arrange_by(|one, other| one.0.total_cmp(&other.0));
        if points.iter().filter(|(_, row)| CurveLine::has_value(row)).count() < 2 {
            continue;
        }
        let step = points.len().div_ceil(POINTS);
        let last = points.len() - 1;
        let all = points.len();
        let points: Vec<_> = points
            .into_iter()
            .enumerate()
            .filter(|(k, _)| k % step == 0 || *k == last)
            .map(|(_, point)| point)
            .collect();
        left_out += all - points.len();
        // What is alike in all of a line and not in all of the study.
        let name = words::levels_but(tables, points[0].1, &[factor]);
        let name = if name.is_empty() { "measured".to_owned() } else { name };
        lines.push(CurveLine { name, points, law: None });
    }
    (lines, left_out)
}

/// By the numbers of all lines.
fn is_geometric(lines: &[CurveLine<'_>]) -> bool {
    let mut at: Vec<f64> = lines.iter().flat_map(|line| line.points.iter().map(|(at, _)| *at)).collect();
    at.arrange_by(f64::total_cmp);
    at.dedup();
    let mut ratios: Vec<f64> = at.windows(2).map(|pair| pair[1] / pair[0]).collect();
    ratios.arrange_by(f64::total_cmp);
    let is_positive = at.first().is_some_and(|least| *least > 0.0);
    is_positive && ratios.len() >= LEAST && ratios[(ratios.len() - 1) / 2] >= GEOMETRIC
}

/// The simplest law that describes a line, as a curve over all of its numbers.
fn law(tables: &GridTables, line: &CurveLine<'_>) -> Option<CurveLaw> {
    let first = &line.points.first()?.1.point;
    let series = tables.scaling.iter().find(|series| series.points.contains(first))?;
    let fitting = |of: &Reading<ScalingModel>| of.measured().filter(|model| model.fits).cloned();
    let (name, model) = match (fitting(&series.amdahl), fitting(&series.universal)) {
        (Some(model), _) => ("Amdahl's law", model),
        (None, Some(model)) => ("the universal scalability law", model),
        (None, None) => return None,
    };
    let one = speedup_of_one(tables, series, &model)?;
    let (from, to) = (line.points.first()?.0.max(1.0), line.points.last()?.0);
    let sample = |k: u32| {
        let workers = from * (to / from).powf(f64::from(k) / f64::from(SAMPLES - 1));
        (workers, one * shape(&model, workers))
    };
    let points: Vec<(f64, f64)> = (0..SAMPLES).map(sample).collect();
    points.iter().all(|(_, speedup)| speedup.is_finite()).then_some(CurveLaw { name, points })
}

/// How many times as fast as with one worker.
fn shape(model: &ScalingModel, workers: f64) -> f64 {
    let overhead = model.contention.0 * (workers - 1.0) + model.coherency.0 * workers * (workers - 1.0);
    workers / (1.0 + overhead)
}

/// The speedup of one worker by the law, against the baseline of the study: from all points, each of which knows how far it is from the law.
fn speedup_of_one(tables: &GridTables, series: &ScalingSeries, model: &ScalingModel) -> Option<f64> {
    let mut logarithms = Vec::new();
    for (point, ratio) in series.points.iter().zip(&model.ratios) {
        let row = tables.rows.iter().find(|row| row.point == *point)?;
        let (Some(speedup), Some(workers)) = (row.speedup.measured(), row.workers) else { continue };
        logarithms.push((speedup.ratio.0 * ratio.0 / shape(model, f64::from(workers))).ln());
    }
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

/// The charts of a page, and the table of what they draw.
pub fn blocks(shown: &ShownStudy<'_>, curves: &Curves<'_>) -> Vec<Block> {
    let html = |block| Block::Only(Face::Html, Box::new(block));
    let band = "The band is the 95 % interval of each point";
    let mut left_out = String::new();
    if curves.lines_left_out > 0 {
        left_out += &format!(
            " Drawn are the {} lines with the best points and that of the baseline; {} more are in the table of points.",
            LINES, curves.lines_left_out
        );
    }
    if curves.points_left_out > 0 {
        left_out += &format!(" {} have no room.", many(curves.points_left_out as u64, "point"));
    }
    let along = &curves.along;
    let mut blocks = Vec::new();
    match curves.measure {
        CurveMeasure::Speedup => {
            let baseline = &shown.tables.baseline;
            let laws = if curves.lines.iter().any(|line| line.law.is_some()) {
                " Dotted: the law of scaling that describes a line."
            } else {
                ""
            };
            blocks.push(html(captioned(
                "chart-curves",
                format!("Speedup by {along}"),
                format!(
                    "Speedup against {baseline} by {along}. {band}; all hold together. Ideal: as many times as fast as there are workers.{laws}{left_out}"
                ),
            )));
            blocks.push(html(captioned(
                "chart-efficiency",
                format!("Efficiency by {along}"),
                format!(
                    "Efficiency: the speedup divided by how many times as many workers there are. {band}."
                ),
            )));
        }
        CurveMeasure::Metric => blocks.push(html(captioned(
            "chart-curves",
            format!("The median by {along}"),
            format!("The median of the metric by {along}. {band}, where there are enough trials.{left_out}"),
        ))),
    }
    blocks.push(Block::Only(Face::Terminal, Box::new(Block::Table(small(shown, curves)))));
    let table = table(shown, curves);
    let summary = format!("{} of the curves as a table", many(table.rows.len() as u64, "point"));
    blocks.push(Block::Folded { summary, blocks: vec![Block::Table(table)] });
    blocks
}

fn table(shown: &ShownStudy<'_>, curves: &Curves<'_>) -> Table {
    let metric = &shown.study.header.metric;
    let mut columns = vec![
        Column::text("line"),
        Column::number(curves.along.clone()).named(),
        Column::number("median"),
        Column::number("95 % interval"),
    ];
    let is_of_speedup = curves.measure == CurveMeasure::Speedup;
    if is_of_speedup {
        columns.extend(["speedup", "interval", "efficiency", "interval"].map(Column::number));
    }
    let row = |line: &CurveLine<'_>, at: f64, row: &GridRow| {
        let mut cells: Vec<Cell> = vec![
            line.name.as_str().into(),
            at.to_string().into(),
            cell(&row.median, |value| amount::value(metric, *value)),
            interval(&row.low, &row.high, |value| amount::value(metric, value)),
        ];
        if is_of_speedup {
            let span = |effect: &Effect| format!("{} to {}", effect.low, effect.high);
            let shares =
                |effect: &Effect| format!("{} to {}", words::share(effect.low), words::share(effect.high));
            cells.extend([
                cell(&row.speedup, |effect| effect.ratio.to_string()),
                cell(&row.speedup, span),
                cell(&row.efficiency, |effect| words::share(effect.ratio)),
                cell(&row.efficiency, shares),
            ]);
        }
        cells.into_iter().collect::<Row>()
    };
    let rows =
        curves.lines.iter().flat_map(|line| line.points.iter().map(move |(at, of)| row(line, *at, of)));
    let limits = RowLimits { terminal: 0, html: 400, rest: "in the points to download" };
    Table { columns, rows: rows.collect(), most: Some(limits) }
}

/// The lines as a few characters each, for a terminal, all on one scale.
fn small(shown: &ShownStudy<'_>, curves: &Curves<'_>) -> Table {
    const WIDTH: usize = 40;
    let metric = &shown.study.header.metric;
    let is_of_speedup = curves.measure == CurveMeasure::Speedup;
    let value = |row: &GridRow| {
        if is_of_speedup {
            row.speedup.measured().map(|effect| effect.ratio.0)
        } else {
            row.median.measured().copied()
        }
    };
    let text =
        |value: f64| if is_of_speedup { Ratio(value).to_string() } else { amount::value(metric, value) };
    let all = curves.lines.iter().flat_map(|line| &line.points).filter_map(|(_, row)| value(row));
    let most = all.fold(0.0, f64::max);
    let higher = is_of_speedup || metric.higher_is_better();
    let row = |line: &CurveLine<'_>| {
        let values: Vec<Option<f64>> = line.points.iter().map(|(_, row)| value(row)).collect();
        let known = line.points.iter().filter_map(|(at, row)| Some((*at, value(row)?)));
        let best = known.reduce(|one, other| if (other.1 > one.1) == higher { other } else { one });
        let best = best.map_or_else(String::new, |(at, value)| format!("{} at {at}", text(value)));
        let ends = [line.points.first(), line.points.last()].map(|end| end.map_or(0.0, |(at, _)| *at));
        let cells = [
            line.name.clone(),
            ends[0].to_string(),
            spark_line(&values, most, WIDTH),
            ends[1].to_string(),
            best,
        ];
        cells.into_iter().collect::<Row>()
    };
    let title = if is_of_speedup { "speedup" } else { "median" };
    let columns = vec![
        Column::text("line"),
        Column::number(curves.along.clone()).named().expendable(1),
        Column::picture(title),
        Column::text("").expendable(2),
        Column::text("best"),
    ];
    Table { columns, rows: curves.lines.iter().map(row).collect(), most: None }
}
