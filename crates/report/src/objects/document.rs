//! Memory objects as people read them.

use numawise_facts::objects::{AllocationLog, TimeSamples};
use numawise_facts::{Reading, ResourceUsage};
use numawise_tables::objects::{ObjectFinding, ObjectRow};

use super::{Shown, words};
use crate::amount::{many, small_share};
use crate::check::object_findings;
use crate::document::{
    Block, Cell, Column, Document, Entry, Fact, Opening, Row, RowLimits, Section, Table, Text, Tone, list,
    section,
};
use crate::notice;
use crate::snapshot::words::exit;

/// Objects that are described one by one.
const DESCRIBED: usize = 8;

/// The objects as a document.
pub fn document(shown: &Shown) -> Document {
    let mut blocks = vec![Block::Facts(facts(shown)), objects(shown)];
    blocks.extend(described(shown));
    blocks.extend(list("notices", "To be kept in mind", &notice::texts(&shown.run.header.notices)));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    Document {
        tool: "numawise objects",
        title: format!("Objects: {}", shown.run.header.command.shell_line()),
        opening: opening(shown),
        blocks,
        charts: None,
        width: 120,
    }
}

fn opening(shown: &Shown) -> Opening {
    let findings = &shown.tables.findings;
    let (headline, tone) = match findings.first() {
        None => (none(shown), Tone::Plain),
        Some(first) => (headline(shown, first), Tone::Bad),
    };
    let sentence =
        (findings.len() > 1).then(|| format!("{} in all.", many(findings.len() as u64, "finding")));
    Opening { headline, tone, effect: None, sentence }
}

fn headline(shown: &Shown, of: &ObjectFinding) -> String {
    let Some(row) = shown.tables.rows.get(of.row) else { return String::new() };
    format!("{} ({}): {}", words::name(row), row.bytes, object_findings::name(of.finding.id))
}

/// Where there is no finding: whether there could have been one.
fn none(shown: &Shown) -> String {
    match &shown.tables.time_samples {
        Reading::Unavailable { unavailable } => format!("Who uses the objects is not known: {unavailable}"),
        Reading::Measured(_) if shown.run.header.machine.nodes.len() < 2 => {
            "One node: no object can lie on the wrong one".to_owned()
        }
        Reading::Measured(_) => "No object stands out".to_owned(),
    }
}

fn facts(shown: &Shown) -> Vec<Fact> {
    let (header, watching) = (&shown.run.header, &shown.run.watching);
    let fact = |name, text: Text| Fact { name, text, code: false };
    let mut facts = vec![
        Fact { name: "Program", text: header.command.shell_line().into(), code: true },
        fact("Elapsed", format!("{}; it {}", header.wall, exit(header.exit)).into()),
        fact("Memory", peak(&header.usage)),
        fact("Allocations", Text::of(&watching.allocations, |log| allocations(log, shown))),
        fact("Accesses", Text::of(&watching.time, accesses)),
        fact(
            "Page faults",
            Text::of(&watching.faults, |faults| {
                format!(
                    "{} samples, which stand for {} first accesses to pages",
                    faults.samples, faults.faults
                )
            }),
        ),
        fact(
            "Cost",
            Text::of(&shown.tables.cost, |share| {
                format!("{} of the program's CPU time", small_share(*share))
            }),
        ),
    ];
    facts.extend(shown.record.map(|record| Fact { name: "Kept in", text: record.into(), code: true }));
    facts
}

fn peak(usage: &ResourceUsage) -> Text {
    Text::of(&usage.peak_memory, |peak| format!("{peak} at the peak of its largest process"))
}

fn allocations(log: &AllocationLog, shown: &Shown) -> String {
    let mut text = format!(
        "{} recorded in {}, those of {} and more one by one",
        many(log.events, "event"),
        many(log.processes, "process"),
        shown.run.watching.least
    );
    if log.dropped > 0 {
        text += &format!("; {} found no place", many(log.dropped, "event"));
    }
    if log.without_stack > 0 {
        text += &format!("; {} without a call stack", many(log.without_stack, "allocation"));
    }
    text
}

