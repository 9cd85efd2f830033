//! What late ranks did that others did not: the causes of waiting.
//!
//! Of a wait, the two ranks are compared since they were last in step, after a message between them or a collective call of both: what the late one
//! spent there beyond the one that waits made it late (D. Böhme et al., "Characterizing load and communication imbalance in parallel
//! applications", delay costs). Where it waited there itself, that wait is explained in the same way, and with it what it cost others. Amounts
//! add up to all waiting.

use std::cell::Cell;
use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::{FileOperation, TracedCall};
use numawise_tables::snapshot::{RankActivity, WaitingCause};
use numawise_units::Nanoseconds;

use super::collectives::Collectives;
use super::lane_set::LaneSet;
use super::lanes::{At, Lane, Lanes};
use super::matching::Matched;
use super::phases::Window;
use super::timeline::{Segment, State, segments};
use super::waits::{ShownWait, Wait, Waits};
use super::work::{Point, Work, each_part};
use super::{MOST_ROWS, span};

/// What a rank does, wherever: comparable between ranks. The number of a call's place; none behind the last call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doing {
    pub state: DoingState,
    pub place: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DoingState {
    Computed,
    Called,
    Polled,
    LeftOut,
    Outside,
    /// In a region of this construct.
    Together(u32),
    /// Its other threads waited there for this one.
    Late(u32, u32),
    Serial(Point, Point),
    Files(FileOperation),
}

impl DoingState {
    pub fn of_work(work: &Work<'_>) -> DoingState {
        match work {
            Work::Serial { after, before } => DoingState::Serial(*after, *before),
            Work::Together(region) => DoingState::Together(region.of),
        }
    }

    pub fn of(state: State) -> DoingState {
        match state {
            State::Useful => DoingState::Computed,
            State::Polling => DoingState::Polled,
            State::InCall | State::Waiting => DoingState::Called,
        }
    }
}

impl Doing {
    pub fn of(lane: &Lane<'_>, segment: &Segment) -> Doing {
        let place = lane.calls.get(segment.call).map(|call| lane.place_of(call.site));
        let is_left_out = lane.calls.get(segment.call).is_some_and(|call| call.is_left_out());
        let state = match segment.state {
            State::InCall if is_left_out => DoingState::LeftOut,
            state => DoingState::of(state),
        };
        Doing { state, place }
    }

    pub fn shown(self, lanes: &Lanes<'_>) -> RankActivity {
        let at = self.place.and_then(|place| lanes.places.get(place as usize)).cloned();
        let region = |of: u32| {
            let construct = lanes.constructs.get(of as usize);
            construct.map_or_else(|| Reading::unavailable("of an unknown region"), |(_, place)| place.clone())
        };
        match (self.state, at) {
            (DoingState::Together(of), to) => RankActivity::InRegion { region: region(of), thread: None, to },
            (DoingState::Late(of, thread), to) => {
                RankActivity::InRegion { region: region(of), thread: Some(thread), to }
            }
            (DoingState::Serial(after, before), to) => {
                RankActivity::Serial { after: after.shown(lanes), before: before.shown(lanes), to }
            }
            (DoingState::Files(operation), to) => RankActivity::InFiles { operation, to },
            (DoingState::Computed, to) => RankActivity::Computed { to },
            (DoingState::Called, Some(at)) => RankActivity::Called(at),
            (DoingState::Polled, Some(at)) => RankActivity::Polled(at),
            (DoingState::LeftOut, _) => RankActivity::LeftOut,
            _ => RankActivity::Outside,
        }
    }
}

/// Whether two calls were in progress at one moment: else one rank was ahead, and is not in step with the other.
fn overlap(lanes: &Lanes<'_>, one: At, other: At) -> bool {
    let calls = lanes.call(one).zip(lanes.call(other));
    calls.is_some_and(|((_, one), (_, other))| one.begin <= other.end && other.begin <= one.end)
}

