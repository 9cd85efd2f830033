//! A snapshot as CSV, as `docs/formats/snapshot-csv.md` specifies it: all tables, one value a row, or one table, a column for each quantity.

mod surroundings;
mod trace;

use std::fmt;
use std::str::FromStr;

use numawise_facts::Reading;
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    LoopRow, PathPart, ProcessRow, RatedShare, RegionRow, TrafficCell, WaitingCause,
};
use numawise_units::{Bytes, Nanoseconds, Ratio};

use super::figure::{self, CsvCell as Value, Figure};
use super::files::FILES;
use super::mpi::{CALLS, SITES};
use super::openmp::{LOOPS, REGIONS};
use super::processes::{TIMES, WHO};
use super::trace::columns::{
    CAUSES, COLLECTIVES, CONSTRUCTS, CRITICAL_PATH, MARKS, MESSAGES, OUT_OF_ORDER, PAIRS,
    REGIONS as TRACED_REGIONS, SERIAL, WAITS, WHAT_IF, with_activity,
};
use super::{Shown, counters, figures, words};
use crate::csv::quoted;
use crate::findings;

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;

/// The first line of all tables together, without its newline.
pub const HEADER: &str = "table,row,quantity,value,unit,missing";

/// One of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvTable {
    Efficiency,
    Ranks,
    Memory,
    RankMemory,
    Placement,
    Calls,
    Sites,
    Regions,
    Loops,
    Volume,
    Files,
    Findings,
    Counters,
    Waits,
    Pairs,
    Messages,
    Collectives,
    Causes,
    CriticalPath,
    WhatIf,
    OutOfOrder,
    Timeline,
    TracedOpenMp,
    TracedPhases,
    TracedRegions,
    TracedSerial,
    TracedPlaces,
}

/// By their names.
pub const TABLES: [(&str, CsvTable); 27] = [
    ("efficiency", CsvTable::Efficiency),
    ("ranks", CsvTable::Ranks),
    ("memory", CsvTable::Memory),
    ("rank_memory", CsvTable::RankMemory),
    ("placement", CsvTable::Placement),
    ("calls", CsvTable::Calls),
    ("sites", CsvTable::Sites),
    ("regions", CsvTable::Regions),
    ("loops", CsvTable::Loops),
    ("volume", CsvTable::Volume),
    ("files", CsvTable::Files),
    ("findings", CsvTable::Findings),
    ("counters", CsvTable::Counters),
    ("waits", CsvTable::Waits),
    ("pairs", CsvTable::Pairs),
    ("messages", CsvTable::Messages),
    ("collectives", CsvTable::Collectives),
    ("causes", CsvTable::Causes),
    ("critical_path", CsvTable::CriticalPath),
    ("what_if", CsvTable::WhatIf),
    ("out_of_order", CsvTable::OutOfOrder),
    ("timeline", CsvTable::Timeline),
    ("trace_openmp", CsvTable::TracedOpenMp),
    ("trace_phases", CsvTable::TracedPhases),
    ("trace_regions", CsvTable::TracedRegions),
    ("trace_serial", CsvTable::TracedSerial),
    ("trace_placed", CsvTable::TracedPlaces),
];

/// A word that names no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no table of a snapshot; expected {names}", names = names())]
pub struct ParseTableError(String);

fn names() -> String {
    TABLES.map(|(name, _)| name).join(", ")
}

impl FromStr for CsvTable {
    type Err = ParseTableError;

    fn from_str(text: &str) -> Result<Self, ParseTableError> {
        let found = TABLES.iter().find(|(name, _)| *name == text);
        found.map(|(_, table)| *table).ok_or_else(|| ParseTableError(text.to_owned()))
    }
}

impl fmt::Display for CsvTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = TABLES.iter().find(|(_, table)| table == self);
        f.pad(found.map_or("", |(name, _)| name))
    }
}

/// All tables, one value a row.
pub fn csv(shown: &Shown) -> String {
    let mut text = format!("{HEADER}\n");
    for (name, table) in TABLES {
        for (k, row) in rows(shown, table).iter().enumerate() {
            for Value { name: quantity, unit, value } in row {
                let (value, missing) = cells(value);
                text += &format!("{name},{k},{quantity},{value},{unit},{missing}\n");
            }
        }
    }
    text
}

