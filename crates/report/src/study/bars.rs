//! Grouped bars: the median at each level of a factor of a few numbers, a bar for each level of a factor of words, such as copies by
//! strategy.

use std::collections::BTreeMap;

use numawise_facts::{FactorKind, FactorLevels};
use numawise_tables::{GridRow, GridTables};
use serde_json::{Value, json as object};

use super::{ShownStudy, cell, maps, span, words};
use crate::amount;
use crate::document::{Block, Cell, Column, Row, Table, captioned, section};
use crate::object::each;

/// Groups at most: more numbers are a curve.
const GROUPS: usize = 10;
/// Bars of a group at most: there are as many colours.
const BARS: usize = 8;

/// Factors of numbers and of words, those that people compare first.
const NUMBERS: [FactorKind; 3] = [FactorKind::Copies, FactorKind::Ranks, FactorKind::Threads];
const WORDS: [FactorKind; 4] = [FactorKind::Place, FactorKind::Memory, FactorKind::Command, FactorKind::Pin];

/// The bars of a study.
pub struct GroupedBars<'a> {
    along: &'a FactorLevels,
    by: &'a FactorLevels,
    /// For each level of `along` the point of each level of `by`; none where there is no such point.
    groups: Vec<Vec<Option<&'a GridRow>>>,
    /// The levels of the other factors: `threads=8`.
    at: String,
}

/// The bars; nothing where no factor of a few numbers meets one of words.
pub fn bars<'a>(shown: &ShownStudy<'a>) -> Option<GroupedBars<'a>> {
    let tables = shown.tables;
    let is_of_numbers = |of: &FactorLevels| of.levels.iter().all(|level| level.parse::<f64>().is_ok());
    let along = first(tables, &NUMBERS, |of| is_of_numbers(of) && (2..=GROUPS).contains(&of.levels.len()))?;
    let by = first(tables, &WORDS, |of| !is_of_numbers(of) && (2..=BARS).contains(&of.levels.len()))?;
    let centre = maps::through(tables)?;
    let by_levels: BTreeMap<&[String], &GridRow> =
        tables.rows.iter().map(|row| (row.levels.as_slice(), row)).collect();
    let point = |number: &String, word: &String| {
        let mut levels = centre.levels.clone();
        levels[along].clone_from(number);
        levels[by].clone_from(word);
        by_levels.get(levels.as_slice()).copied()
    };
    let [along_of, by_of] = [&tables.factors[along], &tables.factors[by]];
    let group = |number| by_of.levels.iter().map(|word| point(number, word)).collect();
    let groups: Vec<Vec<Option<&GridRow>>> = along_of.levels.iter().map(group).collect();
    let is_known = |row: &&GridRow| row.median.measured().is_some_and(|median| *median > 0.0);
    let drawn = groups.iter().flatten().flatten().filter(|row| is_known(row)).count();
    let at = words::levels_but(tables, centre, &[along, by]);
    (drawn >= 2).then_some(GroupedBars { along: along_of, by: by_of, groups, at })
}

/// The place of the factor that fits, one of the preferred kinds before any other.
fn first(
    tables: &GridTables,
    preferred: &[FactorKind],
    fits: impl Fn(&FactorLevels) -> bool,
) -> Option<usize> {
    let rank =
        |of: &FactorLevels| preferred.iter().position(|kind| *kind == of.kind).unwrap_or(preferred.len());
    let fitting = tables.factors.iter().enumerate().filter(|(_, of)| fits(of));
    fitting.min_by_key(|(_, of)| rank(of)).map(|(k, _)| k)
}

/// The chart, and the table of what it draws.
pub fn section_of(shown: &ShownStudy<'_>, bars: &GroupedBars<'_>) -> Block {
    let (along, by) = (&bars.along.name, &bars.by.name);
    let at = if bars.at.is_empty() { String::new() } else { format!(" At {}.", bars.at) };
    let better =
        if shown.study.header.metric.higher_is_better() { "Higher is better" } else { "Lower is better" };
    let caption = format!("A bar is the median of a point, the line on it its 95 % interval. {better}.{at}");
    let title = format!("Medians by {along} and {by}");
    let chart = captioned("chart-bars", title.clone(), caption);
    section("bars", title, vec![chart, Block::Table(table(shown, bars))])
}

fn table(shown: &ShownStudy<'_>, bars: &GroupedBars<'_>) -> Table {
    let metric = &shown.study.header.metric;
    let mut columns = vec![Column::number(bars.along.name.clone()).named()];
    for level in &bars.by.levels {
        columns.push(Column::number(format!("{}={level}", bars.by.name)).named());
        columns.push(Column::number("95 % interval"));
    }
    let figures = |row: &Option<&GridRow>| -> [Cell; 2] {
        let Some(row) = row else { return ["-".into(), "-".into()] };
        let interval = span(&row.low, &row.high, |value| amount::value(metric, value));
        [cell(&row.median, |value| amount::value(metric, *value)), cell(&interval, Clone::clone)]
    };
    let row = |(level, group): (&String, &Vec<Option<&GridRow>>)| -> Row {
        std::iter::once(Cell::from(level.as_str())).chain(group.iter().flat_map(figures)).collect()
    };
    Table { columns, rows: bars.along.levels.iter().zip(&bars.groups).map(row).collect(), most: None }
}

/// What the chart draws: for each group its bars, with median, interval and n; null where there is none.
pub fn data(bars: &GroupedBars<'_>) -> Value {
    let bar = |row: &Option<&GridRow>| match row {
        Some(row) => object!([row.median.measured(), row.low.measured(), row.high.measured(), row.repeats]),
        None => Value::Null,
    };
    object!({
        "along": bars.along.name,
        "by": bars.by.name,
        "levels": bars.along.levels,
        "names": bars.by.levels,
        "groups": each(&bars.groups, |group| each(group, bar)),
    })
}
