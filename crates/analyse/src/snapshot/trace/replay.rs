//! The trace replayed: how long the run would have taken if something had been otherwise (as DIMEMAS does, with the times of the trace in the
//! place of a model of the network).
//!
//! Computing takes as long as it did, or as long as the question says. A call ends when what it needs of other ranks is there, and as long after
//! that as it did. It needs what the patterns of waiting say: the send of a message that it receives, the ranks of a collective call; a send needs
//! its receive only where it waited for it. Without a change, the replay gives the times of the trace.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::{MessageSide, TracedKind};
use numawise_tables::snapshot::{RankAsOthers, TraceChange, WaitKind, WhatIf};
use numawise_units::Nanoseconds;

use super::causes::Cause;
use super::collectives::{Collective, Collectives, Completion, Pattern};
use super::lanes::{At, Lane, Lanes};
use super::matching::Matched;
use super::span;
use super::waits::Waits;

/// Causes of waiting of which it is asked what the run would be without them.
const CAUSES: usize = 3;
/// Where the replay without a change differs by more from the trace, it says nothing.
const FAITHFUL: f64 = 0.01;

/// What the end of a call needs.
#[derive(Debug, Clone, Copy)]
enum Need {
    /// The begin of a call.
    Begin(At),
    /// The same of a receive, for a send that waited for it.
    Posted(At),
    /// The begin of all calls of a group.
    All(u32),
}

/// A call: the computing before it, and what it took when all that it needs was there.
#[derive(Debug, Clone, Copy)]
struct Step {
    computing: Nanoseconds,
    own: Nanoseconds,
    /// The number of its place, and how often its lane came there before.
    place: u32,
    visit: u32,
}

struct LaneSteps {
    begin: Nanoseconds,
    /// The last one is no call: what is behind them.
    steps: Vec<Step>,
    needs: Vec<(u32, Need)>,
    /// Its calls that others need as a group.
    member_of: Vec<(u32, u32)>,
}

/// How a replay differs from the trace.
trait Change {
    fn computing(&self, _lane: u32, step: &Step) -> Nanoseconds {
        step.computing
    }

    fn own(&self, _lane: u32, step: &Step) -> Nanoseconds {
        step.own
    }

    fn sends_need_receives(&self) -> bool {
        true
    }
}

struct Unchanged;

impl Change for Unchanged {}

/// Calls take only as long as they wait.
struct CallsInstant;

impl Change for CallsInstant {
    fn own(&self, _lane: u32, _step: &Step) -> Nanoseconds {
        Nanoseconds(0)
    }
}

/// No send waits.
struct ReceivesPosted;

impl Change for ReceivesPosted {
    fn sends_need_receives(&self) -> bool {
        false
    }
}

/// Computing before a place, by visit: its sum over lanes, and how many these are.
struct ComputingByPlace {
    visits: Vec<Vec<(Nanoseconds, u32)>>,
}

impl ComputingByPlace {
    fn of(lanes: &[LaneSteps], places: usize) -> ComputingByPlace {
        let mut visits: Vec<Vec<(Nanoseconds, u32)>> = vec![Vec::new(); places];
        for step in lanes.iter().flat_map(|lane| &lane.steps) {
            let Some(of_place) = visits.get_mut(step.place as usize) else { continue };
            // A lane comes there for the first time, then for the second: there is a place for each visit before the next.
            if of_place.len() <= step.visit as usize {
                of_place.resize(step.visit as usize + 1, (Nanoseconds(0), 0));
            }
            if let Some(sum) = of_place.get_mut(step.visit as usize) {
                *sum = (sum.0 + step.computing, sum.1 + 1);
            }
        }
        ComputingByPlace { visits }
    }

    fn of_visit(&self, step: &Step) -> (Nanoseconds, u32) {
        let of_place = self.visits.get(step.place as usize);
        of_place.and_then(|visits| visits.get(step.visit as usize)).copied().unwrap_or((step.computing, 1))
    }
}

/// Each time, all lanes that come to a place compute equally long.
struct ComputingEqual<'c>(&'c ComputingByPlace);

impl Change for ComputingEqual<'_> {
    fn computing(&self, _lane: u32, step: &Step) -> Nanoseconds {
        let (sum, lanes) = self.0.of_visit(step);
        Nanoseconds(sum.0 / u64::from(lanes.max(1)))
    }
}

/// One lane computes no longer before a place than the others do on average.
struct AsOthers<'c> {
    all: &'c ComputingByPlace,
    lane: u32,
    place: u32,
    /// Of it and of the others, over all visits; none: they never come there.
    mean: Option<Nanoseconds>,
    others: Option<Nanoseconds>,
}

