//! A trace for a viewer: any part of its timeline at once, in shares of states or call by call, whatever is fewer than a screen holds.

mod shares;
mod streams;
mod window;

use numawise_tables::snapshot::{AskedWindow, SHARES, SpanState, TraceEvents, TraceWindow};
use numawise_units::Nanoseconds;

use super::lanes::{Lane, Lanes};
use super::phases::Window;
use super::threads::Worker;
use super::timeline::{Doing, State, pieces};
use super::{Run, Traced, events, phase_tables, span};
use shares::{Columns, Stretch, Take, layout};
pub use streams::{StreamAt, StreamView, calls_at_edges};

/// Calls of a stretch.
const CALLS: usize = 1 << 16;
/// Calls and spans that are sent one by one: more than a screen has pixels from left to right for, in each of some rows.
const MOST_EVENTS: usize = 40_000;

/// A line of the timeline.
struct Row {
    of: RowOf,
    /// One behind the other, from its begin to its end.
    stretches: Vec<Stretch>,
}

#[derive(Clone, Copy)]
enum RowOf {
    Lane(u32),
    /// The lane of its rank, its place among the workers of that, and among all of them.
    Worker {
        lane: u32,
        nth: usize,
        place: usize,
    },
}

/// The number of a state, as of [`SHARES`].
fn number(of: Doing) -> usize {
    match of {
        Doing::Called(State::Useful) | Doing::Outside(SpanState::Useful) => 0,
        Doing::Outside(SpanState::Serial) => 1,
        Doing::Outside(SpanState::Waiting) => 2,
        Doing::Called(State::Waiting) => 3,
        Doing::Called(State::InCall) => 4,
        Doing::Called(State::Polling) => 5,
        Doing::Outside(SpanState::Idle) => 6,
    }
}

/// What is asked for, as far as it is there.
fn within(asked: AskedWindow, lanes: &Lanes<'_>, rows: usize) -> AskedWindow {
    let all = span(lanes.origin, lanes.end);
    let from = asked.from.min(all.saturating_sub(Nanoseconds(1)));
    let bottom = asked.bottom.min(rows as u32);
    let to = asked.to.min(all).max(from + Nanoseconds(1));
    AskedWindow { from, to, top: asked.top.min(bottom), bottom, ..asked }
}

/// What is asked for by the clock of the trace.
fn window(of: &AskedWindow, lanes: &Lanes<'_>) -> Window {
    (lanes.origin + of.from, lanes.origin + of.to)
}

/// What a stretch of a row has in a window, one by one; false where that is not known now.
type Exact<'e> = dyn FnMut((usize, usize), Window, &mut Take<'_>) -> bool + 'e;

/// The shares of all groups.
fn shares_of(
    rows: &[Row],
    of: &AskedWindow,
    (from, to): Window,
    exact: &mut Exact<'_>,
) -> (Vec<u32>, usize, Vec<u8>) {
    let (groups, width) = layout(of);
    let mut columns = Columns::of(from, to, width);
    let mut shares = Vec::with_capacity(groups.len() * width * SHARES);
    let ends = groups.iter().skip(1).copied().chain([of.bottom]);
    for (first, end) in groups.iter().zip(ends) {
        let members = *first as usize..end as usize;
        for (number, row) in rows.iter().enumerate().take(members.end).skip(members.start) {
            let before = row.stretches.partition_point(|stretch| stretch.end <= from);
            for (place, stretch) in row.stretches.iter().enumerate().skip(before) {
                if stretch.begin >= to {
                    break;
                }
                let asked = (stretch.begin.max(from), stretch.end.min(to));
                let is_known = !stretch.is_fine(columns.width)
                    && exact((number, place), asked, &mut |state, (begin, end)| {
                        columns.add(state, [begin.0 as f64, end.0 as f64], 1.0);
                    });
                if !is_known {
                    stretch.add_to(&mut columns);
                }
            }
        }
        columns.take(members.len(), &mut shares);
    }
    (groups, width, shares)
}

/// Lanes and workers without what they did.
fn nobody(lanes: &Lanes<'_>) -> TraceEvents {
    TraceEvents {
        span: span(lanes.origin, lanes.end),
        are_ranks: lanes.are_ranks,
        sites: lanes.places.to_vec(),
        lanes: lanes.all.iter().map(|lane| events::empty(lanes, lane)).collect(),
        constructs: lanes.constructs.to_vec(),
        ..TraceEvents::default()
    }
}

/// A trace of which everything is known.
pub struct TraceView<'a> {
    traced: Traced<'a>,
    rows: Vec<Row>,
    /// Of each lane, the calls that belong to a collective call, with its number.
    members: Vec<Vec<(u32, u32)>>,
}