/// One table, a column for each quantity, and one for the reasons of what is missing. Nothing but a newline where it has no row.
pub fn table(shown: &Shown, table: CsvTable) -> String {
    let rows = rows(shown, table);
    let names = rows.first().map(|row| row.iter().map(|of| of.name).collect::<Vec<_>>()).unwrap_or_default();
    let mut text = names.iter().flat_map(|name| [*name, ","]).collect::<String>();
    text += if names.is_empty() { "\n" } else { "missing\n" };
    for row in rows {
        let mut missing = Vec::new();
        for of in &row {
            text += &cells(&of.value).0;
            text.push(',');
            missing.extend(of.value.reason().map(|reason| format!("{}: {}", of.name, reason.0)));
        }
        text += &quoted(&missing.join("; "));
        text.push('\n');
    }
    text
}

/// The cell of a value, and that of the reason where it is missing.
fn cells(value: &Reading<String>) -> (String, String) {
    match value {
        Reading::Measured(value) => (quoted(value), String::new()),
        Reading::Unavailable { unavailable } => (String::new(), quoted(&unavailable.0)),
    }
}

fn rows(shown: &Shown, table: CsvTable) -> Vec<Vec<Value>> {
    let tables = shown.tables;
    let (mpi, openmp) = (tables.mpi.measured(), tables.openmp.measured());
    let regions = openmp.map_or(&[][..], |of| &of.regions);
    let traced = tables.trace.as_ref();
    match table {
        CsvTable::Efficiency => {
            let all = figures::rated(&tables.efficiency).into_iter().map(|of| (of.name, of.share));
            all.chain([("useful", &tables.useful)]).map(|(name, of)| efficiency(name, of)).collect()
        }
        CsvTable::Ranks => tables.rows.iter().map(|of| rank(tables, of)).collect(),
        CsvTable::Memory => surroundings::memory(&tables.memory),
        CsvTable::RankMemory => tables.rows.iter().flat_map(surroundings::rank_memory).collect(),
        CsvTable::Placement => vec![surroundings::placement(&tables.placement)],
        CsvTable::Calls => list(CALLS, mpi.map(|of| &of.calls)),
        CsvTable::Sites => list(SITES, mpi.map(|of| &of.sites)),
        CsvTable::Regions => list(REGIONS, openmp.map(|of| &of.regions)),
        CsvTable::Loops => {
            let loops = |of: &RegionRow| {
                let all = of.loops.measured().into_iter().flatten();
                all.map(|one| loop_of(of, one)).collect::<Vec<_>>()
            };
            regions.iter().flat_map(loops).collect()
        }
        CsvTable::Volume => {
            let Some(of) = mpi.map(|mpi| &mpi.volume.by_rank) else { return Vec::new() };
            of.cells.iter().map(|cell| flow(of.group, cell)).collect()
        }
        CsvTable::Files => tables.rows.iter().map(files).collect(),
        CsvTable::Findings => tables.findings.iter().map(finding).collect(),
        CsvTable::Counters => tables.rows.iter().map(counted).collect(),
        CsvTable::Waits => list(WAITS, traced.map(|of| &of.waits)),
        CsvTable::Pairs => list(PAIRS, traced.map(|of| &of.pairs)),
        CsvTable::Messages => list(MESSAGES, traced.map(|of| &of.messages_by_pair)),
        CsvTable::Collectives => list(COLLECTIVES, traced.map(|of| &of.collective_calls)),
        CsvTable::Causes => {
            let row = |of: &WaitingCause| with_activity(figure::csv(CAUSES, of), &of.what);
            traced.map_or(&[][..], |of| &of.causes).iter().map(row).collect()
        }
        CsvTable::CriticalPath => {
            let row = |of: &PathPart| with_activity(figure::csv(CRITICAL_PATH, of), &of.what);
            traced.map_or(&[][..], |of| &of.critical_path).iter().map(row).collect()
        }
        CsvTable::WhatIf => list(WHAT_IF, traced.and_then(|of| of.what_if.measured())),
        CsvTable::OutOfOrder => list(OUT_OF_ORDER, traced.map(|of| &of.out_of_order)),
        CsvTable::Timeline => traced.map_or_else(Vec::new, trace::timeline),
        CsvTable::TracedOpenMp => list(CONSTRUCTS, traced.map(|of| &of.openmp)),
        CsvTable::TracedPhases => traced.map_or(&[][..], |of| &of.phases).iter().map(trace::phase).collect(),
        CsvTable::TracedRegions => list(TRACED_REGIONS, traced.map(|of| &of.regions)),
        CsvTable::TracedPlaces => {
            list(MARKS, traced.and_then(|of| of.placed.measured()).map(|placed| &placed.marks))
        }
        CsvTable::TracedSerial => list(SERIAL, traced.map(|of| &of.serial)),
    }
}

