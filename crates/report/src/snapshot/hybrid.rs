//! Divisions of the same CPUs into ranks and threads, side by side.

use numawise_facts::{Reading, RunSpec};
use numawise_tables::snapshot::{HybridBest, HybridComparison, HybridRow, HybridTimePart};
use numawise_units::Ratio;
use serde_json::{Value, json as object};

use super::{next, words};
use crate::document::{
    Bar, BarPart, Bars, Block, Cell, Column, Document, Fact, Opening, Table, Text, Tone, section,
};
use crate::object::{exit, reading};

/// The name and the version of the format.
const SCHEMA: &str = "numawise/snapshot-divisions/1";

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct ShownDivisions<'a> {
    pub command: &'a RunSpec,
    pub tables: &'a HybridComparison,
    /// The file of each row, as the reader would type it, where it is kept.
    pub records: &'a [Option<String>],
}

/// The comparison as a document.
pub fn divisions_document(shown: &ShownDivisions<'_>) -> Document {
    let fact = |name, text: String| Fact { name, text: text.into(), code: false };
    let mut facts = vec![
        Fact { name: "Program", text: shown.command.shell_line().into(), code: true },
        fact("Runs", runs(shown.tables)),
    ];
    facts.extend(failures(shown.tables).map(|text| fact("Failed", text)));
    let columns = vec![
        Column::text("ranks x threads"),
        Column::text(""),
        Column::number("time"),
        Column::number("useful"),
        Column::number("in MPI"),
        Column::number("MPI load balance"),
        Column::number("OpenMP load balance"),
        Column::number("OpenMP serialization").expendable(1),
    ];
    let best = shown.tables.best.map(|best| best.row);
    let rows = shown.tables.rows.iter().enumerate().map(|(number, row)| {
        let tone = if best == Some(number) { Tone::Good } else { Tone::Plain };
        let efficiency = |of: &Reading<Ratio>| Cell::from(Text::of(of, |share| words::efficiency(*share)));
        let share = |of: &Reading<Ratio>| Cell::from(Text::of(of, |share| words::percent(*share)));
        let cells = [
            Cell { tone, ..row.division.to_string().into() },
            Cell { tone, ..place(shown.tables, number).into() },
            Text::of(&row.median, ToString::to_string).into(),
            share(&row.useful),
            share(&row.mpi),
            efficiency(&row.mpi_load_balance),
            efficiency(&row.openmp_load_balance),
            efficiency(&row.openmp_serialization),
        ];
        cells.into_iter().collect()
    });
    let table = Table { columns, rows: rows.collect(), most: None };
    let mut blocks = vec![Block::Facts(facts), Block::Table(table)];
    blocks.extend(parts(shown.tables));
    blocks.extend([
        Block::Reasons { title: "Why figures are unavailable" },
        section("proof", "", vec![Block::Paragraph(Text::from(proof(shown.tables)))]),
    ]);
    let lines = next::of_divisions(shown.records, best);
    if !lines.is_empty() {
        blocks.push(section("next", "Next commands", vec![Block::Commands(lines)]));
    }
    Document {
        tool: "numawise snapshot",
        title: format!("Ranks x threads: {}", shown.command.shell_line()),
        opening: Opening {
            headline: headline(shown.tables),
            tone: if best.is_some() { Tone::Good } else { Tone::Doubt },
            effect: None,
            sentence: shown.tables.best.and_then(|best| why(shown.tables, best)),
        },
        blocks,
        charts: None,
        width: 120,
    }
}

/// What is to be said of a row beside its name.
fn place(tables: &HybridComparison, number: usize) -> &'static str {
    match tables.best {
        Some(best) if best.row == number => "shortest",
        Some(best) if best.longest == number => "longest",
        _ if tables.rows[number].failed.is_some() => "failed",
        _ => "",
    }
}

/// The name of a part, and its colour.
const PARTS: [(HybridTimePart, BarPart); 6] = [
    (HybridTimePart::Useful, BarPart { name: "useful", colour: "--good" }),
    (HybridTimePart::WithoutCpu, BarPart { name: words::WITHOUT_CPU, colour: "--bad" }),
    (HybridTimePart::Mpi, BarPart { name: "MPI", colour: "--n0" }),
    (HybridTimePart::OpenMpWaiting, BarPart { name: "OpenMP waits", colour: "--n1" }),
    (HybridTimePart::OpenMpScheduling, BarPart { name: "OpenMP scheduling", colour: "--n5" }),
    (HybridTimePart::OpenMpSerial, BarPart { name: "no parallel region", colour: "--n4" }),
];