/// The end of a call in which a lane was in step, or its begin, and the number of the call behind that.
#[derive(Clone, Copy)]
struct Since {
    begin: Nanoseconds,
    call: usize,
}

impl Since {
    /// Of a slice of a lane, from when on all of it is there; nothing where that is from its begin on.
    fn first(lane: &Lane<'_>) -> Option<Since> {
        let solid = lane.counted.solid;
        let before = lane.calls.get(solid.checked_sub(1)?)?;
        Some(Since { begin: before.end, call: solid })
    }
}

/// When two lanes were last in step, from the calls of each that made them so.
struct InStep<'l, 'a> {
    lanes: &'l Lanes<'a>,
    /// Of each lane, of each higher one: the calls of both in messages between them.
    messages: Vec<Vec<(u32, Between)>>,
    collectives: &'l Collectives,
    /// Of each lane, the collective calls: its call, and the number among all.
    by_lane: Vec<Vec<(u32, usize)>>,
    /// Of each lane, which of them was the last one that was looked for.
    last: Vec<Cell<usize>>,
}

/// Messages between two lanes, and which of them was the last one that was looked for.
#[derive(Default)]
struct Between {
    all: Vec<(u32, u32)>,
    last: Cell<usize>,
}

/// How many are of calls before this one. What is looked for next is mostly a few before what was looked for last.
fn last_before<T>(all: &[(u32, T)], call: u32, last: &Cell<usize>) -> usize {
    let is_before = |at: usize| all.get(at).is_some_and(|(of, _)| *of < call);
    let (mut end, mut step) = (last.get().min(all.len()), 1);
    while is_before(end) {
        (end, step) = ((end + step).min(all.len()), step * 2);
    }
    // From here on none is before it.
    let (mut begin, mut step) = (end, 1);
    while begin > 0 && !is_before(begin - 1) {
        (end, begin, step) = (begin - 1, begin.saturating_sub(step), step * 2);
    }
    let found = all.get(begin..end).unwrap_or_default().partition_point(|(of, _)| *of < call) + begin;
    last.set(found);
    found
}

impl<'l, 'a> InStep<'l, 'a> {
    fn of(lanes: &'l Lanes<'a>, matched: &Matched, waits: &Waits, collectives: &'l Collectives) -> Self {
        let mut messages: Vec<Vec<(u32, Between)>> = Vec::new();
        messages.resize_with(lanes.all.len(), Vec::new);
        let pairs = matched.messages.iter().map(|message| (message.send, message.receive));
        let pairs = pairs.chain(waits.met.iter().copied());
        for (one, other) in pairs.filter(|(one, other)| overlap(lanes, *one, *other)) {
            let (one, other) = (one.min(other), one.max(other));
            let Some(of_lane) = messages.get_mut(one.lane as usize) else { continue };
            let place =
                of_lane.binary_search_by_key(&other.lane, |(lane, _)| *lane).unwrap_or_else(|place| {
                    of_lane.insert(place, (other.lane, Between::default()));
                    place
                });
            let between = of_lane.get_mut(place);
            between.into_iter().for_each(|(_, between)| between.all.push((one.call, other.call)));
        }
        messages.iter_mut().flatten().for_each(|(_, between)| between.all.sort());
        let mut by_lane = vec![Vec::new(); lanes.all.len()];
        for number in 0..collectives.len() {
            for at in collectives.met(number) {
                if let Some(of_lane) = by_lane.get_mut(at.lane as usize) {
                    of_lane.push((at.call, number));
                }
            }
        }
        by_lane.iter_mut().for_each(|of_lane: &mut Vec<(u32, usize)>| of_lane.sort_unstable());
        let last = vec![Cell::new(0); by_lane.len()];
        InStep { lanes, messages, collectives, by_lane, last }
    }