fn list<R>(figures: &[Figure<R>], rows: Option<&Vec<R>>) -> Vec<Vec<Value>> {
    rows.into_iter().flatten().map(|of| figure::csv(figures, of)).collect()
}

fn text(name: &'static str, value: impl Into<String>) -> Value {
    Value { name, unit: "", value: Reading::Measured(value.into()) }
}

fn read<T>(name: &'static str, unit: &'static str, of: &Reading<T>, value: impl Fn(&T) -> String) -> Value {
    Value { name, unit, value: of.as_ref().map(value) }
}

fn count(name: &'static str, value: u64) -> Value {
    Value { name, unit: "count", value: Reading::Measured(value.to_string()) }
}

fn seconds(name: &'static str, time: &Reading<Nanoseconds>) -> Value {
    read(name, "s", time, |time| format!("{:.9}", time.seconds()))
}

fn known_seconds(name: &'static str, time: Nanoseconds) -> Value {
    seconds(name, &Reading::Measured(time))
}

fn share(name: &'static str, of: &Reading<Ratio>) -> Value {
    read(name, "share", of, |share| format!("{:.6}", share.0))
}

fn bytes(name: &'static str, of: &Reading<Bytes>) -> Value {
    read(name, "bytes", of, |bytes| bytes.0.to_string())
}

fn efficiency(name: &'static str, of: &RatedShare) -> Vec<Value> {
    let grade = of.rating.map_or("", |rating| words::grade(rating.grade));
    vec![
        text("name", name),
        share("value", &of.value),
        text("judgement", grade),
        text("threshold", words::threshold(of)),
    ]
}

fn rank(tables: &RunSnapshot, of: &ProcessRow) -> Vec<Value> {
    let mut row = figure::csv(WHO, of);
    row.extend(figure::csv(TIMES, of));
    row.extend(surroundings::rank(tables, of));
    row.push(text("world", of.world.map_or_else(String::new, |world| world.to_string())));
    row
}

fn files(of: &ProcessRow) -> Vec<Value> {
    let mut row = figure::csv(WHO, of);
    row.extend(figure::csv(FILES, of));
    row
}

fn counted(of: &ProcessRow) -> Vec<Value> {
    let mut row = figure::csv(WHO, of);
    row.extend(counters::csv(of).into_iter().map(|(name, unit, value)| Value { name, unit, value }));
    row
}

fn loop_of(region: &RegionRow, of: &LoopRow) -> Vec<Value> {
    let mut row =
        vec![text("region", region.place.measured().map_or_else(String::new, words::place_in_short))];
    row.extend(figure::csv(LOOPS, of));
    row
}

/// Of neighbours that are counted together, the first stands for them.
fn flow(group: u32, of: &TrafficCell) -> Vec<Value> {
    let rank = |k: u32| k.saturating_mul(group.max(1)).to_string();
    vec![
        text("from_rank", rank(of.from)),
        text("to_rank", rank(of.to)),
        count("neighbours", group.into()),
        count("messages", of.messages),
        bytes("bytes", &Reading::Measured(of.bytes)),
    ]
}

fn finding(of: &numawise_tables::snapshot::SnapshotFinding) -> Vec<Value> {
    vec![
        text("id", of.finding.id.code()),
        text("title", findings::title(of.finding.id)),
        seconds("potential_seconds", &of.potential.as_ref().map(|gain| gain.time)),
        share("potential_share", &of.potential.as_ref().map(|gain| gain.share)),
        text("evidence", findings::evidence_of_run(&of.finding).join("; ")),
    ]
}
