//! Columns of a trace: who waited for whom, why, what the elapsed time hangs on, and what ranks did when.

use numawise_facts::Reading;
use numawise_tables::snapshot::{
    CallPlace, CollectiveProfile, LongestTransfer, MessageProfile, OutOfOrder, PathPart, RankActivity,
    RunTrace, TraceChange, TraceTimes, TracedConstruct, TracedPhase, TracedRank, TracedWait, TracedWorker,
    WaitingCause, WaitingPair, WhatIf,
};
use numawise_units::Nanoseconds;

use super::super::trace::{activity_word, change_word, kind_word};
use super::super::{phases, words};
use super::{Value, bytes, count, known_seconds, place, place_as, read, seconds, teams, text};

/// Of a place that waits, and one that comes late.
pub fn wait(of: &TracedWait) -> Vec<Value> {
    let mut row = vec![text("kind", kind_word(of.kind)), text("name", of.waits.call.as_str())];
    row.extend(place(&of.waits.place));
    row.push(text("late_name", of.late.call.as_str()));
    row.extend(place_as(["late_function", "late_file", "late_line"], &of.late.place));
    row.extend([
        count("times", of.times),
        known_seconds("seconds", of.waiting),
        known_seconds("longest_seconds", of.longest.time),
        known_seconds("longest_begin_seconds", of.longest.begin),
        text("longest_rank", of.longest.waits.to_string()),
        text("longest_late_rank", of.longest.late.to_string()),
        count("waiting_ranks", of.waiting_ranks),
        count("late_ranks", of.late_ranks),
    ]);
    row
}

pub fn pair(of: &WaitingPair) -> Vec<Value> {
    vec![
        text("rank", of.waits.to_string()),
        text("late_rank", of.late.to_string()),
        count("times", of.times),
        known_seconds("seconds", of.waiting),
    ]
}

pub fn messages(of: &MessageProfile) -> Vec<Value> {
    const UNKNOWN: &str = "of no message is known how long it took";
    let longest = |seconds: fn(&LongestTransfer) -> Nanoseconds| {
        of.longest.as_ref().map_or_else(|| Reading::unavailable(UNKNOWN), |of| Reading::Measured(seconds(of)))
    };
    vec![
        text("rank", of.from.to_string()),
        text("to_rank", of.to.to_string()),
        count("messages", of.messages),
        bytes("bytes", &Reading::Measured(of.bytes)),
        count("timed", of.timed),
        bytes("timed_bytes", &Reading::Measured(of.timed_bytes)),
        known_seconds("timed_seconds", of.time),
        seconds("longest_seconds", &longest(|of| of.time)),
        seconds("longest_begin_seconds", &longest(|of| of.begin)),
    ]
}

pub fn collective(of: &CollectiveProfile) -> Vec<Value> {
    vec![
        text("name", of.call.as_str()),
        read("communicator", "", &of.communicator, String::clone),
        count("ranks", of.ranks),
        count("calls", of.calls),
        known_seconds("seconds", of.time),
        known_seconds("waiting_seconds", of.waiting),
        bytes("bytes", &Reading::Measured(of.bytes)),
    ]
}

/// The rank and the call are those of the change, where it has any.
pub fn what_if(of: &WhatIf) -> Vec<Value> {
    const ALL: &str = "the change is of all ranks";
    let (rank, to) = match &of.change {
        TraceChange::RankAsOthers(of) => (Reading::Measured(of.rank), of.to.clone()),
        TraceChange::ThreadsEqual { region } => {
            (Reading::unavailable(ALL), Some(CallPlace { call: String::new(), place: region.clone() }))
        }
        _ => (Reading::unavailable(ALL), None),
    };
    let to = to.unwrap_or_else(|| CallPlace { call: String::new(), place: Reading::unavailable(ALL) });
    let [function, file, line] = place(&to.place);
    vec![
        text("change", change_word(&of.change)),
        read("rank", "", &rank, u32::to_string),
        text("name", to.call),
        function,
        file,
        line,
        known_seconds("span_seconds", of.span),
    ]
}

pub fn out_of_order(of: &OutOfOrder) -> Vec<Value> {
    let mut row = vec![text("rank", of.rank.to_string()), text("name", of.waits.call.as_str())];
    row.extend(place(&of.waits.place));
    row.push(text("next_name", of.next.call.as_str()));
    row.extend(place_as(["next_function", "next_file", "next_line"], &of.next.place));
    row.extend([count("times", of.times), known_seconds("seconds", of.waiting)]);
    row
}

