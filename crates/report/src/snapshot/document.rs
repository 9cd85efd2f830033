//! A snapshot as people read it: how much was useful first, then what took the rest and where.

use numawise_facts::{RankSet, Reading, Reason};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{SnapshotFinding, SnapshotLosses};
use numawise_units::{Ratio, TimeSum};
use serde_json::json;

use super::figures::{self, Efficiency, EfficiencyScope};
use super::{
    Shown, counters, events, files, mpi, next, objects, openmp, phases, processes, surroundings, trace,
    volume, words,
};
use crate::amount::many;
use crate::document::{
    Block, Cell, Charts, Column, Document, Entry, Face, Fact, Opening, Row, Table, Text, Tone, list, section,
};
use crate::findings;
use crate::notice;
use crate::page_text::{PageText, page_text};

/// Lines of the table of memory objects on a terminal.
const OBJECT_LINES: usize = 20;
/// Rows of the tables of a trace.
const MOST_OF_TRACE: usize = 16;

const SCRIPT: PageText = page_text!("src/snapshot/charts.js");

/// The snapshot as a document.
pub fn document(shown: &Shown) -> Document {
    let tables = shown.tables;
    let mut blocks = vec![Block::Facts(facts(shown))];
    if tables.processes.counted > 0 {
        blocks.extend(tables.trace.iter().flat_map(|of| {
            let drawn = events::block(shown.events, shown.record, &trace::parts());
            trace::sections(of, MOST_OF_TRACE, drawn)
        }));
        blocks.extend([time(shown), efficiencies(shown), findings(shown)]);
        blocks.extend(tables.mpi.measured().map(mpi::section));
        blocks.extend(tables.openmp.measured().map(openmp::section));
        blocks.extend(tables.phases.measured().and_then(phases::section));
        blocks.push(processes::section(shown));
        blocks.extend(surroundings::sections(tables));
        blocks.push(files::section(tables));
        blocks.extend(counters::sections(shown));
    }
    blocks.extend(objects::table(shown, OBJECT_LINES));
    blocks.extend(objects::one_by_one(shown));
    blocks.extend(notices_of(shown));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    blocks.push(section("next", "Next commands", vec![Block::Commands(next::lines(shown))]));
    Document { blocks, ..opened(shown) }
}

/// The first lines and the frame, without blocks.
pub fn opened(shown: &Shown) -> Document {
    let (run, tables) = (shown.run, shown.tables);
    let is_traced = tables.trace.is_some();
    Document {
        tool: if is_traced { "numawise trace" } else { "numawise snapshot" },
        title: format!(
            "{}: {}",
            if is_traced { "Trace" } else { "Snapshot" },
            run.header.command.shell_line()
        ),
        opening: Opening {
            headline: headline(shown),
            tone: tables.grade.map_or(Tone::Doubt, words::grade_tone),
            effect: None,
            sentence: Some(sentence(shown)),
        },
        blocks: Vec::new(),
        charts: Some(Charts {
            data: data(shown),
            scripts: std::iter::once(SCRIPT)
                .chain(shown.events.iter().flat_map(|_| events::SCRIPTS))
                .collect(),
        }),
        width: 120,
    }
}

/// What the trace says, where there is one, else how much was useful.
fn headline(shown: &Shown) -> String {
    let exit = shown.run.header.exit;
    match &shown.tables.trace {
        Some(of) if exit.success() => trace::headline(of),
        _ => words::headline(shown.tables, exit),
    }
}

/// Where the CPUs' time went; behind a headline of waiting, with how much was useful.
fn sentence(shown: &Shown) -> String {
    let exit = shown.run.header.exit;
    let rest = words::sentence(shown.tables);
    match &shown.tables.trace {
        Some(of) if exit.success() => {
            let useful = words::headline(shown.tables, exit);
            let whole = if of.is_part { "In the whole run: " } else { "" };
            format!("{whole}{useful}. {rest}")
        }
        _ => rest,
    }
}

