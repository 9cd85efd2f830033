//! A trace for scripts.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_tables::snapshot::{
    CallPlace, CollectiveProfile, MessageProfile, NotJudgedReason, RankActivity, RankAsOthers, RankInCall,
    RunTrace, TraceChange, TraceTimes, TracedConstruct, TracedPhase, WaitKind,
};
use numawise_units::Nanoseconds;
use serde_json::{Value, json as object};

use super::super::{figures, phases};
use super::{placed, teams};
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

fn change_json(of: &TraceChange) -> Value {
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

fn call_json(of: &CallPlace) -> Value {
    object!({ "call": of.call, "place": code(&of.place) })
}

fn code(of: &Reading<CodePlace>) -> Value {
    figures::place(of)
}

fn times_json(of: &TraceTimes) -> Value {
    object!({
        "useful_seconds": of.useful.seconds(),
        "waiting_seconds": of.waiting.seconds(),
        "in_calls_seconds": of.in_calls.seconds(),
        "polling_seconds": of.polling.seconds(),
        "serial_seconds": of.serial.seconds(),
        "openmp_waiting_seconds": of.openmp_waiting.seconds(),
        "idle_seconds": of.idle.seconds(),
        "in_files_seconds": of.in_files.seconds(),
    })
}

fn timeline_json(of: &[TraceTimes]) -> Value {
    each(of, |times| {
        let all = [
            times.useful,
            times.waiting,
            times.in_calls,
            times.polling,
            times.serial,
            times.openmp_waiting,
            times.idle,
            times.in_files,
        ];
        object!(all.map(Nanoseconds::seconds))
    })
}

fn construct_json(row: &TracedConstruct) -> Value {
    object!({
        "construct": row.construct, "place": code(&row.place), "regions": row.regions, "time_seconds": row.time.seconds(),
        "waits": row.waits, "seconds": row.waiting.seconds(),
        "longest": row.longest.map(teams::longest_json),
        "ranks": row.ranks,
    })
}

fn messages_json(row: &MessageProfile) -> Value {
    object!({
        "world": row.world, "from": row.from, "to": row.to, "messages": row.messages, "bytes": row.bytes.0,
        "timed": row.timed, "timed_bytes": row.timed_bytes.0, "timed_seconds": row.time.seconds(),
        "bytes_per_second": super::rate(row).map(|rate| rate.0),
        "longest": row.longest.map(|of| object!({
            "seconds": of.time.seconds(), "begin_seconds": of.begin.seconds(), "bytes": of.bytes.0,
        })),
    })
}

fn collective_json(row: &CollectiveProfile) -> Value {
    object!({
        "call": row.call, "communicator": reading(&row.communicator, |name| object!(name)), "ranks": row.ranks,
        "calls": row.calls, "seconds": row.time.seconds(), "waiting_seconds": row.waiting.seconds(), "bytes": row.bytes.0,
    })
}

fn phase_json(row: &TracedPhase) -> Value {
    object!({
        "name": phases::name(&row.name), "times": row.times, "begin_seconds": row.begin.seconds(), "end_seconds": row.end.seconds(),
        "ranks": row.ranks, "spent": times_json(&row.spent),
    })
}

fn activity_json(of: &RankActivity) -> Value {
    let at = match of {
        RankActivity::Computed { to } => to.as_ref().map(call_json),
        RankActivity::Called(of) | RankActivity::Polled(of) => Some(call_json(of)),
        RankActivity::LeftOut | RankActivity::Outside => None,
        RankActivity::InRegion { .. } | RankActivity::Serial { .. } | RankActivity::InFiles { .. } => {
            return teams::activity_json(of, activity_word(of)).unwrap_or_default();
        }
    };
    object!({ "kind": activity_word(of), "at": at })
}

/// Null where no trace was made.
pub fn json(of: Option<&RunTrace>) -> Value {
    let Some(of) = of else { return Value::Null };
    let place = |of: &RankInCall| object!({ "rank": of.rank, "call": of.call, "place": code(&of.place) });
    object!({
        "begin_seconds": of.begin.seconds(),
        "span_seconds": of.span.seconds(),
        "calls": of.calls,
        "messages": of.messages,
        "unmatched": of.unmatched,
        "lost": of.lost, "lost_as_asked": of.lost > 0 && of.lost_is_asked, "lost_before": of.is_end,
        "lost_behind": of.lost > 0 && (of.is_window || !of.is_end),
        "clock_error_seconds": of.clock_error.map(Nanoseconds::seconds),
        "times": times_json(&of.times),
        "ranks": each(&of.ranks, |rank| object!({
            "world": rank.world, "rank": rank.rank, "thread": rank.thread, "times": times_json(&rank.times),
            "waited_for_seconds": rank.waited_for.seconds(), "calls": rank.calls,
            "timeline": timeline_json(&rank.timeline),
            "workers": each(&rank.workers, |worker| object!({
                "number": worker.number, "thread": worker.thread, "times": times_json(&worker.times),
                "timeline": timeline_json(&worker.timeline),
            })),
        })),
        "openmp": each(&of.openmp, construct_json),
        "regions": teams::regions_json(of),
        "serial": teams::serial_json(of),
        "placed": placed::json(of),
        "openmp_unseen": of.openmp_unseen,
        "phases": each(&of.phases, phase_json),
        "waits": each(&of.waits, |row| object!({
            "kind": kind_word(row.kind),
            "waits": place(&row.waits), "late": place(&row.late), "times": row.times, "seconds": row.waiting.seconds(),
            "longest": {
                "seconds": row.longest.time.seconds(), "begin_seconds": row.longest.begin.seconds(),
                "waits": row.longest.waits, "late": row.longest.late,
            },
            "waiting_ranks": row.waiting_ranks, "late_ranks": row.late_ranks,
        })),
        "pairs": each(&of.pairs, |pair| object!({
            "world": pair.world, "waits": pair.waits, "late": pair.late, "times": pair.times, "seconds": pair.waiting.seconds(),
        })),
        "messages_by_pair": each(&of.messages_by_pair, messages_json),
        "collective_calls": each(&of.collective_calls, collective_json),
        "causes": each(&of.causes, |row| object!({
            "world": row.world, "rank": row.rank, "what": activity_json(&row.what), "seconds": row.waiting.seconds(),
            "through_others_seconds": row.through_others.seconds(), "waiting_ranks": row.waiting_ranks,
        })),
        "critical_path": each(&of.critical_path, |part| object!({
            "world": part.world, "rank": part.rank, "what": activity_json(&part.what), "seconds": part.time.seconds(), "times": part.times,
        })),
        "what_if": reading(&of.what_if, |rows| each(rows, |row| object!({
            "change": change_json(&row.change), "span_seconds": row.span.seconds(),
        }))),
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
        "out_of_order": each(&of.out_of_order, |row| object!({
            "world": row.world, "rank": row.rank, "waits": call_json(&row.waits), "next": call_json(&row.next),
            "times": row.times, "seconds": row.waiting.seconds(),
        })),
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
