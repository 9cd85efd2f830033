//! The critical path: what the time of the run hangs on.
//!
//! Of slices it is found on the way: which path leads to each lane at the end of a slice follows from those at the end of the slice before it, and
//! of all these the one to the lane that ends last counts.

use std::collections::BTreeMap;

use numawise_facts::activity::FileOperation;
use numawise_tables::snapshot::PathPart;
use numawise_units::Nanoseconds;

use super::causes::{Doing, DoingState, by_file};
use super::lanes::{Lane, Lanes};
use super::phases::Window;
use super::teams::Team;
use super::timeline::{STATES, Segment, State, segments};
use super::waits::Waits;
use super::work::{Work, each_part};
use super::{MOST_ROWS, span};

const PATH_STATES: usize = STATES.len() + FileOperation::ALL.len();

/// By lane: how often, and how long.
type PathParts = BTreeMap<(u32, Doing), (u64, Nanoseconds)>;

/// The parts of the path to each lane, or to the one that counts.
#[derive(Default)]
pub struct CriticalPath(BTreeMap<u32, PathParts>);

impl CriticalPath {
    /// Goes on through a slice, or through all.
    pub fn add(&mut self, lanes: &Lanes<'_>, waits: &Waits) {
        let all = (Nanoseconds(0), Nanoseconds(u64::MAX));
        let (low, high) = lanes.slice.map_or(all, |slice| (slice.from, slice.to));
        let window = (low.max(lanes.begin), high.min(lanes.end));
        let is_last = lanes.all.iter().all(|lane| lane.counted.end.is_none());
        let last = lanes.all.iter().max_by_key(|lane| lane.end);
        let ends: Vec<&Lane<'_>> =
            if is_last { last.into_iter().collect() } else { lanes.all.iter().collect() };
        let before = std::mem::take(&mut self.0);
        for lane in ends {
            let (from, parts) = walk(lanes, waits, lane, window);
            let mut all = from.and_then(|from| before.get(&from)).cloned().unwrap_or_default();
            for (of, (times, time)) in parts {
                let part = all.entry(of).or_default();
                *part = (part.0 + times, part.1 + time);
            }
            self.0.insert(lane.number, all);
        }
    }

    /// The longest parts first.
    pub fn rows(self, lanes: &Lanes<'_>) -> Vec<PathPart> {
        let parts = self.0.into_values().next().unwrap_or_default();
        let mut parts: Vec<((u32, Doing), (u64, Nanoseconds))> = parts.into_iter().collect();
        parts.sort_by_cached_key(|(_, (_, time))| std::cmp::Reverse(*time));
        parts.truncate(MOST_ROWS);
        let shown = parts.into_iter().filter_map(|((lane, doing), (times, time))| {
            let lane = lanes.all.get(lane as usize)?;
            Some(PathPart {
                world: lane.numbered_world,
                rank: lane.rank,
                what: doing.shown(lanes),
                times,
                time,
            })
        });
        shown.collect()
    }
}

/// What lies in a window of a part that may begin before it: then it was counted there.
fn counted<'l>(
    (lanes, lane): (&'l Lanes<'_>, &'l Lane<'_>),
    (begin, end): Window,
    low: Nanoseconds,
) -> impl Iterator<Item = (u64, Nanoseconds)> + 'l {
    let was_counted = begin < low && lane.pieces(lanes, begin, low).next().is_some();
    let pieces = lane.pieces(lanes, begin.max(low), end).enumerate();
    pieces.map(move |(number, (begin, end))| (u64::from(number == 0 && !was_counted), span(begin, end)))
}

