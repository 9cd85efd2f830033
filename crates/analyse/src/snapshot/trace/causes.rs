//! What a rank did while others waited for it; where it waited itself, what that one did for which it waited, and so on. And the critical path.

use std::collections::{BTreeMap, BTreeSet};

use numawise_tables::snapshot::{PathPart, RankActivity, WaitingCause};
use numawise_units::Nanoseconds;

use super::super::Run;
use super::lanes::{Lane, Lanes};
use super::timeline::{Segment, State, segments};
use super::waits::{ShownWait, Waits};
use super::{MOST_ROWS, span};

/// Ranks of a chain, beyond which it is not followed.
const LONGEST_CHAIN: u32 = 256;

/// What a lane did: its state, and the sites of the call before and of that itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Doing {
    lane: u32,
    state: u8,
    from: Option<u32>,
    to: Option<u32>,
}

const COMPUTED: u8 = 0;
const CALLED: u8 = 1;
const POLLED: u8 = 2;
const OUTSIDE: u8 = 3;

impl Doing {
    fn of(lane: &Lane<'_>, segment: &Segment) -> Doing {
        let site = |call: usize| lane.calls.get(call).map(|call| call.site);
        let before = segment.call.checked_sub(1).and_then(site);
        let to = site(segment.call);
        let (state, from) = match segment.state {
            // On the way to a call it does not matter from which.
            State::Useful => (COMPUTED, before.filter(|_| to.is_none())),
            State::Polling => (POLLED, None),
            State::InCall | State::Waiting => (CALLED, None),
        };
        Doing { lane: lane.number, state, from, to }
    }

    fn outside(lane: &Lane<'_>) -> Doing {
        Doing { lane: lane.number, state: OUTSIDE, from: None, to: None }
    }

    fn shown<'a>(self, run: &Run<'a>, lanes: &Lanes<'a>) -> Option<(u32, RankActivity)> {
        let lane = lanes.all.get(self.lane as usize)?;
        let at = |site: Option<u32>| site.map(|site| lane.place(run, site));
        let what = match self.state {
            COMPUTED => RankActivity::Computed { from: at(self.from), to: at(self.to) },
            CALLED => RankActivity::Called(at(self.to)?),
            POLLED => RankActivity::Polled(at(self.to)?),
            _ => RankActivity::Outside,
        };
        Some((lane.rank, what))
    }
}

#[derive(Default)]
struct Cause {
    waiting: Nanoseconds,
    through_others: Nanoseconds,
    ranks: BTreeSet<u32>,
}

struct Follower<'r, 'l, 'a> {
    lanes: &'l Lanes<'a>,
    waits: &'r Waits,
    causes: BTreeMap<Doing, Cause>,
}

impl Follower<'_, '_, '_> {
    /// Who waits waited for `late` from `begin` to `end`.
    fn follow(&mut self, waits: u32, late: u32, (begin, end): (Nanoseconds, Nanoseconds), depth: u32) {
        let lanes = self.lanes;
        let Some(lane) = lanes.all.get(late as usize) else { return };
        if begin < lane.begin {
            self.add(waits, Doing::outside(lane), span(begin, end.min(lane.begin)), depth);
        }
        let from = lane.calls.partition_point(|call| call.end <= begin);
        let until = end;
        for segment in segments(lane, self.waits, from) {
            let (begin, end) = (segment.begin.max(begin), segment.end.min(until));
            if segment.begin >= until {
                break;
            }
            if begin >= end {
                continue;
            }
            let wait = self.waits.of_call(late, segment.call as u32);
            match wait.filter(|_| segment.state == State::Waiting && depth < LONGEST_CHAIN) {
                Some(wait) => self.follow(waits, wait.late.lane, (begin, end), depth + 1),
                None => self.add(waits, Doing::of(lane, &segment), span(begin, end), depth),
            }
        }
        if end > lane.end {
            self.add(waits, Doing::outside(lane), span(begin.max(lane.end), end), depth);
        }
    }

    fn add(&mut self, waits: u32, doing: Doing, time: Nanoseconds, depth: u32) {
        let cause = self.causes.entry(doing).or_default();
        cause.waiting = cause.waiting + time;
        if depth > 0 {
            cause.through_others = cause.through_others + time;
        }
        cause.ranks.insert(waits);
    }
}

pub fn of_waits<'a>(run: &Run<'a>, lanes: &Lanes<'a>, waits: &Waits) -> Vec<WaitingCause> {
    let mut follower = Follower { lanes, waits, causes: BTreeMap::new() };
    for ShownWait { lane, wait, begin, end, .. } in waits.each(lanes) {
        follower.follow(lane.number, wait.late.lane, (begin, end), 0);
    }
    let mut causes: Vec<(Doing, Cause)> = follower.causes.into_iter().collect();
    causes.sort_by_key(|(_, cause)| std::cmp::Reverse(cause.waiting));
    causes.truncate(MOST_ROWS);
    let shown = causes.into_iter().filter_map(|(doing, cause)| {
        let (rank, what) = doing.shown(run, lanes)?;
        let waiting_ranks = cause.ranks.len() as u64;
        Some(WaitingCause {
            rank,
            what,
            waiting: cause.waiting,
            waiting_ranks,
            through_others: cause.through_others,
        })
    });
    shown.collect()
}

/// Backwards from the rank that ends last, or from the end of the part that is asked for: over a wait to the rank that was waited for, at the moment at which it came.
pub fn critical_path<'a>(run: &Run<'a>, lanes: &Lanes<'a>, waits: &Waits) -> Vec<PathPart> {
    let mut parts: BTreeMap<Doing, (u64, Nanoseconds)> = BTreeMap::new();
    let Some(mut lane) = lanes.all.iter().max_by_key(|lane| lane.end) else { return Vec::new() };
    let mut at = lane.end.min(lanes.end);
    // A path that does not get on: clocks that differ.
    let mut jumps = 0;
    while at > lane.begin.max(lanes.begin) && jumps <= lanes.all.len() {
        let call = lane.calls.partition_point(|call| call.begin < at);
        // The call that is in progress, or else the time behind the one before.
        let inside =
            call.checked_sub(1).filter(|call| lane.calls.get(*call).is_some_and(|call| call.end >= at));
        let from = inside.unwrap_or(call);
        let segment = segments(lane, waits, from).take_while(|segment| segment.begin < at).last();
        let Some(segment) = segment else { break };
        let wait = waits.of_call(lane.number, segment.call as u32);
        if let Some(wait) = wait.filter(|_| segment.state == State::Waiting) {
            let Some(late) = lanes.all.get(wait.late.lane as usize) else { break };
            (lane, jumps) = (late, jumps + 1);
            continue;
        }
        jumps = 0;
        let part = parts.entry(Doing::of(lane, &segment)).or_default();
        *part = (part.0 + 1, part.1 + span(segment.begin.max(lanes.begin), at));
        at = segment.begin;
    }
    let mut parts: Vec<(Doing, (u64, Nanoseconds))> = parts.into_iter().collect();
    parts.sort_by_key(|(_, (_, time))| std::cmp::Reverse(*time));
    parts.truncate(MOST_ROWS);
    let shown = parts.into_iter().filter_map(|(doing, (times, time))| {
        let (rank, what) = doing.shown(run, lanes)?;
        Some(PathPart { rank, what, times, time })
    });
    shown.collect()
}
