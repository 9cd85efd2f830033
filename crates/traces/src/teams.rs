//! Parallel regions in which threads of a rank work together: who came last to their barriers and to their end, and what lies between them.
//!
//! Regions that the thread opens which calls MPI, the outermost; a region in a region is a part of it. Of processes in which several threads call
//! MPI it is not known whose region a thread works in.

use numawise_facts::activity::ConstructName;
use numawise_facts::finding::RegionOrCall;
use numawise_tables::snapshot::SpanState;
use numawise_units::{Arrange, Nanoseconds};

use super::lanes::{Lane, Lanes};
use super::phases::Window;
use super::span;
use super::threads::{PlacedConstruct, Region, ThreadStates, Worker};
use super::timeline::Segment;

/// A region from its begin or a barrier to the next barrier or its end.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    /// The thread that came last, where one did: 0 calls MPI, others as [`Worker::number`].
    pub late: Option<u32>,
    /// How long after the last one of the others.
    pub alone: Nanoseconds,
    /// Of all threads, up to the end.
    pub waiting: Nanoseconds,
}

/// A region each time that it was open.
#[derive(Debug, Clone, Copy)]
pub struct Opened {
    pub of: u32,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub threads: u32,
    stages: (u32, u32),
}

/// What the threads of a rank do together.
#[derive(Debug, Default)]
pub struct Team {
    /// One after the other.
    pub opened: Vec<Opened>,
    stages: Vec<Stage>,
    /// The most that worked together; 0: they never did, as far as is known.
    pub threads: u32,
}

/// Where a part outside of regions begins or ends, by the numbers of places and constructs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// Of the lane.
    End,
    Call(u32),
    Region(u32),
}

impl Point {
    pub fn shown(self, lanes: &Lanes<'_>) -> Option<RegionOrCall> {
        Some(match self {
            Point::End => return None,
            Point::Call(place) => {
                let of = lanes.places.get(place as usize)?;
                RegionOrCall { call: Some(of.call.clone()), place: of.place.clone() }
            }
            Point::Region(of) => {
                RegionOrCall { call: None, place: lanes.constructs.get(of as usize)?.1.clone() }
            }
        })
    }
}

/// A part of what a rank does outside of calls.
#[derive(Clone, Copy)]
pub enum Work<'t> {
    Serial { after: Point, before: Point },
    Together(&'t Opened),
}

/// A wait for the others of a team: the thread by its place among them.
#[derive(Clone, Copy)]
struct TeamWait {
    begin: Nanoseconds,
    end: Nanoseconds,
    thread: u32,
}

fn is_for_all(name: ConstructName) -> bool {
    use ConstructName::{Barrier, Loop, Parallel, Sections, Single, Teams};
    matches!(name, Barrier | Loop | Parallel | Sections | Single | Teams)
}