    /// From when on a lane and another one, each before its call, did their own; false where that is not known, as it was before a slice.
    fn since(&self, one: At, other: At) -> (Since, Since, bool) {
        let begin = |lane: u32| {
            let lane = self.lanes.all.get(lane as usize);
            lane.map_or(Since { begin: Nanoseconds(0), call: 0 }, |lane| {
                Since::first(lane).unwrap_or(Since { begin: lane.begin, call: 0 })
            })
        };
        let end = |lane: u32, call: u32| {
            let end = self.lanes.call(At { lane, call }).map(|(_, call)| call.end);
            Since { begin: end.unwrap_or_default(), call: call as usize + 1 }
        };
        let message = self.last_message(one, other);
        let last = self.last_collective(one, other, message.map_or(0, |(of_one, _)| of_one)).max(message);
        let (of_one, of_other) = match last {
            Some((of_one, of_other)) => (end(one.lane, of_one), end(other.lane, of_other)),
            None => (begin(one.lane), begin(other.lane)),
        };
        let first = |lane: u32| self.lanes.all.get(lane as usize).and_then(Since::first);
        let (of_slice, of_other_slice) = (first(one.lane), first(other.lane));
        let is_there = |of: Since, first: Option<Since>| first.is_none_or(|first| first.call <= of.call);
        let is_known = last.is_some() || of_slice.is_none() && of_other_slice.is_none();
        if is_known && is_there(of_one, of_slice) && is_there(of_other, of_other_slice) {
            return (of_one, of_other, true);
        }
        // What was before is in no slice any more: both are compared from one moment on.
        let (of_one, of_other) = (of_slice.unwrap_or(of_one), of_other_slice.unwrap_or(of_other));
        let moment = of_one.begin.max(of_other.begin);
        (Since { begin: moment, ..of_one }, Since { begin: moment, ..of_other }, false)
    }

    fn last_message(&self, one: At, other: At) -> Option<(u32, u32)> {
        let is_swapped = other.lane < one.lane;
        let (low, high) = if is_swapped { (other, one) } else { (one, other) };
        let of_lane = self.messages.get(low.lane as usize)?;
        let place = of_lane.binary_search_by_key(&high.lane, |(lane, _)| *lane).ok()?;
        let Between { all, last } = of_lane.get(place).map(|(_, between)| between)?;
        let before = last_before(all, low.call, last);
        let last = all.get(..before)?.iter().rev().find(|(_, of_high)| *of_high < high.call)?;
        Some(if is_swapped { (last.1, last.0) } else { *last })
    }

    /// Of those from a call of the first lane on.
    fn last_collective(&self, one: At, other: At, from: u32) -> Option<(u32, u32)> {
        let (all, last) = self.by_lane.get(one.lane as usize).zip(self.last.get(one.lane as usize))?;
        let before = last_before(all, one.call, last);
        let since = all.get(..before)?.iter().rev().take_while(|(call, _)| *call >= from);
        since.into_iter().find_map(|(call, number)| {
            let members = self.collectives.met(*number);
            let at = members.binary_search_by_key(&other.lane, |at| at.lane).ok()?;
            let of_other = members.get(at).filter(|at| at.call < other.call)?;
            overlap(self.lanes, At { call: *call, ..one }, *of_other).then_some((*call, of_other.call))
        })
    }
}

/// Waiting that a cause explains.
#[derive(Debug, Clone, Default)]
struct Explained {
    waiting: f64,
    through_others: f64,
    lanes: LaneSet,
}

impl Explained {
    fn add(&mut self, part: &Explained, share: f64, is_through_others: bool) {
        self.waiting += share * part.waiting;
        self.through_others += share * if is_through_others { part.waiting } else { part.through_others };
        self.lanes.extend(&part.lanes);
    }
}

/// What is known of causes of slices, or of all.
#[derive(Default)]
pub struct CauseSums {
    causes: BTreeMap<(u32, Doing), Explained>,
    /// Waiting of which the cause may lie before a slice.
    cut: f64,
}

