//! A snapshot as CSV, as `docs/formats/snapshot-csv.md` specifies it: all tables, one value a row, or one table, a column for each quantity.

mod placed;
mod surroundings;
mod teams;
mod trace;

use std::fmt;
use std::str::FromStr;

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, KernelIo};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{
    CpuTime, FileTotals, LoopRow, MpiCallRow, MpiSiteRow, ProcessRow, RatedShare, RegionRow, TrafficCell,
};
use numawise_units::{Bytes, Nanoseconds, Ratio, TimeSum};

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
pub const TABLES: [(&str, CsvTable); 25] = [
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

/// A value of a row: its name as in the JSON, its unit, and what it is.
struct Value {
    name: &'static str,
    unit: &'static str,
    value: Reading<String>,
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
            let all = figures::rated(&tables.efficiency).into_iter().chain([("useful", &tables.useful)]);
            all.map(|(name, of)| efficiency(name, of)).collect()
        }
        CsvTable::Ranks => tables.rows.iter().map(|of| rank(tables, of)).collect(),
        CsvTable::Memory => surroundings::memory(&tables.memory),
        CsvTable::RankMemory => tables.rows.iter().flat_map(surroundings::rank_memory).collect(),
        CsvTable::Placement => vec![surroundings::placement(&tables.placement)],
        CsvTable::Calls => mpi.map_or(&[][..], |of| &of.calls).iter().map(call).collect(),
        CsvTable::Sites => mpi.map_or(&[][..], |of| &of.sites).iter().map(site).collect(),
        CsvTable::Regions => regions.iter().map(region).collect(),
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
        CsvTable::Waits => traced.map_or(&[][..], |of| &of.waits).iter().map(trace::wait).collect(),
        CsvTable::Pairs => traced.map_or(&[][..], |of| &of.pairs).iter().map(trace::pair).collect(),
        CsvTable::Causes => traced.map_or(&[][..], |of| &of.causes).iter().map(trace::cause).collect(),
        CsvTable::CriticalPath => {
            traced.map_or(&[][..], |of| &of.critical_path).iter().map(trace::path_part).collect()
        }
        CsvTable::WhatIf => {
            let rows = traced.and_then(|of| of.what_if.measured());
            rows.map_or(&[][..], Vec::as_slice).iter().map(trace::what_if).collect()
        }
        CsvTable::OutOfOrder => {
            traced.map_or(&[][..], |of| &of.out_of_order).iter().map(trace::out_of_order).collect()
        }
        CsvTable::Timeline => traced.map_or_else(Vec::new, trace::timeline),
        CsvTable::TracedOpenMp => {
            traced.map_or(&[][..], |of| &of.openmp).iter().map(trace::construct).collect()
        }
        CsvTable::TracedPhases => traced.map_or(&[][..], |of| &of.phases).iter().map(trace::phase).collect(),
        CsvTable::TracedRegions => {
            traced.map_or(&[][..], |of| &of.regions).iter().map(teams::region).collect()
        }
        CsvTable::TracedPlaces => {
            let placed = traced.and_then(|of| of.placed.measured());
            placed.map_or(&[][..], |of| &of.marks).iter().map(placed::mark).collect()
        }
        CsvTable::TracedSerial => traced.map_or(&[][..], |of| &of.serial).iter().map(teams::serial).collect(),
    }
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
    let time = |name, part: fn(&CpuTime) -> TimeSum| {
        let part = of.time.as_ref().map(part);
        read(name, "s", &part, |time| format!("{:.9}", time.seconds()))
    };
    let mut row = vec![
        read("rank", "", &of.rank, u32::to_string),
        text("host", of.host.as_str()),
        text("pid", of.pid.to_string()),
        text("program", of.program.as_str()),
        seconds("elapsed_seconds", &of.elapsed),
        read("cpus", "count", &of.cpus, u64::to_string),
        read("threads", "count", &of.threads, |threads| threads.len().to_string()),
        share("useful", &of.useful.value),
        seconds("mpi_seconds", &of.mpi),
        seconds("mpi_waiting_seconds", &of.mpi_waiting),
        seconds("not_running_seconds", &of.not_running),
        time("cpu_useful_seconds", |time| time.useful),
        time("cpu_mpi_seconds", |time| time.mpi),
        time("cpu_imbalance_seconds", |time| time.imbalance),
        time("cpu_lock_seconds", |time| time.lock),
        time("cpu_scheduling_seconds", |time| time.scheduling),
        time("cpu_serial_seconds", |time| time.serial),
        time("cpu_waiting_seconds", |time| time.waiting),
        read("cpu_without_cpu_seconds", "s", &of.time.as_ref().and_then(CpuTime::without_cpu), |time| {
            format!("{:.9}", time.seconds())
        }),
    ];
    row.extend(surroundings::rank(tables, of));
    row.push(text("world", of.world.map_or_else(String::new, |world| world.to_string())));
    row
}

