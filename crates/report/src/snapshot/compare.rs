//! Two snapshots side by side. Each ran once: differences are shown, none is called proven.

mod surroundings;

use numawise_facts::Reading;
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    ComparedCall, ComparedFinding, ComparedRegion, FindingCourse, Grade, RatedShare, RegionFigures,
};
use numawise_units::{FlopsPerSecond, Nanoseconds, Ratio};
use serde_json::{Value, json as object};

use super::figures::{Efficiency, EfficiencyScope, rated};
use super::{Shown, words};
use crate::document::{Block, Cell, Column, Document, Face, Fact, Opening, Row, Table, Text, Tone, section};
use crate::findings;
use crate::object::{each, reading};

/// The name and the version of the JSON.
const SCHEMA: &str = "numawise/snapshot-comparison/1";

/// What is said before all figures.
const NO_PROOF: &str = "Each was run once: how much of a difference is chance is not known, so none of them is proven. Run each several \
                        times and compare those that differ most too.";

/// What is shown.
pub struct Compared<'a> {
    pub sides: [Shown<'a>; 2],
    pub comparison: &'a numawise_tables::snapshot::SnapshotComparison,
}

impl Compared<'_> {
    fn names(&self) -> [&str; 2] {
        let [first, second] = &self.sides;
        [first.record.unwrap_or("the first"), second.record.unwrap_or("the second")]
    }
}

/// Both as a document.
pub fn compare_document(compared: &Compared) -> Document {
    let [first, second] = compared.names();
    let of = compared.comparison;
    let mut blocks =
        vec![Block::Facts(sides(compared)), section("runs", "", vec![Block::Paragraph(NO_PROOF.into())])];
    blocks.push(section("figures", "Figures", vec![Block::Table(figures(compared))]));
    blocks.push(section("findings", "Findings", findings(&of.findings)));
    blocks.push(section("placement", "Memory and placement", surroundings::blocks(compared)));
    if !of.calls.is_empty() {
        blocks.push(section("calls", "MPI by call, over all ranks", vec![Block::Table(calls(&of.calls))]));
    }
    if !of.regions.is_empty() {
        blocks.push(section("regions", "Parallel regions", vec![Block::Table(regions(&of.regions))]));
    }
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    Document {
        tool: "numawise compare",
        title: format!("{first} and {second}"),
        opening: Opening {
            headline: format!("{first} (first) and {second} (second)"),
            sentence: headline(compared),
            ..Opening::default()
        },
        blocks,
        charts: None,
        width: 110,
    }
}

/// The elapsed times.
fn headline(compared: &Compared) -> Option<String> {
    let [first, second] = compared.sides.each_ref().map(|side| side.tables.elapsed.measured());
    let (first, second) = (first?, second?);
    let ratio = times(first.0 as f64, second.0 as f64)?;
    Some(format!("The second took {second}, the first {first}: {ratio} as long, in one run each."))
}

/// `1.20x`; nothing where there is nothing to compare with.
fn times(first: f64, second: f64) -> Option<String> {
    (first > 0.0).then(|| format!("{:.2}x", second / first))
}