struct Explainer<'r, 'l, 'a> {
    lanes: &'l Lanes<'a>,
    waits: &'r Waits,
    in_step: InStep<'l, 'a>,
    sums: &'r mut CauseSums,
    /// Of each lane, what its waits cost that is still to be explained.
    pending: Vec<Vec<Explained>>,
    /// Emptied and filled for each wait: of the lane that waits, of the late one, and of that what is beyond the other.
    spent: [Spent; 2],
    beyond: Vec<(Doing, u64)>,
}

/// Outside of regions of several threads: in files, or something else.
pub fn by_file(
    lane: &Lane<'_>,
    otherwise: DoingState,
    window: Window,
    take: &mut dyn FnMut(DoingState, Window),
) {
    let mut take =
        |file: Option<FileOperation>, window| take(file.map_or(otherwise, DoingState::Files), window);
    lane.states.by_file(window, &mut take);
}

/// What a lane did in a span.
#[derive(Default)]
struct Spent {
    /// Each with its time.
    done: Vec<(Doing, u64)>,
    /// Of what was done in regions, how much shorter each would have been without the thread that came last.
    late: Vec<(Doing, u64)>,
    waits: Vec<(u32, u64)>,
}

impl Spent {
    /// Adds what was done outside of calls from one moment to another.
    fn work(
        &mut self,
        lanes: &Lanes<'_>,
        lane: &Lane<'_>,
        segment: &Segment,
        (begin, end): (Nanoseconds, Nanoseconds),
    ) {
        let doing = Doing::of(lane, segment);
        let Some(team) = lanes.team(lane.number) else { return self.alone(lane, doing, (begin, end)) };
        each_part(team, lane, segment, (begin, end), &mut |(begin, end), work| {
            let state = DoingState::of_work(&work);
            let Work::Together(region) = work else {
                return self.alone(lane, Doing { state, ..doing }, (begin, end));
            };
            spend(&mut self.done, Doing { state, ..doing }, span(begin, end).0);
            for stage in team.stages(region).iter().filter(|stage| stage.begin >= begin && stage.end <= end) {
                let Some(thread) = stage.late else { continue };
                let late = Doing { state: DoingState::Late(region.of, thread), ..doing };
                spend(&mut self.late, late, stage.alone.0);
            }
        });
    }

    /// In no region of several threads.
    fn alone(&mut self, lane: &Lane<'_>, doing: Doing, window: Window) {
        by_file(lane, doing.state, window, &mut |state, (begin, end)| {
            spend(&mut self.done, Doing { state, ..doing }, span(begin, end).0);
        });
    }

    /// Of a region, what each of the threads made it longer that came last.
    fn late_in(&self, region: Doing) -> impl Iterator<Item = (Doing, u64)> {
        let is_in = move |late: &&(Doing, u64)| {
            let state = region.state;
            matches!(late.0.state, DoingState::Late(of, _) if state == DoingState::Together(of))
                && late.0.place == region.place
        };
        self.late.iter().filter(is_in).copied()
    }
}

/// Few are different: a list is faster than a map.
fn spend(all: &mut Vec<(Doing, u64)>, doing: Doing, time: u64) {
    match all.iter_mut().find(|(known, _)| *known == doing) {
        Some((_, sum)) => *sum += time,
        None => all.push((doing, time)),
    }
}

