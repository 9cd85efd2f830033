//! Memory objects as people read them.

use numawise_facts::objects::{AccessMethod, AllocationLog, MemoryBoundSource, ObjectRunHeader, TimeSamples};
use numawise_facts::{Reading, ResourceUsage};
use numawise_tables::objects::ObjectRow;

use super::{Shown, cures, data, described, views, words};
use crate::amount::many;
use crate::document::{
    Block, Cell, Charts, Column, Document, Fact, Opening, Row, RowLimits, Table, Text, Tone, capital,
    captioned, list, section,
};
use crate::findings;
use crate::notice;
use crate::page_text::{PageText, page_text};
use crate::program::exit;

const SCRIPT: PageText = page_text!("src/objects/charts.js");

/// The objects as a document.
pub fn document(shown: &Shown) -> Document {
    let mut blocks = vec![Block::Facts(facts(shown)), objects(shown)];
    blocks.extend(described::described(shown));
    blocks.extend(cures::all_tried(shown));
    blocks.extend(views::fast_memory(shown));
    blocks.extend(views::by_thread(shown));
    blocks.extend(views::over_time(shown));
    blocks.extend(views::bandwidth(shown));
    blocks.extend(list("notices", "Notes", &notice::texts(&shown.run.header.notices)));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    Document {
        tool: "numawise objects",
        title: format!("Objects: {}", shown.run.header.command.shell_line()),
        opening: opening(shown),
        blocks,
        charts: Some(Charts { data: data::data(shown), scripts: vec![SCRIPT] }),
        width: 120,
    }
}

/// The objects as a part of another document.
pub fn blocks(shown: &Shown) -> Vec<Block> {
    let mut blocks = vec![objects(shown)];
    blocks.extend(described::described(shown));
    blocks.extend(list("objects-notices", "Notes on the objects", &notice::texts(&shown.run.header.notices)));
    blocks
}

fn opening(shown: &Shown) -> Opening {
    let findings = &shown.tables.findings;
    let Some(first) = findings.first() else {
        return Opening { headline: none(shown), ..Opening::default() };
    };
    let row = shown.tables.rows.get(first.row);
    let sentence =
        (findings.len() > 1).then(|| format!("{} in all.", many(findings.len() as u64, "finding")));
    Opening {
        headline: capital(findings::title(first.finding.id)),
        tone: Tone::Loud,
        effect: row.map(described::title),
        sentence,
    }
}

/// Where there is no finding: whether there could have been one.
fn none(shown: &Shown) -> String {
    match &shown.tables.time_samples {
        _ if shown.run.header.machine.nodes.len() < 2 => {
            "This machine has one node: no object can lie on the wrong one".to_owned()
        }
        Reading::Unavailable { unavailable } => format!("Who uses the objects is not known: {unavailable}"),
        Reading::Measured(_) => "No object stands out".to_owned(),
    }
}

fn facts(shown: &Shown) -> Vec<Fact> {
    let (header, watching) = (&shown.run.header, &shown.run.watching);
    let fact = |name, text: Text| Fact { name, text, code: false };
    let mut facts = vec![
        Fact { name: "Program", text: header.command.shell_line().into(), code: true },
        fact("Elapsed", elapsed(header).into()),
        fact("Memory", peak(&header.usage)),
        fact("Allocations", Text::of(&watching.allocations, |log| allocations(log, shown))),
        fact("Accesses", Text::of(&watching.time, accesses)),
        fact("Loads", Text::of(&watching.loads, words::load_samples)),
        fact("Page faults", Text::of(&watching.faults, words::faults)),
        fact("Cost", words::cost(&shown.tables.cost, watching)),
        fact(
            "Memory bound",
            Text::of(&shown.run.memory_bound, |bound| {
                let most = if bound.source == MemoryBoundSource::Samples { "at most " } else { "" };
                format!(
                    "{most}{} of its time, {}",
                    words::percent(bound.share),
                    words::memory_bound_source(bound.source)
                )
            }),
        ),
        fact(
            "Bandwidth",
            Text::of(&shown.run.bandwidth, |of| {
                format!("{}; {}", words::bandwidth(of), words::bandwidth_source(of.source))
            }),
        ),
    ];
    facts.extend(shown.record.map(|record| Fact { name: "Record", text: record.into(), code: true }));
    facts
}

