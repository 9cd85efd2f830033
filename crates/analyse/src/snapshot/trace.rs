//! What the calls of a trace tell together. [`lanes`]: the threads that were traced, and their calls on one clock. [`matching`]: both ends of
//! each message. [`waits`]: which calls waited, for whom. [`causes`]: what the late ones did meanwhile, and the critical path.
//!
//! A wait is a part of a call, from its begin. The rest of a call moves data, or waits for what is not known. Patterns are those of Scalasca
//! (late sender, late receiver, late broadcast, early reduce, wait at N x N); a root that needs all waits for the last of them.

mod causes;
mod lanes;
mod matching;
mod timeline;
mod waits;

use numawise_tables::snapshot::{RunTrace, TraceTimes, TracedRank};
use numawise_units::Nanoseconds;

use super::Run;
use lanes::Lanes;
use waits::Waits;

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;

/// Rows of each table.
const MOST_ROWS: usize = 32;

/// Nothing where no trace was made.
pub fn all(run: &Run<'_>) -> Option<RunTrace> {
    let lanes = Lanes::of(run)?;
    let matched = matching::of(&lanes);
    let waits = Waits::of(run, &lanes, &matched);
    let timeline = timeline::of(&lanes, &waits);
    let ranks: Vec<TracedRank> = lanes
        .all
        .iter()
        .zip(timeline)
        .map(|(lane, timeline)| TracedRank {
            rank: lane.rank,
            thread: lane.thread_number,
            times: timeline.iter().copied().fold(TraceTimes::default(), timeline::plus),
            waited_for: waits.waited_for(lane.number),
            calls: lane.calls.len() as u64,
            timeline,
        })
        .collect();
    Some(RunTrace {
        span: lanes.end.saturating_sub(lanes.begin),
        calls: lanes.all.iter().map(|lane| lane.calls.len() as u64).sum(),
        messages: matched.messages.len() as u64,
        unmatched: matched.unmatched,
        lost: lanes.lost,
        times: ranks.iter().map(|rank| rank.times).fold(TraceTimes::default(), timeline::plus),
        ranks,
        waits: waits.by_place(run, &lanes),
        pairs: waits.by_pair(&lanes),
        causes: causes::of_waits(run, &lanes, &waits),
        critical_path: causes::critical_path(run, &lanes, &waits),
        bins: timeline::BINS as u64,
        not_judged: waits.not_judged,
    })
}

fn span(begin: Nanoseconds, end: Nanoseconds) -> Nanoseconds {
    end.saturating_sub(begin)
}
