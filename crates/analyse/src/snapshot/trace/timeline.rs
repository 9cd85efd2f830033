//! What each rank did when: its time by state, in spans of equal length.

use numawise_facts::activity::TracedKind;
use numawise_tables::snapshot::TraceTimes;
use numawise_units::Nanoseconds;

use super::lanes::{Lane, Lanes};
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

/// A part of a lane in one state; `call` is the number of the call, of useful time that of the call at its end.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    pub state: State,
    pub call: usize,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
}

/// The parts of a lane from a call on, one after the other. Useful time behind the last call has the number behind the last.
pub fn segments<'l>(
    lane: &'l Lane<'_>,
    waits: &'l Waits,
    from: usize,
) -> impl Iterator<Item = Segment> + use<'l> {
    let mut waits = waits.of_lane_since(lane.number, from as u32).iter().peekable();
    let before =
        from.checked_sub(1).and_then(|call| lane.calls.get(call)).map_or(lane.begin, |call| call.end);
    let mut since = before;
    let calls = lane.calls.iter().enumerate().skip(from).flat_map(move |(number, call)| {
        let begin = call.entered().max(since);
        let end = call.end.max(begin);
        let useful = Segment { state: State::Useful, call: number, begin: since, end: begin };
        since = end;
        let one = |state, begin, end| Segment { state, call: number, begin, end };
        let wait = waits.next_if(|wait| wait.call == number as u32);
        let inside = match (call.kind, wait) {
            (TracedKind::Polls { .. }, _) => [one(State::Polling, begin, end), one(State::InCall, end, end)],
            (_, Some(wait)) => {
                let until = wait.until.clamp(begin, end);
                [one(State::Waiting, begin, until), one(State::InCall, until, end)]
            }
            _ => [one(State::Waiting, begin, begin), one(State::InCall, begin, end)],
        };
        [useful, inside[0], inside[1]]
    });
    let last = lane.calls.last().map_or(lane.begin, |call| call.end);
    let behind =
        Segment { state: State::Useful, call: lane.calls.len(), begin: last, end: lane.end.max(last) };
    calls.chain([behind]).filter(|segment| segment.begin < segment.end)
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