/// For the page's script.
fn data(shown: &Shown) -> serde_json::Value {
    json!({
        "events": events::data(shown.events, &trace::WORDS),
        "ranks": processes::data(&shown.tables.rows),
        "volumes": shown.tables.mpi.measured().map_or_else(|| json!([]), |mpi| volume::data(&mpi.volume)),
    })
}

/// What was run, and what is known of it.
pub fn facts(shown: &Shown) -> Vec<Fact> {
    let (header, tables) = (&shown.run.header, shown.tables);
    let fact = |name, text: Text| Fact { name, text, code: false };
    let mut facts = vec![
        Fact { name: "Program", text: header.command.shell_line().into(), code: true },
        fact("Elapsed", format!("{}; it {}", header.wall, words::exit(header.exit)).into()),
        fact("Watched", words::processes(&tables.processes, tables.worlds.len()).into()),
    ];
    if tables.processes.counted > 0 {
        facts.push(fact("100 % is", words::span(tables).into()));
        for (name, missing) in [("MPI", tables.mpi.reason()), ("OpenMP", tables.openmp.reason())] {
            facts.extend(missing.map(|reason| fact(name, reason.to_string().into())));
        }
        facts.extend(counters::fact(shown));
    }
    facts.extend(objects::fact(shown));
    facts.extend(header.ranks.as_ref().map(|ranks| fact("Asked for", asked(ranks).into())));
    facts.extend(
        header
            .division
            .as_ref()
            .map(|of| fact("Division", format!("{} of {}", of.division, of.command.shell_line()).into())),
    );
    facts.extend(shown.record.map(|record| Fact { name: "Record", text: record.into(), code: true }));
    facts
}

fn asked(ranks: &RankSet) -> String {
    format!("ranks {ranks} only: the others were left alone, and all figures are of these")
}

/// The time of all CPUs by what they did.
fn time(shown: &Shown) -> Block {
    let tables = shown.tables;
    let title = "Where the CPUs' time went";
    let Some(time) = tables.time.measured() else {
        let reason = tables.time.reason().map_or_else(String::new, ToString::to_string);
        return section("time", title, vec![Block::Paragraph(Text::unavailable(reason))]);
    };
    let without = tables.without_thread();
    let known = without.measured().copied().unwrap_or_default();
    let parts: Vec<_> = processes::PARTS
        .iter()
        .map(|(part, of)| (part.name, of(time)))
        .chain([(words::WITHOUT_THREAD, known)])
        .collect();
    let all = (time.total() + known).0 as f64;
    let row = |(name, part): (&str, TimeSum)| -> Row {
        let share = Ratio(if all > 0.0 { part.0 as f64 / all } else { 0.0 });
        let judged = if name == "useful" { words::judged(&tables.useful) } else { "".into() };
        let cells: [Cell; 5] =
            [name.into(), words::percent(share).into(), part.to_string().into(), bar(share).into(), judged];
        cells.into_iter().collect()
    };
    let delays = time.without_cpu();
    let is_there = |(name, part): &(&str, TimeSum)| match *name {
        "useful" => true,
        words::WITHOUT_CPU => part.0 > 0 && delays.measured().is_some(),
        _ => part.0 > 0,
    };
    let mut rows: Vec<Row> = parts.into_iter().filter(is_there).map(row).collect();
    let unknown = [(words::WITHOUT_CPU, delays.reason()), (words::WITHOUT_THREAD, without.reason())];
    rows.extend(unknown.into_iter().filter_map(|(name, reason)| Some(not_known(name, reason?))));
    let columns = vec![
        Column::text("what"),
        Column::number("share"),
        Column::number("CPU time"),
        Column { ascii: Some('#'), ..Column::picture("") }.expendable(1),
        Column::text("judgement"),
    ];
    let mut blocks = processes::bars(&tables.rows, tables.merged.as_ref());
    blocks.push(Block::Table(Table { columns, rows, most: None }));
    if without.reason().is_some() {
        blocks.push(Block::Legend(
            "Shares are of the time that is known: what is unavailable is not in it.".into(),
        ));
    }
    section("time", title, blocks)
}

/// The row of what nobody knows how long it was.
fn not_known(name: &'static str, reason: &Reason) -> Row {
    let missing = || Cell::from(Text::unavailable(reason.to_string()));
    [name.into(), missing(), missing(), "".into(), "".into()].into_iter().collect()
}

