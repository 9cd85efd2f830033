//! What a thread did, event by event. A call is entered, then comes what it sent and asked for; at its end what has come, and it is left.

use numawise_facts::activity::{MessageSide, ThreadTrace, TracedCall, TracedKind, TracedMessage, TracedSite};
use numawise_facts::{Activity, WatchedRun};
use numawise_units::Nanoseconds;

use super::Written;
use super::clocks::Clocks;
use super::communicators::Communicators;
use super::definitions::Definitions;
use super::frames::{Frames, RegionEnds};
use super::ranks::Ranks;
use super::requests::{Request, Requests, calls, was_asked_for};
use crate::Otf2Error;
use crate::calls::{Role, begins_collective, gives_request, operation, role, split};
use crate::event::{Collective, EnteredAt, Event, Message, NO_ROOT, Polls, What};

/// Takes the events of a thread.
pub type Sink<'s> = dyn FnMut(Event) -> Result<(), Otf2Error> + 's;

/// A thread that is being written.
pub struct Thread<'a> {
    pub ranks: &'a Ranks,
    pub communicators: &'a Communicators,
    pub clocks: &'a Clocks,
    pub definitions: &'a mut Definitions,
    pub requests: &'a mut Requests,
    pub written: &'a mut Written,
    pub location: u64,
    /// When the event before happened, on the archive's clock.
    pub last: u64,
}

/// The process of the thread.
#[derive(Clone, Copy)]
struct Of<'a> {
    activity: &'a Activity,
    process: usize,
    /// Its world and its rank there.
    rank: Option<(usize, u32)>,
}