/// Where the time of a CPU went with each division, as a table and as bars; nothing where that is known of none.
fn parts(tables: &HybridComparison) -> Vec<Block> {
    let of = |row: &HybridRow, part: HybridTimePart| {
        row.parts.iter().find(|(one, _)| *one == part).map(|(_, time)| *time)
    };
    let known: Vec<&HybridRow> = tables.rows.iter().filter(|row| !row.parts.is_empty()).collect();
    let sum = |row: &HybridRow| row.parts.iter().map(|(_, time)| time.seconds()).sum::<f64>();
    let longest = known.iter().map(|row| sum(row)).fold(0.0, f64::max);
    if longest <= 0.0 {
        return Vec::new();
    }
    let mut columns = vec![Column::text("time of a CPU, on average")];
    columns.extend(PARTS.iter().map(|(_, part)| Column::number(part.name)));
    let row = |row: &&HybridRow| {
        let times =
            PARTS.iter().map(|(part, _)| of(row, *part).map_or_else(String::new, |time| time.to_string()));
        std::iter::once(row.division.to_string()).chain(times).collect()
    };
    let bar = |row: &&HybridRow| Bar {
        name: row.division.to_string(),
        shares: PARTS
            .iter()
            .map(|(part, _)| of(row, *part).map_or(0.0, |time| time.seconds() / longest))
            .collect(),
    };
    let bars = Bars {
        chart: None,
        label: "Divisions by what a CPU did; the table holds the figures".to_owned(),
        parts: PARTS.iter().map(|(_, part)| *part).collect(),
        bars: known.iter().map(bar).collect(),
        caption: "A bar is a division, as long as a CPU's time of it: what the CPU did, on average."
            .to_owned(),
    };
    let table = Table { columns, rows: known.iter().map(row).collect(), most: None };
    vec![section("time", "Where the time of a CPU went", vec![Block::Bars(bars), Block::Table(table)])]
}

/// The comparison as one JSON object, ending with a newline. `snapshots` are the texts of those of the rows, in their
/// order.
pub fn divisions_json(shown: &ShownDivisions<'_>, snapshots: &[Option<String>]) -> String {
    let rows = shown.tables.rows.iter().zip(snapshots).enumerate().map(|(number, (row, snapshot))| {
        let snapshot = snapshot.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
        object!({
            "ranks": row.division.ranks,
            "threads": row.division.threads,
            "seconds": reading(&row.median, |time| object!(time.seconds())),
            "runs_seconds": row.walls.iter().map(|wall| wall.seconds()).collect::<Vec<_>>(),
            "failed": row.failed.map(exit),
            "useful": ratio(&row.useful),
            "mpi_share": ratio(&row.mpi),
            "mpi_load_balance": ratio(&row.mpi_load_balance),
            "openmp_load_balance": ratio(&row.openmp_load_balance),
            "openmp_serialization": ratio(&row.openmp_serialization),
            "record": shown.records.get(number),
            "snapshot": snapshot,
        })
    });
    let rows: Vec<Value> = rows.collect();
    let best = shown.tables.best.map(|best| shown.tables.rows[best.row].division.to_string());
    let document = object!({
        "schema": SCHEMA,
        "headline": headline(shown.tables),
        "text": shown.tables.best.and_then(|best| why(shown.tables, best)),
        "proof": proof(shown.tables),
        "best": best,
        "divisions": rows,
        "command": { "line": shown.command.shell_line(), "arguments": shown.command.command },
    });
    format!("{document:#}\n")
}

fn ratio(of: &Reading<Ratio>) -> Value {
    reading(of, |share| object!(share.0))
}

fn headline(tables: &HybridComparison) -> String {
    match tables.best {
        Some(HybridBest { row, longest, .. }) => {
            let (best, longest) = (&tables.rows[row], &tables.rows[longest]);
            let times = |row: &HybridRow| row.median.measured().map_or_else(String::new, ToString::to_string);
            format!(
                "{} is fastest: {}; {} is slowest: {}",
                best.division,
                times(best),
                longest.division,
                times(longest)
            )
        }
        None => "No comparison: fewer than two divisions succeeded".to_owned(),
    }
}

fn why(tables: &HybridComparison, best: HybridBest) -> Option<String> {
    let why = best.why?;
    let part = match why.part {
        HybridTimePart::Useful => "the program's own code",
        HybridTimePart::WithoutCpu => words::WITHOUT_CPU,
        HybridTimePart::Mpi => "MPI",
        HybridTimePart::OpenMpWaiting => "waiting in OpenMP for other threads",
        HybridTimePart::OpenMpScheduling => "OpenMP's scheduling",
        HybridTimePart::OpenMpSerial => "OpenMP threads idle outside regions",
    };
    let (row, longest) = (&tables.rows[best.row], &tables.rows[best.longest]);
    Some(format!(
        "Most of the difference is {part}: {} of each CPU's time with {}, {} with {}.",
        why.longest, longest.division, why.best, row.division
    ))
}

fn runs(tables: &HybridComparison) -> String {
    let most = tables.rows.iter().map(|row| row.walls.len()).max().unwrap_or(0);
    match most {
        0 | 1 => "one of each".to_owned(),
        runs => format!("{runs} of each; figures are those of the run with the median time"),
    }
}

fn failures(tables: &HybridComparison) -> Option<String> {
    let failed = |row: &HybridRow| Some(format!("{} {}", row.division, words::exit(row.failed?)));
    let failed: Vec<String> = tables.rows.iter().filter_map(failed).collect();
    (!failed.is_empty()).then(|| failed.join("; "))
}

/// What a few runs are worth.
fn proof(tables: &HybridComparison) -> String {
    let most = tables.rows.iter().map(|row| row.walls.len()).max().unwrap_or(0);
    if most < 5 {
        "Too few runs to prove it: times of one division also differ from run to run. --repeats 9 runs each nine times, and \
         numawise check tells what is more than chance."
            .to_owned()
    } else {
        "Medians are compared without a test of chance: numawise check makes one.".to_owned()
    }
}