impl Team {
    /// `is_alone`: no other thread of the process calls MPI.
    pub fn of<'w>(
        lane: &Lane<'_>,
        is_alone: bool,
        workers: impl Iterator<Item = &'w Worker>,
        constructs: &[PlacedConstruct],
    ) -> Team {
        let mut team = Team::default();
        if lane.states.is_always_same() || !is_alone {
            return team;
        }
        let threads: Vec<(u32, &ThreadStates)> = std::iter::once((0, &lane.states))
            .chain(workers.map(|worker| (worker.number, &worker.states)))
            .collect();
        let mut regions: Vec<Region> = lane.states.regions.iter().filter(|of| of.is_team).copied().collect();
        regions.arrange_by_key(|region| (region.begin, std::cmp::Reverse(region.end)));
        let mut at = lane.begin;
        for region in regions {
            if region.begin >= at && region.end <= lane.end {
                at = region.end;
                team.add(region, &threads, constructs);
            }
        }
        team
    }

    pub fn stages(&self, of: &Opened) -> &[Stage] {
        self.stages.get(of.stages.0 as usize..of.stages.1 as usize).unwrap_or_default()
    }

    fn add(&mut self, region: Region, threads: &[(u32, &ThreadStates)], constructs: &[PlacedConstruct]) {
        let (mut members, mut at_barriers, mut at_end) = (Vec::new(), Vec::new(), Vec::new());
        for (number, states) in threads {
            let (barriers, ends) = (at_barriers.len(), at_end.len());
            let mut is_member = false;
            for part in states.within(region.begin, region.end) {
                is_member |= part.of == Some(region.of);
                let name =
                    part.of.and_then(|of| constructs.get(of as usize)).map(|(construct, _)| *construct);
                if part.state != SpanState::Waiting || !name.is_some_and(is_for_all) {
                    continue;
                }
                let wait = TeamWait { begin: part.begin, end: part.end, thread: members.len() as u32 };
                match part.of == Some(region.of) {
                    true => at_end.push(wait),
                    false if states.is_in_inner(&region, &part) => {}
                    false => at_barriers.push(wait),
                }
            }
            if is_member {
                members.push(*number);
            } else {
                at_barriers.truncate(barriers);
                at_end.truncate(ends);
            }
        }
        let first = self.stages.len() as u32;
        at_barriers.arrange_by_key(|wait| wait.end);
        let (mut since, mut rest) = (region.begin, at_barriers.as_slice());
        // All who wait at a barrier are there when the first of them may go on.
        while let Some(free) = rest.first().map(|wait| wait.end) {
            let (here, later) =
                rest.split_at(rest.iter().take_while(|wait| wait.begin < free).count().max(1));
            self.stages.push(stage((since, free), &members, here));
            (since, rest) = (free, later);
        }
        at_end.retain(|wait| wait.begin >= since);
        self.stages.push(stage((since, region.end), &members, &at_end));
        let threads = members.len() as u32;
        if threads > 1 {
            self.threads = self.threads.max(threads);
        }
        let Region { begin, end, of, .. } = region;
        self.opened.push(Opened { of, begin, end, threads, stages: (first, self.stages.len() as u32) });
    }
}

/// A thread that waited more than once, doing tasks between, comes with its last wait.
fn stage((begin, end): Window, members: &[u32], waits: &[TeamWait]) -> Stage {
    let waiting = waits.iter().fold(Nanoseconds(0), |sum, wait| sum + span(wait.begin, wait.end.min(end)));
    let came = (0..).zip(members).map(|(thread, number)| {
        let waits = waits.iter().filter(|wait| wait.thread == thread && wait.end >= end);
        (waits.map(|wait| wait.begin).max().unwrap_or(end).min(end), *number)
    });
    let mut came: Vec<(Nanoseconds, u32)> = came.collect();
    came.sort_unstable();
    let (late, alone) = match came.as_slice() {
        [.., before, last] if before.0 < last.0 => (Some(last.1), span(before.0, last.0)),
        _ => (None, Nanoseconds(0)),
    };
    Stage { begin, end, late, alone, waiting }
}

/// What a rank does in a window of useful time before a call.
pub fn each_part<'t>(
    team: &'t Team,
    lane: &Lane<'_>,
    segment: &Segment,
    (begin, end): Window,
    take: &mut dyn FnMut(Window, Work<'t>),
) {
    let call = |number: Option<usize>| {
        let call = number.and_then(|number| lane.calls.get(number));
        call.map_or(Point::End, |call| Point::Call(lane.place_of(call.site)))
    };
    let (before, from) = team.opened.split_at(team.opened.partition_point(|region| region.end <= begin));
    let last = before.last().filter(|region| region.end > segment.begin);
    let mut after = last.map_or_else(|| call(segment.call.checked_sub(1)), |region| Point::Region(region.of));
    let mut at = begin;
    for region in from.iter().take_while(|region| region.begin < segment.end) {
        let before = Point::Region(region.of);
        if at < region.begin.min(end) {
            take((at, region.begin.min(end)), Work::Serial { after, before });
        }
        if region.begin >= end {
            return;
        }
        let inside = (region.begin.max(at), region.end.min(end));
        take(inside, Work::Together(region));
        (at, after) = (inside.1, before);
    }
    if at < end {
        take((at, end), Work::Serial { after, before: call(Some(segment.call)) });
    }
}
