//! A trace for scripts.

use numawise_tables::snapshot::{NotJudgedReason, RunTrace, TraceTimes};
use numawise_units::Nanoseconds;
use serde_json::{Value, json as object};

use super::super::figure;
use super::columns;
use super::shapes::call_json;
use crate::object::{each, reading};

/// Marks of a JSON.
const MOST: usize = 4096;

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
        "lost": of.lost, "lost_as_asked": of.lost > 0 && of.lost_is_outside, "lost_before": of.is_end,
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
        "placed": placed_json(of),
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

fn placed_json(of: &RunTrace) -> Value {
    reading(&of.placed, |placed| {
        object!({
            "interval_seconds": placed.interval.seconds(),
            "left_out": placed.marks.len().saturating_sub(MOST),
            "marks": figure::list(columns::MARKS, placed.marks.get(..MOST).unwrap_or(&placed.marks)),
        })
    })
}
