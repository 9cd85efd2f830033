//! What of the calls of a slice a later one needs: calls whose messages, members or steps others have not come to yet, or lie in what is kept whole.

use numawise_facts::activity::{MessageSide, TracedKind};
use numawise_units::Nanoseconds;

use super::Traced;
use super::lanes::{At, Lanes};

/// Of a lane, up to what is kept whole.
#[derive(Default)]
pub struct Kept {
    pub calls: Vec<bool>,
    /// As a member of a collective call.
    pub members: Vec<bool>,
    /// Their messages.
    pub ends: Vec<bool>,
}

/// A message by which a call ends what one that began at a moment began: lane, moment, call, place of the message.
type Done = (u32, Nanoseconds, At, u32);

struct Keep<'l, 'a> {
    lanes: &'l Lanes<'a>,
    /// Of each lane, the first call of those that are kept whole.
    solid: &'l [usize],
    all: Vec<Kept>,
}

/// Of each lane. `solid`: of each the first call from which on all are kept.
pub fn of(traced: &Traced<'_>, solid: &[usize]) -> Vec<Kept> {
    let lanes = &traced.lanes;
    let kept = |(lane, solid): (&super::lanes::Lane<'_>, &usize)| {
        let (calls, ends) = (*solid, lane.messages_of(*solid).start);
        let mut kept =
            Kept { calls: vec![false; calls], members: vec![false; calls], ends: vec![false; ends] };
        // What comes behind it begins with its end.
        kept.calls.last_mut().into_iter().for_each(|last| *last = true);
        kept
    };
    let all = lanes.all.iter().zip(solid).map(kept).collect();
    let mut keep = Keep { lanes, solid, all };
    keep.messages(traced, &keep.done(MessageSide::SendDone));
    keep.collectives(traced, &keep.done(MessageSide::CollectiveDone));
    for of in &traced.waits.needed {
        let calls = || of.steps.iter().map(|(at, _)| *at);
        if calls().any(|at| keep.is_whole(at)) || of.is_open && lanes.is_awaited(calls()) {
            of.steps.iter().for_each(|(at, place)| keep.end(*at, *place));
        }
    }
    keep.all
}

fn done_of(done: &[Done], lane: u32, began: Nanoseconds) -> impl Iterator<Item = &Done> {
    let from = done.partition_point(|of| (of.0, of.1) < (lane, began));
    let rest = done.get(from..).unwrap_or_default().iter();
    rest.take_while(move |of| (of.0, of.1) == (lane, began))
}

impl Keep<'_, '_> {
    fn is_whole(&self, at: At) -> bool {
        self.solid.get(at.lane as usize).is_some_and(|solid| at.call as usize >= *solid)
    }

    fn call(&mut self, at: At) {
        let kept = self.all.get_mut(at.lane as usize).and_then(|of| of.calls.get_mut(at.call as usize));
        kept.into_iter().for_each(|kept| *kept = true);
    }

    fn end(&mut self, at: At, place: u32) {
        self.call(at);
        let kept = self.all.get_mut(at.lane as usize).and_then(|of| of.ends.get_mut(place as usize));
        kept.into_iter().for_each(|kept| *kept = true);
    }

    fn begin(&self, at: At) -> Nanoseconds {
        self.lanes.call(at).map_or(Nanoseconds(0), |(_, call)| call.begin)
    }

    /// All messages of a side by which calls end something, by what they end.
    fn done(&self, side: MessageSide) -> Vec<Done> {
        let mut all = Vec::new();
        for lane in self.lanes.all.iter().filter(|lane| lane.has_end(side)) {
            for call in 0..lane.calls.len() {
                let at = At { lane: lane.number, call: call as u32 };
                let own = lane.messages_of(call).zip(lane.messages(call)).filter(|(_, of)| of.end == side);
                all.extend(own.map(|(place, of)| (lane.number, of.posted, at, place as u32)));
            }
        }
        all.sort_unstable();
        all
    }

    fn messages(&mut self, traced: &Traced<'_>, done: &[Done]) {
        let matched = &traced.matched;
        for (message, [sent, received]) in matched.messages.iter().zip(&matched.sliced.of) {
            let both = [self.is_whole(message.send), self.is_whole(message.receive)];
            if both == [true, true] {
                continue;
            }
            let ended = || done_of(done, message.send.lane, message.sent);
            let kind = self.lanes.call(message.send).and_then(|(lane, call)| lane.kind(call));
            let is_asked = kind.is_some_and(|kind| kind.requests);
            let is_awaited = || ended().next().is_none() && self.lanes.is_awaited([message.send].into_iter());
            let is_needed = both.contains(&true)
                || is_asked && (ended().any(|(_, _, at, _)| self.is_whole(*at)) || is_awaited());
            if is_needed {
                self.end(message.send, *sent);
                self.end(message.receive, *received);
                ended().for_each(|(_, _, at, place)| self.end(*at, *place));
            }
        }
        for (at, place) in &matched.sliced.open {
            self.end(*at, *place);
            let began = self.begin(*at);
            done_of(done, at.lane, began).for_each(|(_, _, at, place)| self.end(*at, *place));
        }
    }

    fn collectives(&mut self, traced: &Traced<'_>, done: &[Done]) {
        let lanes = self.lanes;
        for (key, members) in traced.collectives.open() {
            if members.iter().any(|at| self.is_whole(*at)) || lanes.is_awaited(members.iter().copied()) {
                self.group(key, members, done);
            }
        }
        for (key, members, ended) in traced.collectives.complete_ones() {
            let (mut is_needed, mut left) = (members.iter().any(|at| self.is_whole(*at)), 0);
            left += members.iter().filter(|at| lanes.begins(**at)).count();
            for (_, at) in ended {
                is_needed |= self.is_whole(at);
                left = left.saturating_sub(1);
            }
            if is_needed || left > 0 && lanes.is_awaited(members.iter().copied()) {
                self.group(key, members, done);
            }
        }
    }

    /// The calls of a collective call, with those that end them.
    fn group(&mut self, key: std::num::NonZeroU64, members: &[At], done: &[Done]) {
        for at in members {
            self.call(*at);
            let of_lane = self.all.get_mut(at.lane as usize);
            let member = of_lane.and_then(|of| of.members.get_mut(at.call as usize));
            member.into_iter().for_each(|member| *member = true);
            let Some((lane, call)) = self.lanes.call(*at) else { continue };
            let own = lane.messages_of(at.call as usize).zip(lane.messages(at.call as usize));
            for (place, of) in own {
                if of.end == MessageSide::Part && of.communicator == Some(key) {
                    self.end(*at, place as u32);
                }
            }
            let is_part = !matches!(call.kind, TracedKind::Collective { .. });
            for other in self.lanes.of_process(at.lane) {
                for (_, _, at, place) in done_of(done, other.number, call.begin) {
                    let of = other.message(*place).and_then(|of| of.communicator);
                    if !is_part || of == Some(key) {
                        self.end(*at, *place);
                    }
                }
            }
        }
    }
}