fn accesses(time: &TimeSamples) -> String {
    let mut text = format!(
        "{} samples, one in {} of CPU time; {} of them waited for memory that is known",
        time.samples, time.period, time.with_memory
    );
    if time.lost > 0 {
        text += &format!("; {} were lost", time.lost);
    }
    text
}

fn objects(shown: &Shown) -> Block {
    let columns = vec![
        Column::text("object").named(),
        Column::number("time"),
        Column::number("size"),
        Column::number("count").expendable(3),
        Column::text("allocated"),
        Column::text("lies on"),
        Column::text("used from").expendable(1),
        Column::number("remote").expendable(2),
    ];
    let rows = shown.tables.rows.iter().map(row).collect();
    let most = Some(RowLimits { terminal: 12, html: 40, rest: "the rest is in --json" });
    let table = Table { columns, rows, most };
    let legend =
        "time: share of the time in which threads waited for memory, by samples of their instructions";
    section("objects", "Objects", vec![Block::Table(table), Block::Legend(legend.into())])
}

fn row(row: &ObjectRow) -> Row {
    let cells: [Cell; 8] = [
        words::name(row).into(),
        Text::of(&row.memory_time, |share| words::percent(share.value)).into(),
        row.bytes.to_string().into(),
        row.count.to_string().into(),
        words::place(&row.allocated).into(),
        Text::of(&row.pages, |nodes| words::nodes(nodes)).into(),
        Text::of(&row.used, |used| words::nodes(&used.nodes)).into(),
        remote(row).into(),
    ];
    cells.into_iter().collect()
}

fn remote(row: &ObjectRow) -> Text {
    Text::of(&row.used.clone().and_then(|used| used.remote), |share| words::percent(*share))
}

/// Those with most time, each with what is known of it and what to do.
fn described(shown: &Shown) -> Vec<Block> {
    let rows = shown.tables.rows.iter().enumerate();
    let is_worth = |k: usize| k < DESCRIBED || shown.tables.findings.iter().any(|of| of.row == k);
    let blocks: Vec<Block> = rows
        .filter(|(k, row)| {
            is_worth(*k) && row.memory_time.measured().is_some_and(|share| share.value.0 >= 0.005)
        })
        .map(|(k, row)| one(shown, k, row))
        .collect();
    if blocks.is_empty() { Vec::new() } else { vec![section("described", "One by one", blocks)] }
}

fn one(shown: &Shown, k: usize, row: &ObjectRow) -> Block {
    let fact = |name, text: Text| Fact { name, text, code: false };
    let mut facts = vec![
        fact("allocated", words::place(&row.allocated)),
        fact("lies on", Text::of(&row.pages, |nodes| words::nodes(nodes))),
        fact("first touch", Text::of(&row.first_touch, words::touched)),
        fact("used by", Text::of(&row.used, words::used)),
    ];
    facts.extend(row.memory_time.measured().map(|share| {
        let text = format!(
            "{} of all time for memory (95 % interval {} to {})",
            words::percent(share.value),
            words::percent(share.low),
            words::percent(share.high)
        );
        fact("time", text.into())
    }));
    let mut blocks = vec![Block::Facts(facts)];
    let entries: Vec<Entry> = shown.tables.findings.iter().filter(|of| of.row == k).map(entry).collect();
    if !entries.is_empty() {
        blocks.push(Block::Entries(entries));
    }
    let title = format!("{}, {}", words::name(row), row.bytes);
    Block::Section(Section { id: None, title, blocks })
}

fn entry(of: &ObjectFinding) -> Entry {
    Entry {
        code: of.finding.id.code(),
        title: object_findings::name(of.finding.id),
        parts: vec![
            ("seen", object_findings::evidence(&of.finding)),
            ("to do", object_findings::advice(&of.finding)),
        ],
    }
}
