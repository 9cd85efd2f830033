//! Loops of a run: one document for the terminal and for HTML, and JSON.

mod bounds;
mod json;
mod tried;
mod why;

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{BuildFlags, CodeObstacle, CodeRuntime};
use numawise_facts::{FindingId, ObjectRun, Reading};
use numawise_tables::survey::{
    CompiledLoop, LoopFinding, LoopRow, LoopTables, UnknownRow, UseOfVectors, VectorLevel,
};
use numawise_units::Ratio;

use crate::amount::many;
use crate::document::{
    Bar, BarPart, Bars, Block, Cell, Column, Document, Entry, Fact, Opening, Row, RowLimits, Table, Text,
    Tone, capital, list, section,
};
use crate::findings;
use crate::notice;
use crate::objects::words::{self, percent};
use crate::program::{exit, function_in_short, in_file, is_installed};

pub use json::{SCHEMA, json};
pub use tried::to_try;

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub run: &'a ObjectRun,
    pub tables: &'a LoopTables,
    /// Where the run is kept, if anywhere.
    pub record: Option<&'a str>,
}

/// Loops and functions in a table, on a terminal and in a page.
const ROWS: RowLimits = RowLimits { terminal: 20, html: 1000, rest: "the rest is in the JSON" };
/// From this share of the time on it comes first.
const MOSTLY_WAITING: f64 = 0.5;
/// Less waiting changes no share to speak of.
const WORTH_SAYING: f64 = 0.02;
/// What uses more of its cache lines wastes none to speak of.
const WHOLE_LINES: f64 = 0.9;
const MOSTLY_UNKNOWN: f64 = 0.5;
const OUTSIDE: RowLimits = RowLimits { terminal: 8, html: 200, rest: "the rest is in the JSON" };

/// The loops as a document.
pub fn document(shown: &Shown) -> Document {
    let tables = shown.tables;
    let mut blocks = vec![Block::Facts(facts(shown))];
    if let Reading::Measured(of) = &tables.by_use {
        blocks.push(section("vectors", "Time by use of vectors", by_use(of)));
    }
    if !tables.rows.is_empty() {
        blocks.push(section("loops", "Loops with most time", vec![Block::Table(loops(shown))]));
    }
    blocks.extend(bounds::passes(shown));
    if !tables.findings.is_empty() {
        let entries = tables.findings.iter().filter_map(|finding| entry(shown, finding)).collect();
        blocks.push(section("findings", "Findings", vec![Block::Entries(entries)]));
    }
    blocks.extend(tried::section(shown));
    if !tables.outside.is_empty() {
        blocks.push(section("outside", "Outside of loops", vec![Block::Table(outside(shown))]));
    }
    if !tables.unknown.is_empty() {
        blocks.push(section("unknown", "Code of no known function", vec![Block::Table(unknown(shown))]));
    }
    blocks.extend(list("notices", "Notes", &notice::texts(&shown.run.header.notices)));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    Document {
        tool: "numawise survey",
        title: format!("Loops: {}", shown.run.header.command.shell_line()),
        opening: opening(shown),
        blocks,
        charts: None,
        width: 120,
    }
}

fn opening(shown: &Shown) -> Opening {
    let tables = shown.tables;
    let by_use = match &tables.by_use {
        Reading::Measured(by_use) => by_use,
        Reading::Unavailable { unavailable } => {
            return Opening { headline: format!("Too few samples: {unavailable}"), ..Opening::default() };
        }
    };
    let sentence = [Some(in_vectors(by_use)), tried::best(shown)].into_iter().flatten();
    let sentence = Some(sentence.collect::<Vec<_>>().join(" "));
    let first = tables.findings.first().and_then(|finding| Some((finding, tables.rows.get(finding.row)?)));
    match first {
        _ if by_use.waiting().0 >= MOSTLY_WAITING => Opening {
            headline: "Threads mostly wait for others".to_owned(),
            tone: Tone::Loud,
            effect: Some(format!("{} of the time", percent(by_use.waiting()))),
            sentence: Some("numawise snapshot says who waits for whom.".to_owned()),
        },
        Some((finding, row)) => Opening {
            headline: capital(findings::title(finding.id)),
            tone: Tone::Loud,
            effect: Some(format!("{}: {} of the time", title(row), percent(row.time.value))),
            sentence,
        },
        None if by_use.without_code.0 >= MOSTLY_UNKNOWN => Opening {
            headline: "Most of the time is in code of no known function".to_owned(),
            tone: Tone::Doubt,
            effect: Some(format!("{} of the time", percent(by_use.without_code))),
            sentence: tables.unknown.first().map(|of| format!("Most of it: {}.", described(of))),
        },
        None => Opening { headline: "No loop stands out".to_owned(), sentence, ..Opening::default() },
    }
}

