//! Where threads waited in OpenMP, and its regions.

use numawise_facts::activity::SpanKind;
use numawise_tables::snapshot::{EventSpan, LongestThreadWait, SpanState, TracedConstruct};
use numawise_units::{Arrange, Nanoseconds};

use super::Run;
use super::lane_set::LaneSet;
use super::lanes::{Lane, Lanes};
use super::threads::{Region, ThreadStates};
use super::waits::Waits;
use super::{MOST_ROWS, span, timeline};

#[derive(Clone, Default)]
pub struct OfConstruct {
    regions: u64,
    time: Nanoseconds,
    waits: u64,
    waiting: Nanoseconds,
    longest: Option<LongestThreadWait>,
    lanes: LaneSet,
}

/// Adds what threads in MPI waited in a slice, or in all.
pub fn add_to(lanes: &Lanes<'_>, waits: &Waits, all: &mut Vec<OfConstruct>) {
    all.resize(lanes.constructs.len(), OfConstruct::default());
    for lane in lanes.shown() {
        // Of a thread without regions there is nothing to be said, and its useful time has as many parts as it has calls.
        let parts = if lane.states.is_always_same() { Vec::new() } else { timeline::outside(lane, waits) };
        add_waits(all, lanes, (lane, 0), parts);
    }
}

/// Those with most waiting first.
pub fn constructs(lanes: &Lanes<'_>, mut all: Vec<OfConstruct>) -> Vec<TracedConstruct> {
    for lane in lanes.shown() {
        add(&mut all, lanes, lane, (0, &lane.states), Vec::new());
        for worker in lanes.workers_of(lane.number) {
            let parts = worker.states.within(lane.begin, lane.end).collect();
            add(&mut all, lanes, lane, (worker.number, &worker.states), parts);
        }
    }
    let rows = all.into_iter().zip(lanes.constructs.iter()).filter(|(of, _)| of.regions > 0 || of.waits > 0);
    let row = |(of, (construct, place)): (OfConstruct, &super::threads::PlacedConstruct)| TracedConstruct {
        construct: *construct,
        place: place.clone(),
        regions: of.regions,
        time: of.time,
        waits: of.waits,
        waiting: of.waiting,
        longest: of.longest,
        ranks: of.lanes.ranks(lanes),
    };
    let mut rows: Vec<TracedConstruct> = rows.map(row).collect();
    rows.arrange_by_key(|row| (std::cmp::Reverse(row.waiting), std::cmp::Reverse(row.time)));
    rows.truncate(MOST_ROWS);
    rows
}

fn add(
    all: &mut [OfConstruct],
    lanes: &Lanes<'_>,
    lane: &Lane<'_>,
    (number, states): (u32, &ThreadStates),
    parts: Vec<EventSpan>,
) {
    for Region { begin, end, of, .. } in &states.regions {
        let Some(row) = all.get_mut(*of as usize) else { continue };
        for (piece, (begin, end)) in lane.pieces(lanes, *begin, *end).enumerate() {
            row.regions += u64::from(piece == 0);
            row.time = row.time + span(begin, end);
            row.lanes.insert(lane.number);
        }
    }
    add_waits(all, lanes, (lane, number), parts);
}

fn add_waits(
    all: &mut [OfConstruct],
    lanes: &Lanes<'_>,
    (lane, number): (&Lane<'_>, u32),
    parts: Vec<EventSpan>,
) {
    for part in parts.into_iter().filter(|part| part.state == SpanState::Waiting) {
        let Some(row) = part.of.and_then(|of| all.get_mut(of as usize)) else { continue };
        for (piece, (begin, end)) in lane.pieces(lanes, part.begin, part.end).enumerate() {
            let time = span(begin, end);
            row.waits += u64::from(piece == 0);
            row.waiting = row.waiting + time;
            row.lanes.insert(lane.number);
            if row.longest.is_none_or(|longest| longest.time < time) {
                let begin = span(lanes.origin, begin);
                row.longest = Some(LongestThreadWait { time, begin, rank: lane.rank, number });
            }
        }
    }
}

/// Ranks that use OpenMP and whose trace has nothing of it.
pub fn unseen(run: &Run<'_>, lanes: &Lanes<'_>) -> u64 {
    let is_unseen = |lane: &&Lane<'_>| {
        let Some(process) = run.processes.get(lane.process) else { return false };
        let is_told = |trace: &numawise_facts::activity::ThreadTrace| {
            trace.spans.iter().any(|span| !matches!(span.kind, SpanKind::Phase | SpanKind::File))
        };
        let mut threads = process.activity.threads.measured().into_iter().flatten();
        process.has_team && !threads.any(|thread| thread.trace.as_deref().is_some_and(is_told))
    };
    lanes.shown().filter(is_unseen).count() as u64
}
