//! The sections that only a page has room for: what memory explains, every trial, and what one needs to do it again.

use numawise_facts::{Reading, Study, Trial};
use numawise_tables::ExpectedEffect;
use numawise_units::{Nanoseconds, Ratio};

use super::{Check, data, points};
use crate::document::{Block, Column, Face, Row, Table, Text, captioned, section};
use crate::{amount, notice, settings};

const EXPECTED: &str = "How many times as good one placement is as the other for a program that does nothing but wait \
                        for memory, by latencies and bandwidths measured on this machine; and what was seen. One that \
                        does something else too differs by less.";

/// What the placements could differ by, by the measured figures of the machine, and what they did differ by. Nothing where
/// the machine was not measured: the summary says so already.
pub fn expected(check: &Check) -> Option<Block> {
    let expected = check.analysis.expected.as_ref().ok().filter(|expected| !expected.effects.is_empty())?;
    let table = Table {
        columns: vec![
            Column::code("placement"),
            Column::code("vs"),
            Column::text("bound by latency"),
            Column::text("bound by bandwidth"),
            Column::text("seen"),
        ],
        rows: expected.effects.iter().map(expected_row).collect(),
        most: None,
    };
    let blocks = vec![Block::Legend(EXPECTED.into()), Block::Table(table)];
    let section = section("expected", "What the machine's memory explains", blocks);
    Some(Block::Only(Face::Html, Box::new(section)))
}

fn expected_row(effect: &ExpectedEffect) -> Row {
    let ratio = |reading: &Reading<Ratio>| Text::of(reading, Ratio::to_string);
    [
        effect.to.to_string().into(),
        effect.from.to_string().into(),
        ratio(&effect.latency_bound),
        ratio(&effect.bandwidth_bound),
        Text::of(&effect.seen, |seen| points::effect_text(*seen)),
    ]
    .into_iter()
    .collect()
}

/// Rows of the table of trials at most, so that the page stays small however many there are; the record has all.
const ROWS: usize = 1000;

/// Every trial in a chart and a table.
pub fn trials(check: &Check) -> Block {
    let all = check.study.trials.len();
    let mut caption =
        "The runs in the order in which they ran. Hollow: disturbed. Small: warm-up.".to_owned();
    if all > data::TRIALS {
        caption += &format!(" The first {} of {all}.", data::TRIALS);
    }
    let summary = if all > ROWS {
        format!("The first {ROWS} of {all} trials as a table; the record holds all")
    } else {
        format!("All {all} trials as a table")
    };
    let table = Table {
        columns: vec![
            Column::number("trial"),
            Column::number("round"),
            Column::code("placement"),
            Column::number("value"),
            Column::number("wall time"),
            Column::text("status"),
            Column::text("disturbances"),
        ],
        rows: check.study.trials.iter().take(ROWS).map(|trial| trial_row(check.study, trial)).collect(),
        most: None,
    };
    let chart = captioned("chart-trials", "The metric of each trial in the order in which they ran", caption);
    let blocks = vec![chart, Block::Folded { summary, blocks: vec![Block::Table(table)] }];
    section("trials", "Trials", blocks)
}

fn trial_row(study: &Study, trial: &Trial) -> Row {
    let metric = &study.header.metric;
    let value = study.header.value(trial);
    [
        trial.number.to_string(),
        if trial.is_warm_up() { "warm-up".to_owned() } else { trial.block.to_string() },
        trial.point.to_string(),
        value.map_or("none".to_owned(), |value| amount::value(metric, value)),
        trial.wall.to_string(),
        notice::trial_status(metric, trial),
        notice::disturbances(trial).join("; "),
    ]
    .into_iter()
    .collect()
}

/// What one needs to do it again.
pub fn study(check: &Check) -> Block {
    let header = &check.study.header;
    let facts = [
        ("Repeats at least", header.min_repeats.to_string()),
        ("Counts as no difference", format!("within {}", Ratio(header.margin).percent())),
        ("Time given", Nanoseconds::to_string(&header.budget)),
        ("Record", check.record.to_owned()),
    ];
    let blocks = settings::blocks(header, facts.into());
    let summary = "Settings, machine and environment".to_owned();
    section("study", "The study", vec![Block::Folded { summary, blocks }])
}
