//! The trace replayed: how long the run would have taken if something had been otherwise (as DIMEMAS does, with the times of the trace in the
//! place of a model of the network).
//!
//! Computing takes as long as it did, or as long as the question says. A call ends when what it needs of other ranks is there, and as long after
//! that as it did. It needs what the patterns of waiting say: the send of a message that it receives, the ranks of a collective call; a send needs
//! its receive only where it waited for it. Without a change, the replay gives the times of the trace.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::{MessageSide, TracedCall, TracedKind};
use numawise_tables::snapshot::{RankAsOthers, TraceChange, WaitKind, WhatIf};
use numawise_units::Nanoseconds;

use super::both::both;
use super::causes::Cause;
use super::collectives::{Collectives, Part};
use super::equal_threads::{self, Shorter};
use super::lanes::{At, Lane, Lanes};
use super::matching::Matched;
use super::needs::Pattern;
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
    /// The number of its place, with [`MAY_WAIT`], and how often its lane came there before.
    place_and_wait: u32,
    visit: u32,
}

/// Its waiting is not known, so that it is a part of its own time.
const MAY_WAIT: u32 = 1 << 31;

impl Step {
    fn place(&self) -> u32 {
        self.place_and_wait & !MAY_WAIT
    }

    fn may_wait(&self) -> bool {
        self.place_and_wait & MAY_WAIT != 0
    }
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
enum Change<'c> {
    Unchanged,
    ComputingEqual(ComputingEqual<'c>),
    /// Calls take only as long as they wait, as far as that is known.
    CallsInstant,
    /// No send waits.
    ReceivesPosted,
    AsOthers(AsOthers<'c>),
    Shorter(Shorter),
}

impl Change<'_> {
    fn computing(&self, lane: u32, number: usize, step: &Step) -> Nanoseconds {
        match self {
            Change::Shorter(of) => of.computing(lane, number, step.computing),
            Change::ComputingEqual(of) => of.computing(lane, step),
            Change::AsOthers(of) => of.computing(lane, step),
            Change::Unchanged | Change::CallsInstant | Change::ReceivesPosted => step.computing,
        }
    }

    fn own(&self, step: &Step) -> Nanoseconds {
        match self {
            Change::CallsInstant if !step.may_wait() => Nanoseconds(0),
            _ => step.own,
        }
    }
}

/// Computing of a lane before a place: its sum, and how often it came there.
#[derive(Debug, Clone, Copy, Default)]
struct OfLane {
    sum: Nanoseconds,
    visits: u64,
}

/// Computing before the calls of a place.
#[derive(Default)]
struct OfPlace {
    /// Of the lanes that come there: number, and what it computes there.
    lanes: Vec<(u32, OfLane)>,
    /// By visit, the sum over lanes, where all come as often; else none.
    visits: Vec<Nanoseconds>,
}

impl OfPlace {
    fn of_lane(&self, lane: u32) -> OfLane {
        let place = self.lanes.binary_search_by_key(&lane, |(lane, _)| *lane).ok();
        place.and_then(|place| self.lanes.get(place)).map_or_else(OfLane::default, |(_, of)| *of)
    }

    fn sum(&self) -> u128 {
        self.lanes.iter().map(|(_, of)| u128::from(of.sum.0)).sum()
    }
}

/// Computing before each place.
struct ComputingByPlace {
    places: Vec<OfPlace>,
}

impl ComputingByPlace {
    fn of(lanes: &[LaneSteps], places: usize) -> ComputingByPlace {
        let mut all: Vec<OfPlace> = Vec::new();
        all.resize_with(places, OfPlace::default);
        for (number, step) in
            (0..).zip(lanes).flat_map(|(number, lane)| lane.steps.iter().map(move |step| (number, step)))
        {
            let Some(of) = all.get_mut(step.place() as usize) else { continue };
            if of.lanes.last().is_none_or(|(last, _)| *last != number) {
                of.lanes.push((number, OfLane::default()));
            }
            if let Some((_, of)) = of.lanes.last_mut() {
                *of = OfLane { sum: of.sum + step.computing, visits: of.visits + 1 };
            }
        }
        for of in &mut all {
            let visits = of.lanes.first().map_or(0, |(_, of)| of.visits);
            if of.lanes.iter().all(|(_, of)| of.visits == visits) {
                of.visits = vec![Nanoseconds(0); visits as usize];
            }
        }
        for step in lanes.iter().flat_map(|lane| &lane.steps) {
            let of = all.get_mut(step.place() as usize);
            let sum = of.and_then(|of| of.visits.get_mut(step.visit as usize));
            sum.into_iter().for_each(|sum| *sum = *sum + step.computing);
        }
        ComputingByPlace { places: all }
    }