impl Explainer<'_, '_, '_> {
    fn spent(
        &self,
        lane: &Lane<'_>,
        Since { begin, call }: Since,
        end: Nanoseconds,
        mut all: Spent,
    ) -> Spent {
        all.done.clear();
        all.late.clear();
        all.waits.clear();
        let outside = Doing { state: DoingState::Outside, place: None };
        let before = span(begin, end.min(lane.begin)).0;
        if before > 0 {
            spend(&mut all.done, outside, before);
        }
        segments(lane, self.waits, call, &mut |segment| {
            let (from, to) = (segment.begin.max(begin), segment.end.min(end));
            let time = span(from, to).0;
            match segment.state {
                _ if time == 0 => {}
                State::Waiting => all.waits.push((segment.call as u32, time)),
                State::Useful => all.work(self.lanes, lane, &segment, (from, to)),
                _ => spend(&mut all.done, Doing::of(lane, &segment), time),
            }
            segment.end < end
        });
        all
    }

    /// Explains a wait and what it cost, from what its late rank did.
    fn explain(&mut self, at: At, wait: &Wait, cost: &Explained) {
        let lanes = self.lanes;
        let (Some((mine, call)), Some((late, of_late))) = (lanes.call(at), lanes.call(wait.late)) else {
            return;
        };
        let (since_mine, since_late, is_known) = self.in_step.since(at, wait.late);
        if !is_known {
            self.sums.cut += cost.waiting;
        }
        let until = wait.until.min(of_late.begin.max(since_late.begin));
        let [of_mine, of_late] = std::mem::take(&mut self.spent);
        self.spent =
            [self.spent(mine, since_mine, call.begin, of_mine), self.spent(late, since_late, until, of_late)];
        self.share(at, wait, cost, late);
    }

    /// Shares out what a wait cost over what its late lane spent more time on than the one that waits.
    fn share(&mut self, at: At, wait: &Wait, cost: &Explained, late: &Lane<'_>) {
        let lanes = self.lanes;
        let [mine, theirs] = &self.spent;
        let waited: u64 = mine.waits.iter().map(|(_, time)| time).sum();
        let waits_of_late = &theirs.waits;
        let waited_late: u64 = waits_of_late.iter().map(|(_, time)| time).sum();
        let of_mine =
            |doing: &Doing| mine.done.iter().find(|(known, _)| known == doing).map_or(0, |(_, time)| *time);
        self.beyond.clear();
        for (doing, time) in &theirs.done {
            let excess = time.saturating_sub(of_mine(doing));
            if excess > 0 {
                beyond(&mut self.beyond, [mine, theirs], (*doing, excess));
            }
        }
        let of_waits = waited_late.saturating_sub(waited);
        let all = self.beyond.iter().map(|(_, time)| time).sum::<u64>() + of_waits;
        if all == 0 {
            // They did the same, as far as is known: it came late with the last thing that it did.
            let last = Doing {
                state: DoingState::Computed,
                place: lanes.call(wait.late).map(|(lane, call)| lane.place_of(call.site)),
            };
            self.sums.causes.entry((late.number, last)).or_default().add(cost, 1.0, false);
            return;
        }
        for (doing, time) in &self.beyond {
            self.sums.causes.entry((late.number, *doing)).or_default().add(
                cost,
                *time as f64 / all as f64,
                false,
            );
        }
        for &(number, time) in waits_of_late {
            let share = of_waits as f64 / all as f64 * time as f64 / waited_late.max(1) as f64;
            let Some((place, of_late)) = self.waits.place_of(late.number, number).filter(|_| share > 0.0)
            else {
                continue;
            };
            let key = (of_late.until, At { lane: late.number, call: number });
            // What did not end before, as with clocks that differ, or a message to itself, cannot be a cause. Nor is less than a nanosecond followed.
            let is_before = key < (wait.until, at) && share * cost.waiting >= 1.0;
            let pending =
                self.pending.get_mut(late.number as usize).and_then(|of_lane| of_lane.get_mut(place));
            if let Some(pending) = pending.filter(|_| is_before) {
                pending.add(cost, share, true);
            } else {
                let place = late.calls.get(number as usize).map(|call| late.place_of(call.site));
                let doing = Doing { state: DoingState::Called, place };
                self.sums.causes.entry((late.number, doing)).or_default().add(cost, share, false);
            }
        }
    }
}

