//! Calls and messages as a run has them: messages by the ranks of their world, requests as the calls that began them, collective calls by
//! numbers that all their ranks share.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use numawise_facts::Reading;
use numawise_facts::activity::{
    CodeAddress, MessageSide, ThreadTrace, TracedCall, TracedKind, TracedMessage, TracedSite,
};
use numawise_units::{Bytes, Nanoseconds};

use super::communicators::{ClassOf, Communicators};
use super::definitions::Place;
use super::lane::{Call, Lane, Passed, RequestOf, Side};
use super::places::Places;
use super::ranks::Ranks;
use super::spans::find_openers;
use crate::calls::{begins_collective, may_poll};
use crate::event::{Collective, Message, NO_ROOT};

/// What could not be told, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Odd {
    pub communicators: u64,
    pub peers: u64,
    pub receives_open: u64,
    pub sends_open: u64,
    pub not_begun: u64,
    pub again: u64,
}

/// A thread of a process.
#[derive(Debug)]
pub struct Thread {
    /// Which of [`Ranks::processes`].
    pub process: usize,
    pub trace: ThreadTrace,
    /// Its first event and its last, in nanoseconds of the archive.
    pub span: [u64; 2],
    /// The string that names the program.
    pub program: Option<u32>,
    /// Which of its calls are collective, and how.
    collectives: Vec<(usize, Collective)>,
}

#[derive(Debug, Default)]
pub struct Traced {
    /// By process, then by location.
    pub threads: Vec<Thread>,
    /// World and rank of each process.
    pub ranks: Vec<Option<(usize, u32)>>,
    /// What the communicators of each process are, by the numbers that its sites have for them.
    pub communicators: Vec<Vec<ClassOf>>,
    pub odd: Odd,
}

pub fn all(
    ranks: &Ranks,
    communicators: &Communicators,
    places: &mut Places<'_>,
    lanes: &[Lane<'_>],
) -> Traced {
    let mut traced = Traced {
        ranks: ranks.processes.iter().map(|process| process.world_rank()).collect(),
        ..Traced::default()
    };
    let mut by_process: BTreeMap<usize, Vec<&Lane<'_>>> = BTreeMap::new();
    for lane in lanes {
        if let Some(process) = ranks.process_of(lane.location) {
            by_process.entry(process).or_default().push(lane);
        }
    }
    for process in 0..ranks.processes.len() {
        let lanes = by_process.remove(&process).unwrap_or_default();
        let mut of = Process {
            number: process,
            place: ranks.place(process),
            world: ranks.processes.get(process).and_then(|of| of.world_rank()).map(|(world, _)| world),
            ranks,
            communicators,
            requests: Requests::of(&lanes),
            own: BTreeMap::new(),
            ended: BTreeMap::new(),
            begun: BTreeMap::new(),
            odd: &mut traced.odd,
        };
        lanes.iter().for_each(|lane| of.end_collectives(lane));
        let mut threads: Vec<Thread> = lanes.iter().map(|lane| of.thread(lane, places)).collect();
        let mut of_process: Vec<&mut ThreadTrace> =
            threads.iter_mut().map(|thread| &mut thread.trace).collect();
        find_openers(&mut of_process);
        let own = of.own;
        of.requests.count(&mut traced.odd);
        number_collectives(communicators, ranks.place(process), &own, &mut threads);
        traced.threads.extend(threads);
        let mut own: Vec<(u16, ClassOf)> = own.into_iter().map(|(class, number)| (number, class)).collect();
        own.sort_unstable();
        traced.communicators.push(own.into_iter().map(|(_, class)| class).collect());
    }
    traced
}

/// A process whose lanes become threads.
struct Process<'a> {
    number: usize,
    place: Option<u64>,
    world: Option<usize>,
    ranks: &'a Ranks,
    communicators: &'a Communicators,
    requests: Requests,
    own: BTreeMap<ClassOf, u16>,
    /// Ends of collective calls that others began, by location, moment and request: when the call began that began it.
    ended: BTreeMap<(u64, u64, u64), Option<u64>>,
    /// What calls began, by when they began.
    begun: BTreeMap<u64, Collective>,
    odd: &'a mut Odd,
}

