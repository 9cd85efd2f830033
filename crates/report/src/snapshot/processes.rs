//! Processes in a snapshot: a bar for each by what its CPUs did, and a table.

use numawise_facts::Reading::{self, Measured};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{CpuTime, MergedRankTables, ProcessRow};
use numawise_units::{Arrange, TimeSum};
use serde_json::{Value, json};

use super::figure::{self, When, declare};
use super::{Shown, figures, spreads, words, worlds};
use crate::amount::many;
use crate::document::{self, Bar, BarPart, Bars, Block};
use crate::object::reading;

/// The chart of the page's script, which takes the place of the drawing.
const CHART: &str = "chart-ranks";
/// More bars than that are thinner than a line.
const MOST_BARS: usize = 160;

/// A part of the CPUs' time.
pub type PartOfTime = fn(&CpuTime) -> TimeSum;

/// So many ranks can be drawn nearer: of more, a page would be too long.
const MOST_RANKS: usize = 12_000;

/// What CPUs do, from the bottom of a bar on.
pub const PARTS: [(BarPart, PartOfTime); 8] = [
    (BarPart { name: "useful", colour: "--good" }, CpuTime::on_cpu),
    (BarPart { name: words::WITHOUT_CPU, colour: "--bad" }, |time| time.delayed + time.delayed_waiting),
    (BarPart { name: "MPI", colour: "--n0" }, |time| time.mpi),
    (BarPart { name: "OpenMP: waits at barriers", colour: "--n1" }, |time| {
        time.imbalance.saturating_sub(time.lock)
    }),
    (BarPart { name: "OpenMP: locks", colour: "--n3" }, |time| time.lock),
    (BarPart { name: "OpenMP: scheduling", colour: "--n5" }, |time| time.scheduling),
    (BarPart { name: "OpenMP: outside regions", colour: "--n4" }, |time| time.serial),
    (BarPart { name: "other waiting", colour: "--same" }, CpuTime::waiting_elsewhere),
];

/// Useful time, and the parts that some process has.
fn parts(rows: &[ProcessRow]) -> Vec<(BarPart, PartOfTime)> {
    let has = |of: PartOfTime| rows.iter().filter_map(|row| row.time.measured()).any(|time| of(time).0 > 0);
    let (useful, others) = (PARTS[0], &PARTS[1..]);
    std::iter::once(useful).chain(others.iter().copied().filter(|(_, of)| has(*of))).collect()
}

/// Shares of the time of a process's CPUs; nothing where that is not known.
fn shares(row: &ProcessRow, parts: &[(BarPart, PartOfTime)]) -> Option<Vec<f64>> {
    let time = row.time.measured()?;
    let all = time.total().0 as f64;
    (all > 0.0).then(|| parts.iter().map(|(_, of)| of(time).0 as f64 / all).collect())
}

fn name(row: &ProcessRow) -> String {
    match row.rank.measured() {
        Some(rank) => {
            let world = row.world.map_or_else(String::new, |world| format!(" of world {world}"));
            format!("rank {rank}{world}")
        }
        None => format!("process {}", row.pid),
    }
}

/// Bars in the order of their useful time, neighbours joined where there are many; one that lies for a single process.
pub fn bars(rows: &[ProcessRow], merged: Option<&MergedRankTables>) -> Vec<Block> {
    let parts = parts(rows);
    let mut known: Vec<(String, Vec<f64>)> =
        rows.iter().filter_map(|row| Some((name(row), shares(row, &parts)?))).collect();
    if known.is_empty() {
        return Vec::new();
    }
    if let [(name, shares)] = known.as_slice()
        && rows.len() == 1
    {
        let bar = Bar { name: name.clone(), shares: shares.clone() };
        return vec![Block::Bars(Bars {
            chart: None,
            label: "What the CPUs of the process did; the table holds the figures".to_owned(),
            parts: parts.iter().map(|(part, _)| *part).collect(),
            bars: vec![bar],
            caption: String::new(),
        })];
    }
    known.arrange_by(|one, other| other.1[0].total_cmp(&one.1[0]));
    let group = known.len().div_ceil(MOST_BARS);
    let bar = |of: &[(String, Vec<f64>)]| Bar {
        name: match of {
            [(name, _)] => name.clone(),
            [(first, _), .., (last, _)] => format!("mean of {}, {first} to {last} by useful time", of.len()),
            [] => String::new(),
        },
        shares: (0..parts.len())
            .map(|part| of.iter().map(|(_, shares)| shares[part]).sum::<f64>() / of.len() as f64)
            .collect(),
    };
    let each = match group {
        1 => "A bar is a process".to_owned(),
        group => format!("A bar is the mean of {group} processes"),
    };
    let unknown = match rows.len() - known.len() {
        0 => String::new(),
        missing => format!("; of {} the time is not known", many(missing as u64, "process")),
    };
    let of_these = merged.map_or_else(String::new, |of| format!(" {}.", spreads::rows(of)));
    vec![
        document::chart(CHART, "Each process by what its CPUs did"),
        Block::Bars(Bars {
            chart: Some(CHART),
            label: "Processes by what their CPUs did; the tables hold the figures".to_owned(),
            parts: parts.iter().map(|(part, _)| *part).collect(),
            bars: known.chunks(group).map(bar).collect(),
            caption: format!("{each}: what its CPUs did, the most useful first{unknown}.{of_these}"),
        }),
    ]
}