/// Adds what a lane spent longer on than the one that waits: of a region, as much as that is due to threads that came last by so much more there.
fn beyond(all: &mut Vec<(Doing, u64)>, [mine, theirs]: [&Spent; 2], (doing, excess): (Doing, u64)) {
    let sum = |of: &Spent| of.late_in(doing).map(|(_, time)| time).sum::<u64>();
    let late = sum(theirs);
    let due = late.saturating_sub(sum(mine)).min(excess);
    let share = |time: u64| (u128::from(due) * u128::from(time) / u128::from(late.max(1))) as u64;
    let mut rest = excess;
    for (of_thread, time) in theirs.late_in(doing) {
        let time = share(time);
        rest = rest.saturating_sub(time);
        all.extend((time > 0).then_some((of_thread, time)));
    }
    all.extend((rest > 0).then_some((doing, rest)));
}

/// A row of the table, with what a replay needs.
pub struct Cause {
    pub lane: u32,
    /// The number of the place before whose call it computed; the one behind all of them: after its last call.
    pub computed_before: Option<u32>,
    pub row: WaitingCause,
}

impl CauseSums {
    pub fn cut(&self) -> Nanoseconds {
        Nanoseconds(self.cut.round() as u64)
    }

    /// Adds those of the waits that are counted in a slice, or of all.
    pub fn add(&mut self, lanes: &Lanes<'_>, matched: &Matched, waits: &Waits, collectives: &Collectives) {
        let in_step = InStep::of(lanes, matched, waits, collectives);
        let nothing = |lane: &Lane<'_>| vec![Explained::default(); waits.of_lane(lane.number).len()];
        let pending = lanes.all.iter().map(nothing).collect();
        let mut explainer = Explainer {
            lanes,
            waits,
            in_step,
            sums: self,
            pending,
            spent: Default::default(),
            beyond: Vec::new(),
        };
        waits.each(lanes).for_each(|ShownWait { lane, place, begin, end, .. }| {
            let of_lane = explainer.pending.get_mut(lane.number as usize);
            if let Some(cost) = of_lane.and_then(|of_lane| of_lane.get_mut(place)) {
                cost.waiting += span(begin, end).0 as f64;
            }
        });
        // A wait ends before those that it causes.
        for (_, at, place) in waits.by_end(lanes).into_iter().rev() {
            let of_lane = explainer.pending.get_mut(at.lane as usize);
            let Some(cost) = of_lane.and_then(|of_lane| of_lane.get_mut(place as usize)).map(std::mem::take)
            else {
                continue;
            };
            let Some(wait) = waits.of_lane(at.lane).get(place as usize).filter(|_| cost.waiting > 0.0) else {
                continue;
            };
            let (mut cost, own) = (cost, lanes.call(at));
            let is_asked = |(lane, call): &(&Lane<'_>, &TracedCall)| {
                lane.is_shown && lane.pieces(lanes, call.begin, wait.until).next().is_some()
            };
            if own.is_some_and(|own| is_asked(&own)) {
                cost.lanes.insert(at.lane);
            }
            explainer.explain(at, wait, &cost);
        }
    }

    /// Those with most waiting first.
    pub fn rows(self, lanes: &Lanes<'_>) -> Vec<Cause> {
        let mut causes: Vec<((u32, Doing), Explained)> = self.causes.into_iter().collect();
        causes.sort_by(|(_, one), (_, other)| other.waiting.total_cmp(&one.waiting));
        causes.truncate(MOST_ROWS);
        let shown = causes.into_iter().filter_map(|((lane, doing), of)| {
            let lane = lanes.all.get(lane as usize)?;
            let behind = lanes.places.len() as u32;
            let what = doing.shown(lanes);
            let computed_before = what.computed_to().map(|_| doing.place.unwrap_or(behind));
            let row = WaitingCause {
                world: lane.numbered_world,
                rank: lane.rank,
                what,
                waiting: Nanoseconds(of.waiting.round() as u64),
                waiting_ranks: of.lanes.ranks(lanes),
                through_others: Nanoseconds(of.through_others.round() as u64),
            };
            Some(Cause { lane: lane.number, computed_before, row })
        });
        shown.collect()
    }
}
