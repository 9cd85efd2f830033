//! Which calls waited, until when, and for whom.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use numawise_facts::activity::{MessageSide, TracedCall, TracedKind};
use numawise_tables::snapshot::{
    LongestWait, NotJudged, NotJudgedReason, RankInCall, TracedWait, WaitKind, WaitingPair,
};
use numawise_units::Nanoseconds;

use super::super::Run;
use super::lanes::{At, Lane, Lanes};
use super::matching::{Matched, Message};
use super::{MOST_ROWS, span};

/// A call waited from its begin to this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    pub call: u32,
    pub kind: WaitKind,
    pub until: Nanoseconds,
    /// The call that came late.
    pub late: At,
}

/// Of each lane, in the order of its calls.
pub struct Waits {
    by_lane: Vec<Vec<Wait>>,
    not_judged: BTreeMap<At, NotJudgedReason>,
    /// Collective calls of which all ranks are there.
    collectives: Vec<Vec<At>>,
}

impl Waits {
    pub fn of(run: &Run<'_>, lanes: &Lanes<'_>, matched: &Matched) -> Waits {
        let by_call = lanes.all.iter().map(|lane| vec![None; lane.calls.len()]).collect();
        let judged = lanes.all.iter().map(|lane| vec![false; lane.calls.len()]).collect();
        let mut found = Found { lanes, by_call, judged };
        for message in &matched.messages {
            found.message(message);
            found.judge(message.send);
            found.judge(message.receive);
        }
        found.probes(matched);
        for lane in &lanes.all {
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
        let whole = found.collectives(run);
        let not_judged = not_judged(&found, |key| whole.contains_key(&key));
        let by_lane = found.by_call.into_iter().map(|calls| calls.into_iter().flatten().collect()).collect();
        Waits { by_lane, not_judged, collectives: whole.into_values().collect() }
    }

    pub fn whole_collectives(&self) -> &[Vec<At>] {
        &self.collectives
    }

    pub fn is_not_judged(&self, at: At) -> bool {
        self.not_judged.contains_key(&at)
    }

    pub fn not_judged_by_reason(&self, lanes: &Lanes<'_>) -> Vec<NotJudged> {
        let mut rows: BTreeMap<NotJudgedReason, (u64, Nanoseconds)> = BTreeMap::new();
        for (at, why) in &self.not_judged {
            let Some((lane, call)) = lanes.call(*at) else { continue };
            let Some((begin, end)) = lanes.clipped(call.begin, call.end).filter(|_| lane.is_shown) else {
                continue;
            };
            let row = rows.entry(*why).or_default();
            *row = (row.0 + 1, row.1 + span(begin, end));
        }
        rows.into_iter().map(|(why, (calls, time))| NotJudged { why, calls, time }).collect()
    }

    /// How long others waited for each lane.
    pub fn waited_for(&self, lanes: &Lanes<'_>) -> Vec<Nanoseconds> {
        let mut all = vec![Nanoseconds(0); lanes.all.len()];
        for ShownWait { wait, begin, end, .. } in self.each(lanes) {
            if let Some(sum) = all.get_mut(wait.late.lane as usize) {
                *sum = *sum + span(begin, end);
            }
        }
        all
    }

    pub fn of_lane(&self, lane: u32) -> &[Wait] {
        self.by_lane.get(lane as usize).map_or(&[], Vec::as_slice)
    }

    /// Of a call of a lane.
    pub fn of_call(&self, lane: u32, call: u32) -> Option<&Wait> {
        let all = self.of_lane(lane);
        let at = all.binary_search_by_key(&call, |wait| wait.call).ok()?;
        all.get(at)
    }

    /// Each in the part that is asked for, with its lane, its call, and what of it lies there.
    pub fn each<'s, 'l, 'a>(&'s self, lanes: &'l Lanes<'a>) -> impl Iterator<Item = ShownWait<'s, 'l, 'a>> {
        let of_lane = move |lane: &'l Lane<'a>| {
            self.of_lane(lane.number).iter().filter_map(move |wait| {
                let call = lane.calls.get(wait.call as usize)?;
                let (begin, end) = lanes.clipped(call.begin, wait.until)?;
                Some(ShownWait { lane, call, wait, begin, end })
            })
        };
        lanes.shown().flat_map(of_lane)
    }

    pub fn by_pair(&self, lanes: &Lanes<'_>) -> Vec<WaitingPair> {
        let mut pairs: BTreeMap<(usize, u32, u32), WaitingPair> = BTreeMap::new();
        for ShownWait { lane, wait, begin, end, .. } in self.each(lanes) {
            let Some(late) = lanes.all.get(wait.late.lane as usize) else { continue };
            let nothing = WaitingPair {
                world: lane.numbered_world,
                waits: lane.rank,
                late: late.rank,
                times: 0,
                waiting: Nanoseconds(0),
            };
            let pair = pairs.entry((lane.world, lane.rank, late.rank)).or_insert(nothing);
            pair.times += 1;
            pair.waiting = pair.waiting + span(begin, end);
        }
        let mut pairs: Vec<WaitingPair> = pairs.into_values().collect();
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.waiting));
        pairs.truncate(MOST_ROWS);
        pairs
    }

    pub fn by_place(&self, lanes: &Lanes<'_>) -> Vec<TracedWait> {
        let mut rows = BTreeMap::new();
        for ShownWait { lane, call, wait, begin, end } in self.each(lanes) {
            let Some((late, of_late)) = lanes.call(wait.late) else { continue };
            let (mine, theirs) = (lane.place_of(call.site), late.place_of(of_late.site));
            let row: &mut OfPlace = rows.entry((wait.kind, mine, theirs)).or_default();
            let time = span(begin, end);
            row.times += 1;
            row.waiting = row.waiting + time;
            row.waiting_ranks.insert((lane.world, lane.rank));
            row.late_ranks.insert((late.world, late.rank));
            if row.longest.is_none_or(|longest| longest.time < time) {
                let begin = span(lanes.origin, begin);
                row.longest = Some(LongestWait { time, begin, waits: lane.rank, late: late.rank });
            }
        }
        let mut rows: Vec<TracedWait> = rows
            .into_iter()
            .filter_map(|((kind, mine, theirs), row)| {
                let longest = row.longest?;
                let at = |rank, place: u32| {
                    let of = lanes.places.get(place as usize)?;
                    Some(RankInCall { rank, call: of.call.clone(), place: of.place.clone() })
                };
                Some(TracedWait {
                    kind,
                    waits: at(longest.waits, mine)?,
                    late: at(longest.late, theirs)?,
                    times: row.times,
                    waiting: row.waiting,
                    longest,
                    waiting_ranks: row.waiting_ranks.len() as u64,
                    late_ranks: row.late_ranks.len() as u64,
                })
            })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.waiting));
        rows.truncate(MOST_ROWS);
        rows
    }
}

