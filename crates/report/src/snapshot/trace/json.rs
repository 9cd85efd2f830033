//! A trace for scripts.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_tables::snapshot::{
    CallPlace, NotJudgedReason, RankActivity, RankAsOthers, RankInCall, RunTrace, TraceChange, TraceTimes,
    WaitKind,
};
use numawise_units::Nanoseconds;
use serde_json::{Value, json as object};

use super::super::{figure, figures};
use super::{columns, placed, teams};
use crate::object::{each, reading};

/// As JSON and CSV have it.
pub fn kind_word(of: WaitKind) -> &'static str {
    match of {
        WaitKind::LateSender => "late_sender",
        WaitKind::LateReceiver => "late_receiver",
        WaitKind::LateRoot => "late_root",
        WaitKind::EarlyRoot => "early_root",
        WaitKind::LastOfAll => "last_of_all",
        WaitKind::LatePost => "late_post",
        WaitKind::LateComplete => "late_complete",
        WaitKind::LockContention => "lock_contention",
        WaitKind::LateLowerRank => "late_lower_rank",
        WaitKind::LateNeighbour => "late_neighbour",
    }
}

/// As JSON and CSV have it.
pub fn activity_word(of: &RankActivity) -> &'static str {
    match of {
        RankActivity::Computed { .. } => "computed",
        RankActivity::Called(_) => "called",
        RankActivity::Polled(_) => "polled",
        RankActivity::LeftOut => "left_out",
        RankActivity::Outside => "outside",
        RankActivity::InRegion { .. } => "in_region",
        RankActivity::Serial { .. } => "serial",
        RankActivity::InFiles { .. } => "in_files",
    }
}

/// As JSON and CSV have it.
pub fn change_word(of: &TraceChange) -> &'static str {
    match of {
        TraceChange::ComputingEqual => "computing_equal",
        TraceChange::CallsInstant => "calls_instant",
        TraceChange::ReceivesPosted => "receives_posted",
        TraceChange::FilesInstant => "files_instant",
        TraceChange::ThreadsEqual { .. } => "threads_equal",
        TraceChange::SerialDivided => "serial_divided",
        TraceChange::RankAsOthers(RankAsOthers { others: Some(_), .. }) => "rank_computes_as_others",
        TraceChange::RankAsOthers(_) => "rank_computes_nothing",
    }
}

pub fn change_json(of: &TraceChange) -> Value {
    let kind = change_word(of);
    if let TraceChange::ThreadsEqual { region } = of {
        return object!({ "kind": kind, "region": code(region) });
    }
    let TraceChange::RankAsOthers(of) = of else { return object!({ "kind": kind }) };
    object!({
        "kind": kind, "world": of.world, "rank": of.rank, "before": of.to.as_ref().map(call_json),
        "own_seconds": of.own.seconds(), "others_mean_seconds": of.others.map(Nanoseconds::seconds),
    })
}

pub fn call_json(of: &CallPlace) -> Value {
    object!({ "call": of.call, "place": code(&of.place) })
}

fn code(of: &Reading<CodePlace>) -> Value {
    figures::place(of)
}

pub fn rank_in_call(of: &RankInCall) -> Value {
    object!({ "rank": of.rank, "call": of.call, "place": code(&of.place) })
}

pub fn activity_json(of: &RankActivity) -> Value {
    let mut all = object!({ "kind": activity_word(of), "at": columns::at(of).map(call_json) });
    match of {
        RankActivity::InRegion { region, thread, .. } => {
            all["region"] = code(region);
            all["thread"] = object!(thread);
        }
        RankActivity::InFiles { operation, .. } => all["operation"] = object!(operation),
        RankActivity::Serial { after, before, .. } => {
            all["after"] = teams::point_json(after.as_ref());
            all["before"] = teams::point_json(before.as_ref());
        }
        _ => {}
    }
    all
}

/// Null where no trace was made.
pub fn json(of: Option<&RunTrace>) -> Value {
    let Some(of) = of else { return Value::Null };
    let timeline = |all: &[TraceTimes]| each(all, |of| figure::values(columns::TIMES, of));
    object!({
        "begin_seconds": of.begin.seconds(),
        "span_seconds": of.span.seconds(),
        "calls": of.calls,
        "messages": of.messages,
        "unmatched": of.unmatched,
        "lost": of.lost, "lost_as_asked": of.lost > 0 && of.lost_is_asked, "lost_before": of.is_end,
        "lost_behind": of.lost > 0 && (of.is_window || !of.is_end),
        "clock_error_seconds": of.clock_error.map(Nanoseconds::seconds),
        "times": figure::object(columns::TIMES, &of.times),
        "ranks": each(&of.ranks, |rank| object!({
            "world": rank.world, "rank": rank.rank, "thread": rank.thread, "times": figure::object(columns::TIMES, &rank.times),
            "waited_for_seconds": rank.waited_for.seconds(), "calls": rank.calls,
            "timeline": timeline(&rank.timeline),
            "workers": each(&rank.workers, |worker| object!({
                "number": worker.number, "thread": worker.thread, "times": figure::object(columns::TIMES, &worker.times),
                "timeline": timeline(&worker.timeline),
            })),
        })),
        "openmp": figure::list(columns::CONSTRUCTS, &of.openmp),
        "regions": figure::list(columns::REGIONS, &of.regions),
        "serial": figure::list(columns::SERIAL, &of.serial),
        "placed": placed::json(of),
        "openmp_unseen": of.openmp_unseen,
        "phases": figure::list(columns::PHASES, &of.phases),
        "waits": figure::list(columns::WAITS, &of.waits),
        "pairs": figure::list(columns::PAIRS, &of.pairs),
        "messages_by_pair": figure::list(columns::MESSAGES, &of.messages_by_pair),
        "collective_calls": figure::list(columns::COLLECTIVES, &of.collective_calls),
        "causes": figure::list(columns::CAUSES, &of.causes),
        "critical_path": figure::list(columns::CRITICAL_PATH, &of.critical_path),
        "what_if": reading(&of.what_if, |rows| figure::list(columns::WHAT_IF, rows)),
        "slices": of.slices.map(|of| object!({
            "slices": of.slices, "calls": of.calls, "cause_unknown_seconds": of.cut.seconds(),
            "forgotten": of.forgotten, "has_period": of.has_period,
        })),
        "period": of.period.as_ref().map(|of| object!({
            "from": call_json(&of.from), "begin_seconds": of.begin.seconds(), "repetitions": of.repetitions,
            "median_seconds": of.median.seconds(), "nine_of_ten_seconds": of.nine_of_ten.map(Nanoseconds::seconds),
            "odd": of.odd,
            "oddest": each(&of.oddest, |odd| object!({
                "number": odd.number, "begin_seconds": odd.begin.seconds(), "seconds": odd.length.seconds(),
            })),
        })),
        "out_of_order": figure::list(columns::OUT_OF_ORDER, &of.out_of_order),
        "not_judged": each(&of.not_judged, |row| object!({
            "why": match row.why {
                NotJudgedReason::OtherRanksMissing => "other_ranks_missing",
                NotJudgedReason::ClocksDiffer => "clocks_differ",
                NotJudgedReason::NotFollowed => "not_followed",
                NotJudgedReason::LeftOut => "left_out",
            },
            "calls": row.calls, "seconds": row.time.seconds(),
        })),
    })
}
