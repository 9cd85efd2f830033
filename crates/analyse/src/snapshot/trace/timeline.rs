//! What each rank did when: its time by state, in spans of equal length.

use numawise_facts::activity::{TracedCall, TracedKind};
use numawise_tables::snapshot::{EventSpan, SpanState, TraceTimes, TracedWorker};
use numawise_units::Nanoseconds;

use super::lanes::{Lane, Lanes};
use super::phases::Window;
use super::span;
use super::threads::Worker;
use super::waits::{Wait, Waits};

/// Spans of the whole.
const BINS: usize = 200;

/// What a rank does for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Useful,
    InCall,
    Waiting,
    Polling,
}

/// A part of a lane in one state; `call` is the number of the call, of useful time that of the call at its end.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    pub state: State,
    pub call: usize,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
}

/// The parts of a lane from a call on, one after the other. Useful time behind the last call has the number behind the last.
pub fn segments<'l>(lane: &'l Lane<'_>, waits: &'l Waits, from: usize) -> Segments<'l> {
    let before = from.checked_sub(1).and_then(|call| lane.calls.get(call));
    Segments {
        calls: lane.calls,
        waits: waits.of_lane_since(lane.number, from as u32),
        end: lane.end,
        call: from,
        since: before.map_or(lane.begin, |call| call.end),
        next: Next::Useful,
    }
}

/// See [`segments`].
pub struct Segments<'l> {
    calls: &'l [TracedCall],
    /// Of these calls and later ones.
    waits: &'l [Wait],
    end: Nanoseconds,
    call: usize,
    since: Nanoseconds,
    next: Next,
}

/// Which part of a call comes next.
#[derive(Clone, Copy)]
enum Next {
    /// The time before it.
    Useful,
    Waiting,
    InCall,
}

impl Segments<'_> {
    /// The next part, which may be empty; none behind the last.
    fn part(&mut self) -> Option<Segment> {
        let (number, since) = (self.call, self.since);
        let one = |state, end| Segment { state, call: number, begin: since, end };
        let Some(call) = self.calls.get(number) else {
            let is_behind = number == self.calls.len();
            self.call += 1;
            return is_behind.then(|| one(State::Useful, self.end.max(since)));
        };
        let segment = match self.next {
            Next::Useful => {
                self.next = Next::Waiting;
                one(State::Useful, call.entered().max(since))
            }
            Next::Waiting => {
                self.next = Next::InCall;
                let is_of_call = |wait: &&Wait| wait.call == number as u32;
                let wait = self.waits.first().filter(is_of_call);
                if wait.is_some() {
                    self.waits = self.waits.get(1..).unwrap_or_default();
                }
                match (call.kind, wait) {
                    (TracedKind::Polls { .. }, _) => one(State::Polling, call.end.max(since)),
                    (_, Some(wait)) => one(State::Waiting, wait.until.min(call.end).max(since)),
                    _ => one(State::Waiting, since),
                }
            }
            Next::InCall => {
                self.next = Next::Useful;
                self.call += 1;
                one(State::InCall, call.end.max(since))
            }
        };
        self.since = segment.end;
        Some(segment)
    }
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        loop {
            let segment = self.part()?;
            if segment.begin < segment.end {
                return Some(segment);
            }
        }
    }
}

fn add(times: &mut TraceTimes, doing: Doing, time: Nanoseconds) {
    let place = match doing {
        Doing::Called(State::InCall) => &mut times.in_calls,
        Doing::Called(State::Waiting) => &mut times.waiting,
        Doing::Called(State::Polling) => &mut times.polling,
        Doing::Called(State::Useful) | Doing::Outside(SpanState::Useful) => &mut times.useful,
        Doing::Outside(SpanState::Serial) => &mut times.serial,
        Doing::Outside(SpanState::Waiting) => &mut times.openmp_waiting,
        Doing::Outside(SpanState::Idle) => &mut times.idle,
    };
    *place = *place + time;
}

/// What a thread does: in a call, or outside of calls.
#[derive(Clone, Copy)]
enum Doing {
    Called(State),
    Outside(SpanState),
}

/// What a lane does in a window, piece by piece.
fn pieces(lane: &Lane<'_>, waits: &Waits, (from, to): Window, take: &mut impl FnMut(Doing, Window)) {
    let first = lane.calls.partition_point(|call| call.end <= from);
    for segment in segments(lane, waits, first).take_while(|segment| segment.begin < to) {
        let (begin, end) = (segment.begin.max(from), segment.end.min(to));
        match segment.state {
            _ if begin >= end => {}
            State::Useful => {
                let outside = lane.states.within(begin, end);
                outside.for_each(|part| take(Doing::Outside(part.state), (part.begin, part.end)));
            }
            state => take(Doing::Called(state), (begin, end)),
        }
    }
}

/// Adds what a lane did in a window.
pub fn add_asked(lane: &Lane<'_>, waits: &Waits, window: Window, times: &mut TraceTimes) {
    pieces(lane, waits, window, &mut |doing, (begin, end)| add(times, doing, span(begin, end)));
}

/// What a lane is in outside of its calls, from its begin to its end.
pub fn outside(lane: &Lane<'_>, waits: &Waits) -> Vec<EventSpan> {
    let useful = segments(lane, waits, 0).filter(|segment| segment.state == State::Useful);
    useful.flat_map(|segment| lane.states.within(segment.begin, segment.end)).collect()
}

/// Spans of equal length.
struct Bins {
    begins: Vec<Nanoseconds>,
}

impl Bins {
    fn of(lanes: &Lanes<'_>) -> Bins {
        let all = u128::from(span(lanes.begin, lanes.end).0.max(1));
        let begin = |bin: u128| Nanoseconds(lanes.begin.0 + (all * bin / BINS as u128) as u64);
        Bins { begins: (0..BINS as u128).map(begin).collect() }
    }

    fn put(&self, bins: &mut [TraceTimes], doing: Doing, (mut begin, end): Window) {
        let first = self.begins.partition_point(|from| *from <= begin).saturating_sub(1);
        for (bin, times) in bins.iter_mut().enumerate().skip(first) {
            let next = self.begins.get(bin + 1).map_or(end, |next| (*next).min(end));
            add(times, doing, next.saturating_sub(begin));
            begin = begin.max(next);
            if begin >= end {
                break;
            }
        }
    }
}

/// Of each lane that is shown, and of its workers.
pub fn of(lanes: &Lanes<'_>, waits: &Waits) -> Vec<(Vec<TraceTimes>, Vec<TracedWorker>)> {
    let all = Bins::of(lanes);
    let of_lane = |lane: &Lane<'_>| {
        let mut bins = vec![TraceTimes::default(); BINS];
        for window in lane.pieces(lanes, lane.begin, lane.end) {
            pieces(lane, waits, window, &mut |doing, piece| all.put(&mut bins, doing, piece));
        }
        let worker = |worker: &Worker| {
            let mut timeline = vec![TraceTimes::default(); BINS];
            for (begin, end) in lane.pieces(lanes, lane.begin, lane.end) {
                for part in worker.states.within(begin, end) {
                    all.put(&mut timeline, Doing::Outside(part.state), (part.begin, part.end));
                }
            }
            let times = timeline.iter().copied().sum();
            TracedWorker { number: worker.number, thread: worker.tid, times, timeline }
        };
        (bins, lanes.workers_of(lane.number).map(worker).collect())
    };
    lanes.shown().map(of_lane).collect()
}