impl<'c> AsOthers<'c> {
    fn of(all: &'c ComputingByPlace, lanes: &[LaneSteps], lane: u32, place: u32) -> AsOthers<'c> {
        let mean = |is_it: bool| {
            let of = lanes.iter().zip(0..).filter(|(_, number)| (*number == lane) == is_it);
            let steps = of.flat_map(|(of, _)| &of.steps).filter(|step| step.place == place);
            let (sum, visits) =
                steps.fold((0u64, 0u64), |(sum, visits), step| (sum + step.computing.0, visits + 1));
            sum.checked_div(visits).map(Nanoseconds)
        };
        AsOthers { all, lane, place, mean: mean(true), others: mean(false) }
    }
}

impl Change for AsOthers<'_> {
    fn computing(&self, lane: u32, step: &Step) -> Nanoseconds {
        if lane != self.lane || step.place != self.place {
            return step.computing;
        }
        let (sum, lanes) = self.all.of_visit(step);
        let others = lanes.checked_sub(1).filter(|others| *others > 0);
        let of_visit =
            others.map(|others| Nanoseconds(sum.saturating_sub(step.computing).0 / u64::from(others)));
        of_visit.or(self.others).unwrap_or_default().min(step.computing)
    }
}

struct Replay {
    lanes: Vec<LaneSteps>,
    /// How many calls each group has.
    groups: Vec<u32>,
}

/// Where a lane stands.
#[derive(Clone)]
struct Standing {
    step: usize,
    has_begun: bool,
    at: Nanoseconds,
    need: usize,
    member: usize,
}

/// A replay in progress.
struct Course<'r> {
    replay: &'r Replay,
    standing: Vec<Standing>,
    /// Of each lane, of each call that has begun.
    begins: Vec<Vec<Nanoseconds>>,
    /// How many calls of each group have not begun, and when the last one did.
    groups: Vec<(u32, Nanoseconds)>,
    /// Lanes that wait until a lane has begun so many calls, and those that wait for a group.
    waiting: Vec<Vec<(usize, u32)>>,
    waiting_for_group: BTreeMap<u32, Vec<u32>>,
    ready: Vec<u32>,
}

impl Replay {
    fn of(lanes: &Lanes<'_>, matched: &Matched, waits: &Waits, collectives: &Collectives) -> Replay {
        let mut needs: Vec<Vec<(u32, Need)>> = vec![Vec::new(); lanes.all.len()];
        let mut member_of: Vec<Vec<(u32, u32)>> = vec![Vec::new(); lanes.all.len()];
        let mut add = |at: At, need: Need| {
            needs.get_mut(at.lane as usize).into_iter().for_each(|of| of.push((at.call, need)));
        };
        for message in &matched.messages {
            add(message.receive, Need::Begin(message.send));
            // Polls in front of it found it.
            let poll = message.receive.call.checked_sub(1).map(|call| At { call, ..message.receive });
            let poll = poll.filter(|at| {
                let call = lanes.call(*at).map(|(_, call)| call);
                call.is_some_and(|call| {
                    matches!(call.kind, TracedKind::Polls { .. })
                        && call.entered() < message.sent
                        && message.sent <= call.end
                })
            });
            poll.into_iter().for_each(|at| add(at, Need::Begin(message.send)));
        }
        for lane in &lanes.all {
            for wait in waits.of_lane(lane.number) {
                let at = At { lane: lane.number, call: wait.call };
                match wait.kind {
                    WaitKind::LateReceiver => add(at, Need::Posted(call_at(lanes, wait.late, wait.until))),
                    // A probe has no message of its own.
                    WaitKind::LateSender if !receives(lane, wait.call) => add(at, Need::Begin(wait.late)),
                    _ => {}
                }
            }
        }
        let mut groups = Vec::new();
        for (number, (of, members)) in (0..).zip(collectives.each()) {
            for at in members {
                let of_lane = member_of.get_mut(at.lane as usize);
                of_lane.into_iter().for_each(|of| of.push((at.call, number)));
                let is_ended_elsewhere =
                    lanes.call(*at).and_then(|(lane, call)| lane.kind(call)).is_some_and(|kind| kind.begins);
                if !is_ended_elsewhere {
                    of_collective(of, number, *at).into_iter().for_each(|need| add(*at, need));
                }
            }
            groups.push((members.len() as u32, of.last));
        }
        for Completion { at, begun, of } in collectives.completions() {
            let need = collectives.get(*of).and_then(|one| of_collective(one, *of as u32, *begun));
            need.into_iter().for_each(|need| add(*at, need));
        }
        let moment = |need: Need| match need {
            Need::Begin(at) | Need::Posted(at) => lanes.call(at).map(|(_, call)| call.begin),
            Need::All(group) => {
                let (_, last) = groups.get(group as usize)?;
                lanes.call(*last).map(|(_, call)| call.begin)
            }
        };
        let places = lanes.places.len() as u32;
        let steps = lanes
            .all
            .iter()
            .zip(needs)
            .zip(member_of)
            .map(|((lane, needs), member_of)| LaneSteps::of(lane, needs, member_of, places, moment));
        Replay { lanes: steps.collect(), groups: groups.iter().map(|(calls, _)| *calls).collect() }
    }