/// Backwards from the end of a window in a lane to its begin, and the lane where that is: over a wait to the rank that was waited for, at the moment at which it came.
fn walk<'l, 'a>(
    lanes: &'l Lanes<'a>,
    waits: &Waits,
    mut lane: &'l Lane<'a>,
    (low, high): Window,
) -> (Option<u32>, PathParts) {
    let mut sums: Vec<SiteSums> = vec![Vec::new(); lanes.all.len()];
    let mut parts = PathParts::new();
    let mut at = lane.end.min(high);
    // A path that does not get on: clocks that differ.
    let mut jumps = 0;
    // The call behind which the path cannot be, where it goes on in the lane.
    let mut last: Option<usize> = None;
    while at > lane.begin.max(low) && jumps <= lanes.all.len() {
        let call = match last.take() {
            Some(mut call) => {
                while call > 0 && lane.calls.get(call - 1).is_some_and(|call| call.begin >= at) {
                    call -= 1;
                }
                call
            }
            None => lane.calls.partition_point(|call| call.begin < at),
        };
        // The call that is in progress, or else the time behind the one before.
        let inside =
            call.checked_sub(1).filter(|call| lane.calls.get(*call).is_some_and(|call| call.end >= at));
        let from = inside.unwrap_or(call);
        let mut segment = None;
        segments(lane, waits, from, &mut |next| {
            let is_before = next.begin < at;
            if is_before {
                segment = Some(next);
            }
            is_before && next.end < at
        });
        let Some(segment) = segment else { break };
        let wait = waits.of_call(lane.number, segment.call as u32);
        if let Some(wait) = wait.filter(|_| segment.state == State::Waiting) {
            let Some(late) = lanes.all.get(wait.late.lane as usize) else { break };
            (lane, jumps) = (late, jumps + 1);
            continue;
        }
        (jumps, last) = (0, Some((segment.call + 1).min(lane.calls.len())));
        if let Some(team) = lanes.team(lane.number).filter(|_| segment.state == State::Useful) {
            let window = (segment.begin, at);
            each_part(team, lane, &segment, window, &mut |window, work| {
                through_team(
                    &mut parts,
                    lanes,
                    (lane, low),
                    (Doing::of(lane, &segment), team),
                    (window, work),
                );
            });
            at = segment.begin;
            continue;
        }
        if let Some(sums) = sums.get_mut(lane.number as usize) {
            add_segment(sums, lanes, (lane, low), &segment, at);
        }
        at = segment.begin;
    }
    add_sums(&mut parts, lanes, sums);
    // One that does not get on has no begin.
    ((at <= low || at <= lane.begin).then_some(lane.number), parts)
}

/// Of a lane, of each site and one behind them: by state, then in files by what that was for, how often and how long.
type SiteSums = Vec<[(u64, Nanoseconds); PATH_STATES]>;

/// Adds a part of a lane without regions of several threads, up to a moment.
fn add_segment(
    sums: &mut SiteSums,
    lanes: &Lanes<'_>,
    (lane, low): (&Lane<'_>, Nanoseconds),
    segment: &Segment,
    at: Nanoseconds,
) {
    if sums.is_empty() {
        sums.resize(lane.sites() + 1, Default::default());
    }
    let site = lane.calls.get(segment.call).map_or(lane.sites(), |call| call.site as usize);
    let mut add = |state: usize, window: Window| {
        let Some(part) = sums.get_mut(site).and_then(|of| of.get_mut(state)) else { return };
        for (times, time) in counted((lanes, lane), window, low) {
            *part = (part.0 + times, part.1 + time);
        }
    };
    if segment.state == State::Useful {
        lane.states.by_file((segment.begin, at), &mut |file, window| {
            add(file.map_or(State::Useful as usize, |of| STATES.len() + of as usize), window);
        });
    } else {
        add(segment.state as usize, (segment.begin, at));
    }
}

fn add_sums(parts: &mut PathParts, lanes: &Lanes<'_>, sums: Vec<SiteSums>) {
    for (lane, sums) in lanes.all.iter().zip(sums) {
        for (site, of_site) in (0..).zip(sums) {
            let place = (site < lane.sites()).then(|| lane.place_of(site as u32));
            let files = FileOperation::ALL.into_iter().map(DoingState::Files);
            let states = STATES.into_iter().map(DoingState::of).chain(files);
            for (state, (times, time)) in states.zip(of_site).filter(|(_, (_, time))| time.0 > 0) {
                let doing = Doing { state, place };
                let part = parts.entry((lane.number, doing)).or_default();
                *part = (part.0 + times, part.1 + time);
            }
        }
    }
}

/// Adds a part of the path outside of calls: of a region, each stage with the thread that came last.
fn through_team(
    parts: &mut PathParts,
    lanes: &Lanes<'_>,
    (lane, low): (&Lane<'_>, Nanoseconds),
    (doing, team): (Doing, &Team),
    ((begin, end), work): ((Nanoseconds, Nanoseconds), Work<'_>),
) {
    let mut add = |state: DoingState, begin: Nanoseconds, end: Nanoseconds| {
        for (times, time) in counted((lanes, lane), (begin, end), low) {
            let part = parts.entry((lane.number, Doing { state, ..doing })).or_default();
            *part = (part.0 + times, part.1 + time);
        }
    };
    let Work::Together(region) = work else {
        let state = DoingState::of_work(&work);
        return by_file(lane, state, (begin, end), &mut |state, (begin, end)| add(state, begin, end));
    };
    for stage in team.stages(region) {
        let state =
            stage.late.map_or(DoingState::Together(region.of), |thread| DoingState::Late(region.of, thread));
        add(state, stage.begin.max(begin), stage.end.min(end));
    }
}
