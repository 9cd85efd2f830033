//! Which calls waited, until when, and for whom.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use numawise_facts::activity::{MessageSide, TracedCall, TracedKind, WindowStep};
use numawise_tables::snapshot::{NotJudgedReason, WaitKind};
use numawise_units::Nanoseconds;

use super::both::both;
use super::collectives::{Collectives, Part};
use super::lanes::{At, Lane, Lanes};
use super::matching::{Matched, Message};
use super::needs::Pattern;
use super::windows::{NeededSteps, Windows};

/// A call waited from its begin to this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    pub call: u32,
    pub kind: WaitKind,
    pub until: Nanoseconds,
    /// The call that came late.
    pub late: At,
}

/// Those of a lane, in the order of its calls.
struct OfLane {
    all: Vec<Wait>,
    /// For each 64 calls: which wait, and how many waits are before them.
    places: Vec<(u64, u32)>,
}

impl OfLane {
    /// The place among all of the first one of a call or a later one, and whether it is that call's.
    #[inline]
    fn place(&self, call: u32) -> (usize, bool) {
        let Some((waiting, before)) = self.places.get((call / 64) as usize) else {
            return (self.all.len(), false);
        };
        let bit = 1u64 << (call % 64);
        (*before as usize + (waiting & (bit - 1)).count_ones() as usize, waiting & bit != 0)
    }
}

/// Of each lane.
pub struct Waits {
    by_lane: Vec<OfLane>,
    /// In their order; of a slice those that are counted here.
    pub not_judged: Vec<(At, NotJudgedReason)>,
    /// Of a slice, calls of which it may still turn out.
    pub open: BTreeSet<At>,
    /// Of a slice, what its windows need of it later.
    pub needed: Vec<NeededSteps>,
    /// See [`Windows::met`].
    pub met: Vec<(At, At)>,
}

impl Waits {
    pub fn of(lanes: &Lanes<'_>, matched: &Matched, collectives: &Collectives) -> Waits {
        let by_call = lanes.all.iter().map(|lane| vec![None; lane.calls.len()]).collect();
        let all = Vec::new();
        let judged = lanes.all.iter().map(|lane| vec![false; lane.calls.len()]).collect();
        let mut found = Found { lanes, by_call, all, judged };
        for message in &matched.messages {
            if found.message(message) {
                found.judge(message.send);
                found.judge(message.receive);
            }
        }
        found.probes(matched);
        for lane in lanes.all.iter().filter(|lane| lane.has_end(MessageSide::SendDone)) {
            for (number, _) in lane.calls.iter().enumerate() {
                let at = At { lane: lane.number, call: number as u32 };
                let done =
                    lane.messages(number).iter().filter(|message| message.end == MessageSide::SendDone);
                for message in done {
                    found.judge(at);
                    for message in matched.sent_at(lane.number, message.posted) {
                        found.send_is_waited_for(at, message);
                    }
                }
            }
        }
        found.collectives(collectives);
        let Windows { waits, judged: known, met, needed } = Windows::of(lanes, collectives);
        waits.into_iter().for_each(|of| found.add(of.at, of.kind, of.until, of.late));
        known.into_iter().for_each(|at| found.judge(at));
        let open = if lanes.slice.is_some() {
            open_calls(lanes, matched, collectives, &needed)
        } else {
            BTreeSet::new()
        };
        let by_lane = || found.by_call.iter().map(|calls| of_lane(calls, &found.all)).collect();
        let (not_judged, by_lane) = both(|| not_judged(&found, &open), by_lane);
        Waits { by_lane, not_judged, open, met, needed }
    }

    /// Whether calls were left out.
    pub fn has_left_out(&self) -> bool {
        self.not_judged.iter().any(|(_, why)| *why == NotJudgedReason::LeftOut)
    }

    /// Calls of a lane of which waiting is not known.
    pub fn not_judged_of(&self, lane: u32) -> impl Iterator<Item = u32> {
        let from = self.not_judged.partition_point(|(at, _)| at.lane < lane);
        let rest = self.not_judged.get(from..).unwrap_or_default();
        rest.iter().take_while(move |(at, _)| at.lane == lane).map(|(at, _)| at.call)
    }

