//! What of a call of MPI was waiting, and what moving data: from single calls that all their ranks drew alike.
//!
//! Of a blocking collective call the rank that is in it for the shortest time waits for nobody: that long the call takes by itself, and what
//! other ranks are in it beyond that they wait. In a blocking receive a rank waits until the other one begins to send, and in a send that
//! is not over before, until the other one begins to receive, by the clock that processes of a host have in common. `MPI_Wait` for the
//! request of such a message waits likewise; what else it is for is drawn too, and nothing is known of it. Of a site, the first calls count as they are; the rest is taken to wait for the share that those
//! that were drawn of it do, or where these are few, all that are known.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::activity::{CallSample, CallSite, SampledCall, is_collective, is_send, plain_call};
use numawise_tables::snapshot::WaitsFor;
use numawise_units::Nanoseconds;

use super::Run;
use super::late::{DrawnCall, LateCalls, SiteName, site_of};
use super::process::Process;

#[cfg(test)]
#[path = "waiting_tests.rs"]
mod tests;

/// With fewer calls beyond the first ones, the rest is taken to be like all that are known; with fewer of these, nothing is said.
const ENOUGH: u64 = 8;
/// If the rest is less than this of the time, it needs no calls of its own.
const SMALL_REST: f64 = 0.05;
/// Waits for one request, of which more than this part is for what no other rank tells, are not known.
const FEW_OTHERS: f64 = 0.05;

/// Time in calls and how much of it was waiting, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
struct DrawnTime {
    calls: u64,
    time: u64,
    waiting: u64,
}

impl DrawnTime {
    fn merge(&mut self, other: DrawnTime) {
        self.calls = self.calls.saturating_add(other.calls);
        self.time = self.time.saturating_add(other.time);
        self.waiting = self.waiting.saturating_add(other.waiting);
    }
}

/// What is known of the calls of a site: its first ones, and others that were drawn.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownWaiting {
    first: DrawnTime,
    drawn: DrawnTime,
    /// Time in waits for requests of which no other rank tells what they waited for.
    others: u64,
}

impl KnownWaiting {
    /// Adds calls, the time in them and how much of it was waiting, in nanoseconds.
    pub fn add(&mut self, are_first: bool, calls: u64, time: u64, waiting: u64) {
        let place = if are_first { &mut self.first } else { &mut self.drawn };
        place.merge(DrawnTime { calls, time, waiting });
    }

    fn merge(&mut self, other: KnownWaiting) {
        self.first.merge(other.first);
        self.drawn.merge(other.drawn);
        self.others = self.others.saturating_add(other.others);
    }

    /// Whether too much of what was drawn is of requests that nobody else tells of.
    fn is_of_others(&self) -> bool {
        let known = self.first.time.saturating_add(self.drawn.time);
        self.others as f64 > FEW_OTHERS * known.saturating_add(self.others) as f64
    }
}

/// The calls that were drawn, with what of each was waiting.
pub struct DrawnCalls<'a> {
    sites: BTreeMap<SiteName<'a>, KnownWaiting>,
    pub late: LateCalls<'a>,
}

impl<'a> DrawnCalls<'a> {
    pub fn of(run: &Run<'a>) -> Self {
        let mut by_key: BTreeMap<(usize, u64), Vec<DrawnCall<'a>>> = BTreeMap::new();
        for ((number, process), world) in run.processes.iter().enumerate().zip(&run.worlds) {
            let activity: &'a numawise_facts::Activity = process.activity;
            for sample in activity.samples.measured().into_iter().flatten() {
                by_key.entry((*world, sample.key)).or_default().push((number, sample));
            }
        }
        let mut calls = DrawnCalls { sites: BTreeMap::new(), late: LateCalls::default() };
        for of_call in by_key.values() {
            calls.add(run, of_call);
        }
        calls
    }

    fn add(&mut self, run: &Run<'a>, of_call: &[DrawnCall<'a>]) {
        let Some((_, first)) = of_call.first() else { return };
        match first.kind {
            SampledCall::Collective => self.add_collective(run, of_call),
            SampledCall::OtherWait => {
                for (process, sample) in of_call {
                    let site = self.sites.entry(site_of(*process, sample)).or_default();
                    site.others = site.others.saturating_add(sample.time.0);
                }
            }
            _ => self.add_message(run, of_call),
        }
    }

    fn add_collective(&mut self, run: &Run<'a>, of_call: &[DrawnCall<'a>]) {
        let same = |(process, sample): &(usize, &CallSample)| {
            let size = run.processes.get(*process).and_then(|process| process.ranks_of(sample.communicator));
            let of_first = of_call.first().is_some_and(|(_, first)| first.call == sample.call);
            of_first
                && sample.kind == SampledCall::Collective
                && size.map(|size| size as usize) == Some(of_call.len())
        };
        if !of_call.iter().all(same) {
            return;
        }
        let Some(last) = of_call.iter().min_by_key(|(_, sample)| sample.time) else { return };
        for one in of_call {
            self.put(WaitsFor::Last, *one, *last, one.1.time.0 - last.1.time.0);
        }
    }

    fn add_message(&mut self, run: &Run<'a>, of_call: &[DrawnCall<'a>]) {
        use SampledCall::{Receive, ReceiveWait, Send, SendWait};
        let one = |kind| of_call.iter().find(move |(_, sample)| sample.kind == kind);
        let receive = one(Receive).or_else(|| one(ReceiveWait));
        let (Some((from, send)), Some((to, receive))) = (one(Send), receive) else { return };
        let wait = one(SendWait).filter(|(process, _)| process == from);
        if of_call.len() != 2 + usize::from(wait.is_some()) {
            return;
        }
        let host = |process: &usize| run.processes.get(*process).map(|process| &process.activity.host);
        let has_one_thread = |process: &usize| run.processes.get(*process).is_some_and(has_one_thread);
        if host(from) == host(to) && has_one_thread(from) && has_one_thread(to) {
            let (of_send, of_receive) = ((send.begun, send.time), (receive.begun, receive.time));
            let waiting = until_sent(of_send, of_receive);
            self.put(WaitsFor::Sender, (*to, *receive), (*from, *send), waiting);
            let waits = if is_send(&send.call) { Some(*send) } else { wait.map(|(_, wait)| *wait) };
            if let Some(waits) = waits {
                let waiting = until_taken_in((waits.begun, waits.time), receive.posted, of_receive);
                self.put(WaitsFor::Receiver, (*from, waits), (*to, *receive), waiting);
            }
        }
    }

    /// Adds a call, and how long it waited for another one.
    fn put(&mut self, what: WaitsFor, waits: DrawnCall<'a>, late: DrawnCall<'a>, waiting: u64) {
        let (process, sample) = waits;
        let site = self.sites.entry(site_of(process, sample)).or_default();
        site.add(sample.is_first, 1, sample.time.0, waiting);
        self.late.add(what, waits, late, waiting);
    }
}