    /// When the last lane ends, and nothing where lanes wait for one another in a circle.
    fn run(&self, change: &dyn Change) -> Option<Nanoseconds> {
        let lanes = self.lanes.len();
        let begin =
            |lane: &LaneSteps| Standing { step: 0, has_begun: false, at: lane.begin, need: 0, member: 0 };
        let mut course = Course {
            replay: self,
            standing: self.lanes.iter().map(begin).collect(),
            begins: self.lanes.iter().map(|lane| Vec::with_capacity(lane.steps.len())).collect(),
            groups: self.groups.iter().map(|calls| (*calls, Nanoseconds(0))).collect(),
            waiting: vec![Vec::new(); lanes],
            waiting_for_group: BTreeMap::new(),
            ready: (0..lanes as u32).rev().collect(),
        };
        while let Some(lane) = course.ready.pop() {
            course.advance(lane, change);
        }
        let is_over = |(standing, lane): (&Standing, &LaneSteps)| standing.step == lane.steps.len();
        if !course.standing.iter().zip(&self.lanes).all(is_over) {
            return None;
        }
        course.standing.iter().map(|standing| standing.at).max()
    }
}

impl LaneSteps {
    fn of(
        lane: &Lane<'_>,
        mut needs: Vec<(u32, Need)>,
        mut member_of: Vec<(u32, u32)>,
        behind: u32,
        moment: impl Fn(Need) -> Option<Nanoseconds>,
    ) -> LaneSteps {
        needs.sort_by_cached_key(|(call, _)| *call);
        member_of.sort_unstable();
        // What began behind the end of a call, as with clocks that differ, was not needed by it.
        needs.retain(|(call, need)| {
            let end = lane.calls.get(*call as usize).map(|call| call.end);
            end.zip(moment(*need)).is_some_and(|(end, moment)| moment <= end)
        });
        let mut visits = vec![0u32; behind as usize + 1];
        let mut next = needs.iter().peekable();
        let mut since = lane.begin;
        let mut steps = Vec::with_capacity(lane.calls.len() + 1);
        for (number, call) in (0..).zip(lane.calls) {
            let begin = call.entered().max(since);
            let mut until = begin;
            while let Some((_, need)) = next.next_if(|(of, _)| *of == number) {
                until = until.max(moment(*need).unwrap_or_default());
            }
            let place = lane.place_of(call.site);
            let end = call.end.max(begin);
            let visit =
                visits.get_mut(place as usize).map_or(0, |visits| std::mem::replace(visits, *visits + 1));
            steps.push(Step { computing: span(since, begin), own: span(until, end), place, visit });
            since = end;
        }
        let (none, all) = (Nanoseconds(0), span(since, lane.end));
        steps.push(Step { computing: all, own: none, place: behind, visit: 0 });
        LaneSteps { begin: lane.begin, steps, needs, member_of }
    }
}