impl Thread<'_> {
    pub fn write(
        &mut self,
        run: &WatchedRun,
        (trace, ends): (&ThreadTrace, &RegionEnds),
        sink: &mut Sink<'_>,
    ) -> Result<(), Otf2Error> {
        let group = self.ranks.group_of(self.location).copied();
        let Some((process, rank)) = group.and_then(|group| Some((group.process?, group.rank))) else {
            return Ok(());
        };
        let Some(activity) = run.processes.get(process) else { return Ok(()) };
        let of = Of { activity, process, rank };
        let sites: Vec<(u32, EnteredAt)> =
            trace.sites.iter().map(|site| self.definitions.site(run, activity, site)).collect();
        let is_first = self.ranks.location(self.location).is_some_and(|at| at.group as u64 == self.location);
        if let Some(call) = trace.calls.first().filter(|_| is_first) {
            let program = self.definitions.string(&activity.program);
            let spans = trace.spans.iter().map(|span| span.begin);
            self.put(of, spans.fold(call.begin, Nanoseconds::min), What::ProgramBegin(program), sink)?;
        }
        let mut frames = Frames::of(run, activity, (trace, ends), self.definitions);
        for (call, messages) in calls(trace) {
            while let Some((moment, what)) = frames.until(call.begin) {
                self.put(of, moment, what, sink)?;
            }
            let number = call.site as usize;
            let Some((site, (region, at))) = trace.sites.get(number).zip(sites.get(number)) else { continue };
            self.call(of, (call, site), messages, (*region, *at), sink)?;
        }
        while let Some((moment, what)) = frames.until(Nanoseconds(u64::MAX)) {
            self.put(of, moment, what, sink)?;
        }
        match trace.calls.last().filter(|_| is_first) {
            Some(_) => sink(Event { time: self.last, what: What::ProgramEnd }),
            None => Ok(()),
        }
    }

    fn call(
        &mut self,
        of: Of<'_>,
        (call, site): (&TracedCall, &TracedSite),
        messages: &[TracedMessage],
        (region, at): (u32, EnteredAt),
        sink: &mut Sink<'_>,
    ) -> Result<(), Otf2Error> {
        let polls = match call.kind {
            TracedKind::Polls { calls, within } => Some(Polls { calls, within: within.0 }),
            _ => None,
        };
        self.written.calls += 1;
        self.put(of, call.begin, What::Enter { region, at, polls }, sink)?;
        let all = self.collective(of, call, site);
        let begins = begins_collective(&site.call);
        let collective = all.filter(|_| !begins);
        if collective.is_some() {
            self.put(of, call.begin, What::CollectiveBegin, sink)?;
        }
        let request = begins.then(|| self.requests.collective(call.begin, all)).flatten();
        if let Some(request) = request {
            self.put(of, call.begin, What::CollectiveRequest(request), sink)?;
        }
        for message in messages.iter().filter(|message| message.end == MessageSide::Sent) {
            let request = self.requests.send(message.posted, gives_request(&site.call));
            let Some(sent) = self.message(of, message, site) else { continue };
            self.written.sent += 1;
            let what = request.map_or(What::Send(sent), |request| What::Isend(sent, request));
            self.put(of, call.begin, what, sink)?;
        }
        for request in self.requests.begun(self.location, call.begin) {
            self.put(of, call.begin, What::IrecvRequest(request), sink)?;
        }
        let is_ended = |end: MessageSide| matches!(end, MessageSide::Received | MessageSide::SendDone);
        let ended = messages.iter().filter(|message| is_ended(message.end));
        let ended: Vec<(&TracedMessage, Option<Request>)> =
            ended.map(|message| (message, self.request(call, message))).collect();
        // Nothing says which call asked for these: this one is as early as it is known.
        for request in ended.iter().filter_map(|(_, request)| *request).filter(|request| !request.is_begun) {
            self.put(of, call.begin, What::IrecvRequest(request.number), sink)?;
        }
        let of_persistent = |message: &&TracedMessage| message.end == MessageSide::Part;
        self.written.collectives_left_out += messages.iter().filter(of_persistent).count() as u64;
        let is_ended = |message: &&TracedMessage| {
            message.end == MessageSide::CollectiveDone && message.communicator.is_none()
        };
        for message in messages.iter().filter(is_ended) {
            let done = self.requests.collective_done(message.posted);
            self.written.requests_without_begin += u64::from(done.is_none());
            if let Some((collective, request)) = done.flatten() {
                self.written.collectives += 1;
                self.put(of, call.end, What::CollectiveComplete(collective, request), sink)?;
            }
        }
        for (message, request) in ended {
            let request = request.map(|request| request.number);
            let what = match (message.end, request) {
                (MessageSide::SendDone, Some(request)) => What::IsendComplete(request),
                (MessageSide::SendDone, None) => continue,
                _ => {
                    let Some(received) = self.message(of, message, site) else { continue };
                    self.written.received += 1;
                    request.map_or(What::Recv(received), |request| What::Irecv(received, request))
                }
            };
            self.put(of, call.end, what, sink)?;
        }
        if let Some(collective) = collective {
            self.written.collectives += 1;
            self.put(of, call.end, What::CollectiveEnd(collective), sink)?;
        }
        self.put(of, call.end, What::Leave(region), sink)
    }

    /// The number of what was sent or asked for before.
    fn request(&mut self, call: &TracedCall, message: &TracedMessage) -> Option<Request> {
        match message.end {
            MessageSide::SendDone => {
                let request = self.requests.send_done(message.posted);
                self.written.requests_without_begin += u64::from(request.is_none());
                request
            }
            MessageSide::Received if was_asked_for(call, message) => {
                let request = self.requests.received(message.posted);
                self.written.requests_without_begin += u64::from(!request.is_begun);
                Some(request)
            }
            _ => None,
        }
    }

    /// None where the other side is no rank of the world.
    fn message(&mut self, of: Of<'_>, message: &TracedMessage, site: &TracedSite) -> Option<Message> {
        let ranked = of.rank.and_then(|(world, _)| {
            let size = self.ranks.worlds.get(world)?.size;
            (message.peer < size).then_some(world)
        });
        let Some(world) = ranked else {
            self.written.messages_left_out += 1;
            return None;
        };
        // That of the call; calls that wait have none.
        let of_call = self.communicators.of_process(of.process, site.communicator);
        let found = of_call.or_else(|| self.communicators.of_messages(world, message.communicator));
        let known = found.and_then(|number| Some((number, self.communicators.get(number)?)));
        let place = known.and_then(|(number, known)| Some((number, known.rank_of(message.peer)?)));
        let (communicator, peer) = place.unwrap_or_else(|| {
            self.written.messages_on_world += 1;
            (world as u32, message.peer)
        });
        Some(Message { peer, communicator, tag: message.tag.cast_unsigned(), bytes: message.bytes.0 })
    }

    fn collective(&mut self, of: Of<'_>, call: &TracedCall, site: &TracedSite) -> Option<Collective> {
        let TracedKind::Collective { root, .. } = call.kind else { return None };
        let Some(operation) = operation(&site.call) else {
            // Others, as those that make communicators, move nothing.
            self.written.collectives_left_out += u64::from(role(&site.call) == Role::OtherCollective);
            return None;
        };
        let number = self.communicators.of_process(of.process, site.communicator);
        let known = number.and_then(|number| Some((number, self.communicators.get(number)?)));
        // Of two groups the archive has none: all of the world would seem to take part.
        let is_between_groups = of
            .activity
            .communicators
            .get(usize::from(site.communicator.unwrap_or(u16::MAX)))
            .is_some_and(|of| of.is_inter);
        let Some((communicator, known)) = known.filter(|_| !is_between_groups) else {
            self.written.collectives_left_out += 1;
            return None;
        };
        let root = root.and_then(|root| known.root(root));
        let own = of.rank.and_then(|(_, rank)| known.rank_of(rank));
        let ranks = known.members.as_ref().map(|members| members.len() as u32);
        let [sent, received] = split(&site.call, call.bytes.0, root.is_some() && root == own, ranks);
        Some(Collective { operation, communicator, root: root.unwrap_or(NO_ROOT), sent, received })
    }

    fn put(
        &mut self,
        of: Of<'_>,
        moment: Nanoseconds,
        what: What,
        sink: &mut Sink<'_>,
    ) -> Result<(), Otf2Error> {
        let time = self.clocks.at(&of.activity.host, moment);
        self.written.moments_moved += u64::from(time < self.last);
        self.last = time.max(self.last);
        sink(Event { time: self.last, what })
    }
}
