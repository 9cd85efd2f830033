//! Words and shapes that JSON and CSV have for what a trace is made of.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_tables::snapshot::{
    CallPlace, MessageProfile, RankActivity, RankAsOthers, RankInCall, TraceChange, WaitKind,
};
use numawise_units::{BytesPerSecond, Nanoseconds};
use serde_json::{Value, json as object};

use super::super::figures;
use super::teams;

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
    let mut all = object!({ "kind": activity_word(of), "at": at(of).map(call_json) });
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

/// The call in which a rank was, or before which it computed.
pub fn at(of: &RankActivity) -> Option<&CallPlace> {
    match of {
        RankActivity::Called(at) | RankActivity::Polled(at) => Some(at),
        other => other.computed_to().flatten(),
    }
}

/// Of the messages whose time is known; none where none is, or where they hold nothing.
pub fn rate(of: &MessageProfile) -> Option<BytesPerSecond> {
    let is_known = of.time.0 > 0 && of.timed_bytes.0 > 0;
    is_known.then(|| BytesPerSecond(of.timed_bytes.0 as f64 / of.time.seconds()))
}