/// Numbers of messages are those of a thread.
pub fn has_one_thread(process: &Process<'_>) -> bool {
    process.threads().filter(|thread| !thread.peers.is_empty()).count() == 1
}

/// Several sites that are shown as one.
#[derive(Debug, Clone, Default)]
pub struct WaitingOfSites {
    known: KnownWaiting,
    /// Of communicators of one rank, where nobody waits.
    alone: u64,
    all: u64,
}

impl WaitingOfSites {
    /// Of all time in the calls, and of that in calls where nobody else is.
    pub fn merged(known: KnownWaiting, all: Nanoseconds, alone: Nanoseconds) -> Self {
        WaitingOfSites { known, alone: alone.0, all: all.0 }
    }

    pub fn add(&mut self, run: &Run<'_>, drawn: &DrawnCalls<'_>, process: usize, site: &CallSite) {
        let time = site.calls.time.0;
        self.all = self.all.saturating_add(time);
        let is_alone = run.processes.get(process).and_then(|one| one.ranks_of(site.communicator)) == Some(1);
        if is_alone && is_collective(&site.call) {
            self.alone = self.alone.saturating_add(time);
        }
        let at = site.at.measured().map(|at| (at.file, at.address));
        if let Some(of) = drawn.sites.get(&(process, site.call.as_str(), at, site.communicator)) {
            self.known.merge(*of);
        }
    }

    /// Of the whole time.
    pub fn waiting(&self, call: &str) -> Reading<Nanoseconds> {
        let KnownWaiting { first, drawn, .. } = self.known;
        let is_for_one = waits_for_one(call);
        if completes_requests(call) && !is_for_one {
            return Reading::unavailable(
                "it completes requests, perhaps of several messages: it is known of blocking collective calls, receives and sends, and of \
                 MPI_Wait only",
            );
        }
        if is_for_one && self.known.is_of_others() {
            return Reading::unavailable(
                "it completes requests also of what no other rank tells: collective calls, receives from any rank or in another order \
                 than they began, persistent requests, files",
            );
        }
        if !is_collective(call) && !is_receive(call) && !is_send(call) && !is_for_one {
            return Reading::unavailable("it is known of blocking collective calls, receives and sends only");
        }
        let rest = self.all.saturating_sub(first.time).saturating_sub(self.alone);
        let of_rest = if rest as f64 <= SMALL_REST * self.all as f64 {
            Some(0.0)
        } else {
            let mut both = drawn;
            both.merge(first);
            let of = if drawn.calls >= ENOUGH { drawn } else { both };
            (of.calls >= ENOUGH && of.time > 0).then(|| of.waiting as f64 / of.time as f64)
        };
        match of_rest {
            Some(share) => {
                Reading::Measured(Nanoseconds(first.waiting.saturating_add((share * rest as f64) as u64)))
            }
            None => Reading::unavailable(
                "too few of its calls could be compared with those of the other ranks: not all ranks were watched, they are on other \
                 hosts, or did not call it in one order",
            ),
        }
    }
}

fn is_receive(call: &str) -> bool {
    matches!(plain_call(call), "Recv" | "Mrecv" | "Sendrecv" | "Sendrecv_replace")
}

/// Waits for requests, or asks for them.
pub fn completes_requests(call: &str) -> bool {
    let name = plain_call(call);
    name.starts_with("Wait") || name.starts_with("Test") && name != "Test_cancelled"
}

/// Waits for one request.
fn waits_for_one(call: &str) -> bool {
    plain_call(call) == "Wait"
}

/// When a call begins, and how long it is.
type Call = (Nanoseconds, Nanoseconds);

/// A receive waits until the other rank begins to send.
pub fn until_sent(send: Call, receive: Call) -> u64 {
    send.0.saturating_sub(receive.0).min(receive.1).0
}

/// What is over before the other rank receives does not wait for it: the message was copied.
pub fn until_received(send: Call, receive: Call) -> u64 {
    let end = send.0 + send.1;
    if end < receive.0 { 0 } else { receive.0.saturating_sub(send.0).min(send.1).0 }
}

/// The same where a request receives, since `posted`, and `receive` is the wait for it: what is not over before that begins waits for it, as MPI
/// moves data while the receiver is in it.
fn until_taken_in(send: Call, posted: Option<Nanoseconds>, receive: Call) -> u64 {
    let end = send.0 + send.1;
    match posted {
        Some(posted) if end < receive.0 => until_received(send, (posted, receive.1)),
        _ => until_received(send, receive),
    }
}
