//! Trials one by one: how far each lies from the median of its point, by point and in the order in which they ran.

use std::collections::BTreeMap;

use numawise_facts::{Outcome, Trial};
use numawise_tables::GridRow;
use numawise_units::Arrange;

use super::{ShownStudy, cell, words};
use crate::amount::{self, many};
use crate::document::{Block, Cell, Column, Row, RowLimits, Table, captioned, section};
use crate::notice;

/// Points whose trials are drawn at most, each in a row of its own.
const POINTS: usize = 40;
/// Dots of all of them.
const DOTS: usize = 4000;
/// Trials drawn in their order, and besides of those that failed or were disturbed.
const IN_ORDER: usize = 4000;
const MARKED: usize = 1000;

/// How a trial counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialMark {
    Counts = 0,
    Disturbed = 1,
    Failed = 2,
    WarmUp = 3,
}

impl TrialMark {
    pub fn of(trial: &Trial) -> TrialMark {
        match &trial.outcome {
            Outcome::Failed { .. } | Outcome::NoMetric { .. } => TrialMark::Failed,
            Outcome::Measured { .. } if trial.is_warm_up() => TrialMark::WarmUp,
            Outcome::Measured { .. } if !trial.disturbances.is_empty() => TrialMark::Disturbed,
            Outcome::Measured { .. } => TrialMark::Counts,
        }
    }

    /// Something is to be said of it.
    fn is_marked(self) -> bool {
        matches!(self, TrialMark::Disturbed | TrialMark::Failed)
    }
}

/// A point with the trials that are drawn.
pub struct SpreadRow<'a> {
    pub row: &'a GridRow,
    pub median: f64,
    /// The largest value of all trials with a value, the warm-up apart.
    pub max: f64,
    /// Trials with their distance from the median, as a share of it.
    pub trials: Vec<(&'a Trial, f64)>,
    /// Those for which there was no room.
    pub left_out: usize,
}

/// The points whose trials are drawn, in their order: all, or the baseline and the best.
fn spread<'a>(shown: &ShownStudy<'a>) -> Vec<SpreadRow<'a>> {
    let (tables, header) = (shown.tables, &shown.study.header);
    let mut of_point: BTreeMap<&str, Vec<(&Trial, f64)>> = BTreeMap::new();
    for trial in shown.study.trials.iter().filter(|trial| !trial.is_warm_up()) {
        if let Some(value) = header.value(trial).filter(|value| value.is_finite()) {
            of_point.entry(&trial.point.0).or_default().push((trial, value));
        }
    }
    let higher = header.metric.higher_is_better();
    let mut chosen: Vec<(usize, f64)> = tables
        .rows
        .iter()
        .enumerate()
        .filter_map(|(k, row)| Some((k, *row.median.measured().filter(|median| **median > 0.0)?)))
        .collect();
    let rank = |(k, median): &(usize, f64)| {
        let is_other = tables.rows[*k].point != tables.baseline;
        (is_other, if higher { -median } else { *median })
    };
    chosen.arrange_by(|one, other| {
        let (one, other) = (rank(one), rank(other));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    chosen.truncate(POINTS);
    chosen.arrange_by_key(|(k, _)| *k);
    let room = DOTS / chosen.len().max(1);
    let of = |(k, median): (usize, f64)| {
        let row = &tables.rows[k];
        let all = of_point.get(row.point.0.as_str()).map_or(&[][..], Vec::as_slice);
        let step = all.len().div_ceil(room).max(1);
        let trials: Vec<_> =
            all.iter().step_by(step).map(|(trial, value)| (*trial, value / median - 1.0)).collect();
        let max = all.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        SpreadRow { row, median, max, left_out: all.len() - trials.len(), trials }
    };
    chosen.into_iter().map(of).collect()
}

/// A trial in its order.
pub struct OrderedTrial<'a> {
    pub trial: &'a Trial,
    pub mark: TrialMark,
    /// From the median of its point, as a share of it; none where it has no value, or its point no median.
    pub off: Option<f64>,
}

/// The trials that are drawn in their order, and of how many.
pub struct TrialOrder<'a> {
    pub trials: Vec<OrderedTrial<'a>>,
    pub all: usize,
    /// Each so many trials one is drawn; 1 where all are.
    pub step: usize,
    /// Trials that failed or were disturbed, and how many of them are drawn.
    pub marked: [usize; 2],
}

/// All trials, or each so many, and those that failed or were disturbed besides.
fn order<'a>(shown: &ShownStudy<'a>) -> TrialOrder<'a> {
    let medians: BTreeMap<&str, f64> = (shown.tables.rows.iter())
        .filter_map(|row| Some((row.point.0.as_str(), *row.median.measured()?)))
        .filter(|(_, median)| *median > 0.0)
        .collect();
    let all = &shown.study.trials;
    let step = all.len().div_ceil(IN_ORDER).max(1);
    let marked = all.iter().filter(|trial| TrialMark::of(trial).is_marked()).count();
    let step_of_marked = if step == 1 { 1 } else { marked.div_ceil(MARKED).max(1) };
    let mut trials = Vec::new();
    let mut drawn_of_marked = 0;
    let mut nth_marked = 0;
    for (k, trial) in all.iter().enumerate() {
        let mark = TrialMark::of(trial);
        let is_due = if mark.is_marked() {
            nth_marked += 1;
            (nth_marked - 1) % step_of_marked == 0
        } else {
            k % step == 0
        };
        if !is_due {
            continue;
        }
        drawn_of_marked += usize::from(mark.is_marked());
        let value = shown.study.header.value(trial).filter(|value| value.is_finite());
        let off = value.and_then(|value| Some(value / medians.get(trial.point.0.as_str())? - 1.0));
        trials.push(OrderedTrial { trial, mark, off });
    }
    TrialOrder { trials, all: all.len(), step, marked: [marked, drawn_of_marked] }
}

