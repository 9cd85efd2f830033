//! A trace: who waited for whom, when and why, and what the elapsed time hangs on.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_tables::snapshot::{
    CallPlace, NotJudged, NotJudgedReason, PathPart, RankActivity, RankInCall, RunTrace, TraceChange,
    TraceTimes, TracedRank, TracedWait, WaitKind, WaitingCause, WhatIf,
};
use numawise_units::{Nanoseconds, Ratio};

use super::events::EventWords;
use super::words;
use crate::amount::many;
use crate::document::capital;
use crate::document::{
    self, BarPart, Block, Cell, Column, Face, Row, Table, Text, Timeline, TimelineRow, section,
};

pub mod columns;
mod foreign;
mod json;
mod openmp;
mod period;
mod placed;
mod profiles;
mod quantities;
mod shapes;
mod slices;
mod teams;

pub use super::words::operation;
pub use foreign::{ForeignTrace, foreign_document, foreign_json};
pub use json::json;
pub use placed::change as placed_change;

/// Characters of a line of the timeline.
const LINE: usize = 80;
/// Ranks that are drawn on a terminal.
const LINES: usize = 32;

/// What a rank does: its part of a drawing, its sign, its time.
type State = (BarPart, char, fn(&TraceTimes) -> Nanoseconds);

/// What a rank does, with its colour in a page and its sign on a terminal.
const STATES: [State; 8] = [
    (BarPart { name: "useful", colour: "--good" }, '#', |of| of.useful),
    (BarPart { name: "serial", colour: "--n5" }, '+', |of| of.serial),
    (BarPart { name: "waits in OpenMP", colour: "--n1" }, ':', |of| of.openmp_waiting),
    (BarPart { name: "waits in MPI", colour: "--bad" }, '.', |of| of.waiting),
    (BarPart { name: "in MPI, not waiting", colour: "--n0" }, '=', |of| of.in_calls),
    (BarPart { name: "polls", colour: "--n4" }, '~', |of| of.polling),
    (BarPart { name: "idle", colour: "--band" }, ' ', |of| of.idle),
    (BarPart { name: "in files", colour: "--n6" }, '@', |of| of.in_files),
];

/// Their parts.
static PARTS: [BarPart; STATES.len()] =
    [STATES[0].0, STATES[1].0, STATES[2].0, STATES[3].0, STATES[4].0, STATES[5].0, STATES[6].0, STATES[7].0];

/// What a page says of calls one by one.
pub static WORDS: EventWords =
    EventWords { parts: &PARTS, meaning, marked: &placed::PARTS, mark: placed::mark };

fn share(part: Nanoseconds, whole: Nanoseconds) -> Ratio {
    Ratio(if whole.0 == 0 { 0.0 } else { part.0 as f64 / whole.0 as f64 })
}

/// Less waiting in OpenMP is not named in the headline.
const LEAST_IN_OPENMP: f64 = 0.05;

/// A cause of less is not named in the headline.
const LEAST_CAUSE: f64 = 0.2;

/// What the table of causes is of.
const CAUSES: &str = "the late rank compared with the rank that waited, since both were last in step: on what it spent longer. Where it was late because \
                      it waited, the rank that it waited for has the cause (delay costs, as in Scalasca)";

/// The share of waiting, and what causes most of it.
pub fn headline(of: &RunTrace) -> String {
    let waiting = of.times.waiting;
    let end = of.begin + of.span;
    let when = match (of.is_part, of.lost) {
        (true, _) => format!("From {} to {end}: ", of.begin),
        // What comes later is not known.
        (false, 1..) if of.lost_is_outside => format!("In the {end} that were recorded: "),
        (false, 1..) if of.is_window => format!("In {end} around a signal: "),
        (false, 1..) if of.is_end => format!("In the last {end}: "),
        (false, 1..) => format!("In the first {end}: "),
        (false, 0) => String::new(),
    };
    let when = slices::headline(of) + &when;
    let all = all_times(of);
    let in_openmp = share(all.openmp_waiting, all.total());
    let openmp = format!("threads waited in OpenMP {} of their time", words::percent(in_openmp));
    if !of.are_ranks {
        return capital(&format!("{when}{openmp}"));
    }
    let also = if in_openmp.0 >= LEAST_IN_OPENMP { format!("; {openmp}") } else { String::new() };
    if waiting.0 == 0 {
        return capital(&format!("{when}no rank waited in MPI for another one{also}"));
    }
    let waited = format!(
        "{when}ranks waited in MPI {} of their time",
        words::percent(share(waiting, of.times.total()))
    );
    let said = match of.causes.first() {
        Some(cause) if share(cause.waiting, waiting).0 < LEAST_CAUSE => {
            format!("{waited}; no single cause explains a fifth of that")
        }
        Some(cause) => {
            let part = words::percent(share(cause.waiting, waiting));
            let rank = lane_name(cause.world, cause.rank, None);
            format!("{waited}; {part} of that because {rank} {}", did_longer(&cause.what))
        }
        None => waited,
    };
    capital(&(said + &also))
}