/// What a rank did: the call is the one in which it was, or the one before which it computed.
fn activity(of: &RankActivity) -> Vec<Value> {
    let nowhere = || CallPlace {
        call: String::new(),
        place: Reading::unavailable("it was in no call, and none came behind"),
    };
    let at = match of {
        RankActivity::Computed { to }
        | RankActivity::InRegion { to, .. }
        | RankActivity::InFiles { to, .. }
        | RankActivity::Serial { to, .. } => to.clone(),
        RankActivity::Called(at) | RankActivity::Polled(at) => Some(at.clone()),
        RankActivity::LeftOut | RankActivity::Outside => None,
    };
    let at = at.unwrap_or_else(nowhere);
    let [function, file, line] = place(&at.place);
    let mut row = vec![text("what", activity_word(of)), text("name", at.call), function, file, line];
    row.extend(teams::part(of));
    row
}

pub fn cause(of: &WaitingCause) -> Vec<Value> {
    let mut row = vec![text("rank", of.rank.to_string())];
    row.extend(activity(&of.what));
    row.extend([
        known_seconds("seconds", of.waiting),
        known_seconds("through_others_seconds", of.through_others),
        count("waiting_ranks", of.waiting_ranks),
    ]);
    row
}

pub fn path_part(of: &PathPart) -> Vec<Value> {
    let mut row = vec![text("rank", of.rank.to_string())];
    row.extend(activity(&of.what));
    row.extend([count("times", of.times), known_seconds("seconds", of.time)]);
    row
}

/// A row for each span of each rank.
pub fn timeline(of: &RunTrace) -> Vec<Vec<Value>> {
    let row = |rank: &TracedRank, thread: &Reading<i32>, (bin, times): (usize, &TraceTimes)| {
        let begin = u128::from(of.span.0) * bin as u128 / rank.timeline.len().max(1) as u128;
        let mut row = vec![
            text("rank", rank.rank.to_string()),
            read("thread", "", thread, i32::to_string),
            known_seconds("begin_seconds", Nanoseconds(begin as u64)),
        ];
        row.extend(states(times));
        row.push(known_seconds("idle_seconds", times.idle));
        row
    };
    let of_rank = |rank: &TracedRank| {
        let worker = |worker: &TracedWorker| (Reading::Measured(worker.thread), worker.timeline.clone());
        let all =
            std::iter::once((thread(rank), rank.timeline.clone())).chain(rank.workers.iter().map(worker));
        let rows = all.flat_map(|(thread, bins)| {
            bins.iter().enumerate().map(|bin| row(rank, &thread, bin)).collect::<Vec<_>>()
        });
        rows.collect::<Vec<_>>()
    };
    of.ranks.iter().flat_map(of_rank).collect()
}

/// A region of OpenMP, or where threads wait.
pub fn construct(of: &TracedConstruct) -> Vec<Value> {
    let mut row = vec![text("construct", words::construct(of.construct))];
    row.extend(place(&of.place));
    row.extend([
        count("waits", of.waits),
        known_seconds("seconds", of.waiting),
        count("regions", of.regions),
        known_seconds("time_seconds", of.time),
        count("ranks", of.ranks),
    ]);
    row
}

pub fn phase(of: &TracedPhase) -> Vec<Value> {
    let mut row = vec![
        text("name", phases::name(&of.name)),
        count("times", of.times),
        known_seconds("begin_seconds", of.begin),
        known_seconds("end_seconds", of.end),
        count("ranks", of.ranks),
    ];
    row.extend(states(&of.spent));
    row
}

/// What a thread that calls MPI can be in.
fn states(of: &TraceTimes) -> [Value; 7] {
    [
        known_seconds("useful_seconds", of.useful),
        known_seconds("waiting_seconds", of.waiting),
        known_seconds("in_calls_seconds", of.in_calls),
        known_seconds("polling_seconds", of.polling),
        known_seconds("serial_seconds", of.serial),
        known_seconds("openmp_waiting_seconds", of.openmp_waiting),
        known_seconds("in_files_seconds", of.in_files),
    ]
}

fn thread(of: &TracedRank) -> Reading<i32> {
    match of.thread {
        Some(thread) => Reading::Measured(thread),
        None => Reading::unavailable("one thread of the rank called MPI"),
    }
}
