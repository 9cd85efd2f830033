//! Rows of a trace: what ranks did when, and those that are made of two lists.

use numawise_facts::Reading;
use numawise_tables::snapshot::{RunTrace, TraceTimes, TracedPhase, TracedRank, TracedWorker};
use numawise_units::Nanoseconds;

use super::super::trace::columns::{PHASES, TIMES};
use super::{Value, figure, known_seconds, read, text};

/// A row for each span of each rank.
pub fn timeline(of: &RunTrace) -> Vec<Vec<Value>> {
    let row = |rank: &TracedRank, thread: &Reading<i32>, (bin, times): (usize, &TraceTimes)| {
        let begin = u128::from(of.span.0) * bin as u128 / rank.timeline.len().max(1) as u128;
        let mut row = vec![
            text("rank", rank.rank.to_string()),
            read("thread", "", thread, i32::to_string),
            known_seconds("begin_seconds", Nanoseconds(begin as u64)),
        ];
        row.extend(figure::csv(TIMES, times));
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

/// Threads that call MPI are never idle.
pub fn phase(of: &TracedPhase) -> Vec<Value> {
    let mut row = figure::csv(PHASES, of);
    row.extend(figure::csv(TIMES, &of.spent).into_iter().filter(|cell| cell.name != "idle_seconds"));
    row
}

fn thread(of: &TracedRank) -> Reading<i32> {
    match of.thread {
        Some(thread) => Reading::Measured(thread),
        None => Reading::unavailable("one thread of the rank called MPI"),
    }
}