/// What was run; what is not the same is said of both.
fn sides(compared: &Compared) -> Vec<Fact> {
    let [a, b] = &compared.sides;
    let both = |of: &dyn Fn(&Shown) -> String| [of(a), of(b)];
    let all: [(&'static str, [String; 2]); 6] = [
        ("Program", both(&|side| side.run.header.command.shell_line())),
        ("Processes", both(&|side| words::processes(&side.tables.processes, side.tables.worlds.len()))),
        ("100 % is", both(&|side| words::span(side.tables))),
        ("Host", both(&|side| words::plain(&side.run.header.host.hostname))),
        ("CPU", both(&|side| words::plain(&side.run.header.host.cpu_model))),
        ("numawise", both(&|side| side.run.header.tool_version.clone())),
    ];
    let fact = |(name, [first, second]): (&'static str, [String; 2])| {
        let text = if first == second { first } else { format!("{first}  ->  {second}") };
        Fact { name, text: text.into(), code: false }
    };
    all.into_iter().map(fact).collect()
}

fn columns(what: &str) -> Vec<Column> {
    vec![Column::text(what), Column::number("first"), Column::number("second"), Column::number("change")]
}

/// Times of a run by their names in JSON, with their titles.
fn times_of(run: &RunSnapshot) -> [(&'static str, &'static str, Reading<Nanoseconds>); 5] {
    let (mpi, openmp, placement) = (run.mpi.as_ref(), run.openmp.as_ref(), run.placement.as_ref());
    [
        ("elapsed", "elapsed", run.elapsed.clone()),
        ("span", "100 %", run.span.as_ref().map(|span| span.time)),
        ("mpi_imbalance", "MPI, beyond the rank with least", mpi.and_then(|of| of.imbalance.clone())),
        ("potential_gain", "OpenMP, potential gain", openmp.and_then(|of| of.potential_gain.clone())),
        ("run_delay", "CPU wait of a CPU, at most", placement.and_then(|of| of.run_delay.clone())),
    ]
}

/// How a share is written, and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShareKind {
    Percent,
    Efficiency,
    /// No share: it may be above 1.
    Ratio,
}

/// Its shares.
fn shares_of(run: &RunSnapshot) -> Vec<(&'static str, &'static str, ShareKind, RatedShare)> {
    // Without MPI or OpenMP there is a reason in the place of the share, and no rating.
    fn rated<T>(of: &Reading<T>, share: fn(&T) -> &RatedShare) -> RatedShare {
        match of {
            Reading::Measured(of) => share(of).clone(),
            Reading::Unavailable { unavailable } => {
                RatedShare { value: Reading::Unavailable { unavailable: unavailable.clone() }, rating: None }
            }
        }
    }
    let counted = |share| rated(&run.counters, share);
    let (percent, efficiency, ratio) = (ShareKind::Percent, ShareKind::Efficiency, ShareKind::Ratio);
    let mut all = vec![("useful", "useful", percent, run.useful.clone())];
    all.extend(rated_efficiencies(run).map(|of| (of.name, of.title, efficiency, of.share.clone())));
    all.extend([
        ("mpi", "MPI, of elapsed time", percent, rated(&run.mpi, |of| &of.share)),
        ("serial", "OpenMP serial, of elapsed time", percent, rated(&run.openmp, |of| &of.serial)),
        ("files", "files, of CPU time", percent, run.files.share.clone()),
        ("cycles_per_instruction", "cycles per instruction", ratio, counted(|of| &of.cycles_per_instruction)),
        ("memory_bound", "memory bound", percent, counted(|of| &of.memory_bound)),
        ("vector", "vector instructions", percent, counted(|of| &of.vector)),
        ("remote_memory", "memory of other nodes", percent, counted(|of| &of.remote_memory)),
    ]);
    all
}

fn rated_efficiencies(run: &RunSnapshot) -> impl Iterator<Item = Efficiency<'_>> {
    let all = rated(&run.efficiency).into_iter().filter(|of| of.scope != EfficiencyScope::Computers);
    all.map(|of| {
        let is_with_cpu = std::ptr::eq(of.share, &run.efficiency.with_cpu);
        Efficiency { title: if is_with_cpu { "time with a CPU, of useful time" } else { of.title }, ..of }
    })
}

