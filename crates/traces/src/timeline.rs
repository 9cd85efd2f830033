//! What each rank did when: its time by state, in spans of equal length.

use numawise_facts::activity::TracedKind;
use numawise_tables::snapshot::{EventSpan, SpanState, TraceTimes, TracedWorker};
use numawise_units::Nanoseconds;

use super::lanes::{Lane, Lanes};
use super::phases::Window;
use super::span;
use super::threads::Worker;
use super::waits::Waits;

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

/// By their numbers.
pub const STATES: [State; 4] = [State::Useful, State::InCall, State::Waiting, State::Polling];

/// A part of a lane in one state; `call` is the number of the call, of useful time that of the call at its end.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    pub state: State,
    pub call: usize,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
}

/// The parts of a lane from a call on that are not empty, one after the other, until `take` wants no more. Useful time behind the last call has the
/// number behind the last.
pub fn segments(lane: &Lane<'_>, waits: &Waits, from: usize, take: &mut impl FnMut(Segment) -> bool) {
    let before = from.checked_sub(1).and_then(|call| lane.calls.get(call));
    let mut since = before.map_or(lane.begin, |call| call.end);
    let mut left = waits.of_lane_since(lane.number, from as u32);
    for (number, call) in lane.calls.iter().enumerate().skip(from) {
        let mut wait = None;
        if let Some((first, rest)) = left.split_first().filter(|(wait, _)| wait.call == number as u32) {
            (wait, left) = (Some(first), rest);
        }
        let entered = call.entered().max(since);
        let (state, until) = match (call.kind, wait) {
            (TracedKind::Polls { .. }, _) => (State::Polling, call.end.max(entered)),
            (_, Some(wait)) => (State::Waiting, wait.until.min(call.end).max(entered)),
            _ => (State::Waiting, entered),
        };
        let end = call.end.max(until);
        for (state, begin, end) in
            [(State::Useful, since, entered), (state, entered, until), (State::InCall, until, end)]
        {
            if begin < end && !take(Segment { state, call: number, begin, end }) {
                return;
            }
        }
        since = end;
    }
    if since < lane.end {
        take(Segment { state: State::Useful, call: lane.calls.len(), begin: since, end: lane.end });
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
        Doing::Outside(SpanState::Files(_)) => &mut times.in_files,
    };
    *place = *place + time;
}

/// What a thread does: in a call, or outside of calls.
#[derive(Clone, Copy)]
pub enum Doing {
    Called(State),
    Outside(SpanState),
}

/// What a lane does in a window, piece by piece.
pub fn pieces(
    lane: &Lane<'_>,
    waits: &Waits,
    (from, to): Window,
    take: &mut (impl FnMut(Doing, Window) + ?Sized),
) {
    let first = lane.calls.partition_point(|call| call.end <= from);
    segments(lane, waits, first, &mut |segment| {
        let (begin, end) = (segment.begin.max(from), segment.end.min(to));
        match segment.state {
            _ if begin >= end => {}
            State::Useful if lane.states.is_always_same() => {
                take(Doing::Outside(lane.states.outside()), (begin, end));
            }
            State::Useful => {
                let outside = lane.states.within(begin, end);
                outside.for_each(|part| take(Doing::Outside(part.state), (part.begin, part.end)));
            }
            state => take(Doing::Called(state), (begin, end)),
        }
        segment.begin < to
    });
}

/// Adds what a lane did in a window.
pub fn add_asked(lane: &Lane<'_>, waits: &Waits, (from, to): Window, times: &mut TraceTimes) {
    let (begin, end) = lane.own_time();
    let window = (from.max(begin), to.min(end));
    pieces(lane, waits, window, &mut |doing, (begin, end)| add(times, doing, span(begin, end)));
    found_later(lane, waits, &mut |begin, end| now_waiting(times, span(begin.max(from), end.min(to))));
}

/// What a lane is in outside of its calls, from its begin to its end, or in a slice.
pub fn outside(lane: &Lane<'_>, waits: &Waits) -> Vec<EventSpan> {
    outside_within(lane, waits, lane.own_time())
}

/// The parts of a lane that are counted in a slice, or all.
pub fn own_segments(lane: &Lane<'_>, waits: &Waits, take: &mut dyn FnMut(Segment)) {
    let own = lane.own();
    let end = own.end + usize::from(lane.counted.end.is_none());
    segments(lane, waits, own.start, &mut |segment| {
        let is_own = segment.call < end;
        if is_own {
            take(segment);
        }
        is_own
    });
}