    /// Of a place to which a step comes, how many lanes come there, and the sum of their computing for this visit, where all come as often.
    fn of_step(&self, step: &Step) -> Option<(&OfPlace, u64, Option<Nanoseconds>)> {
        let of = self.places.get(step.place() as usize)?;
        Some((of, of.lanes.len() as u64, of.visits.get(step.visit as usize).copied()))
    }
}

/// `time` as much longer as `to` is than `from`.
fn scaled(time: Nanoseconds, to: f64, from: Nanoseconds) -> Nanoseconds {
    if from.0 == 0 { time } else { Nanoseconds::from_seconds(time.seconds() * (to / from.0 as f64)) }
}

/// All lanes that come to a place compute equally long before it: each time, or, where one comes there more often than another, in all.
struct ComputingEqual<'c>(&'c ComputingByPlace);

impl ComputingEqual<'_> {
    fn computing(&self, lane: u32, step: &Step) -> Nanoseconds {
        match self.0.of_step(step) {
            Some((_, lanes, Some(sum))) => Nanoseconds(sum.0 / lanes.max(1)),
            Some((of, lanes, None)) => {
                scaled(step.computing, of.sum() as f64 / lanes.max(1) as f64, of.of_lane(lane).sum)
            }
            None => step.computing,
        }
    }
}

/// One lane computes no longer before a place than the others do on average.
struct AsOthers<'c> {
    all: &'c ComputingByPlace,
    lane: u32,
    place: u32,
    /// In all, of it, and of the others on average; none: they never come there.
    own: Nanoseconds,
    others: Option<Nanoseconds>,
}

impl<'c> AsOthers<'c> {
    fn of(all: &'c ComputingByPlace, lane: u32, place: u32) -> AsOthers<'c> {
        let of = all.places.get(place as usize);
        let own = of.map(|of| of.of_lane(lane).sum).unwrap_or_default();
        let others = of.and_then(|of| {
            let others = of.sum().saturating_sub(own.0.into());
            let mean = others.checked_div((of.lanes.len() as u128).saturating_sub(1))?;
            Some(Nanoseconds(u64::try_from(mean).unwrap_or(u64::MAX)))
        });
        AsOthers { all, lane, place, own, others }
    }
}

impl AsOthers<'_> {
    fn computing(&self, lane: u32, step: &Step) -> Nanoseconds {
        if lane != self.lane || step.place() != self.place {
            return step.computing;
        }
        let Some(others) = self.others else { return Nanoseconds(0) };
        let changed = match self.all.of_step(step) {
            Some((_, lanes, Some(sum))) if lanes > 1 => {
                Nanoseconds(sum.saturating_sub(step.computing).0 / (lanes - 1))
            }
            _ => scaled(step.computing, others.0 as f64, self.own),
        };
        changed.min(step.computing)
    }
}

struct Replay {
    lanes: Vec<LaneSteps>,
    /// How many calls each group has.
    groups: Vec<u32>,
}