fn figures(compared: &Compared) -> Table {
    let [first, second] = compared.sides.each_ref().map(|side| side.tables);
    let row = |title: &'static str, first: Cell, second: Cell, change: Option<String>| {
        [title.into(), first, second, change.unwrap_or_default().into()].into_iter().collect::<Row>()
    };
    let mut rows = Vec::new();
    // What neither run has is not worth a line.
    for ((_, title, first), (.., second)) in times_of(first).into_iter().zip(times_of(second)) {
        let ratio = first.measured().zip(second.measured()).and_then(|(a, b)| times(a.0 as f64, b.0 as f64));
        if first.measured().or(second.measured()).is_some() {
            rows.push(row(title, words::time(&first).into(), words::time(&second).into(), ratio));
        }
    }
    for ((_, title, kind, first), (.., second)) in shares_of(first).into_iter().zip(shares_of(second)) {
        let change = change(kind, first.value.measured().zip(second.value.measured()));
        if first.value.measured().or(second.value.measured()).is_some() {
            rows.push(row(title, graded(&first, kind), graded(&second, kind), change));
        }
    }
    let [first, second] = [first, second].map(flops);
    let ratio = first.measured().zip(second.measured()).and_then(|(first, second)| times(first.0, second.0));
    if first.measured().or(second.measured()).is_some() {
        let cell = |of| Cell::from(Text::of(of, FlopsPerSecond::to_string));
        rows.push(row("floating-point operations", cell(&first), cell(&second), ratio));
    }
    Table { columns: columns("what"), rows, most: None }
}

fn flops(run: &RunSnapshot) -> Reading<FlopsPerSecond> {
    run.counters.as_ref().and_then(|counters| counters.flops.clone())
}

/// What became of a share; of what is none, how many times as much.
fn change(kind: ShareKind, both: Option<(&Ratio, &Ratio)>) -> Option<String> {
    let (first, second) = both?;
    if kind == ShareKind::Ratio { times(first.0, second.0) } else { Some(points(second.0 - first.0)) }
}

/// The difference of two shares in hundredths, never `-0.0`.
fn points(difference: f64) -> String {
    format!("{:+.1} pts", (1000.0 * difference).round() / 10.0 + 0.0)
}

fn graded(share: &RatedShare, kind: ShareKind) -> Cell {
    let mut text = Text::of(&share.value, |share| match kind {
        ShareKind::Percent => words::percent(*share),
        ShareKind::Efficiency | ShareKind::Ratio => words::efficiency(*share),
    });
    if let Some(rating) = share.rating.filter(|rating| rating.grade != Grade::Good) {
        text.0.extend(Text::from(format!(" {}", words::grade(rating.grade))).0);
    }
    Cell { tone: words::tone(share), ..text.into() }
}

fn course(course: FindingCourse) -> (&'static str, Tone) {
    match course {
        FindingCourse::Came => ("came", Tone::Bad),
        FindingCourse::Stayed => ("stayed", Tone::Plain),
        FindingCourse::Went => ("went", Tone::Good),
    }
}

/// A table in a page; a terminal has no room for the names in columns.
fn findings(all: &[ComparedFinding]) -> Vec<Block> {
    if all.is_empty() {
        return vec![Block::Paragraph("none in either".into())];
    }
    let potential = |of: &Option<Reading<Ratio>>| match of {
        Some(share) => Text::of(share, |share| words::percent(*share)),
        None => "-".into(),
    };
    let name = |of: &ComparedFinding| format!("{} {}", of.id.code(), findings::title(of.id));
    let row = |of: &ComparedFinding| {
        let (word, tone) = course(of.course);
        let cells: [Cell; 4] = [
            Cell { tone, ..word.into() },
            name(of).into(),
            potential(&of.potential.first).into(),
            potential(&of.potential.second).into(),
        ];
        cells.into_iter().collect::<Row>()
    };
    let line = |of: &ComparedFinding| {
        let mut text = Text::from(format!("{}: {}, at most ", course(of.course).0, name(of)));
        text.0.extend(potential(&of.potential.first).0);
        text.0.extend(Text::from(" -> ").0);
        text.0.extend(potential(&of.potential.second).0);
        text
    };
    let columns = vec![
        Column::text(""),
        Column::text("finding"),
        Column::number("first, at most"),
        Column::number("second"),
    ];
    let table = Table { columns, rows: all.iter().map(row).collect(), most: None };
    vec![
        Block::Only(Face::Html, Box::new(Block::Table(table))),
        Block::Only(Face::Terminal, Box::new(Block::List(all.iter().map(line).collect()))),
    ]
}