/// A wait, and what of it is shown.
pub struct ShownWait<'s, 'l, 'a> {
    pub lane: &'l Lane<'a>,
    pub call: &'a TracedCall,
    pub wait: &'s Wait,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
}

#[derive(Default)]
struct OfPlace {
    times: u64,
    waiting: Nanoseconds,
    longest: Option<LongestWait>,
    waiting_ranks: BTreeSet<(usize, u32)>,
    late_ranks: BTreeSet<(usize, u32)>,
}

/// A collective call: its world, and its number in all of its ranks.
type Key = (usize, NonZeroU64);

/// A call, and its root in the communicator.
type Rooted = (At, Option<u32>);

struct Found<'l, 'a> {
    lanes: &'l Lanes<'a>,
    /// Of each lane, of each call.
    by_call: Vec<Vec<Option<Wait>>>,
    /// Whether its waiting is known.
    judged: Vec<Vec<bool>>,
}

impl Found<'_, '_> {
    /// A call waits for what comes last: of several, the longest wait.
    fn add(&mut self, at: At, kind: WaitKind, until: Nanoseconds, late: At) {
        let Some((_, call)) = self.lanes.call(at) else { return };
        let until = until.min(call.end);
        if until <= call.begin {
            return;
        }
        let wait = Wait { call: at.call, kind, until, late };
        let place = self.by_call.get_mut(at.lane as usize).and_then(|calls| calls.get_mut(at.call as usize));
        if let Some(place) = place.filter(|known| known.is_none_or(|known| known.until < until)) {
            *place = Some(wait);
        }
    }

    fn judge(&mut self, at: At) {
        let place = self.judged.get_mut(at.lane as usize).and_then(|calls| calls.get_mut(at.call as usize));
        place.into_iter().for_each(|judged| *judged = true);
    }

    fn message(&mut self, message: &Message) {
        let (Some((from, send)), Some((to, _))) =
            (self.lanes.call(message.send), self.lanes.call(message.receive))
        else {
            return;
        };
        if from.host != to.host {
            return;
        }
        self.add(message.receive, WaitKind::LateSender, message.sent, message.send);
        // Others give a request, which is waited for elsewhere.
        if from.kind(send).is_some_and(|kind| kind.sends) {
            self.send_is_waited_for(message.send, message);
        }
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
        let (Some((from, call)), Some((to, receive))) =
            (self.lanes.call(at), self.lanes.call(message.receive))
        else {
            return;
        };
        if from.host != to.host {
            return;
        }
        let until = if call.end < receive.begin { message.posted } else { receive.begin };
        if call.end >= until {
            self.add(at, WaitKind::LateReceiver, until, message.receive);
        }
    }