/// Where a lane stands: in a step that it has begun where [`Course::begins`] has it.
#[derive(Clone, Copy)]
struct Standing {
    step: usize,
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
            let poll = polls_before(lanes, message.receive, message.sent);
            poll.into_iter().for_each(|at| add(at, Need::Begin(message.send)));
        }
        for lane in &lanes.all {
            for wait in waits.of_lane(lane.number) {
                let at = At { lane: lane.number, call: wait.call };
                match wait.kind {
                    WaitKind::LateReceiver => {
                        // The call that asked for it, where that is another one.
                        let receiver = lanes.all.get(wait.late.lane as usize);
                        let posted = receiver.and_then(|lane| lane.call_at(wait.until));
                        add(at, Need::Posted(posted.unwrap_or(wait.late)));
                    }
                    WaitKind::LatePost | WaitKind::LateComplete | WaitKind::LockContention => {
                        add(at, Need::Begin(wait.late))
                    }
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
            }
            groups.push((members.len() as u32, of.last));
        }
        for part in collectives.parts(lanes) {
            let Part { of, number, begun, waits, own } = part;
            let Some((late, (_, call))) = part.late().and_then(|late| Some((late, lanes.call(late)?))) else {
                continue;
            };
            let need = match of.pattern {
                Pattern::All | Pattern::ToRoot if own.is_none() => Need::All(number as u32),
                _ => Need::Begin(late),
            };
            own.into_iter().flatten().filter(|at| **at != late).for_each(|at| add(waits, Need::Begin(*at)));
            add(waits, need);
            let poll = polls_before(lanes, waits, call.begin).filter(|_| waits != begun);
            poll.into_iter().for_each(|at| add(at, need));
        }
        let moment = |need: Need| match need {
            Need::Begin(at) | Need::Posted(at) => lanes.call(at).map(|(_, call)| call.begin),
            Need::All(group) => {
                let (_, last) = groups.get(group as usize)?;
                lanes.call(*last).map(|(_, call)| call.begin)
            }
        };
        let places = lanes.places.len() as u32;
        let steps =
            lanes.all.iter().zip(needs).zip(member_of).map(|((lane, needs), member_of)| {
                LaneSteps::of((lane, waits), needs, member_of, places, moment)
            });
        Replay { lanes: steps.collect(), groups: groups.iter().map(|(calls, _)| *calls).collect() }
    }

    /// When the last lane ends, and nothing where lanes wait for one another in a circle.
    fn run(&self, change: &Change<'_>) -> Option<Nanoseconds> {
        let lanes = self.lanes.len();
        let begin = |lane: &LaneSteps| Standing { step: 0, at: lane.begin, need: 0, member: 0 };
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
        (lane, waits): (&Lane<'_>, &Waits),
        mut needs: Vec<(u32, Need)>,
        mut member_of: Vec<(u32, u32)>,
        behind: u32,
        moment: impl Fn(Need) -> Option<Nanoseconds>,
    ) -> LaneSteps {
        // Up to three sorted ones behind one another.
        needs.sort_by_key(|(call, _)| *call);
        member_of.sort_unstable();
        let mut visits = vec![0u32; behind as usize + 1];
        let (mut next, mut kept) = (0, 0);
        let mut unknown = waits.not_judged_of(lane.number).peekable();
        let mut since = lane.begin;
        let mut steps = Vec::with_capacity(lane.calls.len() + 1);
        for (number, call) in (0..).zip(lane.calls) {
            let begin = call.entered().max(since);
            let mut until = begin;
            while let Some(need) = needs.get(next).copied().filter(|(of, _)| *of == number) {
                next += 1;
                // What began behind the end of a call, as with clocks that differ, was not needed by it.
                let Some(moment) = moment(need.1).filter(|moment| *moment <= call.end) else { continue };
                until = until.max(moment);
                needs.get_mut(kept).into_iter().for_each(|place| *place = need);
                kept += 1;
            }
            let place = lane.place_of(call.site);
            let end = call.end.max(begin);
            let visit =
                visits.get_mut(place as usize).map_or(0, |visits| std::mem::replace(visits, *visits + 1));
            let wait = unknown.next_if(|of| *of == number).map_or(0, |_| MAY_WAIT);
            let (computing, own) = (span(since, begin), span(until, end));
            steps.push(Step { computing, own, place_and_wait: place | wait, visit });
            since = end;
        }
        needs.truncate(kept);
        let (none, all) = (Nanoseconds(0), span(since, lane.end));
        steps.push(Step { computing: all, own: none, place_and_wait: behind, visit: 0 });
        LaneSteps { begin: lane.begin, steps, needs, member_of }
    }
}