fn place_in_short(place: &Reading<CodePlace>) -> String {
    place.measured().map_or_else(String::new, |place| format!(" in {}", words::place_in_short(place)))
}

/// The call and its place.
pub fn call(of: &CallPlace) -> String {
    format!("{}{}", of.call, place_in_short(&of.place))
}

/// "computed before MPI_Send in f (a.c:3)".
fn did(what: &RankActivity) -> String {
    match what {
        RankActivity::Computed { to: Some(to) } => format!("computed before {}", call(to)),
        RankActivity::Computed { to: None } => "computed after its last call".to_owned(),
        RankActivity::Called(at) => format!("was in {}, not waiting", call(at)),
        RankActivity::Polled(at) => format!("polled with {}", call(at)),
        RankActivity::LeftOut => "was in calls left out".to_owned(),
        RankActivity::Outside => "had not begun MPI, or had ended it".to_owned(),
        RankActivity::InRegion { .. } | RankActivity::Serial { .. } | RankActivity::InFiles { .. } => {
            teams::did(what, false).unwrap_or_default()
        }
    }
}

/// The same of a rank that did it for longer than another one.
fn did_longer(what: &RankActivity) -> String {
    match what {
        RankActivity::Computed { to: Some(to) } => format!("computed longer before {}", call(to)),
        RankActivity::Computed { to: None } => "computed longer after its last call".to_owned(),
        RankActivity::Called(at) => format!("was longer in {}, not waiting", call(at)),
        RankActivity::Polled(at) => format!("polled longer with {}", call(at)),
        RankActivity::LeftOut => "was longer in calls left out".to_owned(),
        RankActivity::Outside => did(what),
        RankActivity::InRegion { .. } | RankActivity::Serial { .. } | RankActivity::InFiles { .. } => {
            teams::did(what, true).unwrap_or_default()
        }
    }
}

/// As people read it.
pub fn kind(of: WaitKind) -> &'static str {
    match of {
        WaitKind::LateSender => "late sender",
        WaitKind::LateReceiver => "late receiver",
        WaitKind::LateRoot => "late root",
        WaitKind::EarlyRoot => "early root",
        WaitKind::LastOfAll => "last of all ranks",
        WaitKind::LatePost => "late post",
        WaitKind::LateComplete => "late complete",
        WaitKind::LockContention => "lock contention",
        WaitKind::LateLowerRank => "late lower rank",
        WaitKind::LateNeighbour => "late neighbour",
    }
}

/// What a kind of waiting is.
pub fn meaning(of: WaitKind) -> &'static str {
    match of {
        WaitKind::LateSender => "late sender: the receive began before the send",
        WaitKind::LateReceiver => {
            "late receiver: the send could not end before the receiver was in MPI to receive"
        }
        WaitKind::LateRoot => "late root: the rank that has the data of a collective call came later",
        WaitKind::EarlyRoot => "early root: the rank that collects came before the last of the others",
        WaitKind::LastOfAll => "last of all ranks: a call that needs all ranks waited for the last one",
        WaitKind::LatePost => "late post: the target had not opened its window yet",
        WaitKind::LateComplete => "late complete: a rank had not ended its access to the window yet",
        WaitKind::LockContention => "lock contention: another rank held the lock of the window",
        WaitKind::LateLowerRank => "late lower rank: a scan waited for the last of the ranks before it",
        WaitKind::LateNeighbour => "late neighbour: a call that needs the neighbours waited for the last one",
    }
}