fn in_vectors(by_use: &UseOfVectors) -> String {
    format!(
        "Vectorized loops take {} of the time, partly vectorized ones {}, scalar ones {}.",
        percent(by_use.full),
        percent(by_use.partial),
        percent(by_use.scalar)
    )
}

fn facts(shown: &Shown) -> Vec<Fact> {
    let (header, watching) = (&shown.run.header, &shown.run.watching);
    let fact = |name, text: Text| Fact { name, text, code: false };
    let ended = header.exit.map(|ended| format!("; it {}", exit(ended))).unwrap_or_default();
    let mut facts = vec![
        Fact { name: "Program", text: header.command.shell_line().into(), code: true },
        fact("Elapsed", format!("{}{ended}", header.wall).into()),
        fact(
            "Samples",
            Text::of(&watching.time, |time| {
                let lost = if time.lost > 0 { format!(", {} lost", time.lost) } else { String::new() };
                format!("{}, one in {} of each thread's CPU time{lost}", time.samples, time.period)
            }),
        ),
        fact("Vectors here", Text::of(&shown.tables.offered, |bits| format!("{bits} bits at most"))),
        fact("Cost", words::cost(&shown.tables.cost, watching)),
    ];
    facts.extend(build(shown).map(|text| fact("Build", text)));
    facts.extend(shown.record.map(|record| Fact { name: "Record", text: record.into(), code: true }));
    facts
}

/// The build before the run.
fn build(shown: &Shown) -> Option<Text> {
    let compiled = shown.run.code.measured()?.compiled.as_ref()?;
    Some(Text::of(compiled, |of| {
        format!("{}: {}, {}", of.command, many(of.compiled, "compilation"), of.wall)
    }))
}

/// Where the time goes, with a colour of the page.
fn uses(of: &UseOfVectors) -> [(BarPart, Ratio); 8] {
    let part = |name, colour| BarPart { name, colour };
    [
        (part("vectorized loops", "--good"), of.full),
        (part("partly vectorized loops", "--n0"), of.partial),
        (part("scalar loops", "--bad"), of.scalar),
        (part("loops without vector registers", "--n1"), of.none),
        (part("spinning until other threads come", "--n5"), of.spinning),
        (part("in MPI libraries", "--n4"), of.messages),
        (part("outside of loops", "--n6"), of.outside),
        (part("code of no known function", "--band"), of.without_code),
    ]
}

/// As a drawing of a page, then as a table.
fn by_use(of: &UseOfVectors) -> Vec<Block> {
    let used: Vec<(BarPart, Ratio)> = uses(of).into_iter().filter(|(_, share)| share.0 > 0.0).collect();
    let bar = |share: Ratio| "#".repeat((share.0 * 50.0).round() as usize);
    let row = |(part, share): &(BarPart, Ratio)| -> Row {
        [Cell::from(part.name), percent(*share).into(), bar(*share).into()].into_iter().collect()
    };
    let drawn = Bars {
        chart: None,
        label: "Time by use of vectors".to_owned(),
        parts: used.iter().map(|(part, _)| *part).collect(),
        bars: vec![Bar { name: "all".to_owned(), shares: used.iter().map(|(_, share)| share.0).collect() }],
        caption: "CPU time of all threads".to_owned(),
    };
    let table = Table {
        columns: vec![Column::text("where"), Column::number("time"), Column::picture("")],
        rows: used.iter().map(row).collect(),
        most: None,
    };
    vec![Block::Bars(drawn), Block::Table(table)]
}