/// The trials that a page draws.
pub struct DrawnTrials<'a> {
    pub spread: Vec<SpreadRow<'a>>,
    pub order: TrialOrder<'a>,
}

impl<'a> DrawnTrials<'a> {
    pub fn of(shown: &ShownStudy<'a>) -> Self {
        DrawnTrials { spread: spread(shown), order: order(shown) }
    }
}

/// The sections of a page.
pub fn sections(shown: &ShownStudy<'_>, drawn: &DrawnTrials<'_>) -> Vec<Block> {
    let mut sections: Vec<Block> = spread_section(shown, &drawn.spread).into_iter().collect();
    if !shown.study.trials.is_empty() {
        sections.push(order_section(shown, &drawn.order));
    }
    sections
}

fn spread_section(shown: &ShownStudy<'_>, rows: &[SpreadRow<'_>]) -> Option<Block> {
    if rows.iter().all(|row| row.trials.is_empty()) {
        return None;
    }
    let with_values = shown.tables.rows.iter().filter(|row| row.median.measured().is_some()).count();
    let mut caption = "A dot is a trial, at its distance from the median of its point; a triangle lies further off, a ring was disturbed."
        .to_owned();
    if with_values > rows.len() {
        caption += &format!(" Drawn are the baseline and the best points, {} of {with_values}.", rows.len());
    }
    let left_out: usize = rows.iter().map(|row| row.left_out).sum();
    if left_out > 0 {
        caption += &format!(" {} of these points have no room.", many(left_out as u64, "trial"));
    }
    let metric = &shown.study.header.metric;
    let one = |of: &SpreadRow<'_>| {
        let row = of.row;
        let figure = |value: f64| Cell::from(amount::value(metric, value));
        let relative = row.sd.measured().zip(row.mean.measured()).map(|(sd, mean)| sd / mean);
        let cells: [Cell; 7] = [
            row.point.to_string().into(),
            row.repeats.to_string().into(),
            cell(&row.min, |value| amount::value(metric, *value)),
            figure(of.median),
            figure(of.max),
            cell(&row.sd, |value| amount::value(metric, *value)),
            match relative {
                Some(relative) => words::share(numawise_units::Ratio(relative)).into(),
                None => cell(&row.sd, |_| String::new()),
            },
        ];
        cells.into_iter().collect::<Row>()
    };
    let columns = vec![
        Column::text("point"),
        Column::number("n").named(),
        Column::number("min"),
        Column::number("median"),
        Column::number("max"),
        Column::number("sd").named(),
        Column::number("sd of the mean").named(),
    ];
    let table = Table { columns, rows: rows.iter().map(one).collect(), most: None };
    let chart =
        captioned("chart-spread", "Every trial by its distance from the median of its point", caption);
    Some(section("spread", "How trials scatter", vec![chart, Block::Table(table)]))
}

fn order_section(shown: &ShownStudy<'_>, of: &TrialOrder<'_>) -> Block {
    let mut caption =
        "The trials in the order in which they ran, each at its distance from the median of its point. A trial that failed stands at the bottom; a triangle lies further off than there is room for."
            .to_owned();
    if of.step > 1 {
        let [marked, drawn] = of.marked;
        caption += &format!(
            " Of {} trials one in {} is drawn, and besides {drawn} of the {marked} that failed or were disturbed.",
            of.all, of.step
        );
    }
    let chart = captioned("chart-order", "Trials in the order in which they ran", caption);
    let mut blocks = vec![chart];
    let marked = shown.study.trials.iter().filter(|trial| TrialMark::of(trial).is_marked());
    let rows: Vec<Row> = marked.take(MARKED).map(|trial| trial_row(shown, trial)).collect();
    if rows.is_empty() {
        blocks.push(Block::Paragraph("No trial failed, and none was disturbed.".into()));
    } else {
        let columns = vec![
            Column::number("trial"),
            Column::number("block"),
            Column::text("point"),
            Column::number("value"),
            Column::text("status"),
            Column::text("disturbances"),
        ];
        let limits = RowLimits { terminal: 0, html: 200, rest: "in the trials to download" };
        let table = Table { columns, rows, most: Some(limits) };
        let summary = format!("{} failed or were disturbed", many(of.marked[0] as u64, "trial"));
        blocks.push(Block::Folded { summary, blocks: vec![Block::Table(table)] });
    }
    section("trials", "Trials in their order", blocks)
}

fn trial_row(shown: &ShownStudy<'_>, trial: &Trial) -> Row {
    let metric = &shown.study.header.metric;
    let value = shown.study.header.value(trial);
    [
        trial.number.to_string(),
        if trial.is_warm_up() { "warm-up".to_owned() } else { trial.block.to_string() },
        trial.point.to_string(),
        value.map_or("none".to_owned(), |value| amount::value(metric, value)),
        notice::trial_status(metric, trial),
        notice::disturbances(trial).join("; "),
    ]
    .into_iter()
    .collect()
}