/// The sections of a document; `most`: rows of each table on a terminal; `events`: what a page draws of the calls one by one.
pub fn sections(of: &RunTrace, most: usize, events: Option<Block>) -> Vec<Block> {
    let title =
        if of.are_ranks { "Timeline: ranks by what they did" } else { "Timeline: threads by what they did" };
    let mut blocks = vec![section("timeline", title, timeline(of, events))];
    let together = quantities::blocks(of);
    if !together.is_empty() {
        blocks.push(section("together", "Timeline: all threads together", together));
    }
    blocks.extend(placed::section_of(of));
    if of.times.waiting.0 > 0 {
        let kinds: std::collections::BTreeSet<WaitKind> = of.waits.iter().map(|row| row.kind).collect();
        let legend = kinds.into_iter().map(meaning).collect::<Vec<_>>().join("; ");
        let waits = vec![Block::Table(waits(of, most)), Block::Legend(legend.into())];
        blocks.push(section("waits", "Waiting in MPI: where, and for what", waits));
        blocks.push(section(
            "causes",
            "What made ranks late",
            vec![Block::Table(causes(of, most)), Block::Legend(CAUSES.into())],
        ));
        blocks.push(section("pairs", "Who waited for whom", vec![Block::Table(profiles::pairs(of, most))]));
    }
    blocks.extend(openmp::sections(of, most));
    blocks.extend(what_if(of));
    let has_teams = of.critical_path.iter().any(|part| matches!(part.what, RankActivity::InRegion { .. }));
    if !of.are_ranks && !has_teams {
        blocks.extend(remarks(of));
        return blocks;
    }
    blocks.extend(profiles::sections(of, most));
    blocks.extend(of.period.as_ref().map(period::section_of));
    let path = vec![
        Block::Table(critical_path(of, most)),
        Block::Legend(
            "the longest chain of computing and calls through the ranks, without waiting: where something else takes less time, the run is not shorter".into(),
        ),
    ];
    blocks.push(section("path", "Critical path", path));
    blocks.extend(remarks(of));
    blocks
}

/// What is not in the figures.
fn remarks(of: &RunTrace) -> Option<Block> {
    let not_judged = |row: &NotJudged| {
        let why = match row.why {
            NotJudgedReason::OtherRanksMissing => "the other ranks of them are not in the trace",
            NotJudgedReason::ClocksDiffer => {
                "other ranks of them are on computers whose clocks no messages both ways compare"
            }
            NotJudgedReason::NotFollowed => {
                "what they wait for is not followed: MPI_Win_unlock and flushes, files, MPI_Ineighbor_..., communicators that are freed, messages to other worlds"
            }
            NotJudgedReason::LeftOut => "they were left out (--calls, --min-duration)",
        };
        format!("{} of {} may hold waiting that is not known: {why}", row.time, many(row.calls, "call"))
    };
    let mut lines: Vec<Text> = of.not_judged.iter().map(|row| not_judged(row).into()).collect();
    if let Some(why) = of.what_if.reason() {
        lines.push(format!("what the run would be without its waiting (what if): {why}").into());
    }
    lines.extend(placed::missing(of).map(Text::from));
    lines.extend(slices::lines(of).into_iter().map(Text::from));
    if of.openmp_unseen > 0 {
        let ranks = many(of.openmp_unseen, "rank");
        lines.push(format!("what threads waited for in OpenMP in {ranks}: the trace does not have it, and it counts as useful").into());
    }
    if let Some(error) = of.clock_error {
        let said = "waits between computers that are shorter: messages both ways tell how clocks differ, to";
        lines.push(format!("{said} {error}").into());
    }
    if of.unmatched > 0 {
        lines.push(
            format!("{} without a partner in the trace (sends or receives)", many(of.unmatched, "message"))
                .into(),
        );
    }
    if of.lost > 0 {
        let where_from = match (of.is_window, of.is_end) {
            (true, _) => "around these",
            (_, true) => "before the last",
            _ => "behind the first",
        };
        let why = if of.lost_is_outside {
            "are left out, as asked for by --from and --to"
        } else {
            "were lost: the buffer or its part of the disk was full; use a larger --buffer, --disk"
        };
        lines.push(format!("{} {where_from} {} {why}", many(of.lost, "record"), of.span).into());
    }
    (!lines.is_empty()).then(|| section("not-known", "Not in these figures", vec![Block::List(lines)]))
}