/// What the page's script draws: shares in ten thousandths, null where nothing is known. Of more ranks than a page has room for, those
/// at even distances in the order of their useful time, with the first and the last.
pub fn data(rows: &[ProcessRow]) -> Value {
    let parts = parts(rows);
    let mut all: Vec<(&ProcessRow, Option<Vec<f64>>)> =
        rows.iter().map(|row| (row, shares(row, &parts))).collect();
    if all.len() > MOST_RANKS {
        let useful = |shares: &Option<Vec<f64>>| shares.as_ref().map_or(-1.0, |shares| shares[0]);
        all.arrange_by(|one, other| useful(&other.1).total_cmp(&useful(&one.1)));
        let last = all.len() - 1;
        let is_taken = |k: usize| k == last || k.is_multiple_of(rows.len().div_ceil(MOST_RANKS));
        all = all.into_iter().enumerate().filter(|(k, _)| is_taken(*k)).map(|(_, one)| one).collect();
    }
    let share = |shares: &Option<Vec<f64>>| {
        shares
            .as_ref()
            .map(|all| all.iter().map(|share| (share * 10_000.0).round() as u64).collect::<Vec<u64>>())
    };
    let number = |row: &ProcessRow| {
        row.rank.measured().map_or(u64::from(row.pid.0.unsigned_abs()), |rank| u64::from(*rank))
    };
    json!({
        "parts": parts.iter().map(|(part, _)| json!([part.name, part.colour])).collect::<Vec<_>>(),
        "names": all.iter().map(|(row, _)| number(row)).collect::<Vec<_>>(),
        "noun": if rows.iter().all(|row| row.rank.measured().is_some()) { "rank" } else { "process" },
        "of": rows.len(),
        "shares": all.iter().map(|(_, shares)| share(shares)).collect::<Vec<_>>(),
    })
}

declare! {
    /// Which process a row is of.
    pub WHO: ProcessRow {
        both "rank" Number |of| of.rank.as_ref().map(|rank| i64::from(*rank)) => number: "rank", when: When::WithRanks;
        both "host" Name |of| Measured(of.host.clone()) => text: "computer", when: When::WithHosts;
        both "pid" Number |of| Measured(of.pid.0.into()) => number: "process";
    }

    /// What its CPUs did.
    pub TIMES: ProcessRow {
        both "program" Name |of| Measured(of.program.clone());
        shown "" Name |of| Measured(words::last(&of.program).to_owned()) => text: "program", expendable: 2;
        both "elapsed_seconds" Time |of| of.elapsed.clone() => number: "elapsed";
        json "end" Shaped |of| Measured((json!(of.end), words::end(of.end).into())) => text: "end", when: When::WithEnds, at: 101;
        both "cpus" Count |of| of.cpus.clone() => number: "CPUs";
        both "threads" Count |of| of.threads.as_ref().map(|threads| threads.len() as u64);
        both "useful" Share |of| of.useful.value.clone() => number: "useful";
        both "mpi_seconds" Time |of| of.mpi.clone() => number: "MPI", when: When::WithMpi;
        both "mpi_waiting_seconds" Time |of| of.mpi_waiting.clone();
        both "not_running_seconds" Time |of| of.not_running.clone();
        json "time" Json |of| Measured(reading(&of.time, figures::cpu_time));
        csv "cpu_useful_seconds" Sum |of| part(of, |time| time.useful);
        csv "cpu_mpi_seconds" Sum |of| part(of, |time| time.mpi);
        csv "cpu_imbalance_seconds" Sum |of| part(of, |time| time.imbalance)
            => number: "OpenMP waits", when: When::WithOpenMp, expendable: 1;
        csv "cpu_lock_seconds" Sum |of| part(of, |time| time.lock);
        csv "cpu_scheduling_seconds" Sum |of| part(of, |time| time.scheduling);
        csv "cpu_serial_seconds" Sum |of| part(of, |time| time.serial);
        csv "cpu_waiting_seconds" Sum |of| part(of, |time| time.waiting);
        csv "cpu_without_cpu_seconds" Sum |of| of.time.as_ref().and_then(CpuTime::without_cpu);
    }

    /// In front of all, where there are several.
    WORLD: ProcessRow {
        shown "world" Name |of| Measured(of.world.map_or_else(String::new, |world| world.to_string()));
    }
}

fn part(of: &ProcessRow, part: PartOfTime) -> Reading<TimeSum> {
    of.time.as_ref().map(part)
}

/// What of that a terminal shows.
pub fn with_who(tables: &RunSnapshot) -> impl Fn(When) -> bool {
    let has_ranks = tables.rows.iter().any(|row| row.rank.measured().is_some());
    let has_hosts = tables.processes.hosts > 1;
    move |when| match when {
        When::WithRanks => has_ranks,
        When::WithHosts => has_hosts,
        _ => true,
    }
}

pub fn section(shown: &Shown) -> Block {
    let tables = shown.tables;
    let has_mpi = tables.mpi.measured().is_some();
    let has_openmp = tables.openmp.measured().is_some();
    let has_ends = tables.rows.iter().any(|row| !words::end(row.end).is_empty());
    let has_hosts = tables.processes.hosts > 1;
    let is_shown = |when| match when {
        When::WithRanks | When::WithMpi => has_mpi,
        When::WithHosts => has_hosts,
        When::WithOpenMp => has_openmp,
        When::WithEnds => has_ends,
        _ => true,
    };
    let world = if tables.rows.iter().any(|row| row.world.is_some()) { WORLD } else { &[] };
    let table = figure::table(&[world, WHO, TIMES], &tables.rows, words::limits(8), is_shown);
    let mut blocks = tables.merged.as_ref().map_or_else(Vec::new, spreads::blocks);
    blocks.extend(worlds::block(tables));
    blocks.push(Block::Table(table));
    document::section("processes", if has_mpi { "Ranks" } else { "Processes" }, blocks)
}