fn files(of: &ProcessRow) -> Vec<Value> {
    let posix =
        |name, time: fn(&FileTotals) -> Nanoseconds| seconds(name, &of.files.posix.as_ref().map(time));
    let calls = |name, calls: fn(&FileTotals) -> u64| {
        read(name, "count", &of.files.posix, |all| calls(all).to_string())
    };
    let moved = |name, moved: fn(&FileTotals) -> Bytes| bytes(name, &of.files.posix.as_ref().map(moved));
    let kernel = |name, moved: fn(&KernelIo) -> Bytes| bytes(name, &of.files.kernel.as_ref().map(moved));
    let mpi = of.files.mpi.as_ref();
    vec![
        read("rank", "", &of.rank, u32::to_string),
        text("host", of.host.as_str()),
        text("pid", of.pid.to_string()),
        calls("read_count", |of| of.read.count),
        posix("read_seconds", |of| of.read.time),
        moved("read_bytes", |of| of.read.bytes),
        calls("written_count", |of| of.written.count),
        posix("written_seconds", |of| of.written.time),
        moved("written_bytes", |of| of.written.bytes),
        calls("synced_count", |of| of.synced.count),
        posix("synced_seconds", |of| of.synced.time),
        calls("managed_count", |of| of.managed.count),
        posix("managed_seconds", |of| of.managed.time),
        read("mpi_count", "count", &mpi, |mpi| mpi.calls.count.to_string()),
        seconds("mpi_seconds", &mpi.clone().map(|mpi| mpi.calls.time)),
        bytes("mpi_read_bytes", &mpi.clone().and_then(|mpi| mpi.read.clone())),
        bytes("mpi_written_bytes", &mpi.and_then(|mpi| mpi.written.clone())),
        kernel("kernel_read_bytes", |io| io.read),
        kernel("kernel_written_bytes", |io| io.written),
        kernel("kernel_from_storage_bytes", |io| io.from_storage),
        kernel("kernel_to_storage_bytes", |io| io.to_storage),
        kernel("kernel_cancelled_bytes", |io| io.cancelled),
        seconds("disk_wait_seconds", &of.files.disk_wait),
    ]
}

fn counted(of: &ProcessRow) -> Vec<Value> {
    let mut row = vec![
        read("rank", "", &of.rank, u32::to_string),
        text("host", of.host.as_str()),
        text("pid", of.pid.to_string()),
    ];
    row.extend(counters::csv(of).into_iter().map(|(name, unit, value)| Value { name, unit, value }));
    row
}

fn call(of: &MpiCallRow) -> Vec<Value> {
    vec![
        text("name", of.call.as_str()),
        count("count", of.calls.count),
        known_seconds("seconds", of.calls.time),
        share("share", &of.share),
        known_seconds("longest_seconds", of.longest),
        bytes("sent_bytes", &of.sent),
        bytes("received_bytes", &of.received),
        count("ranks", of.ranks),
    ]
}

fn place(of: &Reading<CodePlace>) -> [Value; 3] {
    place_as(["function", "file", "line"], of)
}

fn place_as([function, file, line]: [&'static str; 3], of: &Reading<CodePlace>) -> [Value; 3] {
    let source = |part: fn(&CodePlace) -> Reading<String>| of.clone().and_then(|place| part(&place));
    let plain = |text: &String| text.clone();
    [
        read(function, "", &source(|place| place.source.function.clone()), plain),
        read(file, "", &source(|place| place.source.file.clone()), plain),
        read(line, "", &source(|place| place.source.line.as_ref().map(u32::to_string)), plain),
    ]
}

fn site(of: &MpiSiteRow) -> Vec<Value> {
    let mut row = vec![text("name", of.call.as_str())];
    row.extend(place(&of.place));
    row.extend([
        read("communicator", "", &of.communicator, Clone::clone),
        count("count", of.calls.count),
        known_seconds("seconds", of.calls.time),
        share("share", &of.share),
        known_seconds("longest_seconds", of.longest),
        bytes("sent_bytes", &of.sent),
        bytes("received_bytes", &of.received),
        count("ranks", of.ranks),
        read("least_rank", "", &of.least, |(rank, _)| rank.to_string()),
        seconds("least_seconds", &of.least.as_ref().map(|(_, time)| *time)),
        read("most_rank", "", &of.most, |(rank, _)| rank.to_string()),
        seconds("most_seconds", &of.most.as_ref().map(|(_, time)| *time)),
    ]);
    row
}

fn region(of: &RegionRow) -> Vec<Value> {
    let mut row = vec![text("construct", words::construct(of.name))];
    row.extend(place(&of.place));
    let within: Vec<String> =
        of.within.iter().filter_map(Reading::measured).map(words::place_in_short).collect();
    row.extend([
        text("within", within.join(", in ")),
        count("processes", of.processes),
        count("calls", of.calls),
        known_seconds("seconds", of.time),
        known_seconds("longest_seconds", of.longest_time),
        share("share", &of.share),
        count("threads", of.threads),
        known_seconds("useful_seconds", of.useful),
        known_seconds("mpi_seconds", of.mpi),
        known_seconds("imbalance_seconds", of.imbalance),
        known_seconds("lock_seconds", of.lock),
        known_seconds("scheduling_seconds", of.scheduling),
        seconds("potential_gain_seconds", &of.potential_gain),
    ]);
    row
}

fn loop_of(region: &RegionRow, of: &LoopRow) -> Vec<Value> {
    let mut row = vec![
        text("region", region.place.measured().map_or_else(String::new, words::place_in_short)),
        text("construct", words::construct(of.name)),
    ];
    row.extend(place(&of.place));
    row.extend([
        read("schedule", "", &of.schedule, |schedule| words::schedule(*schedule).to_owned()),
        read("chunk", "count", &of.chunk, u64::to_string),
        read("calls", "count", &of.calls, u64::to_string),
        read("iterations", "count", &of.iterations, |iterations| format!("{:.1}", iterations.0)),
        count("threads", of.threads),
        share("at_best", &of.at_best),
        read("chunks", "count", &of.chunks, u64::to_string),
        known_seconds("useful_seconds", of.useful),
        known_seconds("scheduling_seconds", of.scheduling),
        seconds("imbalance_seconds", &of.imbalance),
    ]);
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