fn name(of: &RunTrace, rank: &TracedRank) -> String {
    rank_name(of, rank.world, rank.rank, rank.thread)
}

fn rank_name(of: &RunTrace, world: Option<u32>, rank: u32, thread: Option<i32>) -> String {
    if of.are_ranks { lane_name(world, rank, thread) } else { format!("process {rank}") }
}

/// A rank, with its world and its thread where there are several.
pub fn lane_name(world: Option<u32>, rank: u32, thread: Option<i32>) -> String {
    let world = world.map_or_else(String::new, |world| format!(" of world {world}"));
    let thread = thread.map_or_else(String::new, |thread| format!(", thread {thread}"));
    format!("rank {rank}{world}{thread}")
}

/// In a column of ranks.
fn of_world(rank: u32, world: Option<u32>) -> Cell {
    rank_of_world(rank, world).into()
}

fn rank_of_world(rank: u32, world: Option<u32>) -> String {
    world.map_or_else(|| rank.to_string(), |world| format!("{rank} of world {world}"))
}

/// The state that took most of a span; a blank where nothing of the rank was there.
fn sign(times: &TraceTimes) -> char {
    let most = STATES.iter().max_by_key(|(_, _, time)| time(times));
    most.filter(|(_, _, time)| time(times).0 > 0).map_or(' ', |(_, sign, _)| *sign)
}

fn line(timeline: &[TraceTimes]) -> String {
    let bins = timeline.len();
    (0..LINE)
        .map(|k| {
            let part = timeline.get(k * bins / LINE..(k + 1) * bins / LINE).unwrap_or_default();
            sign(&part.iter().copied().sum())
        })
        .collect()
}

/// What a rank does, as a page draws it.
pub fn parts() -> [BarPart; STATES.len()] {
    PARTS
}

/// Of all threads.
fn all_times(of: &RunTrace) -> TraceTimes {
    let workers = of.ranks.iter().flat_map(|rank| &rank.workers);
    of.ranks.iter().map(|rank| rank.times).chain(workers.map(|worker| worker.times)).sum()
}

/// The states in which a thread was.
fn states(of: &RunTrace) -> Vec<State> {
    let all = all_times(of);
    STATES.into_iter().filter(|(_, _, time)| time(&all).0 > 0).collect()
}

/// Names and spans of a drawing: those of a rank's workers below its own.
fn rows(of: &RunTrace, with_workers: bool) -> Vec<(String, &[TraceTimes])> {
    let mut rows = Vec::new();
    for rank in &of.ranks {
        rows.push((name(of, rank), rank.timeline.as_slice()));
        let workers = rank.workers.iter().filter(|_| with_workers);
        rows.extend(workers.map(|of| (format!("  thread {}", of.number), of.timeline.as_slice())));
    }
    rows
}