impl Process<'_> {
    /// What a collective call is, only its end tells.
    fn end_collectives(&mut self, lane: &Lane<'_>) {
        for passed in &lane.messages {
            if let Side::Ended(collective, request) = passed.side {
                let posted = self.requests.end(RequestOf::Collective, request, lane.location, passed.time);
                self.odd.not_begun += u64::from(posted.is_none());
                self.ended.insert((lane.location, passed.time, request), posted);
                self.begun.extend(posted.map(|posted| (posted, collective)));
            }
        }
    }

    fn thread(&mut self, lane: &Lane<'_>, places: &mut Places<'_>) -> Thread {
        let mut trace = ThreadTrace::default();
        let mut collectives = Vec::new();
        let mut sites: BTreeMap<(u32, Place, Option<u16>), u32> = BTreeMap::new();
        for (call, messages) in lane.each() {
            let name = places.name(call.name);
            let before = trace.messages.len();
            for passed in messages {
                trace.messages.extend(self.message(lane.location, call, passed));
            }
            let count = (trace.messages.len() - before) as u32;
            let begun = self.begun.get(&call.begin).filter(|_| begins_collective(name)).copied();
            let call = &Call { collective: call.collective.or(begun), ..*call };
            let communicator = self.communicator(call, messages);
            let next = trace.sites.len() as u32;
            let site = *sites.entry((call.name, call.place, communicator)).or_insert(next);
            if site == next {
                let at = places.address(call.place).map(|address| CodeAddress { file: 0, address });
                let at =
                    at.map_or_else(|| Reading::unavailable("the archive does not say it"), Reading::Measured);
                trace.sites.push(TracedSite { call: name.to_owned(), at, communicator });
            }
            let moved = trace.messages.get(before..).unwrap_or_default().iter();
            let moved = moved.fold(0u64, |sum, message| sum.saturating_add(message.bytes.0));
            let of_all = call.collective.map_or(0, |of| of.sent.saturating_add(of.received));
            let [begin, end] = [call.begin, call.end].map(Nanoseconds);
            // A probe that finds a message does not receive it.
            let found_nothing = messages.is_empty() && may_poll(name) && !places.tells_polls();
            let kind = match call.polls {
                Some(polls) => TracedKind::Polls { calls: polls.calls, within: Nanoseconds(polls.within) },
                None if found_nothing => TracedKind::Polls { calls: 1, within: end.saturating_sub(begin) },
                // Collective calls get their numbers when all threads are known.
                None => TracedKind::Alone,
            };
            let bytes = Bytes(moved.saturating_add(of_all));
            collectives.extend(call.collective.map(|of| (trace.calls.len(), of)));
            add(&mut trace.calls, TracedCall { site, begin, end, kind, bytes, messages: count });
        }
        lane.spans.put(places, &mut trace);
        let span = [lane.first().unwrap_or(lane.last), lane.last];
        Thread { process: self.number, trace, span, program: lane.program, collectives }
    }

    /// The number that the process has for the communicator of a call.
    fn communicator(&mut self, call: &Call, messages: &[Passed]) -> Option<u16> {
        let of_message = messages.iter().find_map(|passed| match passed.side {
            // What is waited for may be of several.
            Side::Sent(message) | Side::Received(message) => Some(message.communicator),
            Side::Came(..) | Side::Done(_) | Side::Ended(..) => None,
        });
        let number = call.collective.map(|of| of.communicator).or(of_message)?;
        let Some(class) = self.communicators.of_number(self.number, number) else {
            self.odd.communicators += u64::from(call.collective.is_some());
            return None;
        };
        let next = u16::try_from(self.own.len()).ok();
        match self.own.get(&class) {
            Some(known) => Some(*known),
            None => {
                self.own.insert(class, next?);
                next
            }
        }
    }

    fn message(&mut self, location: u64, call: &Call, passed: &Passed) -> Option<TracedMessage> {
        let (end, message, posted) = match passed.side {
            Side::Sent(message) => (MessageSide::Sent, message, call.begin),
            Side::Received(message) => (MessageSide::Received, message, call.begin),
            Side::Came(message, request) => {
                let posted = self.requests.end(RequestOf::Receive, request, location, passed.time);
                self.odd.not_begun += u64::from(posted.is_none());
                (MessageSide::Received, message, posted.unwrap_or(call.begin))
            }
            Side::Done(request) => {
                let posted = self.requests.end(RequestOf::Send, request, location, passed.time);
                self.odd.not_begun += u64::from(posted.is_none());
                return posted.map(|posted| ended(MessageSide::SendDone, posted));
            }
            Side::Ended(_, request) => {
                let posted = self.ended.get(&(location, passed.time, request)).copied().flatten();
                return posted.map(|posted| ended(MessageSide::CollectiveDone, posted));
            }
        };
        let Message { peer, communicator, tag, bytes } = message;
        let Some(class) = self.communicators.of_number(self.number, communicator) else {
            self.odd.communicators += 1;
            return None;
        };
        let place = self.communicators.get(class).and_then(|of| of.place(self.place, peer));
        let peer = place.and_then(|place| self.ranks.at(place));
        let Some((_, peer)) = peer.filter(|(world, _)| Some(*world) == self.world) else {
            self.odd.peers += 1;
            return None;
        };
        let number = u64::from(class.class) + 1 + (class.alone.map_or(0, |of| u64::from(of) + 1) << 32);
        let posted = Nanoseconds(posted);
        let communicator = NonZeroU64::new(number);
        Some(TracedMessage { end, posted, communicator, bytes: Bytes(bytes), tag: tag.cast_signed(), peer })
    }
}

/// What was begun by the call that began then.
fn ended(end: MessageSide, posted: u64) -> TracedMessage {
    let posted = Nanoseconds(posted);
    TracedMessage { end, posted, communicator: None, bytes: Bytes(0), tag: 0, peer: 0 }
}