    pub fn of_lane(&self, lane: u32) -> &[Wait] {
        self.by_lane.get(lane as usize).map_or(&[], |of| &of.all)
    }

    /// Of a lane, from a call on.
    pub fn of_lane_since(&self, lane: u32, call: u32) -> &[Wait] {
        let of = self.by_lane.get(lane as usize);
        of.and_then(|of| of.all.get(of.place(call).0..)).unwrap_or_default()
    }

    /// Of a call of a lane, with its place among those of the lane.
    pub fn place_of(&self, lane: u32, call: u32) -> Option<(usize, &Wait)> {
        let of = self.by_lane.get(lane as usize)?;
        match of.place(call) {
            (place, true) => Some((place, of.all.get(place)?)),
            _ => None,
        }
    }

    pub fn of_call(&self, lane: u32, call: u32) -> Option<&Wait> {
        self.place_of(lane, call).map(|(_, wait)| wait)
    }

    /// All, by when they ended: the call of each, and its place among those of its lane.
    pub fn by_end(&self, lanes: &Lanes<'_>) -> Vec<(Nanoseconds, At, u32)> {
        let of_lane = |lane: &Lane<'_>| {
            let number = lane.number;
            (0..)
                .zip(self.of_lane(number))
                .map(move |(place, wait)| (wait.until, At { lane: number, call: wait.call }, place))
        };
        let mut all: Vec<_> = lanes.all.iter().flat_map(of_lane).collect();
        // Those of a lane are in order: the other sort does not see that.
        all.sort();
        all
    }

    /// Each in the part that is asked for, with its lane, its call, and what of it lies there.
    pub fn each<'s, 'l, 'a>(&'s self, lanes: &'l Lanes<'a>) -> impl Iterator<Item = ShownWait<'s, 'l, 'a>> {
        let of_lane = move |lane: &'l Lane<'a>| {
            self.of_lane(lane.number).iter().enumerate().flat_map(move |(place, wait)| {
                let call = lane.calls.get(wait.call as usize);
                let pieces = move |call: &'a TracedCall| {
                    let from = lane.counts_from(wait.call as usize, call, wait.until);
                    let pieces = lane.pieces(lanes, from.unwrap_or(wait.until), wait.until);
                    let times = u64::from(from == Some(call.begin));
                    pieces.map(move |(begin, end)| ShownWait { lane, call, wait, place, begin, end, times })
                };
                call.into_iter().flat_map(pieces)
            })
        };
        lanes.shown().flat_map(of_lane)
    }
}

/// A wait, and what of it is shown.
pub struct ShownWait<'s, 'l, 'a> {
    pub lane: &'l Lane<'a>,
    pub call: &'a TracedCall,
    pub wait: &'s Wait,
    /// Among those of its lane.
    pub place: usize,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    /// 0: it was counted before, and turned out to be longer.
    pub times: u64,
}

struct Found<'l, 'a> {
    lanes: &'l Lanes<'a>,
    /// Of each lane, of each call, its place among all.
    by_call: Vec<Vec<Option<NonZeroU32>>>,
    /// The first one has place 1.
    all: Vec<Wait>,
    /// Whether its waiting is known.
    judged: Vec<Vec<bool>>,
}

impl Found<'_, '_> {
    /// A call waits for what comes last: of several, the longest wait.
    fn add(&mut self, at: At, kind: WaitKind, until: Nanoseconds, late: At) {
        let Some((lane, call)) = self.lanes.call(at) else { return };
        let error = self.lanes.all.get(late.lane as usize).and_then(|other| lane.error_beside(other));
        let until = until.min(call.end);
        // What is shorter than clocks may be wrong is no wait.
        if error.is_none_or(|error| until <= call.begin + error) {
            return;
        }
        let wait = Wait { call: at.call, kind, until, late };
        let place = self.by_call.get_mut(at.lane as usize).and_then(|calls| calls.get_mut(at.call as usize));
        let Some(place) = place else { return };
        let known = place.and_then(|place| self.all.get_mut(place.get() as usize - 1));
        match known {
            Some(known) if known.until < until => *known = wait,
            Some(_) => {}
            None => {
                self.all.push(wait);
                *place = NonZeroU32::new(self.all.len() as u32);
            }
        }
    }

