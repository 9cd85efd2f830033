//! The critical path: the longest chain of computing and calls through the ranks, without waiting.

use std::collections::BTreeMap;

use numawise_facts::activity::FileOperation;
use numawise_tables::snapshot::PathPart;
use numawise_units::Nanoseconds;

use super::causes::{Doing, DoingState, by_file};
use super::lanes::{Lane, Lanes};
use super::phases::Window;
use super::teams::Team;
use super::timeline::{STATES, State, segments};
use super::waits::Waits;
use super::work::{Work, each_part};
use super::{MOST_ROWS, span};

const PATH_STATES: usize = STATES.len() + FileOperation::ALL.len();

/// Backwards from the rank that ends last, or from the end of the part that is asked for: over a wait to the rank that was waited for, at the moment at which it came.
pub fn critical_path(lanes: &Lanes<'_>, waits: &Waits) -> Vec<PathPart> {
    let mut sums: Vec<SiteSums> = vec![Vec::new(); lanes.all.len()];
    let mut parts = PathParts::new();
    let Some(mut lane) = lanes.all.iter().max_by_key(|lane| lane.end) else { return Vec::new() };
    let mut at = lane.end.min(lanes.end);
    // A path that does not get on: clocks that differ.
    let mut jumps = 0;
    // The call behind which the path cannot be, where it goes on in the lane.
    let mut last: Option<usize> = None;
    while at > lane.begin.max(lanes.begin) && jumps <= lanes.all.len() {
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
                through_team(&mut parts, lanes, lane, (Doing::of(lane, &segment), team), (window, work));
            });
            at = segment.begin;
            continue;
        }
        if let Some(sums) = sums.get_mut(lane.number as usize) {
            if sums.is_empty() {
                sums.resize(lane.sites() + 1, Default::default());
            }
            let site = lane.calls.get(segment.call).map_or(lane.sites(), |call| call.site as usize);
            let mut add = |state: usize, (begin, end): Window| {
                let Some(part) = sums.get_mut(site).and_then(|of| of.get_mut(state)) else { return };
                for (number, (begin, end)) in lane.pieces(lanes, begin, end).enumerate() {
                    *part = (part.0 + u64::from(number == 0), part.1 + span(begin, end));
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
        at = segment.begin;
    }
    add_sums(lanes, sums, &mut parts);
    shown_path(lanes, parts)
}

/// Of a lane, of each site and one behind them: by state, then in files by what that was for, how often and how long.
type SiteSums = Vec<[(u64, Nanoseconds); PATH_STATES]>;

fn add_sums(lanes: &Lanes<'_>, sums: Vec<SiteSums>, parts: &mut PathParts) {
    for (lane, sums) in lanes.all.iter().zip(sums) {
        for (site, of_site) in (0..).zip(sums) {
            let place = (site < lane.sites()).then(|| lane.place_of(site as u32));
            let files = FileOperation::ALL.into_iter().map(DoingState::Files);
            let states = STATES.into_iter().map(DoingState::of).chain(files);
            for (state, (times, time)) in states.zip(of_site).filter(|(_, (times, _))| *times > 0) {
                let doing = Doing { state, place };
                let part = parts.entry((lane.number, doing)).or_default();
                *part = (part.0 + times, part.1 + time);
            }
        }
    }
}

/// By lane: how often, and how long.
type PathParts = BTreeMap<(u32, Doing), (u64, Nanoseconds)>;

/// Adds a part of the path outside of calls: of a region, each stage with the thread that came last.
fn through_team(
    parts: &mut PathParts,
    lanes: &Lanes<'_>,
    lane: &Lane<'_>,
    (doing, team): (Doing, &Team),
    ((begin, end), work): ((Nanoseconds, Nanoseconds), Work<'_>),
) {
    let mut add = |state: DoingState, begin: Nanoseconds, end: Nanoseconds| {
        for (number, (begin, end)) in lane.pieces(lanes, begin, end).enumerate() {
            let part = parts.entry((lane.number, Doing { state, ..doing })).or_default();
            *part = (part.0 + u64::from(number == 0), part.1 + span(begin, end));
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

/// The longest first.
fn shown_path(lanes: &Lanes<'_>, parts: PathParts) -> Vec<PathPart> {
    let mut parts: Vec<((u32, Doing), (u64, Nanoseconds))> = parts.into_iter().collect();
    parts.sort_by_cached_key(|(_, (_, time))| std::cmp::Reverse(*time));
    parts.truncate(MOST_ROWS);
    let shown = parts.into_iter().filter_map(|((lane, doing), (times, time))| {
        let lane = lanes.all.get(lane as usize)?;
        Some(PathPart { world: lane.numbered_world, rank: lane.rank, what: doing.shown(lanes), times, time })
    });
    shown.collect()
}