/// A bar of at most twenty characters.
fn bar(share: Ratio) -> String {
    "█".repeat((share.0.clamp(0.0, 1.0) * 20.0).round() as usize)
}

/// Efficiencies of what the program uses, each below that which it is a part of: the rest is said above.
pub fn shown_efficiencies(tables: &RunSnapshot) -> impl Iterator<Item = Efficiency<'_>> {
    let (mpi, openmp) = (tables.mpi.measured().is_some(), tables.openmp.measured().is_some());
    let hosts = tables.processes.hosts;
    let is_shown = move |of: &Efficiency<'_>| match of.scope {
        EfficiencyScope::All => true,
        EfficiencyScope::Mpi => mpi,
        EfficiencyScope::Computers => mpi && hosts > 1,
        EfficiencyScope::OpenMp => openmp,
    };
    let mut all = figures::rated(&tables.efficiency);
    all.swap(0, 1);
    all.into_iter().filter(is_shown)
}

fn efficiencies(shown: &Shown) -> Block {
    let rows = shown_efficiencies(shown.tables).map(|Efficiency { title, share, meaning, .. }| {
        let value = Text::of(&share.value, |share| words::efficiency(*share));
        let judged = match words::remark(shown.tables, share) {
            Some(remark) => remark.into(),
            None => words::judged(share),
        };
        let cells: [Cell; 4] = [title.into(), value.into(), judged, meaning.into()];
        cells.into_iter().collect()
    });
    let columns = vec![
        Column::text("as POP and TALP define them"),
        Column::number("value"),
        Column::text("judgement"),
        Column { only: Some(Face::Html), ..Column::text("what it is") },
    ];
    section(
        "efficiency",
        "Efficiencies",
        vec![Block::Table(Table { columns, rows: rows.collect(), most: None })],
    )
}

fn findings(shown: &Shown) -> Block {
    let entry = |of: &SnapshotFinding| {
        let potential = match &of.potential {
            Reading::Measured(gain) => {
                format!("{} of the run at most ({})", gain.time, words::percent(gain.share))
            }
            Reading::Unavailable { unavailable } => format!("unavailable: {unavailable}"),
        };
        let mut parts = vec![
            ("seen", findings::evidence_of_run(&of.finding)),
            ("cost", vec![potential]),
            ("to do", findings::advice(&of.finding)),
        ];
        parts.extend(next::of_finding(shown, &of.finding).map(|line| ("type", vec![line])));
        Entry { code: of.finding.id.code(), title: findings::title(of.finding.id).to_owned(), parts }
    };
    let entries: Vec<Entry> =
        shown.tables.findings.iter().map(entry).chain(objects::findings(shown)).collect();
    let block = if entries.is_empty() { Block::Paragraph("none".into()) } else { Block::Entries(entries) };
    section("findings", "Findings", vec![block])
}

pub fn notices_of(shown: &Shown) -> Option<Block> {
    list("notices", "Notes", &notices(shown))
}

fn notices(shown: &Shown) -> Vec<String> {
    let mut texts = notice::texts(&shown.run.header.notices);
    texts.extend(losses(&shown.tables.lost));
    texts
}

/// What the collector had no room for.
fn losses(of: &SnapshotLosses) -> Option<String> {
    let all = [
        (of.threads, "thread", ""),
        (of.files, "file", ""),
        (of.communicators, "communicator", ""),
        (of.requests, "request", ""),
        (of.mpi_calls, "call", " of MPI"),
        (of.messages, "message", ""),
        (of.constructs, "construct", " of OpenMP"),
    ];
    let lost: Vec<String> =
        all.iter().filter(|one| one.0 > 0).map(|(count, what, of)| many(*count, what) + of).collect();
    (!lost.is_empty()).then(|| {
        let elsewhere =
            if of.messages > 0 { " (or messages went to ranks of another MPI_COMM_WORLD)" } else { "" };
        format!(
            "the collector's tables had no room for {}{elsewhere}: figures of them are too small",
            lost.join(", ")
        )
    })
}