impl<'a> TraceView<'a> {
    /// Nothing where no trace was made.
    pub fn of(run: Run<'a>) -> Option<TraceView<'a>> {
        let traced = Traced::of(run)?;
        let (mut rows, mut workers) = (Vec::new(), 0);
        for lane in &traced.lanes.all {
            rows.push(Row { of: RowOf::Lane(lane.number), stretches: stretches(&traced, lane) });
            for (nth, worker) in traced.lanes.workers_of(lane.number).enumerate() {
                let all = (lane.begin, lane.end);
                let items = worker.states.parts_within(lane.begin, lane.end);
                let stretch = Stretch::of(all, items, |take| {
                    let parts = worker.states.within(lane.begin, lane.end);
                    parts.for_each(|part| {
                        take(self::number(Doing::Outside(part.state)), (part.begin, part.end))
                    });
                });
                rows.push(Row {
                    of: RowOf::Worker { lane: lane.number, nth, place: workers },
                    stretches: vec![stretch],
                });
                workers += 1;
            }
        }
        let mut members = vec![Vec::new(); traced.lanes.all.len()];
        for (number, (_, calls)) in (0..).zip(traced.collectives.each()) {
            for at in calls {
                members.get_mut(at.lane as usize).into_iter().for_each(|of| of.push((at.call, number)));
            }
        }
        members.iter_mut().for_each(|of: &mut Vec<(u32, u32)>| of.sort_unstable());
        Some(TraceView { traced, rows, members })
    }

    /// All but calls, messages and spans: what numbers stand for, and the phases.
    pub fn names(&self) -> TraceEvents {
        let lanes = &self.traced.lanes;
        TraceEvents { phases: phase_tables::events(lanes), ..window::with_workers(lanes, nobody(lanes)) }
    }

    fn worker(&self, lane: u32, nth: usize) -> Option<&Worker> {
        self.traced.lanes.workers_of(lane).nth(nth)
    }

    /// A part of the timeline.
    pub fn window(&self, asked: AskedWindow) -> TraceWindow {
        let lanes = &self.traced.lanes;
        let of = within(asked, lanes, self.rows.len());
        let window = window(&of, lanes);
        let phases = || if of.with_phases { phase_tables::events(lanes) } else { Vec::new() };
        if let Some(events) = self.events_in(&of, window) {
            let events = TraceEvents { phases: phases(), ..events };
            return TraceWindow { of, groups: Vec::new(), shares: Vec::new(), events, is_rough: false };
        }
        let mut exact = |(row, _): (usize, usize), window: Window, take: &mut Take<'_>| {
            match self.rows.get(row).map(|row| row.of) {
                Some(RowOf::Lane(lane)) => {
                    let lane = lanes.all.get(lane as usize);
                    let mut take = |doing, piece| take(number(doing), piece);
                    lane.into_iter().for_each(|lane| pieces(lane, &self.traced.waits, window, &mut take));
                }
                Some(RowOf::Worker { lane, nth, .. }) => {
                    let parts = self.worker(lane, nth).map(|worker| worker.states.within(window.0, window.1));
                    let parts = parts.into_iter().flatten();
                    parts.for_each(|part| take(number(Doing::Outside(part.state)), (part.begin, part.end)));
                }
                None => {}
            }
            true
        };
        let (groups, columns, shares) = shares_of(&self.rows, &of, window, &mut exact);
        let of = AskedWindow { columns: columns as u32, ..of };
        let events = TraceEvents { phases: phases(), ..window::with_workers(lanes, nobody(lanes)) };
        TraceWindow { of, groups, shares, events, is_rough: false }
    }
}

/// Of a lane, so many calls each.
fn stretches(traced: &Traced<'_>, lane: &Lane<'_>) -> Vec<Stretch> {
    let count = lane.calls.len().div_ceil(CALLS).max(1);
    let begin = |stretch: usize| match (stretch, lane.calls.get(stretch * CALLS)) {
        (0, _) => lane.begin,
        (_, Some(call)) => call.begin.max(lane.begin),
        (_, None) => lane.end,
    };
    let one = |stretch: usize| {
        let window = (begin(stretch), begin(stretch + 1));
        let calls = lane.calls.len().saturating_sub(stretch * CALLS).min(CALLS);
        let items = calls + lane.states.parts_within(window.0, window.1);
        Stretch::of(window, items, |take| {
            pieces(lane, &traced.waits, window, &mut |doing, piece| take(number(doing), piece));
        })
    };
    (0..count).map(one).collect()
}