    /// Gives those of which all ranks are there.
    fn collectives(&mut self, run: &Run<'_>) -> BTreeMap<Key, Vec<At>> {
        let mut by_key: BTreeMap<Key, Vec<Rooted>> = BTreeMap::new();
        for lane in &self.lanes.all {
            for (number, call) in lane.calls.iter().enumerate() {
                if let TracedKind::Collective { key, root } = call.kind {
                    let at = At { lane: lane.number, call: number as u32 };
                    by_key.entry((lane.world, key)).or_default().push((at, root));
                }
            }
        }
        let mut whole = BTreeMap::new();
        for (key, of_call) in by_key {
            if self.collective(run, &of_call) {
                whole.insert(key, of_call.into_iter().map(|(at, _)| at).collect());
            }
        }
        whole
    }

    fn collective(&mut self, run: &Run<'_>, of_call: &[Rooted]) -> bool {
        let calls: Vec<_> =
            of_call.iter().filter_map(|(at, _)| self.lanes.call(*at).map(|found| (*at, found))).collect();
        let Some((first, root)) = calls.first().zip(of_call.first()).map(|(call, (_, root))| (call.1, *root))
        else {
            return false;
        };
        let name = first.0.name(first.1);
        let is_same = |lane: &Lane<'_>, call: &TracedCall| {
            let size = lane.kind(call).and_then(|kind| kind.ranks);
            lane.name(call) == name && lane.host == first.0.host && size == Some(calls.len() as u32)
        };
        if !calls.iter().all(|(_, (lane, call))| is_same(lane, call)) {
            return false;
        }
        let Some((last, (_, of_last))) = calls.iter().max_by_key(|(at, (_, call))| (call.begin, *at)) else {
            return false;
        };
        let is_root = |lane: &Lane<'_>, call: &TracedCall| {
            let communicator = lane.site(call.site).and_then(|site| site.communicator)?;
            let of =
                run.processes.get(lane.process)?.activity.communicators.get(usize::from(communicator))?;
            Some(Some(of.rank) == root)
        };
        let root = calls.iter().find(|(_, (lane, call))| is_root(lane, call) == Some(true));
        match pattern(name) {
            Some(Pattern::All) => {
                for (at, _) in calls.iter().filter(|(at, _)| at != last) {
                    self.add(*at, WaitKind::LastOfAll, of_last.begin, *last);
                }
            }
            Some(Pattern::FromRoot) => {
                let Some((of_root, (_, call))) = root else { return false };
                for (at, _) in calls.iter().filter(|(at, _)| at != of_root) {
                    self.add(*at, WaitKind::LateRoot, call.begin, *of_root);
                }
            }
            Some(Pattern::ToRoot) => {
                let Some((of_root, _)) = root.filter(|(at, _)| at != last) else { return root.is_some() };
                self.add(*of_root, WaitKind::EarlyRoot, of_last.begin, *last);
            }
            None => return false,
        }
        true
    }
}

/// Who needs what of whom.
enum Pattern {
    All,
    FromRoot,
    ToRoot,
}

fn pattern(call: &str) -> Option<Pattern> {
    let name = call.strip_prefix("MPI_").unwrap_or(call);
    match name.strip_suffix("_c").unwrap_or(name) {
        "Bcast" | "Scatter" | "Scatterv" => Some(Pattern::FromRoot),
        "Reduce" | "Gather" | "Gatherv" => Some(Pattern::ToRoot),
        // A rank needs what those before it have, and these do not stand in the trace by their order.
        "Scan" | "Exscan" => None,
        _ => Some(Pattern::All),
    }
}

/// Calls that may have waited, and of which it is not known.
fn not_judged(found: &Found<'_, '_>, is_whole: impl Fn(Key) -> bool) -> BTreeMap<At, NotJudgedReason> {
    let mut all = BTreeMap::new();
    for (lane, judged) in found.lanes.all.iter().zip(&found.judged) {
        for (number, (call, is_judged)) in lane.calls.iter().zip(judged).enumerate() {
            let kind = lane.kind(call);
            let received = || lane.messages(number).iter().any(|of| of.end == MessageSide::Received);
            let why = match call.kind {
                TracedKind::Polls { .. } => None,
                TracedKind::Collective { key, .. } if is_whole((lane.world, key)) => None,
                TracedKind::Collective { .. } => match pattern(lane.name(call)) {
                    Some(_) => Some(NotJudgedReason::OtherRanksMissing),
                    None => Some(NotJudgedReason::NotFollowed),
                },
                TracedKind::Alone if *is_judged || kind.is_some_and(|kind| kind.ranks == Some(1)) => None,
                TracedKind::Alone if received() => Some(NotJudgedReason::OtherRanksMissing),
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
