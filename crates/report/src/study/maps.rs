//! Heat maps of two factors: the median at each pair of levels, the other factors alike.

use std::collections::BTreeMap;

use numawise_facts::{FactorLevels, PointId, Reading};
use numawise_tables::{GridRow, GridTables};
use numawise_units::Arrange;

use super::{ShownStudy, span, words};
use crate::amount;
use crate::document::{Block, Matrix, MatrixCell, MatrixColours, MatrixColumn, MatrixFigure, section};

/// Maps at most: more pairs of factors than a person looks through.
const MAPS: usize = 3;
/// Levels of a factor that are shown at most, across and down.
const ACROSS: usize = 20;
const DOWN: usize = 50;

/// Maps of the pairs of factors with several levels each, those of numbers first; nothing where there are fewer than two such factors.
pub fn section_of(shown: &ShownStudy<'_>) -> Option<Block> {
    let maps = maps(shown);
    (!maps.is_empty()).then(|| section("maps", "Two factors at a time", vec![Block::Matrices(maps)]))
}

fn maps(shown: &ShownStudy<'_>) -> Vec<Matrix> {
    let tables = shown.tables;
    let several: Vec<usize> =
        (0..tables.factors.len()).filter(|k| tables.factors[*k].levels.len() > 1).collect();
    let is_number = |factor: &FactorLevels| factor.levels.iter().all(|level| level.parse::<f64>().is_ok());
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (k, one) in several.iter().enumerate() {
        pairs.extend(several[k + 1..].iter().map(|other| (*one, *other)));
    }
    pairs.arrange_by_key(|(one, other)| {
        [one, other].into_iter().filter(|k| !is_number(&tables.factors[**k])).count()
    });
    let by_levels: BTreeMap<&[String], &GridRow> =
        tables.rows.iter().map(|row| (row.levels.as_slice(), row)).collect();
    pairs.into_iter().take(MAPS).filter_map(|pair| map(shown, &by_levels, pair)).collect()
}

/// The point through which all maps go: the best, or the baseline.
pub fn through(tables: &GridTables) -> Option<&GridRow> {
    let point: &PointId = tables.best.measured().map_or(&tables.baseline, |best| &best.point);
    tables.rows.iter().find(|row| row.point == *point)
}

/// The places of the levels that are shown: all, or each so many and that of the point itself.
fn places(factor: &FactorLevels, own: &str, most: usize) -> Vec<usize> {
    let step = factor.levels.len().div_ceil(most).max(1);
    let is_shown = |k: &usize| k.is_multiple_of(step) || factor.levels[*k] == own;
    (0..factor.levels.len()).filter(is_shown).collect()
}

fn map(
    shown: &ShownStudy<'_>,
    by_levels: &BTreeMap<&[String], &GridRow>,
    (one, other): (usize, usize),
) -> Option<Matrix> {
    let tables = shown.tables;
    let centre = through(tables)?;
    // The factor with more levels goes down.
    let is_longer = tables.factors[one].levels.len() >= tables.factors[other].levels.len();
    let (down, across) = if is_longer { (one, other) } else { (other, one) };
    let of = |k: usize, most: usize| places(&tables.factors[k], &centre.levels[k], most);
    let (rows, columns) = (of(down, DOWN), of(across, ACROSS));
    let row_of = |row: usize, column: usize| {
        let mut levels = centre.levels.clone();
        levels[down].clone_from(&tables.factors[down].levels[row]);
        levels[across].clone_from(&tables.factors[across].levels[column]);
        by_levels.get(levels.as_slice()).copied()
    };
    let cells: Vec<Vec<Option<&GridRow>>> =
        rows.iter().map(|row| columns.iter().map(|column| row_of(*row, *column)).collect()).collect();
    let medians = cells.iter().flatten().flatten().filter_map(|row| row.median.measured()).copied();
    let (least, most) =
        medians.fold((f64::INFINITY, 0.0), |(least, most), value| (value.min(least), value.max(most)));
    if !(least.is_finite() && least > 0.0) {
        return None;
    }
    let metric = &shown.study.header.metric;
    let higher = metric.higher_is_better();
    let (worst, best) = if higher { (least, most) } else { (most, least) };
    let depth = |value: f64| match (best / worst).ln() {
        0.0 => 100.0,
        all => 100.0 * ((value / worst).ln() / all).abs(),
    };
    let name = |k: usize, place: usize| tables.factors[k].levels[place].clone();
    let shown_cells = |cells: Vec<Option<&GridRow>>| {
        cells.into_iter().map(|row| matrix_cell(shown, row, depth)).collect::<Vec<_>>()
    };
    let scale =
        (format!("worst {}", amount::value(metric, worst)), format!("best {}", amount::value(metric, best)));
    Some(Matrix {
        title: format!("{} by {}", tables.factors[down].name, tables.factors[across].name),
        corner: format!("{} \\ {}", tables.factors[down].name, tables.factors[across].name),
        columns: columns
            .iter()
            .map(|place| {
                let name = name(across, *place);
                MatrixColumn { short: name.clone(), long: name.clone(), name, note: None }
            })
            .collect(),
        rows: rows.iter().map(|place| name(down, *place)).zip(cells.into_iter().map(shown_cells)).collect(),
        intervals: false,
        about: Some(about(tables, centre, [down, across], [rows.len(), columns.len()])),
        without_intervals: None,
        colours: MatrixColours::Deep(Some(scale)),
    })
}

fn about(tables: &GridTables, centre: &GridRow, pair: [usize; 2], shown: [usize; 2]) -> String {
    let others = words::levels_but(tables, centre, &pair);
    let mut text = "Medians; deeper is better.".to_owned();
    if !others.is_empty() {
        text += &format!(
            " At {}, as in the {}.",
            others,
            if tables.best.measured().is_some() { "best point" } else { "baseline" }
        );
    }
    for (k, shown) in pair.into_iter().zip(shown) {
        let factor = &tables.factors[k];
        if shown < factor.levels.len() {
            text += &format!(" {shown} of {} levels of {} are shown.", factor.levels.len(), factor.name);
        }
    }
    text + " A dash: no such point."
}

fn matrix_cell(shown: &ShownStudy<'_>, row: Option<&GridRow>, depth: impl Fn(f64) -> f64) -> MatrixCell {
    let Some(row) = row else { return MatrixCell::Absent };
    let metric = &shown.study.header.metric;
    let median = match &row.median {
        Reading::Measured(median) => *median,
        Reading::Unavailable { unavailable } => return MatrixCell::Unavailable(unavailable.to_string()),
    };
    let number = amount::value(metric, median);
    let mut hover = format!("{}: median {number}, n = {}", row.point, row.repeats);
    if let Reading::Measured(span) = span(&row.low, &row.high, |value| amount::value(metric, value)) {
        hover += &format!(", 95 % interval {span}");
    }
    let speedup = row.speedup.measured().map(|effect| effect.ratio.to_string());
    if let Some(speedup) = &speedup {
        hover += &format!(", {speedup} of {}", shown.tables.baseline);
    }
    MatrixCell::Figure(MatrixFigure {
        short: number.clone(),
        number,
        half: None,
        small: speedup,
        hover,
        depth: depth(median),
    })
}