fn loops(shown: &Shown) -> Table {
    let is_built = shown.tables.rows.iter().any(|of| of.compiled.is_some());
    let row = |of: &LoopRow| -> Row {
        let time = Cell {
            hover: Some(format!("95 % interval {} to {}", percent(of.time.low), percent(of.time.high))),
            ..percent(of.time.value).into()
        };
        let threads = if of.threads > 1 {
            format!("{} (busiest {})", of.threads, percent(of.busiest))
        } else {
            of.threads.to_string()
        };
        [
            time,
            vectors(of).into(),
            format!("{}{}", at(&of.place, of.last_line), if of.is_innermost { "" } else { " (outer)" })
                .into(),
            function(&of.place).into(),
            slow(of).into(),
            threads.into(),
        ]
        .into_iter()
        .chain(is_built.then(|| why::in_short(of).into()))
        .collect()
    };
    Table {
        columns: vec![
            Column::number("time"),
            Column::text("vectors"),
            Column::text("loop"),
            Column::text("function"),
            Column::text("also").expendable(2),
            Column::text("threads").expendable(3),
        ]
        .into_iter()
        .chain(is_built.then(|| Column::text("compiler")))
        .collect(),
        rows: shown.tables.rows.iter().map(row).collect(),
        most: Some(ROWS),
    }
}

fn outside(shown: &Shown) -> Table {
    let rows = shown.tables.outside.iter().map(|of| {
        let cells: [Cell; 3] =
            [percent(of.time.value).into(), function(&of.function).into(), at(&of.function, None).into()];
        cells.into_iter().collect()
    });
    Table {
        columns: vec![Column::number("time"), Column::text("function"), Column::text("begins at")],
        rows: rows.collect(),
        most: Some(OUTSIDE),
    }
}

fn unknown(shown: &Shown) -> Table {
    let rows = shown.tables.unknown.iter().map(|of| {
        let cells: [Cell; 4] = [
            percent(of.time.value).into(),
            described(of).into(),
            of.function.clone().unwrap_or_default().into(),
            of.file.clone().unwrap_or_default().into(),
        ];
        cells.into_iter().collect()
    });
    Table {
        columns: vec![
            Column::number("time"),
            Column::text("what"),
            Column::text("function"),
            Column::text("file").expendable(2),
        ],
        rows: rows.collect(),
        most: Some(OUTSIDE),
    }
}

fn described(of: &UnknownRow) -> String {
    let what = what(of.why).1;
    match of.why {
        CodeObstacle::JustInTime(by) => format!("{} {what}", runtime(by)),
        _ => what.to_owned(),
    }
}

fn runtime(of: CodeRuntime) -> &'static str {
    match of {
        CodeRuntime::Java => "Java",
        CodeRuntime::Julia => "Julia",
        CodeRuntime::LuaJit => "LuaJIT",
        CodeRuntime::Python => "Python",
        CodeRuntime::JavaScript => "JavaScript",
        CodeRuntime::DotNet => ".NET",
        CodeRuntime::Ruby => "Ruby",
    }
}

/// Code of no known function: for scripts, and for people.
fn what(of: CodeObstacle) -> (&'static str, &'static str) {
    match of {
        CodeObstacle::JustInTime(_) => ("just_in_time", "code, compiled while it runs"),
        CodeObstacle::NoFile => ("no_file", "made or unpacked by the program: no file has it"),
        CodeObstacle::OfKernel => ("kernel", "the kernel's"),
        CodeObstacle::NoFunction => ("no_function", "the file names no function there: stripped?"),
        CodeObstacle::WrittenOver => ("written_over", "written over by the program: not as in the file"),
        CodeObstacle::UnreadableFile => {
            ("unreadable_file", "the file was changed meanwhile, or cannot be read")
        }
        CodeObstacle::Gone => ("gone", "its process ended before it could be looked at"),
    }
}