impl Course<'_> {
    /// As far as it comes.
    fn advance(&mut self, lane: u32, change: &Change<'_>) -> Option<()> {
        let place = lane as usize;
        let of = self.replay.lanes.get(place)?;
        let mut standing = *self.standing.get(place)?;
        // Its own calls may need one another, too.
        let mut begins = std::mem::take(self.begins.get_mut(place)?);
        while let Some(step) = of.steps.get(standing.step) {
            if begins.len() == standing.step {
                standing.at = standing.at + change.computing(lane, standing.step, step);
                begins.push(standing.at);
                self.begun(lane, of, &mut standing);
            }
            if !self.has_all(lane, of, &mut standing, &begins, change) {
                break;
            }
            standing.at = standing.at + change.own(step);
            standing.step += 1;
        }
        *self.begins.get_mut(place)? = begins;
        *self.standing.get_mut(place)? = standing;
        Some(())
    }

    /// Whether all is there that the call needs in which a lane stands; else the lane goes on when the next is.
    fn has_all(
        &mut self,
        lane: u32,
        of: &LaneSteps,
        standing: &mut Standing,
        own: &[Nanoseconds],
        change: &Change<'_>,
    ) -> bool {
        while let Some((call, need)) = of.needs.get(standing.need) {
            if *call as usize != standing.step {
                break;
            }
            let until = match *need {
                Need::Posted(_) if matches!(change, Change::ReceivesPosted) => Nanoseconds(0),
                Need::Begin(at) | Need::Posted(at) => {
                    let other = self.begins.get(at.lane as usize).map_or(&[][..], Vec::as_slice);
                    let begins = if at.lane == lane { own } else { other };
                    let Some(begun) = begins.get(at.call as usize) else {
                        let waiting = self.waiting.get_mut(at.lane as usize);
                        waiting.into_iter().for_each(|waiting| waiting.push((at.call as usize, lane)));
                        return false;
                    };
                    *begun
                }
                Need::All(group) => match self.groups.get(group as usize) {
                    Some((0, last)) => *last,
                    _ => {
                        self.waiting_for_group.entry(group).or_default().push(lane);
                        return false;
                    }
                },
            };
            standing.at = standing.at.max(until);
            standing.need += 1;
        }
        true
    }

    /// A lane has begun the call in which it stands.
    fn begun(&mut self, lane: u32, of: &LaneSteps, standing: &mut Standing) {
        let number = standing.step;
        while let Some((call, group)) = of.member_of.get(standing.member) {
            if *call as usize != number {
                break;
            }
            standing.member += 1;
            let Some((missing, last)) = self.groups.get_mut(*group as usize) else { continue };
            *missing = missing.saturating_sub(1);
            *last = (*last).max(standing.at);
            if *missing == 0 {
                self.ready.extend(self.waiting_for_group.remove(group).unwrap_or_default());
            }
        }
        let Some(waiting) = self.waiting.get_mut(lane as usize).filter(|waiting| !waiting.is_empty()) else {
            return;
        };
        let ready = &mut self.ready;
        waiting.retain(|(call, waits)| {
            let is_there = *call <= number;
            if is_there {
                ready.push(*waits);
            }
            !is_there
        });
    }
}

/// Polls in front of a call, between which what the call received or ended came: with the one between them that found it.
fn polls_before(lanes: &Lanes<'_>, at: At, came: Nanoseconds) -> Option<At> {
    let is_probe = |lane: &Lane<'_>, call: &TracedCall| {
        call.kind == TracedKind::Alone && matches!(lane.name(call), "MPI_Iprobe" | "MPI_Improbe")
    };
    let before = |at: At| at.call.checked_sub(1).map(|call| At { call, ..at });
    let mut poll = before(at)?;
    let (lane, call) = lanes.call(poll)?;
    if is_probe(lane, call) {
        poll = before(poll)?;
    }
    let (_, call) = lanes.call(poll)?;
    let is_it = matches!(call.kind, TracedKind::Polls { .. }) && call.entered() < came && came <= call.end;
    is_it.then_some(poll)
}

fn receives(lane: &Lane<'_>, call: u32) -> bool {
    lane.messages(call as usize).iter().any(|message| message.end == MessageSide::Received)
}