fn timeline(of: &RunTrace, events: Option<Block>) -> Vec<Block> {
    let (all, states) = (all_times(of), states(of));
    let page_rows = rows(of, true);
    let drawn_rows = if page_rows.len() > LINES { rows(of, false) } else { page_rows.clone() };
    let shown = drawn_rows.iter().take(LINES);
    let width = shown.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut each = of.ranks.iter();
    let mut drawn = String::new();
    for (row, (name, bins)) in shown.enumerate() {
        drawn += &format!("{name:width$} {}\n", line(bins));
        // The last row of a rank: what comes next is none of its workers'.
        let is_last = drawn_rows.get(row + 1).is_none_or(|(next, _)| !next.starts_with(' '));
        let rank = if is_last { each.next() } else { None };
        let marks = rank.and_then(|rank| placed::line(of, rank));
        drawn.extend(marks.map(|marks| format!("{:width$} {marks}\n", "")));
    }
    if drawn_rows.len() > LINES {
        drawn += &format!("and {} more\n", many((drawn_rows.len() - LINES) as u64, "rank"));
    }
    let signs = states.iter().map(|(part, sign, time)| {
        let sign = if *sign == ' ' { "blank".to_owned() } else { sign.to_string() };
        format!("{sign} {} ({})", part.name, words::percent(share(time(&all), all.total())))
    });
    let end = of.begin + of.span;
    let mut legend =
        format!("{} to {end} from left to right; {}", of.begin, signs.collect::<Vec<_>>().join(", "));
    if all.serial.0 > 0 {
        legend += "; serial: outside of parallel regions, one thread works";
    }
    legend += &placed::legend(of).unwrap_or_default();
    if drawn_rows.len() < page_rows.len() {
        legend += "; of each rank the thread that calls MPI, shares of all threads";
    }
    let row = |(name, timeline): &(String, &[TraceTimes])| TimelineRow {
        name: name.clone(),
        bins: timeline
            .iter()
            .map(|times| {
                let bin = of.span.0 as f64 / timeline.len() as f64;
                states.iter().map(|(_, _, time)| time(times).0 as f64 / bin.max(1.0)).collect()
            })
            .collect(),
    };
    let page = Block::Timeline(Timeline {
        until: matches!(events, Some(Block::Events(_))).then_some(document::EVENTS),
        label: "Ranks from top to bottom, time from left to right, by what each did".to_owned(),
        parts: states.iter().map(|(part, _, _)| *part).collect(),
        rows: page_rows.iter().map(row).collect(),
        begin: of.begin.to_string(),
        end: end.to_string(),
    });
    let on_terminal = |block| Block::Only(Face::Terminal, Box::new(block));
    let mut blocks = vec![on_terminal(Block::Output(drawn)), on_terminal(Block::Legend(legend.into()))];
    blocks.extend(events.map(|events| Block::Only(Face::Html, Box::new(events))));
    blocks.extend([page, Block::Table(ranks(of))]);
    blocks
}

/// The shares of the states.
fn shares(times: &TraceTimes, states: &[State]) -> Vec<Cell> {
    let all = times.total();
    states.iter().map(|(_, _, time)| words::percent(share(time(times), all)).into()).collect()
}

fn columns_of(states: &[State]) -> impl Iterator<Item = Column> {
    states.iter().map(|(part, sign, _)| match sign {
        '~' => Column::number(part.name).expendable(1),
        _ => Column::number(part.name),
    })
}

fn ranks(of: &RunTrace) -> Table {
    let is_there = |state: &State| of.ranks.iter().any(|rank| state.2(&rank.times).0 > 0);
    let states: Vec<State> = STATES.into_iter().filter(is_there).collect();
    let row = |rank: &TracedRank| -> Row {
        let mut cells: Vec<Cell> = vec![name(of, rank).into()];
        cells.extend(shares(&rank.times, &states));
        cells.extend([rank.waited_for.to_string().into(), rank.calls.to_string().into()]);
        cells.into_iter().collect()
    };
    let mut columns = vec![Column::text(if of.are_ranks { "rank" } else { "process" })];
    columns.extend(columns_of(&states));
    columns
        .extend([Column::number("others waited for it (directly)"), Column::number("calls").expendable(2)]);
    Table { columns, rows: of.ranks.iter().map(row).collect(), most: words::limits(8) }
}

fn at(of: &RankInCall) -> Text {
    let mut text = Text::from(format!("{} in ", of.call));
    text.0.extend(words::place(&of.place).0);
    text
}