/// The time of each run, and how often.
fn pair(name: Cell, first: Option<(Nanoseconds, u64)>, second: Option<(Nanoseconds, u64)>) -> Row {
    let ratio = first.zip(second).and_then(|((a, _), (b, _))| times(a.0 as f64, b.0 as f64));
    let cell = |of: Option<(Nanoseconds, u64)>| {
        of.map_or_else(|| "-".to_owned(), |(time, calls)| format!("{time} ({calls})"))
    };
    [name, cell(first).into(), cell(second).into(), ratio.unwrap_or_default().into()].into_iter().collect()
}

fn calls(all: &[ComparedCall]) -> Table {
    let row = |of: &ComparedCall| {
        let side = |run: &Option<(numawise_facts::activity::CallTime, _)>| {
            run.as_ref().map(|(calls, _)| (calls.time, calls.count))
        };
        pair(of.call.as_str().into(), side(&of.runs.first), side(&of.runs.second))
    };
    Table { columns: columns("time (calls)"), rows: all.iter().map(row).collect(), most: words::limits(8) }
}

fn regions(all: &[ComparedRegion]) -> Table {
    let row = |of: &ComparedRegion| {
        let side = |run: &Option<RegionFigures>| run.as_ref().map(|of| (of.time, of.calls));
        pair(words::place(&of.place).into(), side(&of.runs.first), side(&of.runs.second))
    };
    Table { columns: columns("time (calls)"), rows: all.iter().map(row).collect(), most: words::limits(8) }
}

/// Both as one JSON object, ending with a newline.
pub fn compare_json(compared: &Compared) -> String {
    let of = compared.comparison;
    let side = |side: &Shown| {
        object!({
            "record": side.record, "command": side.run.header.command.shell_line(), "begun_ns": side.run.header.begun,
            "tool_version": side.run.header.tool_version,
        })
    };
    let seconds = |time: &Reading<Nanoseconds>| reading(time, |time| object!(time.seconds()));
    let share = |share: &RatedShare| reading(&share.value, |share| object!(share.0));
    let [first, second] = &compared.sides;
    let document = object!({
        "schema": SCHEMA,
        "first": side(first),
        "second": side(second),
        "is_proven": false,
        "text": NO_PROOF,
        "times": times_of(first.tables).iter().zip(times_of(second.tables)).map(|((name, _, first), (.., second))| {
            object!({ "name": name, "first_seconds": seconds(first), "second_seconds": seconds(&second) })
        }).collect::<Value>(),
        "shares": shares_of(first.tables).iter().zip(shares_of(second.tables)).map(|((name, .., first), (.., second))| {
            object!({ "name": name, "first": share(first), "second": share(&second) })
        }).collect::<Value>(),
        "counts": surroundings::counts_json(first.tables, second.tables),
        "memory": each(&of.memory, surroundings::memory_json),
        "processes": each(&of.processes, |of| surroundings::process_json(compared, of)),
        "first_flops_per_second": reading(&flops(first.tables), |flops| object!(flops.0)),
        "second_flops_per_second": reading(&flops(second.tables), |flops| object!(flops.0)),
        "calls": each(&of.calls, |row| object!({
            "name": row.call, "first": row.runs.first.as_ref().map(call), "second": row.runs.second.as_ref().map(call),
        })),
        "regions": each(&of.regions, |row| object!({
            "name": row.place.measured().map(words::place_in_short), "construct": row.name,
            "first": row.runs.first.as_ref().map(region), "second": row.runs.second.as_ref().map(region),
        })),
        "findings": each(&of.findings, |row| object!({
            "id": row.id, "course": row.course,
            "first_potential_share": row.potential.first, "second_potential_share": row.potential.second,
        })),
    });
    format!("{document:#}\n")
}

fn call((calls, bytes): &(numawise_facts::activity::CallTime, Reading<numawise_units::Bytes>)) -> Value {
    object!({ "count": calls.count, "seconds": calls.time.seconds(), "bytes": reading(bytes, |bytes| object!(bytes.0)) })
}

fn region(of: &RegionFigures) -> Value {
    object!({
        "calls": of.calls, "seconds": of.time.seconds(),
        "potential_gain_seconds": reading(&of.potential_gain, |time| object!(time.seconds())),
    })
}
