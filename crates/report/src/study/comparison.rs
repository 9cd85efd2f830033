//! Two studies side by side: one document for the terminal and for HTML, and JSON.

use numawise_facts::{Metric, PointId, Reading};
use numawise_tables::{ComparedPoint, ContrastCall, StudyComparison};
use serde_json::json as object;

use super::cell;
use crate::amount::{self, many};
use crate::document::{Block, Cell, Column, Document, Fact, Opening, Row, Table, Tone, list, section};
use crate::object::{each, reading};

/// The name and the version of the format.
const SCHEMA: &str = "numawise/study-comparison/1";

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct ShownComparison<'a> {
    pub tables: &'a StudyComparison,
    pub metric: &'a Metric,
    /// The files, as the reader would type them.
    pub names: [&'a str; 2],
}

/// The comparison as a document.
pub fn comparison_document(shown: &ShownComparison<'_>) -> Document {
    let columns = vec![
        Column::text("point"),
        Column::number("before"),
        Column::number("after"),
        Column::number("after vs before"),
        Column::number("95 % interval").expendable(1),
        Column::text(""),
    ];
    let row = |row: &ComparedPoint| {
        let value = |of: &Reading<f64>| cell(of, |value| amount::value(shown.metric, *value));
        let cells: [Cell; 6] = [
            row.point.to_string().into(),
            value(&row.first),
            value(&row.second),
            cell(&row.effect, |effect| effect.ratio.to_string()),
            cell(&row.effect, |effect| format!("{} to {}", effect.low, effect.high)),
            word(row.call).into(),
        ];
        Row { cells: cells.into_iter().collect(), tone: tone(row.call) }
    };
    let table = Table { columns, rows: shown.tables.rows.iter().map(row).collect(), most: None };
    let fact = |name, text: &str| Fact { name, text: text.into(), code: true };
    let mut blocks = vec![
        Block::Facts(vec![fact("Before", shown.names[0]), fact("After", shown.names[1])]),
        section("points", "Points of both", vec![Block::Table(table)]),
    ];
    blocks.extend(list("caveats", "What to know", &caveats(shown.tables)));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    Document {
        tool: "numawise compare",
        title: format!("{} and {}", shown.names[0], shown.names[1]),
        opening: Opening {
            headline: headline(shown.tables),
            tone: Tone::Plain,
            effect: None,
            sentence: None,
        },
        blocks,
        charts: None,
        width: 120,
    }
}

fn count(tables: &StudyComparison, call: ContrastCall) -> u64 {
    tables.rows.iter().filter(|row| row.call == call).count() as u64
}

fn headline(tables: &StudyComparison) -> String {
    if tables.rows.is_empty() {
        return "no point is in both".to_owned();
    }
    let of = |call| count(tables, call);
    format!(
        "of {} {} better, {} worse, {} the same, {} open",
        many(tables.rows.len() as u64, "point"),
        of(ContrastCall::Better),
        of(ContrastCall::Worse),
        of(ContrastCall::Same),
        of(ContrastCall::Open)
    )
}

fn caveats(tables: &StudyComparison) -> Vec<String> {
    let mut all = vec![
        "the two were measured one after the other, so that whatever else changed on the machine meanwhile counts too"
            .to_owned(),
    ];
    if tables.other_command {
        all.push("they ran different commands".to_owned());
    }
    if tables.other_machine {
        all.push("they ran on different machines, or on different CPUs of one".to_owned());
    }
    let named = |ids: &[PointId], which: &str| {
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        (!names.is_empty()).then(|| format!("only {which}: {}", names.join("; ")))
    };
    all.extend(named(&tables.only_first, "before"));
    all.extend(named(&tables.only_second, "after"));
    all
}

fn word(call: ContrastCall) -> &'static str {
    match call {
        ContrastCall::Better => "better",
        ContrastCall::Worse => "worse",
        ContrastCall::Same => "the same",
        ContrastCall::Open => "open",
    }
}

fn tone(call: ContrastCall) -> Tone {
    match call {
        ContrastCall::Better => Tone::Good,
        ContrastCall::Worse => Tone::Bad,
        ContrastCall::Same | ContrastCall::Open => Tone::Plain,
    }
}

/// The comparison as one JSON object, ending with a newline.
pub fn comparison_json(shown: &ShownComparison<'_>) -> String {
    let tables = shown.tables;
    let document = object!({
        "schema": SCHEMA,
        "headline": headline(tables),
        "before": shown.names[0],
        "after": shown.names[1],
        "points": each(&tables.rows, |row| object!({
            "point": row.point,
            "before": { "median": row.first, "n": row.repeats[0] },
            "after": { "median": row.second, "n": row.repeats[1] },
            "effect": reading(&row.effect, |effect| object!({
                "ratio": effect.ratio, "low": effect.low, "high": effect.high,
            })),
            "call": row.call,
        })),
        "only_before": tables.only_first,
        "only_after": tables.only_second,
        "other_machine": tables.other_machine,
        "other_command": tables.other_command,
        "caveats": caveats(tables),
    });
    format!("{document:#}\n")
}
