//! Figures of a trace's tables, each declared once: JSON, CSV and some tables for people follow.

use numawise_facts::Reading::{self, Measured};
use numawise_facts::activity::CodePlace;
use numawise_tables::snapshot::{
    CallPlace, CollectiveProfile, LateThread, MessageProfile, OutOfOrder, PathPart, PlacedChange, PlacedMark,
    RankActivity, TraceChange, TraceTimes, TracedConstruct, TracedPhase, TracedRegion, TracedSerial,
    TracedWait, WaitingCause, WaitingPair, WhatIf,
};
use serde_json::json;

use super::super::figure::{self, CsvCell, Unit, declare};
use super::super::{phases, words};
use super::placed::{amount_of, change_word as placed_word};
use super::rank_of_world;
use super::shapes::{
    activity_json, activity_word, at, call_json, change_json, change_word, kind_word, rank_in_call, rate,
};
use super::teams::{self, between, ends, longest_json, point_json};
use crate::object::each;

declare! {
    /// Time by what it was for.
    pub TIMES: TraceTimes {
        both "useful_seconds" Time |of| Measured(of.useful);
        both "waiting_seconds" Time |of| Measured(of.waiting);
        both "in_calls_seconds" Time |of| Measured(of.in_calls);
        both "polling_seconds" Time |of| Measured(of.polling);
        both "serial_seconds" Time |of| Measured(of.serial);
        both "openmp_waiting_seconds" Time |of| Measured(of.openmp_waiting);
        both "in_files_seconds" Time |of| Measured(of.in_files) => last_in_json: true;
        both "idle_seconds" Time |of| Measured(of.idle);
    }

    /// A place that waits, and one that comes late.
    pub WAITS: TracedWait {
        both "kind" Name |of| Measured(kind_word(of.kind).to_owned());
        json "waits" Json |of| Measured(rank_in_call(&of.waits));
        csv "name" Name |of| Measured(of.waits.call.clone());
        csv "place" Place |of| Measured(of.waits.place.clone());
        json "late" Json |of| Measured(rank_in_call(&of.late));
        csv "late_name" Name |of| Measured(of.late.call.clone());
        csv "late_place" Place |of| Measured(of.late.place.clone());
        both "times" Count |of| Measured(of.times);
        both "seconds" Time |of| Measured(of.waiting);
        json "longest" Json |of| Measured(json!({
            "seconds": of.longest.time.seconds(), "begin_seconds": of.longest.begin.seconds(),
            "waits": of.longest.waits, "late": of.longest.late,
        }));
        csv "longest_seconds" Time |of| Measured(of.longest.time);
        csv "longest_begin_seconds" Time |of| Measured(of.longest.begin);
        csv "longest_rank" Number |of| Measured(of.longest.waits.into());
        csv "longest_late_rank" Number |of| Measured(of.longest.late.into());
        both "waiting_ranks" Count |of| Measured(of.waiting_ranks);
        both "late_ranks" Count |of| Measured(of.late_ranks);
    }

    pub PAIRS: WaitingPair {
        json "world" Json |of| Measured(json!(of.world));
        both "waits" Number |of| Measured(of.waits.into()) => in_csv: "rank";
        both "late" Number |of| Measured(of.late.into()) => in_csv: "late_rank";
        both "times" Count |of| Measured(of.times);
        both "seconds" Time |of| Measured(of.waiting);
    }

    pub MESSAGES: MessageProfile {
        json "world" Json |of| Measured(json!(of.world));
        both "from" Number |of| Measured(of.from.into()) => in_csv: "rank";
        both "to" Number |of| Measured(of.to.into()) => in_csv: "to_rank";
        shown "from rank" Name |of| Measured(rank_of_world(of.from, of.world)) => at: 1;
        shown "to rank" Name |of| Measured(rank_of_world(of.to, of.world)) => at: 1;
        both "messages" Count |of| Measured(of.messages) => number: "messages";
        both "bytes" Bytes |of| Measured(of.bytes) => number: "bytes", at: 2;
        both "timed" Count |of| Measured(of.timed) => number: "time known of", expendable: 1;
        shown "mean rate" Name |of| Measured(rate(of).map_or_else(|| "-".to_owned(), |rate| rate.to_string()));
        shown "longest" Name |of| Measured(of.longest.map_or_else(|| "-".to_owned(), |of| format!("{} for {} at {}", of.time, of.bytes, of.begin)))
            => expendable: 2;
        both "timed_bytes" Bytes |of| Measured(of.timed_bytes);
        both "timed_seconds" Time |of| Measured(of.time);
        json "bytes_per_second" Json |of| Measured(json!(rate(of).map(|rate| rate.0)));
        json "longest" Json |of| Measured(json!(of.longest.map(|of| json!({
            "seconds": of.time.seconds(), "begin_seconds": of.begin.seconds(), "bytes": of.bytes.0,
        }))));
        csv "longest_seconds" Time |of| known(of.longest.map(|of| of.time), UNTIMED);
        csv "longest_begin_seconds" Time |of| known(of.longest.map(|of| of.begin), UNTIMED);
    }

    pub COLLECTIVES: CollectiveProfile {
        both "call" Name |of| Measured(of.call.clone()) => in_csv: "name", text: "call";
        both "communicator" Name |of| of.communicator.clone();
        shown "communicator" Name |of| Measured(match of.communicator.measured() {
            Some(name) if !name.is_empty() => name.clone(),
            Some(_) => "without a name".to_owned(),
            None => "not known".to_owned(),
        }) => text: "communicator";
        both "ranks" Count |of| Measured(of.ranks) => number: "ranks";
        both "calls" Count |of| Measured(of.calls) => number: "calls";
        both "seconds" Time |of| Measured(of.time) => number: "time, all ranks";
        both "waiting_seconds" Time |of| Measured(of.waiting);
        shown "waiting" Share |of| Measured(super::share(of.waiting, of.time));
        both "bytes" Bytes |of| Measured(of.bytes) => number: "bytes", expendable: 1;
    }

    /// The rank and the call are those of the change, where it has any.
    pub WHAT_IF: WhatIf {
        json "change" Json |of| Measured(change_json(&of.change));
        csv "change" Name |of| Measured(change_word(&of.change).to_owned());
        csv "rank" Number |of| match &of.change {
            TraceChange::RankAsOthers(of) => Measured(of.rank.into()),
            _ => Reading::unavailable(ALL_RANKS),
        };
        csv "name" Name |of| Measured(before(&of.change).map_or_else(String::new, |of| of.call.clone()));
        csv "place" Place |of| Measured(match &of.change {
            TraceChange::ThreadsEqual { region } => region.clone(),
            other => place_of(before(other), ALL_RANKS),
        });
        both "span_seconds" Time |of| Measured(of.span);
    }

    pub OUT_OF_ORDER: OutOfOrder {
        json "world" Json |of| Measured(json!(of.world));
        both "rank" Number |of| Measured(of.rank.into());
        json "waits" Json |of| Measured(call_json(&of.waits));
        csv "name" Name |of| Measured(of.waits.call.clone());
        csv "place" Place |of| Measured(of.waits.place.clone());
        json "next" Json |of| Measured(call_json(&of.next));
        csv "next_name" Name |of| Measured(of.next.call.clone());
        csv "next_place" Place |of| Measured(of.next.place.clone());
        both "times" Count |of| Measured(of.times);
        both "seconds" Time |of| Measured(of.waiting);
    }

    /// What a rank did: the call is the one in which it was, or the one before which it computed.
    ACTIVITY: RankActivity {
        csv "what" Name |of| Measured(activity_word(of).to_owned());
        csv "name" Name |of| Measured(at(of).map_or_else(String::new, |at| at.call.clone()));
        csv "place" Place |of| Measured(place_of(at(of), "it was in no call, and none came behind"));
        csv "thread" Number |of| match of {
            RankActivity::InRegion { thread: Some(thread), .. } => Measured((*thread).into()),
            _ => Reading::unavailable("no thread of a region came last"),
        };
        csv "part" Name |of| Measured(match of {
            RankActivity::InRegion { region, .. } => teams::region(region),
            RankActivity::Serial { after, before, .. } => between(after.as_ref(), before.as_ref()),
            RankActivity::InFiles { operation, .. } => words::operation(*operation).to_owned(),
            _ => String::new(),
        });
    }

    /// In CSV with what the rank did behind its number.
    pub CAUSES: WaitingCause {
        json "world" Json |of| Measured(json!(of.world));
        both "rank" Number |of| Measured(of.rank.into());
        json "what" Json |of| Measured(activity_json(&of.what));
        both "seconds" Time |of| Measured(of.waiting);
        both "through_others_seconds" Time |of| Measured(of.through_others);
        both "waiting_ranks" Count |of| Measured(of.waiting_ranks);
    }

    /// The same.
    pub CRITICAL_PATH: PathPart {
        json "world" Json |of| Measured(json!(of.world));
        both "rank" Number |of| Measured(of.rank.into());
        json "what" Json |of| Measured(activity_json(&of.what));
        both "times" Count |of| Measured(of.times) => last_in_json: true;
        both "seconds" Time |of| Measured(of.time);
    }

    /// A region of OpenMP, or where threads wait.
    pub CONSTRUCTS: TracedConstruct {
        json "construct" Json |of| Measured(json!(of.construct));
        csv "construct" Name |of| Measured(words::construct(of.construct).to_owned());
        both "place" Place |of| Measured(of.place.clone());
        both "waits" Count |of| Measured(of.waits) => last_in_json: true;
        both "seconds" Time |of| Measured(of.waiting) => last_in_json: true;
        both "regions" Count |of| Measured(of.regions);
        both "time_seconds" Time |of| Measured(of.time);
        json "longest" Json |of| Measured(json!(of.longest.map(longest_json))) => last_in_json: true;
        both "ranks" Count |of| Measured(of.ranks) => last_in_json: true;
    }

    /// In CSV with the times of threads that call MPI.
    pub PHASES: TracedPhase {
        both "name" Name |of| Measured(phases::name(&of.name));
        both "times" Count |of| Measured(of.times);
        both "begin_seconds" Time |of| Measured(of.begin);
        both "end_seconds" Time |of| Measured(of.end);
        both "ranks" Count |of| Measured(of.ranks);
        json "spent" Json |of| Measured(figure::object(TIMES, &of.spent));
    }

    /// In CSV with the thread that came last by most.
    pub REGIONS: TracedRegion {
        both "region" Place |of| Measured(of.region.clone());
        both "times" Count |of| Measured(of.times);
        both "uneven" Count |of| Measured(of.uneven);
        both "time_seconds" Time |of| Measured(of.time);
        both "seconds" Time |of| Measured(of.waiting);
        both "gain_seconds" Time |of| Measured(of.gain);
        json "late" Json |of| Measured(each(&of.late, |late| figure::object(LATE_THREADS, late)));
        csv "late_rank" Number |of| known(of.late.first().map(|late| late.rank.into()), NO_THREAD);
        csv "late_thread" Number |of| known(of.late.first().map(|late| late.thread.into()), NO_THREAD);
        csv "late_seconds" Name |of| known(of.late.first().map(|late| late.time.seconds().to_string()), NO_THREAD)
            => unit: Unit::Seconds;
        json "longest" Json |of| Measured(json!(of.longest.map(longest_json)));
    }

    LATE_THREADS: LateThread {
        json "world" Json |of| Measured(json!(of.world));
        json "rank" Number |of| Measured(of.rank.into());
        json "thread" Number |of| Measured(of.thread.into());
        json "times" Count |of| Measured(of.times);
        json "seconds" Time |of| Measured(of.time);
    }

    pub SERIAL: TracedSerial {
        json "after" Json |of| Measured(point_json(of.after.as_ref()));
        csv "after" Name |of| Measured(ends(of.after.as_ref(), None)[0].clone());
        json "before" Json |of| Measured(point_json(of.before.as_ref()));
        csv "before" Name |of| Measured(ends(None, of.before.as_ref())[1].clone());
        both "times" Count |of| Measured(of.times);
        both "seconds" Time |of| Measured(of.time);
        both "idle_seconds" Time |of| Measured(of.idle);
        both "ranks" Count |of| Measured(of.ranks);
    }

    /// What was seen of threads from outside.
    pub MARKS: PlacedMark {
        json "world" Json |of| Measured(json!(of.world));
        both "rank" Number |of| Measured(of.rank.into());
        both "thread" Number |of| Measured(of.thread.into());
        both "begin_seconds" Time |of| Measured(of.begin);
        both "end_seconds" Time |of| Measured(of.end);
        both "kind" Name |of| Measured(placed_word(&of.what).to_owned()) => in_csv: "what";
        json "from_cpu" Json |of| Measured(json!(cpus(of).map(|[from, _]| from)));
        csv "from_cpu" Number |of| known(cpus(of).map(|[from, _]| from.into()), NO_CPU);
        json "to_cpu" Json |of| Measured(json!(cpus(of).map(|[_, to]| to)));
        csv "to_cpu" Number |of| known(cpus(of).map(|[_, to]| to.into()), NO_CPU);
        json "nodes" Json |of| Measured(json!(nodes(of)));
        csv "from_node" Number |of| known(nodes(of).map(|[from, _]| from.into()), NO_NODE);
        csv "to_node" Number |of| known(nodes(of).map(|[_, to]| to.into()), NO_NODE);
        json "amount" Json |of| Measured(json!(amount_of(of)));
        csv "amount" Name |of| known(amount_of(of).map(|amount| amount.to_string()), "another CPU has no amount");
    }
}

