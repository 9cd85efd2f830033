//! What each rank did when: its time by state, in spans of equal length.

use numawise_facts::activity::{TracedCall, TracedKind};
use numawise_tables::snapshot::TraceTimes;
use numawise_units::Nanoseconds;

use super::lanes::{Lane, Lanes};
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

fn add(times: &mut TraceTimes, state: State, time: Nanoseconds) {
    let place = match state {
        State::Useful => &mut times.useful,
        State::InCall => &mut times.in_calls,
        State::Waiting => &mut times.waiting,
        State::Polling => &mut times.polling,
    };
    *place = *place + time;
}

/// Of each lane that is shown.
pub fn of(lanes: &Lanes<'_>, waits: &Waits) -> Vec<Vec<TraceTimes>> {
    let all = u128::from(lanes.end.saturating_sub(lanes.begin).0.max(1));
    let begins: Vec<Nanoseconds> =
        (0..BINS as u128).map(|bin| Nanoseconds(lanes.begin.0 + (all * bin / BINS as u128) as u64)).collect();
    let bin_of = |at: Nanoseconds| begins.partition_point(|begin| *begin <= at).saturating_sub(1);
    let of_lane = |lane: &Lane<'_>| {
        let mut bins = vec![TraceTimes::default(); BINS];
        let from = lane.calls.partition_point(|call| call.end <= lanes.begin);
        for segment in segments(lane, waits, from).take_while(|segment| segment.begin < lanes.end) {
            let Some((mut begin, end)) = lanes.clipped(segment.begin, segment.end) else { continue };
            for (bin, times) in bins.iter_mut().enumerate().skip(bin_of(begin)) {
                let next = begins.get(bin + 1).map_or(end, |next| (*next).min(end));
                add(times, segment.state, next.saturating_sub(begin));
                begin = begin.max(next);
                if begin >= end {
                    break;
                }
            }
        }
        bins
    };
    lanes.shown().map(of_lane).collect()
}