    fn judge(&mut self, at: At) {
        let place = self.judged.get_mut(at.lane as usize).and_then(|calls| calls.get_mut(at.call as usize));
        place.into_iter().for_each(|judged| *judged = true);
    }

    /// False where its ends have clocks that were not compared.
    fn message(&mut self, message: &Message) -> bool {
        let (Some((from, send)), Some((to, _))) =
            (self.lanes.call(message.send), self.lanes.call(message.receive))
        else {
            return false;
        };
        if from.error_beside(to).is_none() {
            return false;
        }
        self.add(message.receive, WaitKind::LateSender, message.sent, message.send);
        // Others give a request, which is waited for elsewhere.
        if from.kind(send).is_some_and(|kind| kind.sends) {
            self.send_is_waited_for(message.send, message);
        }
        true
    }

    /// A probe that blocks waits until the message is sent that is received next, where that was sent before the probe came back.
    fn probes(&mut self, matched: &Matched) {
        let probes = |lane: &Lane<'_>, call: &TracedCall| lane.kind(call).is_some_and(|kind| kind.probes);
        if !self.lanes.all.iter().any(Lane::has_probes) {
            return;
        }
        for message in &matched.messages {
            let Some((lane, receive)) = self.lanes.call(message.receive) else { continue };
            let Some(before) = message.receive.call.checked_sub(1) else { continue };
            // The probe that matched it, else the call before.
            let by_probe = lane.calls.binary_search_by_key(&message.posted, |call| call.begin).ok();
            let number = by_probe.filter(|_| message.posted < receive.begin).map_or(before, |at| at as u32);
            let at = At { lane: lane.number, call: number };
            let probe = self.lanes.call(at).filter(|(lane, call)| probes(lane, call));
            if probe.is_some_and(|(_, call)| message.sent <= call.end) {
                self.add(at, WaitKind::LateSender, message.sent, message.send);
                self.judge(at);
            }
        }
    }

    /// A call that sends, or waits for what was sent: where it is over before the receiver is in MPI for the message, it waited for the receive
    /// to be posted at most.
    fn send_is_waited_for(&mut self, at: At, message: &Message) {
        let (Some((_, call)), Some((_, receive))) = (self.lanes.call(at), self.lanes.call(message.receive))
        else {
            return;
        };
        let until = if call.end < receive.begin { message.posted } else { receive.begin };
        if call.end >= until {
            self.add(at, WaitKind::LateReceiver, until, message.receive);
        }
    }

    fn collectives(&mut self, collectives: &Collectives) {
        for at in collectives.each().flat_map(|(_, members)| members) {
            self.judge(*at);
        }
        for part in collectives.parts(self.lanes) {
            let (late, Part { of, waits, .. }) = (part.late(), part);
            self.judge(waits);
            let kind = match of.pattern {
                Pattern::All => WaitKind::LastOfAll,
                Pattern::FromRoot => WaitKind::LateRoot,
                Pattern::ToRoot => WaitKind::EarlyRoot,
                Pattern::FromLower => WaitKind::LateLowerRank,
                Pattern::FromNeighbours => WaitKind::LateNeighbour,
            };
            if let Some((late, (_, call))) = late.and_then(|late| Some((late, self.lanes.call(late)?))) {
                // What may come back before has waited only where it did not.
                let end = self.lanes.call(waits).map(|(_, call)| call.end);
                if of.is_loose && end < Some(call.begin) {
                    continue;
                }
                self.add(waits, kind, call.begin, late);
            }
        }
    }
}

fn of_lane(calls: &[Option<NonZeroU32>], found: &[Wait]) -> OfLane {
    let waiting = calls.iter().flatten().count();
    let mut of =
        OfLane { all: Vec::with_capacity(waiting), places: Vec::with_capacity(calls.len() / 64 + 1) };
    for calls in calls.chunks(64) {
        let before = of.all.len() as u32;
        let mut bits = 0;
        for (bit, place) in calls.iter().enumerate() {
            if let Some(wait) = place.and_then(|place| found.get(place.get() as usize - 1)) {
                bits |= 1 << bit;
                of.all.push(*wait);
            }
        }
        of.places.push((bits, before));
    }
    of
}