const UNTIMED: &str = "of no message is known how long it took";
const ALL_RANKS: &str = "the change is of all ranks";
const NO_THREAD: &str = "no thread came last";
const NO_CPU: &str = "it is no change of the CPU";
const NO_NODE: &str = "it has no node, or that is not known";

fn known<T>(of: Option<T>, why: &'static str) -> Reading<T> {
    of.map_or_else(|| Reading::unavailable(why), Measured)
}

fn place_of(of: Option<&CallPlace>, why: &'static str) -> Reading<CodePlace> {
    of.map_or_else(|| Reading::unavailable(why), |of| of.place.clone())
}

/// The call before which a rank computes otherwise.
fn before(of: &TraceChange) -> Option<&CallPlace> {
    match of {
        TraceChange::RankAsOthers(of) => of.to.as_ref(),
        _ => None,
    }
}

fn cpus(of: &PlacedMark) -> Option<[u32; 2]> {
    match of.what {
        PlacedChange::Cpu { from, to, .. } => Some([from.0, to.0]),
        _ => None,
    }
}

fn nodes(of: &PlacedMark) -> Option<[u32; 2]> {
    let nodes = match of.what {
        PlacedChange::Cpu { nodes, .. } => nodes,
        PlacedChange::Memory { from, to, .. } => Some((from, to)),
        PlacedChange::Faults(_) | PlacedChange::NoCpu(_) => None,
    };
    nodes.map(|(from, to)| [from.0, to.0])
}

/// A row of CSV with what the rank did behind its number.
pub fn with_activity(mut row: Vec<CsvCell>, what: &RankActivity) -> Vec<CsvCell> {
    row.splice(1..1, figure::csv(ACTIVITY, what));
    row
}