fn elapsed(header: &ObjectRunHeader) -> String {
    match header.exit {
        Some(ended) => format!("{}; it {}", header.wall, exit(ended)),
        None => format!("{} so far; it still runs", header.wall),
    }
}

fn peak(usage: &ResourceUsage) -> Text {
    Text::of(&usage.peak_memory, |peak| format!("{peak} at the peak of its largest process"))
}

fn allocations(log: &AllocationLog, shown: &Shown) -> String {
    let mut text = format!(
        "{} recorded in {}; each allocation of {} and more is an object",
        many(log.events, "event"),
        many(log.processes, "process"),
        shown.run.watching.least
    );
    if log.passed > 0 {
        text += &format!(
            "; {} not written down, as others of the same calls stand for them: what is said of these is an estimate",
            many(log.passed, "allocation")
        );
    }
    if log.dropped > 0 {
        text += &format!("; {} dropped", many(log.dropped, "event"));
    }
    if log.without_stack > 0 {
        text += &format!("; {} without a call stack", many(log.without_stack, "allocation"));
    }
    text
}

fn accesses(time: &TimeSamples) -> String {
    let mut text = format!(
        "{} samples, one per {} of CPU time; {} of them show which memory the thread waited for",
        time.samples, time.period, time.with_memory
    );
    if time.spinning > 0 {
        text += &format!("; {} show it spinning until another thread goes on", time.spinning);
    }
    if time.lost > 0 {
        text += &format!("; {} were lost", time.lost);
    }
    text
}

fn objects(shown: &Shown) -> Block {
    let mut columns = vec![
        Column::text("object").named(),
        Column::number("time"),
        Column::number("size"),
        Column::number("count").expendable(3),
        Column::text("allocated"),
        Column::text("lies on"),
        Column::text("used from").expendable(1),
        Column::number("remote").expendable(2),
        Column::text("findings").expendable(4),
    ];
    let of_ranks = shown.tables.rows.iter().any(|row| row.rank.is_some());
    if of_ranks {
        columns.insert(1, Column::number("rank"));
    }
    let rows = shown.tables.rows.iter().enumerate().map(|(k, of)| row(shown, k, of, of_ranks)).collect();
    let most = Some(RowLimits { terminal: 12, html: 100, rest: "the rest is in --json" });
    let map = captioned(
        "chart-objects",
        "Objects by their size and their share of the time for memory",
        "Each object by its size and its share of the time for memory. Green: its accesses are local, red: remote, grey: not known."
            .to_owned(),
    );
    let legend = match shown.method() {
        AccessMethod::Waited => {
            "time: share of the time in which threads waited for memory, by samples of their instructions"
        }
        AccessMethod::Passes => {
            "time: share of the accesses in loops. Samples do not point at the instruction that waits on this machine: each is split in \
             equal parts among the memory that a pass of its loop accesses"
        }
    };
    let mut blocks = vec![map, Block::Table(Table { columns, rows, most }), Block::Legend(legend.into())];
    let (objects, bytes) = shown.tables.left_out;
    if objects > 0 {
        let text = format!(
            "{} more, with {bytes} together, have less of the time or are smaller.",
            many(objects, "object")
        );
        blocks.push(Block::Legend(text.into()));
    }
    section("objects", "Objects", blocks)
}

fn row(shown: &Shown, k: usize, row: &ObjectRow, of_ranks: bool) -> Row {
    let findings = shown.tables.findings.iter().filter(|of| of.row == k);
    let findings: Vec<&str> = findings.map(|of| of.finding.id.code()).collect();
    let rank = row.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    let cells: [Cell; 8] = [
        Text::of(&row.memory_time, |share| words::percent(share.value)).into(),
        Text::of(&words::size(row), ToString::to_string).into(),
        row.count.to_string().into(),
        words::place(&row.allocated).into(),
        Text::of(&row.pages, |nodes| words::nodes(nodes)).into(),
        Text::of(&row.used, |used| words::nodes(&used.nodes)).into(),
        remote(row).into(),
        findings.join(" ").into(),
    ];
    let first = [words::name(row).into()].into_iter().chain(of_ranks.then(|| rank.into()));
    first.chain(cells).collect()
}

fn remote(row: &ObjectRow) -> Text {
    Text::of(&row.used.clone().and_then(|used| used.remote), |share| words::percent(*share))
}