/// The same in a window.
pub fn outside_within(lane: &Lane<'_>, waits: &Waits, (from, to): Window) -> Vec<EventSpan> {
    let mut all = Vec::new();
    let first = lane.calls.partition_point(|call| call.end <= from);
    segments(lane, waits, first, &mut |segment| {
        let (begin, end) = (segment.begin.max(from), segment.end.min(to));
        if segment.state == State::Useful && begin < end {
            all.extend(lane.states.within(begin, end));
        }
        segment.begin < to
    });
    all
}

/// Spans of equal length.
struct Bins {
    begins: Vec<Nanoseconds>,
    /// The one of the last piece: the next one is mostly there, too.
    last: usize,
}

impl Bins {
    fn of(lanes: &Lanes<'_>) -> Bins {
        let all = u128::from(span(lanes.begin, lanes.end).0.max(1));
        let begin = |bin: u128| Nanoseconds(lanes.begin.0 + (all * bin / BINS as u128) as u64);
        Bins { begins: (0..BINS as u128).map(begin).collect(), last: 0 }
    }

    /// Whether a bin begins at a moment or before.
    fn has_begun(&self, bin: usize, moment: Nanoseconds) -> bool {
        self.begins.get(bin).is_some_and(|begin| *begin <= moment)
    }

    fn put(&mut self, bins: &mut [TraceTimes], doing: Doing, window: Window) {
        self.each(bins, window, &mut |times, time| add(times, doing, time));
    }

    #[inline]
    fn each(
        &mut self,
        bins: &mut [TraceTimes],
        (mut begin, end): Window,
        take: &mut impl FnMut(&mut TraceTimes, Nanoseconds),
    ) {
        if !self.has_begun(self.last, begin) {
            self.last = 0;
        }
        while self.has_begun(self.last + 1, begin) {
            self.last += 1;
        }
        for (bin, times) in bins.iter_mut().enumerate().skip(self.last) {
            let next = self.begins.get(bin + 1).map_or(end, |next| (*next).min(end));
            take(times, next.saturating_sub(begin));
            begin = begin.max(next);
            if begin >= end {
                break;
            }
        }
    }
}

/// Adds what each lane that is shown did, as far as that is counted in a slice, or all.
pub fn add_to(lanes: &Lanes<'_>, waits: &Waits, timelines: &mut Vec<Vec<TraceTimes>>) {
    let mut all = Bins::of(lanes);
    timelines.resize(lanes.all.len(), Vec::new());
    for lane in lanes.shown() {
        let Some(bins) = timelines.get_mut(lane.number as usize) else { continue };
        bins.resize(BINS, TraceTimes::default());
        let (begin, end) = lane.own_time();
        for window in lane.pieces(lanes, begin, end) {
            pieces(lane, waits, window, &mut |doing, piece| all.put(bins, doing, piece));
        }
        found_later(lane, waits, &mut |begin, end| {
            for (begin, end) in lane.pieces(lanes, begin, end) {
                all.each(bins, (begin, end), &mut |times, time| now_waiting(times, time));
            }
        });
    }
}

/// What a slice finds to be waiting in calls that were counted before as not waiting.
fn found_later(lane: &Lane<'_>, waits: &Waits, take: &mut dyn FnMut(Nanoseconds, Nanoseconds)) {
    for wait in waits.of_lane(lane.number) {
        let number = wait.call as usize;
        let Some(call) = lane.calls.get(number).filter(|_| number < lane.own().start) else { break };
        if let Some(from) = lane.counts_from(number, call, wait.until) {
            take(from, wait.until.min(call.end));
        }
    }
}

fn now_waiting(times: &mut TraceTimes, time: Nanoseconds) {
    times.in_calls = times.in_calls.saturating_sub(time);
    times.waiting = times.waiting + time;
}

/// Of each lane that is shown, the workers.
pub fn workers(lanes: &Lanes<'_>) -> Vec<Vec<TracedWorker>> {
    let mut all = Bins::of(lanes);
    let of_lane = |lane: &Lane<'_>| {
        let mut worker = |worker: &Worker| {
            let mut timeline = vec![TraceTimes::default(); BINS];
            for (begin, end) in lane.pieces(lanes, lane.begin, lane.end) {
                for part in worker.states.within(begin, end) {
                    all.put(&mut timeline, Doing::Outside(part.state), (part.begin, part.end));
                }
            }
            let times = timeline.iter().copied().sum();
            TracedWorker { number: worker.number, thread: worker.tid, times, timeline }
        };
        lanes.workers_of(lane.number).map(&mut worker).collect()
    };
    lanes.shown().map(of_lane).collect()
}