/// So many places of a number's key are for how manieth the call is on its communicator.
const CALL_BITS: u32 = 40;
const MOST_CLASSES: u32 = 1 << (63 - CALL_BITS);
/// `OTF2_COLLECTIVE_ROOT_THIS_GROUP`: what is no rank.
const FIRST_NO_ROOT: u32 = NO_ROOT - 2;

/// Gives collective calls of several ranks numbers: the communicator, and the how manieth of the process the call is on it. All ranks
/// make them in one order (MPI 4.1, section 6.1).
fn number_collectives(
    communicators: &Communicators,
    place: Option<u64>,
    own: &BTreeMap<ClassOf, u16>,
    threads: &mut [Thread],
) {
    let by_number: BTreeMap<u16, ClassOf> = own.iter().map(|(class, number)| (*number, *class)).collect();
    let mut found: Vec<(Nanoseconds, usize, usize, ClassOf, u32)> = Vec::new();
    for (of, thread) in threads.iter().enumerate() {
        for (number, collective) in &thread.collectives {
            let Some(call) = thread.trace.calls.get(*number) else { continue };
            let Some(site) = thread.trace.sites.get(call.site as usize) else { continue };
            if let Some(class) = site.communicator.and_then(|number| by_number.get(&number)) {
                found.push((call.end, of, *number, *class, collective.root));
            }
        }
    }
    found.sort_unstable();
    let mut counts: BTreeMap<ClassOf, u64> = BTreeMap::new();
    for (_, of, number, class, root) in found {
        let count = counts.entry(class).or_default();
        let manieth = *count;
        *count += 1;
        let Some(known) = communicators.get(class) else { continue };
        // Nobody else is in it.
        if class.alone.is_some() || known.size(place) < 2 || class.class >= MOST_CLASSES {
            continue;
        }
        let Some(key) = NonZeroU64::new((u64::from(class.class) + 1) << CALL_BITS | manieth) else {
            continue;
        };
        let root = Some(root).filter(|root| *root < FIRST_NO_ROOT).and_then(|root| known.root(root));
        if let Some(call) = threads.get_mut(of).and_then(|thread| thread.trace.calls.get_mut(number)) {
            call.kind = TracedKind::Collective { key, root };
        }
    }
}

/// Adds a call, or extends the one before where both found nothing at one place.
fn add(calls: &mut Vec<TracedCall>, call: TracedCall) {
    if let (TracedKind::Polls { calls: more, within: longer }, Some(last)) = (call.kind, calls.last_mut())
        && let TracedKind::Polls { calls, within } = &mut last.kind
        && (last.site, last.messages, call.messages) == (call.site, 0, 0)
    {
        *calls = calls.saturating_add(more);
        *within = Nanoseconds(within.0.saturating_add(longer.0));
        last.end = call.end;
        return;
    }
    calls.push(call);
}

/// What a process began and waits for. Numbers may be used again, and by tools that note no end without one.
#[derive(Debug, Default)]
struct Requests {
    all: BTreeMap<(RequestOf, u64), Vec<Open>>,
}

#[derive(Debug)]
struct Open {
    time: u64,
    location: u64,
    posted: u64,
    is_done: bool,
}

/// How many uses of a number are looked through for the one that is meant.
const LOOKED_AT: usize = 64;

impl Requests {
    fn of(lanes: &[&Lane<'_>]) -> Requests {
        let mut requests = Requests::default();
        for lane in lanes {
            for begun in &lane.begun {
                let open =
                    Open { time: begun.time, location: lane.location, posted: begun.posted, is_done: false };
                requests.all.entry((begun.of, begun.request)).or_default().push(open);
            }
        }
        requests.all.values_mut().for_each(|uses| uses.sort_by_cached_key(|open| open.time));
        requests
    }

    /// Ends the latest use of a number before a moment: one of the same thread, if there is one. Gives when the call began that began it.
    fn end(&mut self, of: RequestOf, request: u64, location: u64, time: u64) -> Option<u64> {
        let uses = self.all.get_mut(&(of, request))?;
        let before = uses.partition_point(|open| open.time <= time);
        let near = before.saturating_sub(LOOKED_AT)..before;
        let open = |own: bool| {
            let mut places = near.clone().rev();
            places.find(|place| {
                uses.get(*place).is_some_and(|open| !open.is_done && (!own || open.location == location))
            })
        };
        let place = open(true).or_else(|| open(false))?;
        let found = uses.get_mut(place)?;
        found.is_done = true;
        Some(found.posted)
    }

    fn count(&self, odd: &mut Odd) {
        for ((of, _), uses) in &self.all {
            let open = uses.iter().filter(|open| !open.is_done).count() as u64;
            let last_is_open = uses.last().is_some_and(|open| !open.is_done);
            odd.again += open - u64::from(last_is_open);
            match of {
                RequestOf::Receive => odd.receives_open += open,
                RequestOf::Send => odd.sends_open += open,
                RequestOf::Collective => {}
            }
        }
    }
}
