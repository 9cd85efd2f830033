//! Numbers of what a process sends and receives in the background. A trace tells at its end when it was begun: what was begun by the call at
//! a moment gets numbers before the events are written.

use std::collections::{BTreeMap, VecDeque};

use numawise_facts::WatchedRun;
use numawise_facts::activity::{MessageSide, ThreadTrace, TracedCall, TracedMessage};
use numawise_units::Nanoseconds;

use super::ranks::Ranks;
use crate::event::Collective;

/// Each with its messages.
pub fn calls(trace: &ThreadTrace) -> impl Iterator<Item = (&TracedCall, &[TracedMessage])> {
    let mut next = 0usize;
    trace.calls.iter().map(move |call| {
        let end = next.saturating_add(call.messages as usize);
        let messages = trace.messages.get(next..end).unwrap_or_default();
        next = end;
        (call, messages)
    })
}

/// A receive that was begun by an earlier call.
pub fn was_asked_for(call: &TracedCall, message: &TracedMessage) -> bool {
    message.end == MessageSide::Received && message.posted < call.begin
}

/// Of what was sent or asked for before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub number: u64,
    /// The call that began it is in the trace.
    pub is_begun: bool,
}

#[derive(Debug, Default)]
pub struct Requests {
    next: u64,
    sends: BTreeMap<Nanoseconds, [VecDeque<u64>; 2]>,
    /// Collective calls that another call ends: by when they began, the number, and, when they were met, what they are; nothing for those that OTF2 has no
    /// operation for.
    collectives: BTreeMap<Nanoseconds, (u64, Option<Option<Collective>>)>,
    receives: BTreeMap<Nanoseconds, Receives>,
}

#[derive(Debug, Default)]
struct Receives {
    numbers: Vec<u64>,
    /// How many of these have come.
    come: usize,
    /// The location in which a call begins at that moment.
    begun_in: Option<u64>,
}

impl Requests {
    /// Of all threads of a process.
    pub fn of(run: &WatchedRun, ranks: &Ranks, group: usize) -> Requests {
        let mut requests = Requests::default();
        let mut counts: BTreeMap<Nanoseconds, [u64; 2]> = BTreeMap::new();
        let traces =
            || ranks.locations_of(group).filter_map(|at| ranks.trace(run, at).map(|trace| (at, trace)));
        for (_, trace) in traces() {
            for (call, messages) in calls(trace) {
                for message in messages {
                    match message.end {
                        MessageSide::Sent => counts.entry(message.posted).or_default()[0] += 1,
                        MessageSide::SendDone => counts.entry(message.posted).or_default()[1] += 1,
                        MessageSide::CollectiveDone if message.communicator.is_none() => {
                            let number = requests.number();
                            requests.collectives.insert(message.posted, (number, None));
                        }
                        MessageSide::Received if was_asked_for(call, message) => {
                            let number = requests.number();
                            requests.receives.entry(message.posted).or_default().numbers.push(number);
                        }
                        _ => {}
                    }
                }
            }
        }
        for (posted, [sent, done]) in counts {
            for _ in 0..sent.min(done) {
                let number = requests.number();
                let both = requests.sends.entry(posted).or_default();
                both.iter_mut().for_each(|side| side.push_back(number));
            }
        }
        for (at, trace) in traces() {
            for call in &trace.calls {
                if let Some(receives) = requests.receives.get_mut(&call.begin) {
                    receives.begun_in.get_or_insert(at);
                }
            }
        }
        requests
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Of what is sent now; none where nothing says that it was waited for, unless the call gives a request in any case.
    pub fn send(&mut self, posted: Nanoseconds, gives_request: bool) -> Option<u64> {
        let known = self.sends.get_mut(&posted).and_then(|[sent, _]| sent.pop_front());
        known.or_else(|| gives_request.then(|| self.number()))
    }

    /// Of what was sent.
    pub fn send_done(&mut self, posted: Nanoseconds) -> Option<Request> {
        let number = self.sends.get_mut(&posted).and_then(|[_, done]| done.pop_front())?;
        Some(Request { number, is_begun: true })
    }

    /// Of a collective call that begins now; none where nothing says that it was ended, or it is left out.
    pub fn collective(&mut self, begin: Nanoseconds, of: Option<Collective>) -> Option<u64> {
        let (number, known) = self.collectives.get_mut(&begin)?;
        *known = Some(of);
        of.map(|_| *number)
    }

    /// Of a collective call that has ended, where its begin is in the trace; nothing in that where it is left out.
    pub fn collective_done(&mut self, posted: Nanoseconds) -> Option<Option<(Collective, u64)>> {
        let (number, of) = self.collectives.remove(&posted)?;
        Some(of?.map(|of| (of, number)))
    }

    /// Of all receives that the call begins which begins at this moment in a location.
    pub fn begun(&mut self, at: u64, begin: Nanoseconds) -> Vec<u64> {
        let Some(receives) = self.receives.get_mut(&begin) else { return Vec::new() };
        if receives.begun_in != Some(at) {
            return Vec::new();
        }
        // Another call that begins at the same moment begins none of them.
        receives.begun_in = Some(u64::MAX);
        receives.numbers.clone()
    }

    /// Of a receive that has come.
    pub fn received(&mut self, posted: Nanoseconds) -> Request {
        let known = self.receives.get_mut(&posted).and_then(|of| {
            let number = *of.numbers.get(of.come)?;
            of.come += 1;
            Some(Request { number, is_begun: of.begun_in.is_some() })
        });
        known.unwrap_or_else(|| Request { number: self.number(), is_begun: false })
    }
}