/// `full, 4 x 64 bits`
fn vectors(of: &LoopRow) -> String {
    let work = &of.work;
    let element = work.element_bits;
    let wide = |level: &str| match element {
        0 => format!("{level}, {} bits", work.vector_bits),
        _ => format!("{level}, {} x {element} bits", work.vector_bits / element),
    };
    match of.level {
        VectorLevel::Full => wide("full"),
        VectorLevel::Partial => wide("partly"),
        VectorLevel::Scalar if element > 0 => format!("scalar, {element} bits"),
        VectorLevel::Scalar => "scalar".to_owned(),
        VectorLevel::NoVectorRegisters => "no vector registers".to_owned(),
        VectorLevel::Spins => "none: spins for others".to_owned(),
    }
}

/// `solve.c:12-15`
fn at(place: &CodePlace, last: Option<u32>) -> String {
    let source = &place.source;
    let short = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    match (source.file.measured(), source.line.measured()) {
        (Some(file), Some(first)) => match last.filter(|last| last > first) {
            Some(last) => format!("{}:{first}-{last}", short(file)),
            None => format!("{}:{first}", short(file)),
        },
        _ => in_file(place),
    }
}

fn function(place: &CodePlace) -> String {
    place.source.function.measured().map_or_else(|| "unknown".to_owned(), |name| function_in_short(name))
}

fn title(row: &LoopRow) -> String {
    format!("{} in {}", at(&row.place, row.last_line), function(&row.place))
}

/// What in it takes long, as the compiler made it.
fn slow(of: &LoopRow) -> String {
    let work = &of.work;
    let parts = [
        (work.gathers, "gather"),
        (work.scatters, "scatter"),
        (work.divides, "division"),
        (work.square_roots, "square root"),
        (work.calls, "call"),
        (work.spills, "spill"),
    ];
    let texts = parts.into_iter().filter(|(count, _)| *count > 0);
    texts.map(|(count, what)| many(u64::from(count), what)).collect::<Vec<_>>().join(", ")
}

fn entry(shown: &Shown, finding: &LoopFinding) -> Option<Entry> {
    let row = shown.tables.rows.get(finding.row)?;
    Some(Entry {
        code: finding.id.code(),
        title: format!("{}: {}", findings::title(finding.id), title(row)),
        parts: vec![
            ("seen", seen(shown, finding, row)),
            ("compiler", why::said(row)),
            ("at most", vec![at_most(finding, row)]),
            ("to do", advice(shown, finding, row)),
        ]
        .into_iter()
        .filter(|(_, texts)| !texts.is_empty())
        .collect(),
    })
}

fn seen(shown: &Shown, finding: &LoopFinding, row: &LoopRow) -> Vec<String> {
    let waiting = shown.tables.by_use.measured().map_or(0.0, |by_use| by_use.waiting().0);
    let working = match waiting {
        0.0..WORTH_SAYING => String::new(),
        _ => format!(
            "; {} of the time in which threads do not wait",
            percent(Ratio(row.time.value.0 / (1.0 - waiting)))
        ),
    };
    let time = format!(
        "{} of the time (95 % interval {} to {}){working}",
        percent(row.time.value),
        percent(row.time.low),
        percent(row.time.high)
    );
    let work = &row.work;
    let offered = shown.tables.offered.measured().copied().unwrap_or(work.vector_bits);
    let what = match finding.id {
        FindingId::LoopScalar => {
            let holds = offered / work.element_bits.max(1);
            let single = match (work.scalar_elements, work.packed_elements) {
                (_, 0) => format!("one element of {} bits at once", work.element_bits),
                (scalar, packed) => {
                    format!(
                        "{scalar} of {} elements of {} bits one by one",
                        scalar + packed,
                        work.element_bits
                    )
                }
            };
            Some(format!("{single}; vectors of this CPU hold {holds}"))
        }
        FindingId::LoopNarrow => {
            Some(format!("vectors of {} bits; this CPU has {offered}", work.vector_bits))
        }
        FindingId::LoopMemory => bounds::seen_of_memory(row),
        _ => Some(format!(
            "{} and {} of single elements in a pass",
            many(u64::from(work.gathers), "gather"),
            many(u64::from(work.scatters), "scatter")
        )),
    };
    [Some(time), what].into_iter().flatten().collect()
}