/// A trace that can be replayed.
pub struct Faithful {
    replay: Replay,
    computing: ComputingByPlace,
}

impl Faithful {
    pub fn of(
        lanes: &Lanes<'_>,
        matched: &Matched,
        waits: &Waits,
        collectives: &Collectives,
    ) -> Reading<Faithful> {
        let first = lanes.all.first().map(|lane| lane.host);
        if !lanes.all.iter().all(|lane| Some(lane.host) == first) {
            return Reading::unavailable("the clocks of several computers differ");
        }
        if lanes.all.iter().any(|lane| lane.thread_number.is_some()) {
            return Reading::unavailable("threads of a rank wait for one another outside of MPI");
        }
        let replay = Replay::of(lanes, matched, waits, collectives);
        let places = lanes.places.len() + 1;
        let (computing, unchanged) =
            both(|| ComputingByPlace::of(&replay.lanes, places), || replay.run(&Change::Unchanged));
        let Some(unchanged) = unchanged else {
            return Reading::unavailable("in the trace, ranks wait for one another in a circle");
        };
        let (traced, replayed) = (span(lanes.origin, lanes.end), span(lanes.origin, unchanged));
        if replayed.0.abs_diff(traced.0) as f64 > FAITHFUL * traced.0 as f64 {
            return Reading::unavailable(format!(
                "the trace, replayed without a change, takes {replayed} and not {traced}"
            ));
        }
        Reading::Measured(Faithful { replay, computing })
    }

    /// How long the traced time would be after some changes.
    pub fn what_if(&self, lanes: &Lanes<'_>, waits: &Waits, causes: &[Cause]) -> Vec<WhatIf> {
        let Faithful { replay, computing } = self;
        let threads = equal_threads::changes(lanes, waits).into_iter();
        let mut changes: Vec<_> = threads.map(|(said, of)| (said, Change::Shorter(of))).collect();
        let files = equal_threads::without_files(lanes, waits);
        changes.extend(files.map(|of| (TraceChange::FilesInstant, Change::Shorter(of))));
        if lanes.are_ranks {
            changes.push((TraceChange::ComputingEqual, Change::ComputingEqual(ComputingEqual(computing))));
            changes.push((TraceChange::CallsInstant, Change::CallsInstant));
        }
        let sends_waited = |lane: &Lane<'_>| {
            waits.of_lane(lane.number).iter().any(|wait| wait.kind == WaitKind::LateReceiver)
        };
        if lanes.all.iter().any(sends_waited) {
            changes.push((TraceChange::ReceivesPosted, Change::ReceivesPosted));
        }
        let mut computed: Vec<(&Cause, u32)> = Vec::new();
        for cause in causes.iter().filter(|_| lanes.are_ranks) {
            let Some(place) = cause.computed_before else { continue };
            let is_it = |(other, before): &(&Cause, u32)| (other.lane, *before) == (cause.lane, place);
            if computed.len() < CAUSES && !computed.iter().any(is_it) {
                computed.push((cause, place));
            }
        }
        changes.extend(computed.into_iter().map(|(cause, place)| {
            let change = AsOthers::of(computing, cause.lane, place);
            let said = TraceChange::RankAsOthers(RankAsOthers {
                world: cause.row.world,
                rank: cause.row.rank,
                to: lanes.places.get(place as usize).cloned(),
                own: change.own,
                others: change.others,
            });
            (said, Change::AsOthers(change))
        }));
        let run = |all: &[(TraceChange, Change<'_>)]| -> Vec<Option<Nanoseconds>> {
            all.iter().map(|(_, change)| replay.run(change)).collect()
        };
        let (some, others) = changes.split_at(changes.len() / 2);
        let (mut ends, more) = both(|| run(some), || run(others));
        ends.extend(more);
        let row = |((change, _), end): ((TraceChange, Change<'_>), Option<Nanoseconds>)| {
            end.map(|end| WhatIf { change, span: span(lanes.origin, end) })
        };
        let mut all: Vec<WhatIf> = changes.into_iter().zip(ends).filter_map(row).collect();
        all.sort_by_cached_key(|one| one.span);
        all
    }
}
