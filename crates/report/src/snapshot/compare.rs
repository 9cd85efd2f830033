//! Two snapshots side by side. Each ran once: differences are shown, none is called proven.

mod surroundings;

use numawise_facts::Reading;
use numawise_tables::snapshot::{
    BothRuns, ComparedCall, ComparedFinding, ComparedRegion, ComparedShare, ComparedTime, FindingCourse,
    Grade, RatedShare, RegionFigures, SnapshotComparison,
};
use numawise_units::{FlopsPerSecond, Nanoseconds, Ratio};
use serde_json::{Value, json as object};

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
    pub comparison: &'a SnapshotComparison,
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
    blocks.push(section("figures", "Figures", vec![Block::Table(figures(of))]));
    blocks.push(section("findings", "Findings", findings(&of.findings)));
    blocks.push(section("placement", "Memory and placement", surroundings::blocks(of)));
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
    let (_, elapsed) = compared.comparison.times.iter().find(|(name, _)| *name == ComparedTime::Elapsed)?;
    let (first, second) = (elapsed.first.measured()?, elapsed.second.measured()?);
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

fn figures(of: &SnapshotComparison) -> Table {
    let time = |(name, both): &(ComparedTime, BothRuns<Reading<Nanoseconds>>)| {
        let ratio = both
            .first
            .measured()
            .zip(both.second.measured())
            .and_then(|(a, b)| times(a.0 as f64, b.0 as f64));
        let cells: [Cell; 4] = [
            time_name(*name).into(),
            words::time(&both.first).into(),
            words::time(&both.second).into(),
            ratio.unwrap_or_default().into(),
        ];
        cells.into_iter().collect::<Row>()
    };
    let share = |(name, both): &(ComparedShare, BothRuns<RatedShare>)| {
        let (title, value) = share_name(*name);
        let difference = both.first.value.measured().zip(both.second.value.measured());
        let cells: [Cell; 4] = [
            title.into(),
            graded(&both.first, value),
            graded(&both.second, value),
            change(*name, difference).into(),
        ];
        cells.into_iter().collect::<Row>()
    };
    // What neither run has is not worth a line.
    let some = |both: &&(ComparedShare, BothRuns<RatedShare>)| {
        both.1.first.value.measured().is_some() || both.1.second.value.measured().is_some()
    };
    let known = |both: &&(ComparedTime, BothRuns<Reading<Nanoseconds>>)| {
        both.1.first.measured().is_some() || both.1.second.measured().is_some()
    };
    let mut rows: Vec<Row> = of.times.iter().filter(known).map(time).collect();
    rows.extend(of.shares.iter().filter(some).map(share));
    rows.extend(flops(&of.flops));
    Table { columns: columns("what"), rows, most: None }
}

fn flops(of: &BothRuns<Reading<FlopsPerSecond>>) -> Option<Row> {
    let known = of.first.measured().zip(of.second.measured());
    if of.first.measured().is_none() && of.second.measured().is_none() {
        return None;
    }
    let cells: [Cell; 4] = [
        "floating-point operations".into(),
        Text::of(&of.first, FlopsPerSecond::to_string).into(),
        Text::of(&of.second, FlopsPerSecond::to_string).into(),
        known.and_then(|(first, second)| times(first.0, second.0)).unwrap_or_default().into(),
    ];
    Some(cells.into_iter().collect())
}

/// What became of a share; of what is none, how many times as much.
fn change(name: ComparedShare, both: Option<(&Ratio, &Ratio)>) -> String {
    let text = both.and_then(|(first, second)| match name {
        ComparedShare::CyclesPerInstruction => times(first.0, second.0),
        _ => Some(points(second.0 - first.0)),
    });
    text.unwrap_or_default()
}

/// The difference of two shares in hundredths, never `-0.0`.
fn points(difference: f64) -> String {
    format!("{:+.1} pts", (1000.0 * difference).round() / 10.0 + 0.0)
}

fn graded(share: &RatedShare, value: fn(Ratio) -> String) -> Cell {
    let mut text = Text::of(&share.value, |share| value(*share));
    if let Some(rating) = share.rating.filter(|rating| rating.grade != Grade::Good) {
        text.0.extend(Text::from(format!(" {}", words::grade(rating.grade))).0);
    }
    Cell { tone: words::tone(share), ..text.into() }
}

fn time_name(name: ComparedTime) -> &'static str {
    match name {
        ComparedTime::Elapsed => "elapsed",
        ComparedTime::Span => "100 %",
        ComparedTime::MpiImbalance => "MPI, beyond the rank with least",
        ComparedTime::PotentialGain => "OpenMP, potential gain",
        ComparedTime::RunDelay => "CPU wait of a CPU, at most",
    }
}

fn share_name(name: ComparedShare) -> (&'static str, fn(Ratio) -> String) {
    match name {
        ComparedShare::Useful => ("useful", words::percent),
        ComparedShare::WithCpu => ("time with a CPU, of useful time", words::efficiency),
        ComparedShare::Parallel => ("parallel efficiency", words::efficiency),
        ComparedShare::MpiParallel => ("MPI parallel efficiency", words::efficiency),
        ComparedShare::MpiCommunication => ("  MPI communication efficiency", words::efficiency),
        ComparedShare::MpiLoadBalance => ("  MPI load balance", words::efficiency),
        ComparedShare::OpenmpParallel => ("OpenMP parallel efficiency", words::efficiency),
        ComparedShare::OpenmpSerialization => ("  OpenMP serialization", words::efficiency),
        ComparedShare::OpenmpLoadBalance => ("  OpenMP load balance", words::efficiency),
        ComparedShare::OpenmpScheduling => ("  OpenMP scheduling", words::efficiency),
        ComparedShare::Mpi => ("MPI, of elapsed time", words::percent),
        ComparedShare::Serial => ("OpenMP serial, of elapsed time", words::percent),
        ComparedShare::Files => ("files, of CPU time", words::percent),
        ComparedShare::CyclesPerInstruction => ("cycles per instruction", words::efficiency),
        ComparedShare::MemoryBound => ("memory bound", words::percent),
        ComparedShare::Vector => ("vector instructions", words::percent),
        ComparedShare::RemoteMemory => ("memory of other nodes", words::percent),
    }
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
        "times": each(&of.times, |(name, both)| object!({
            "name": name, "first_seconds": seconds(&both.first), "second_seconds": seconds(&both.second),
        })),
        "shares": each(&of.shares, |(name, both)| object!({
            "name": name, "first": share(&both.first), "second": share(&both.second),
        })),
        "counts": each(&of.counts, |(name, both)| object!({
            "name": name, "first": both.first, "second": both.second,
        })),
        "memory": each(&of.memory, surroundings::memory_json),
        "processes": each(&of.processes, surroundings::process_json),
        "first_flops_per_second": reading(&of.flops.first, |flops| object!(flops.0)),
        "second_flops_per_second": reading(&of.flops.second, |flops| object!(flops.0)),
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