fn at_most(finding: &LoopFinding, row: &LoopRow) -> String {
    let is_bounded = row.roof.measured().is_some_and(|roof| roof.passes.measured().is_some());
    format!(
        "the program is {} as fast, if the loop is {} as fast{}",
        finding.brings,
        finding.lanes,
        match finding.id {
            FindingId::LoopMemory => ", with its data in a cache",
            _ if is_bounded => ", or as memory lets it",
            _ => ": not where it waits for memory",
        }
    )
}

/// What lets a compiler use all vectors of this CPU, as far as it has not been said already.
fn native(compiled: Option<&CompiledLoop>) -> Option<String> {
    let missing: Vec<&str> = tried::missing(compiled).into_iter().map(BuildFlags::words).collect();
    let verb = if compiled.is_some() { "add" } else { "compile with" };
    let risk = if missing.contains(&BuildFlags::Native.words()) {
        "; it then needs a CPU like this one, and last digits may change"
    } else {
        ""
    };
    (!missing.is_empty()).then(|| format!("{verb} {}{risk}", missing.join(" ")))
}

fn advice(shown: &Shown, finding: &LoopFinding, row: &LoopRow) -> Vec<String> {
    let compiled = row.compiled.as_ref().and_then(Reading::measured);
    let native = native(compiled);
    let mut advice = Vec::new();
    if is_installed(&row.place.file) {
        let library = row.place.file.rsplit('/').next().unwrap_or_default();
        // Its 0.3.21 takes kernels for Haswell on Zen 4; n 3: 1.27 s, with the variable 0.80 s.
        if library.starts_with("libopenblas") && shown.tables.offered.measured() == Some(&512) {
            return vec![
                "set OPENBLAS_CORETYPE=SKYLAKEX: OpenBLAS chose kernels for narrower vectors".to_owned(),
            ];
        }
        return vec![format!(
            "take a build of {library} for this CPU, or another library: for BLAS and LAPACK OpenBLAS, BLIS or the vendor's"
        )];
    }
    match finding.id {
        FindingId::LoopScalar => {
            advice.extend(compiled.map(why::cures).unwrap_or_default());
            advice.extend(native.filter(|_| compiled.is_none_or(why::may_need_instructions)));
            if row.compiled.is_none() {
                advice.push("let the compiler say why it stays scalar: numawise survey --rebuild 'make'".to_owned());
            }
            if row.work.calls > 0 && compiled.is_none() {
                advice.push("calls may keep it scalar: have them inlined, or use a vector maths library".to_owned());
            }
        }
        FindingId::LoopNarrow => {
            advice.extend(native);
            if tried::is_half(shown, row) {
                advice.push(format!("add {}: compilers prefer 256 bits", BuildFlags::Width.words()));
            }
        }
        FindingId::LoopMemory => {
            let command = shown.run.header.command.shell_line();
            advice.push(format!("numawise objects -- {command} says which arrays these are, and on which NUMA node"));
            if bounds::of_lines(&row.streams).measured().is_some_and(|share| share.0 < WHOLE_LINES) {
                advice.push("use whole cache lines: arrays in place of structures, the last index in the innermost loop".to_owned());
            }
            advice.push("join loops over the same arrays, or work in blocks that caches hold; take float for double".to_owned());
            return advice;
        }
        _ => advice.push(
            "lay data out so that elements of neighbouring passes are neighbours: arrays in place of structures, loops in the order of \
             the array"
                .to_owned(),
        ),
    }
    if row.place.source.line.measured().is_none() {
        advice.push("compile with -g: its lines are not known".to_owned());
    }
    advice
}
