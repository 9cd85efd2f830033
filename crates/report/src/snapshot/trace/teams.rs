//! Threads of OpenMP that wait for one another, and what lies outside of regions: in words, as tables, as JSON.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::finding::RegionOrCall;
use numawise_tables::snapshot::{
    CallPlace, LateThread, LongestThreadWait, RankActivity, RunTrace, TracedRegion, TracedSerial,
};
use serde_json::{Value, json as object};

use super::super::{figures, words};
use super::{call, place_in_short, rank_name, share};
use crate::amount::many;
use crate::document::{Block, Cell, Column, Row, Table, section};

/// "the region in f (a.c:3)".
pub fn region(of: &Reading<CodePlace>) -> String {
    format!("the region{}", place_in_short(of))
}

/// A region, or a call.
pub fn point(of: &RegionOrCall) -> String {
    match &of.call {
        None => region(&of.place),
        Some(call) => format!("{call}{}", place_in_short(&of.place)),
    }
}

/// What lies before and behind a part: "the region in f (a.c:3)", "the end".
pub fn ends(after: Option<&RegionOrCall>, before: Option<&RegionOrCall>) -> [String; 2] {
    [(after, "the begin"), (before, "the end")].map(|(of, end)| of.map_or_else(|| end.to_owned(), point))
}

/// "between the region in f (a.c:3) and MPI_Barrier in main (a.c:9)".
pub fn between(after: Option<&RegionOrCall>, before: Option<&RegionOrCall>) -> String {
    let [after, before] = ends(after, before);
    format!("between {after} and {before}")
}

fn on_the_way(to: Option<&CallPlace>) -> String {
    to.map_or_else(String::new, |to| format!(", before {}", call(to)))
}

/// What a rank did outside of calls in a program with regions; `longer`: for longer than another rank.
pub fn did(what: &RankActivity, longer: bool) -> Option<String> {
    let more = if longer { " longer" } else { "" };
    Some(match what {
        RankActivity::InRegion { region: of, thread: None, to } => {
            format!("computed{more} in {}{}", region(of), on_the_way(to.as_ref()))
        }
        RankActivity::InRegion { region: of, thread: Some(thread), to } => {
            let to = on_the_way(to.as_ref());
            let waited = if longer {
                format!("waited for its thread {thread}, which computed longer")
            } else {
                format!("thread {thread} computed, the last")
            };
            format!("{waited} in {}{to}", region(of))
        }
        RankActivity::Serial { after, before, .. } => {
            format!("worked{more} serially {}", between(after.as_ref(), before.as_ref()))
        }
        RankActivity::InFiles { operation, to } => {
            let to = to
                .as_ref()
                .map_or_else(|| "after its last call".to_owned(), |to| format!("before {}", call(to)));
            format!("was{more} in files ({}) {to}", words::operation(*operation))
        }
        _ => return None,
    })
}

/// `most`: rows on a terminal.
pub fn sections(of: &RunTrace, most: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !of.regions.is_empty() {
        let legend = "at barriers in the region and at its end, by call sites of regions; shorter: if all threads of a team had equal work; alone: after \
                      the last of the others";
        let table = vec![Block::Table(regions(of, most)), Block::Legend(legend.into())];
        blocks.push(section("trace-regions", "Threads that wait for the last one of their team", table));
    }
    if !of.serial.is_empty() {
        let table = vec![Block::Table(serial(of, most))];
        blocks.push(section("trace-serial", "Serial: where, while other threads idle", table));
    }
    blocks
}

fn late_thread(of: &RunTrace, late: &LateThread) -> String {
    let lane = rank_name(of, late.world, late.rank, None);
    format!("{lane}, thread {}: {}, {}", late.thread, many(late.times, "time"), late.time)
}

fn regions(of: &RunTrace, most: usize) -> Table {
    let row = |row: &TracedRegion| -> Row {
        let cells: [Cell; 5] = [
            words::place(&row.region).into(),
            row.waiting.to_string().into(),
            format!("{} of {}", row.uneven, row.times).into(),
            format!("{} of {}", row.gain, row.time).into(),
            row.late.first().map(|late| late_thread(of, late)).unwrap_or_default().into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::text("region"),
        Column::number("waiting, all threads"),
        Column::number("uneven"),
        Column::number("shorter, all ranks"),
        Column::text("the latest, alone").expendable(1),
    ];
    Table { columns, rows: of.regions.iter().map(row).collect(), most: words::limits(most) }
}

fn serial(of: &RunTrace, most: usize) -> Table {
    let row = |row: &TracedSerial| -> Row {
        let [after, before] = ends(row.after.as_ref(), row.before.as_ref());
        let cells: [Cell; 6] = [
            after.into(),
            before.into(),
            row.time.to_string().into(),
            words::percent(share(row.time, of.times.total())).into(),
            row.idle.to_string().into(),
            row.times.to_string().into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::text("after"),
        Column::text("before"),
        Column::number("time, all ranks"),
        Column::number("of their time"),
        Column::number("others idle"),
        Column::number("times").expendable(1),
    ];
    Table { columns, rows: of.serial.iter().map(row).collect(), most: words::limits(most) }
}

pub fn point_json(of: Option<&RegionOrCall>) -> Value {
    of.map_or(Value::Null, |of| object!({ "call": of.call, "place": figures::place(&of.place) }))
}

/// One wait of a thread.
pub fn longest_json(of: LongestThreadWait) -> Value {
    object!({
        "seconds": of.time.seconds(), "begin_seconds": of.begin.seconds(), "rank": of.rank, "thread": of.number,
    })
}