impl Course<'_> {
    /// As far as it comes.
    fn advance(&mut self, lane: u32, change: &dyn Change) -> Option<()> {
        let place = lane as usize;
        let of = self.replay.lanes.get(place)?;
        loop {
            let number = self.standing.get(place)?.step;
            let step = of.steps.get(number)?;
            if !self.standing.get(place)?.has_begun {
                self.begin(lane, of, number, change.computing(lane, step))?;
            }
            while let Some((_, need)) =
                of.needs.get(self.standing.get(place)?.need).filter(|(call, _)| *call as usize == number)
            {
                let until = match *need {
                    Need::Posted(_) if !change.sends_need_receives() => Nanoseconds(0),
                    Need::Begin(at) | Need::Posted(at) => {
                        let begun = self.begins.get(at.lane as usize)?.get(at.call as usize).copied();
                        let Some(begun) = begun else {
                            self.waiting.get_mut(at.lane as usize)?.push((at.call as usize, lane));
                            return None;
                        };
                        begun
                    }
                    Need::All(group) => match self.groups.get(group as usize)? {
                        (0, last) => *last,
                        _ => {
                            self.waiting_for_group.entry(group).or_default().push(lane);
                            return None;
                        }
                    },
                };
                let standing = self.standing.get_mut(place)?;
                standing.at = standing.at.max(until);
                standing.need += 1;
            }
            let standing = self.standing.get_mut(place)?;
            standing.at = standing.at + change.own(lane, step);
            standing.step += 1;
            standing.has_begun = false;
        }
    }

    /// A lane begins a call.
    fn begin(&mut self, lane: u32, of: &LaneSteps, number: usize, computing: Nanoseconds) -> Option<()> {
        let standing = self.standing.get_mut(lane as usize)?;
        standing.at = standing.at + computing;
        standing.has_begun = true;
        let at = standing.at;
        self.begins.get_mut(lane as usize)?.push(at);
        while let Some((_, group)) =
            of.member_of.get(standing.member).filter(|(call, _)| *call as usize == number)
        {
            standing.member += 1;
            let (missing, last) = self.groups.get_mut(*group as usize)?;
            *missing = missing.saturating_sub(1);
            *last = (*last).max(at);
            if *missing == 0 {
                self.ready.extend(self.waiting_for_group.remove(group).unwrap_or_default());
            }
        }
        let ready = &mut self.ready;
        self.waiting.get_mut(lane as usize)?.retain(|(call, waits)| {
            let is_there = *call <= number;
            if is_there {
                ready.push(*waits);
            }
            !is_there
        });
        Some(())
    }
}

/// The call of a lane that began at a moment, else the one that is given.
fn call_at(lanes: &Lanes<'_>, at: At, begin: Nanoseconds) -> At {
    lanes.all.get(at.lane as usize).and_then(|lane| lane.call_at(begin)).unwrap_or(at)
}

/// What a rank needs that took part in a collective call with a call.
fn of_collective(of: &Collective, number: u32, begun: At) -> Option<Need> {
    match of.pattern {
        Pattern::All => Some(Need::All(number)),
        Pattern::FromRoot => of.root.filter(|root| *root != begun).map(Need::Begin),
        Pattern::ToRoot => (of.root == Some(begun)).then_some(Need::All(number)),
    }
}

fn receives(lane: &Lane<'_>, call: u32) -> bool {
    lane.messages(call as usize).iter().any(|message| message.end == MessageSide::Received)
}

/// How long the traced time would be after some changes.
pub fn what_if(
    lanes: &Lanes<'_>,
    matched: &Matched,
    waits: &Waits,
    collectives: &Collectives,
    causes: &[Cause],
) -> Reading<Vec<WhatIf>> {
    let first = lanes.all.first().map(|lane| lane.host);
    if !lanes.all.iter().all(|lane| Some(lane.host) == first) {
        return Reading::unavailable("the clocks of several computers differ");
    }
    let replay = Replay::of(lanes, matched, waits, collectives);
    let span_of = |end: Nanoseconds| span(lanes.origin, end);
    let Some(unchanged) = replay.run(&Unchanged) else {
        return Reading::unavailable("in the trace, ranks wait for one another in a circle");
    };
    let (traced, replayed) = (span(lanes.origin, lanes.end), span_of(unchanged));
    if replayed.0.abs_diff(traced.0) as f64 > FAITHFUL * traced.0 as f64 {
        return Reading::unavailable(format!(
            "the trace, replayed without a change, takes {replayed} and not {traced}"
        ));
    }
    let computing = ComputingByPlace::of(&replay.lanes, lanes.places.len() + 1);
    let mut all = Vec::new();
    let mut add = |change: TraceChange, end: Option<Nanoseconds>| {
        all.extend(end.map(|end| WhatIf { change, span: span_of(end) }));
    };
    add(TraceChange::ComputingEqual, replay.run(&ComputingEqual(&computing)));
    add(TraceChange::CallsInstant, replay.run(&CallsInstant));
    let sends_waited =
        |lane: &Lane<'_>| waits.of_lane(lane.number).iter().any(|wait| wait.kind == WaitKind::LateReceiver);
    if lanes.all.iter().any(sends_waited) {
        add(TraceChange::ReceivesPosted, replay.run(&ReceivesPosted));
    }
    let computed = causes.iter().take(CAUSES).filter_map(|cause| Some((cause, cause.computed_before?)));
    for (cause, place) in computed {
        let change = AsOthers::of(&computing, &replay.lanes, cause.lane, place);
        let end = replay.run(&change);
        add(
            TraceChange::RankAsOthers(RankAsOthers {
                world: cause.row.world,
                rank: cause.row.rank,
                to: lanes.places.get(place as usize).cloned(),
                mean: change.mean.unwrap_or_default(),
                others: change.others,
            }),
            end,
        );
    }
    all.sort_by_cached_key(|one| one.span);
    Reading::Measured(all)
}
