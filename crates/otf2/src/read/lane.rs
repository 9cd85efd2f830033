//! The calls of MPI of one location: what is entered and left, outermost, with the messages that are sent and come in it.

use super::definitions::{Clock, Kind, Place, Regions};
use super::spans::Spans;
use crate::event::{Collective, EnteredAt, Event, Message, Polls, What};

/// One call. Times are nanoseconds of the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Which of [`Regions::calls`].
    pub name: u32,
    pub place: Place,
    pub begin: u64,
    pub end: u64,
    pub collective: Option<Collective>,
    pub polls: Option<Polls>,
    /// How many of [`Lane::messages`] are its, behind those of the call before it.
    pub messages: u32,
}

/// What a call did with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Sent(Message),
    Received(Message),
    /// A receive that was begun before, by its request.
    Came(Message, u64),
    /// A send was completed, by its request.
    Done(u64),
    /// A collective call was, that was begun before.
    Ended(Collective, u64),
}

/// What a request is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestOf {
    Send,
    Receive,
    Collective,
}

/// A message, or the end of one, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    pub side: Side,
    pub time: u64,
}

/// A request that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    pub request: u64,
    pub of: RequestOf,
    pub time: u64,
    /// When the call began that began it.
    pub posted: u64,
}

/// What was not as it should be, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Odd {
    pub outside: u64,
    pub unbalanced: u64,
    pub moved: u64,
}

impl Odd {
    pub fn with(self, other: &Odd) -> Odd {
        Odd {
            outside: self.outside + other.outside,
            unbalanced: self.unbalanced + other.unbalanced,
            moved: self.moved + other.moved,
        }
    }
}

/// A location, as far as its events were taken.
#[derive(Debug)]
pub struct Lane<'d> {
    pub location: u64,
    pub calls: Vec<Call>,
    /// Of all calls, one after the other.
    pub messages: Vec<Passed>,
    pub begun: Vec<Begun>,
    pub spans: Spans,
    /// The string that names the program.
    pub program: Option<u32>,
    /// Those that were looked at.
    pub events: u64,
    /// With those that were not.
    pub all_events: u64,
    pub last: u64,
    pub odd: Odd,
    first: Option<u64>,
    regions: &'d Regions,
    clock: Clock,
    /// Regions that were entered and not left.
    entered: Vec<u32>,
    /// The outermost call of MPI that was entered, and its place among these.
    open: Option<(usize, Call)>,
}

impl<'d> Lane<'d> {
    pub fn new(location: u64, regions: &'d Regions, clock: Clock) -> Lane<'d> {
        Lane {
            location,
            calls: Vec::new(),
            messages: Vec::new(),
            begun: Vec::new(),
            spans: Spans::default(),
            program: None,
            events: 0,
            all_events: 0,
            last: 0,
            odd: Odd::default(),
            first: None,
            regions,
            clock,
            entered: Vec::new(),
            open: None,
        }
    }

    /// When the first event was.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    pub fn take(&mut self, Event { time, what }: Event) {
        self.events += 1;
        let time = self.clock.nanoseconds(time);
        self.odd.moved += u64::from(time < self.last);
        let time = time.max(self.last);
        self.last = time;
        self.first.get_or_insert(time);
        match what {
            What::ProgramBegin(name) => self.program = Some(name),
            What::Enter { region, at, polls } => self.enter(region, at, polls, time),
            What::Leave(region) => self.leave(region, time),
            What::Send(message) => self.pass(Side::Sent(message), time),
            What::Isend(message, request) => {
                self.begin(request, RequestOf::Send, time);
                self.pass(Side::Sent(message), time);
            }
            What::IsendComplete(request) => self.pass(Side::Done(request), time),
            What::IrecvRequest(request) => self.begin(request, RequestOf::Receive, time),
            What::Recv(message) => self.pass(Side::Received(message), time),
            What::Irecv(message, request) => self.pass(Side::Came(message, request), time),
            What::ThreadFork(threads) => self.spans.fork(threads, time),
            What::ThreadJoin => self.spans.join(),
            What::CollectiveBegin | What::ProgramEnd => {}
            What::CollectiveEnd(collective) => match &mut self.open {
                Some((_, call)) => call.collective = Some(collective),
                None => self.odd.outside += 1,
            },
            What::CollectiveRequest(request) => self.begin(request, RequestOf::Collective, time),
            What::CollectiveComplete(collective, request) => {
                self.pass(Side::Ended(collective, request), time)
            }
        }
    }

    fn enter(&mut self, region: u32, at: EnteredAt, polls: Option<Polls>, begin: u64) {
        if let (Kind::Call(name), None) = (self.regions.kind(region), &self.open) {
            let place = Place { inside: self.entered.last().copied(), at };
            let call = Call { name, place, begin, end: begin, collective: None, polls, messages: 0 };
            self.open = Some((self.entered.len(), call));
        }
        if let Kind::Span(of) = self.regions.kind(region) {
            let place = Place { inside: self.entered.last().copied(), at };
            self.spans.enter(of, place, self.entered.len(), begin);
        }
        self.entered.push(region);
    }

    fn leave(&mut self, region: u32, time: u64) {
        let Some(place) = self.entered.iter().rposition(|entered| *entered == region) else {
            self.odd.unbalanced += 1;
            return;
        };
        self.odd.unbalanced += (self.entered.len() - place - 1) as u64;
        self.entered.truncate(place);
        self.close(place, time);
    }

    /// Ends the call of MPI, and what else, if it was entered as the region at this place, or inside of that.
    fn close(&mut self, place: usize, time: u64) {
        self.spans.leave(place, time);
        if let Some((_, call)) = self.open.take_if(|(entered, _)| *entered >= place) {
            self.calls.push(Call { end: time, ..call });
        }
    }

    fn pass(&mut self, side: Side, time: u64) {
        match &mut self.open {
            Some((_, call)) => {
                call.messages = call.messages.saturating_add(1);
                self.messages.push(Passed { side, time });
            }
            None => self.odd.outside += 1,
        }
    }

    fn begin(&mut self, request: u64, of: RequestOf, time: u64) {
        let posted = self.open.as_ref().map_or(time, |(_, call)| call.begin);
        self.begun.push(Begun { request, of, time, posted });
    }

    /// Behind the last event: what is still entered ends there.
    pub fn finish(&mut self) {
        self.odd.unbalanced += self.entered.len() as u64;
        self.entered.clear();
        self.close(0, self.last);
    }

    /// The calls, each with its messages.
    pub fn each(&self) -> impl Iterator<Item = (&Call, &[Passed])> {
        let mut next = 0usize;
        self.calls.iter().map(move |call| {
            let end = next.saturating_add(call.messages as usize);
            let messages = self.messages.get(next..end).unwrap_or_default();
            next = end;
            (call, messages)
        })
    }
}
