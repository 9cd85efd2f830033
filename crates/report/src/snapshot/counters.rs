//! Counters of the processor: what they say of the run and of each process, or the one line that says why there are none.

use numawise_facts::activity::{CacheTraffic, CounterAccess};
use numawise_facts::{Reading, Reason};
use numawise_tables::snapshot::{CounterFigures, ProcessRow, RatedShare};
use numawise_units::{FlopsPerSecond, Ratio};
use serde_json::{Value, json as object};

use super::{Shown, words};
use crate::document::{Block, Cell, Column, Face, Fact, Row, Table, Text, section};
use crate::object::{each, reading};

/// What is below that was counted for a part of the time.
const WHOLE: f64 = 0.995;

/// How a figure is written.
type Written = fn(Ratio) -> String;

/// A figure that is a share, or is judged like one.
struct RatedFigure {
    name: &'static str,
    field: &'static str,
    of: fn(&CounterFigures) -> &RatedShare,
    written: Written,
    meaning: &'static str,
}

const RATED: [RatedFigure; 4] = [
    RatedFigure {
        name: "cycles per instruction",
        field: "cycles_per_instruction",
        of: |figures| &figures.cycles_per_instruction,
        written: words::efficiency,
        meaning: "high where memory, divisions or mispredicted branches hold it up; waiting in a loop has a low one, too",
    },
    RatedFigure {
        name: "memory bound",
        field: "memory_bound",
        of: |figures| &figures.memory_bound,
        written: words::percent,
        meaning: "of the cycles, or of what the pipeline had room for, what waited for memory or a cache",
    },
    RatedFigure {
        name: "vector instructions",
        field: "vector_share",
        of: |figures| &figures.vector,
        written: words::percent,
        meaning: "of the floating-point instructions, those that compute several numbers at once",
    },
    RatedFigure {
        name: "memory of other nodes",
        field: "remote_memory_share",
        of: |figures| &figures.remote_memory,
        written: words::percent,
        meaning: "of the lines that came from memory and not from a cache",
    },
];

/// What there is to say of the counters of a run beside their figures: one line, or none.
pub fn fact(shown: &Shown) -> Option<Fact> {
    let text = match (&shown.run.header.counters, &shown.tables.counters) {
        (CounterAccess::NotOpened(why), Reading::Unavailable { .. }) => {
            format!("unavailable: {why}")
        }
        (_, Reading::Unavailable { unavailable }) => format!("unavailable: {unavailable}"),
        (access, Reading::Measured(figures)) => {
            let flops = figures.flops.measured().map(FlopsPerSecond::to_string);
            let vector = figures.vector.value.measured();
            let vector = vector.map(|share| format!("vector {}", words::percent(*share)));
            let is_unknown = *access == CounterAccess::Opened { processor: None };
            let known = is_unknown.then(|| {
                "cycles and instructions alone: numawise knows no other events of this processor".to_owned()
            });
            let estimated = (figures.on.0 < WHOLE)
                .then(|| format!("estimated ({} of the time)", words::percent(figures.on)));
            let all: Vec<String> = [flops, vector, known, estimated].into_iter().flatten().collect();
            (!all.is_empty()).then(|| all.join(", "))?
        }
    };
    Some(Fact { name: "Counters", text: text.into(), code: false })
}

/// Why there are none in the terms of a reading.
fn missing(shown: &Shown) -> Option<Reason> {
    match &shown.run.header.counters {
        CounterAccess::NotOpened(why) => Some(Reason(why.to_string().into())),
        CounterAccess::Opened { .. } => None,
    }
}

fn flops(of: &Reading<FlopsPerSecond>) -> Text {
    Text::of(of, FlopsPerSecond::to_string)
}

/// Lines of the first screen: the figures that are known and judged. The others are in [`fact`].
pub fn judged(shown: &Shown) -> Vec<Row> {
    let Some(figures) = shown.tables.counters.measured() else { return Vec::new() };
    let row = |one: &RatedFigure| {
        let share = (one.of)(figures);
        let cells: [Cell; 4] = [
            one.name.into(),
            Text::of(&share.value, |share| (one.written)(*share)).into(),
            Cell { tone: words::tone(share), ..words::grade(share.rating?.grade).into() },
            words::threshold_as(share, one.written).into(),
        ];
        Some(Row { tone: words::tone(share), ..cells.into_iter().collect() })
    };
    RATED.iter().filter_map(row).collect()
}

/// All figures of the run and of each process, where there are counters ([`fact`] says why there are none), and the memory traffic meanwhile.
pub fn sections(shown: &Shown) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(figures) = shown.tables.counters.measured() {
        blocks.push(Block::Table(table(figures)));
        blocks.extend(figures.widths.measured().map(|widths| {
            let one = |(bits, share): &(u16, Ratio)| match bits {
                64 => format!("one number alone {}", words::percent(*share)),
                bits => format!("{bits} bits {}", words::percent(*share)),
            };
            let all: Vec<String> = widths.iter().map(one).collect();
            Block::Paragraph(format!("Floating-point instructions by width: {}.", all.join(", ")).into())
        }));
    }
    let rows: Vec<Row> = shown.tables.rows.iter().filter_map(process).collect();
    if !rows.is_empty() {
        let has_ranks = shown.tables.rows.iter().any(|row| row.rank.measured().is_some());
        let rank = Column::number("rank");
        let mut columns = vec![
            if has_ranks { rank } else { Column { only: Some(Face::Html), ..rank } },
            Column::number("process"),
            Column::number("operations"),
        ];
        columns.extend(["CPI", "memory bound", "vector", "other nodes"].map(Column::number));
        blocks.push(Block::Table(Table { columns, rows, most: words::limits(8) }));
    }
    let mut all = if blocks.is_empty() {
        Vec::new()
    } else {
        vec![section("counters", "Counters of the processor", blocks)]
    };
    let of_computer = match &shown.run.header.traffic {
        Reading::Measured(caches) => Block::List(caches.iter().filter_map(traffic).collect()),
        Reading::Unavailable { unavailable } => Block::Paragraph(Text::unavailable(unavailable.to_string())),
    };
    all.push(section("traffic", "Memory traffic of the computer, of all programs on it", vec![of_computer]));
    all
}