fn waits(of: &RunTrace, most: usize) -> Table {
    let row = |row: &TracedWait| -> Row {
        let longest = row.longest;
        let cells: [Cell; 6] = [
            kind(row.kind).into(),
            at(&row.waits).into(),
            at(&row.late).into(),
            row.waiting.to_string().into(),
            row.times.to_string().into(),
            format!("{} at {}, rank {} for {}", longest.time, longest.begin, longest.waits, longest.late)
                .into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::text("reason"),
        Column::text("waits in"),
        Column::text("for the late call"),
        Column::number("waiting, all ranks"),
        Column::number("times"),
        Column::text("longest").expendable(1),
    ];
    Table { columns, rows: of.waits.iter().map(row).collect(), most: words::limits(most) }
}

fn causes(of: &RunTrace, most: usize) -> Table {
    let row = |row: &WaitingCause| -> Row {
        let cells: [Cell; 6] = [
            of_world(row.rank, row.world),
            did_longer(&row.what).into(),
            row.waiting.to_string().into(),
            words::percent(share(row.waiting, of.times.waiting)).into(),
            row.through_others.to_string().into(),
            row.waiting_ranks.to_string().into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::number("rank"),
        Column::text("what it did"),
        Column::number("others waited (total)"),
        Column::number("of all waiting"),
        Column::number("of this, indirectly").expendable(1),
        Column::number("ranks that waited"),
    ];
    Table { columns, rows: of.causes.iter().map(row).collect(), most: words::limits(most) }
}

/// Why a replay is no promise.
const REPLAY: &str = "is replayed: computing takes as long as it did, except for what the row changes; a call waits for the calls that it needed, and then \
                      takes as long as it did. Equal computing divides the sum of all ranks; a single rank that computes no longer than others has less \
                      to do. Waiting that is not known stays as it was";

/// Percent of the traced time: changes that bring less are in the JSON only.
const CHANGES: f64 = 0.5;

/// What is changed, as a row says it.
fn changed(of: &TraceChange) -> String {
    match of {
        TraceChange::ThreadsEqual { region } => {
            format!("all threads have equal work in {}", teams::region(region))
        }
        TraceChange::SerialDivided => "all threads of each rank share its serial parts".to_owned(),
        TraceChange::ComputingEqual => "all ranks compute equally long before the same calls".to_owned(),
        TraceChange::CallsInstant => {
            "calls of MPI take no time but for waiting (an ideal network)".to_owned()
        }
        TraceChange::ReceivesPosted => "no send waits for its receive".to_owned(),
        TraceChange::FilesInstant => "calls on files take no time".to_owned(),
        TraceChange::RankAsOthers(of) => {
            let rank = lane_name(of.world, of.rank, None);
            let to = of
                .to
                .as_ref()
                .map_or_else(|| "after its last call".to_owned(), |to| format!("before {}", call(to)));
            match of.others {
                None => format!("{to}, {rank} computes nothing (no other rank makes this call)"),
                Some(_) => format!("{to}, {rank} computes no longer than the others"),
            }
        }
    }
}

fn what_if(of: &RunTrace) -> Option<Block> {
    let was = of.span.seconds();
    let differs = |row: &WhatIf| 100.0 * (row.span.seconds() - was) / was;
    let rows: Vec<&WhatIf> =
        of.what_if.measured()?.iter().filter(|row| of.span.0 > 0 && differs(row).abs() >= CHANGES).collect();
    if rows.is_empty() {
        return None;
    }
    let row = |row: &&WhatIf| -> Row {
        let differs = differs(row);
        let cells: [Cell; 3] = [
            changed(&row.change).into(),
            row.span.to_string().into(),
            format!("{:.1} % {}", differs.abs(), if differs < 0.0 { "shorter" } else { "longer" }).into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![Column::text("if"), Column::number("traced time"), Column::number("change")];
    let table = Table { columns, rows: rows.iter().map(row).collect(), most: words::limits(8) };
    let legend = format!("the trace of {} {REPLAY}", of.span);
    Some(section("what-if", "What if", vec![Block::Table(table), Block::Legend(legend.into())]))
}

fn critical_path(of: &RunTrace, most: usize) -> Table {
    let row = |part: &PathPart| -> Row {
        let cells: [Cell; 5] = [
            of_world(part.rank, part.world),
            did(&part.what).into(),
            part.time.to_string().into(),
            words::percent(share(part.time, of.span)).into(),
            part.times.to_string().into(),
        ];
        cells.into_iter().collect()
    };
    let columns = vec![
        Column::number("rank"),
        Column::text("what it did"),
        Column::number("time"),
        Column::number("of the traced time"),
        Column::number("times"),
    ];
    Table { columns, rows: of.critical_path.iter().map(row).collect(), most: words::limits(most) }
}