/// Calls of which it may turn out in a later slice whether they waited.
fn open_calls(
    lanes: &Lanes<'_>,
    matched: &Matched,
    collectives: &Collectives,
    needed: &[NeededSteps],
) -> BTreeSet<At> {
    let ends = matched.sliced.open.iter().map(|(at, _)| *at);
    let is_awaited = |members: &[At]| lanes.is_awaited(members.iter().copied());
    let members = collectives.open().filter(|(_, members)| is_awaited(members));
    let members = members.flat_map(|(_, members)| members).copied();
    let is_awaited = |of: &&NeededSteps| lanes.is_awaited(of.steps.iter().map(|(at, _)| *at));
    let steps =
        needed.iter().filter(|of| of.is_open).filter(is_awaited).flat_map(|of| &of.steps).map(|(at, _)| *at);
    ends.chain(members).chain(steps).collect()
}

/// Calls that may have waited, and of which it is not known; of a slice those that are counted here: what may turn out is counted when it has, or cannot.
fn not_judged(found: &Found<'_, '_>, open: &BTreeSet<At>) -> Vec<(At, NotJudgedReason)> {
    let mut all = Vec::new();
    let are_apart = found.lanes.are_apart();
    for (lane, judged) in found.lanes.all.iter().zip(&found.judged) {
        let own = lane.own();
        for (number, (call, is_judged)) in lane.calls.iter().zip(judged).enumerate().take(own.end) {
            let is_last = lane.counted.end.is_none();
            let is_counted =
                number >= own.start || lane.counted.known.get(number).is_some_and(|of| of.is_open);
            let is_open = || !is_last && open.contains(&At { lane: lane.number, call: number as u32 });
            if !is_counted || is_open() {
                continue;
            }
            let kind = lane.kind(call);
            let received = || lane.messages(number).iter().any(|of| of.end == MessageSide::Received);
            let needs_ranks = || {
                let steps = lane.messages(number).iter();
                steps.into_iter().any(|of| match of.end {
                    MessageSide::Part => true,
                    MessageSide::Window(step) => !matches!(step, WindowStep::Unlock | WindowStep::UnlockAll),
                    _ => false,
                })
            };
            let why = match call.kind {
                TracedKind::Polls { .. } => None,
                TracedKind::LeftOut { .. } => Some(NotJudgedReason::LeftOut),
                TracedKind::Collective { .. } if *is_judged || kind.is_some_and(|kind| kind.begins) => None,
                // Neighbours and ranks of other groups are told once for a communicator, of not too many.
                TracedKind::Collective { .. } if lane.is_between_groups(call) => {
                    Some(NotJudgedReason::NotFollowed)
                }
                TracedKind::Collective { .. } => match Pattern::of(lane.name(call)) {
                    Pattern::FromNeighbours => Some(NotJudgedReason::NotFollowed),
                    _ if are_apart => Some(NotJudgedReason::ClocksDiffer),
                    _ => Some(NotJudgedReason::OtherRanksMissing),
                },
                TracedKind::Alone if *is_judged || kind.is_some_and(|kind| kind.ranks == Some(1)) => None,
                TracedKind::Alone if are_apart && !lane.messages(number).is_empty() => {
                    Some(NotJudgedReason::ClocksDiffer)
                }
                TracedKind::Alone if received() => Some(NotJudgedReason::OtherRanksMissing),
                TracedKind::Alone if kind.is_some_and(|kind| kind.may_wait) && needs_ranks() => {
                    Some(NotJudgedReason::OtherRanksMissing)
                }
                TracedKind::Alone => {
                    kind.is_some_and(|kind| kind.may_wait).then_some(NotJudgedReason::NotFollowed)
                }
            };
            let at = At { lane: lane.number, call: number as u32 };
            all.extend(why.map(|why| (at, why)));
        }
    }
    all
}