fn table(figures: &CounterFigures) -> Table {
    let mut rows = vec![{
        let meaning =
            "of floating point, by all processes, over the elapsed time; a fused multiply and add is two";
        let cells: [Cell; 4] = ["operations".into(), flops(&figures.flops).into(), "".into(), meaning.into()];
        cells.into_iter().collect::<Row>()
    }];
    rows.extend(RATED.iter().map(|one| {
        let share = (one.of)(figures);
        let value = Text::of(&share.value, |share| (one.written)(*share));
        let judged = Cell { tone: words::tone(share), ..words::judgement_as(share, one.written).into() };
        let cells: [Cell; 4] = [one.name.into(), value.into(), judged, one.meaning.into()];
        cells.into_iter().collect()
    }));
    let columns = vec![
        Column::text("the program's code"),
        Column::number("value"),
        Column::text("judgement"),
        Column { only: Some(Face::Html), ..Column::text("what it is") },
    ];
    Table { columns, rows, most: None }
}

fn process(of: &ProcessRow) -> Option<Row> {
    let figures = of.counters.measured()?;
    let mut cells: Vec<Cell> = vec![
        Text::of(&of.rank, u32::to_string).into(),
        of.pid.to_string().into(),
        flops(&figures.flops).into(),
    ];
    cells.extend(RATED.iter().map(|one| {
        let share = (one.of)(figures);
        Cell { tone: words::tone(share), ..Text::of(&share.value, |share| (one.written)(*share)).into() }
    }));
    Some(cells.into_iter().collect())
}

fn traffic(of: &CacheTraffic) -> Option<Text> {
    let local = Ratio(of.local.0 as f64 / of.total.0.max(1) as f64);
    let (bandwidth, local) = (of.bandwidth()?, words::percent(local));
    let text = format!("{bandwidth} behind cache {}; {local} to its own node", of.cache);
    Some(text.into())
}

fn figures(of: &CounterFigures) -> Value {
    let mut value = object!({
        "flops_per_second": reading(&of.flops, |flops| object!(flops.0)),
        "widths": reading(&of.widths, |widths| each(widths, |(bits, share)| object!({ "bits": bits, "share": share.0 }))),
        "on_share": of.on.0,
    });
    for one in &RATED {
        value[one.field] = reading(&(one.of)(of).value, |share| object!(share.0));
    }
    value
}

/// Of the run.
pub fn json(shown: &Shown) -> Value {
    if let Some(unavailable) = missing(shown).filter(|_| shown.tables.counters.measured().is_none()) {
        return object!({ "unavailable": unavailable });
    }
    let mut value = reading(&shown.tables.counters, figures);
    if shown.tables.counters.measured().is_some() {
        value["processor"] = match &shown.run.header.counters {
            CounterAccess::Opened { processor } => object!(processor),
            CounterAccess::NotOpened(_) => Value::Null,
        };
    }
    value
}

/// Of one process.
pub fn process_json(of: &ProcessRow) -> Value {
    reading(&of.counters, figures)
}

/// Those that are judged, as the efficiencies are.
pub fn judgements(figures: &CounterFigures) -> impl Iterator<Item = (String, Value)> {
    RATED.iter().filter_map(|one| {
        let share = (one.of)(figures);
        let rating = share.rating?;
        let value = object!({
            "grade": rating.grade, "good": rating.good.0, "bad": rating.bad.0, "source": rating.source,
            "text": words::judgement_as(share, one.written),
        });
        Some((one.field.to_owned(), value))
    })
}

/// Memory traffic of the computer.
pub fn traffic_json(of: &Reading<Vec<CacheTraffic>>) -> Value {
    reading(of, |all| {
        each(all, |of| {
            object!({
                "cache": of.cache, "bytes": of.total.0, "local_bytes": of.local.0, "seconds": of.time.seconds(),
            })
        })
    })
}

/// Cells of a table of CSV: the names of the JSON, with their units.
pub fn csv(of: &ProcessRow) -> Vec<(&'static str, &'static str, Reading<String>)> {
    let figures = of.counters.as_ref();
    let flops = figures.clone().and_then(|of| of.flops.as_ref().map(|flops| format!("{:.0}", flops.0)));
    let mut all = vec![("flops_per_second", "", flops)];
    all.extend(RATED.iter().map(|one| {
        let unit = if one.field == "cycles_per_instruction" { "" } else { "share" };
        let value =
            figures.clone().and_then(|of| (one.of)(of).value.as_ref().map(|share| format!("{:.6}", share.0)));
        (one.field, unit, value)
    }));
    all
}
