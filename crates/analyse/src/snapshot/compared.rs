//! Single calls of merged ranks: what those that several ranks drew alike tell about waiting. Of each kind of call those with the lowest keys
//! are kept, which are the same whatever is merged first; keys are hashes, so that these calls are drawn at random.

use std::collections::BTreeMap;

use numawise_facts::activity::{CallSample, SampledCall, is_send};
use numawise_facts::merged::{
    ComparedCollective, ComparedMessage, ComparedRanks, MOST_COMPARED_CALLS, MOST_COMPARED_KINDS,
    MOST_COMPARED_PLACES, MergedSite, MessageEnd,
};
use numawise_facts::{Activity, MergedRanks};
use numawise_units::{Arrange, Nanoseconds, TimeSum};

use super::numbers::{keep_lowest, number_of, site_number};
use super::process::Process;
use super::waiting::{KnownWaiting, WaitingOfSites, has_one_thread, until_received, until_sent};

#[cfg(test)]
#[path = "compared_tests.rs"]
mod tests;

/// A call, by its key.
trait Keyed: Clone {
    fn key(&self) -> u64;
    /// Adds what other ranks tell of the same call.
    fn join(&mut self, other: &Self);
}

impl Keyed for ComparedCollective {
    fn key(&self) -> u64 {
        self.key
    }

    fn join(&mut self, other: &Self) {
        self.sizes = (self.sizes.0.min(other.sizes.0), self.sizes.1.max(other.sizes.1));
        self.shortest = self.shortest.min(other.shortest);
        for of in &other.ranks {
            let place = (of.site, of.is_first);
            match self.ranks.binary_search_by_key(&place, |mine| (mine.site, mine.is_first)) {
                Ok(same) => {
                    let mine = &mut self.ranks[same];
                    mine.count = mine.count.saturating_add(of.count);
                    mine.time = mine.time + of.time;
                }
                Err(at) => self.ranks.insert(at, of.clone()),
            }
        }
        // Then ranks of it are missing, and it is not compared.
        self.ranks.truncate(MOST_COMPARED_PLACES);
    }
}

impl Keyed for ComparedMessage {
    fn key(&self) -> u64 {
        self.key
    }

    fn join(&mut self, other: &Self) {
        self.is_ambiguous |= other.is_ambiguous;
        for (mine, of) in [(&mut self.send, other.send), (&mut self.receive, other.receive)] {
            self.is_ambiguous |= mine.is_some() && of.is_some();
            *mine = [*mine, of].into_iter().flatten().min();
        }
    }
}

/// Adds calls in the order of their keys to others in that order.
fn join<T: Keyed>(into: &mut Vec<T>, other: &[T]) {
    let mut at = 0;
    for one in other {
        at += into[at..].iter().take_while(|mine| mine.key() < one.key()).count();
        match into.get_mut(at) {
            _ if at >= MOST_COMPARED_CALLS => break,
            Some(same) if same.key() == one.key() => same.join(one),
            _ => into.insert(at, one.clone()),
        }
    }
    into.truncate(MOST_COMPARED_CALLS);
}

fn join_kinds<T: Keyed>(into: &mut BTreeMap<u64, Vec<T>>, other: &BTreeMap<u64, Vec<T>>) {
    for (kind, calls) in other {
        join(into.entry(*kind).or_default(), calls);
    }
    keep_lowest(into, MOST_COMPARED_KINDS);
}

/// Calls of a kind in the order of their keys; a rank that drew one twice has it once.
fn kept<T: Keyed>(mut calls: Vec<&CallSample>, one: impl Fn(&CallSample) -> T) -> Vec<T> {
    if calls.len() > MOST_COMPARED_CALLS {
        calls.select_nth_unstable_by_key(MOST_COMPARED_CALLS, |sample| sample.key);
        calls.truncate(MOST_COMPARED_CALLS);
    }
    calls.arrange_by_key(|sample| sample.key);
    let of_key = calls.chunk_by(|one, other| one.key == other.key);
    let joined = of_key.filter_map(|same| {
        same.iter().map(|sample| one(sample)).reduce(|mut all, one| {
            all.join(&one);
            all
        })
    });
    joined.collect()
}

/// The calls that a rank drew.
pub fn of_rank(merged: &mut MergedRanks, process: &Process<'_>) {
    let activity = process.activity;
    let host = number_of([activity.host.as_bytes()]);
    let sends_alone = has_one_thread(process);
    let mut collectives: BTreeMap<(&str, &str), Vec<&CallSample>> = BTreeMap::new();
    let mut messages: BTreeMap<&str, Vec<&CallSample>> = BTreeMap::new();
    for sample in activity.samples.measured().into_iter().flatten() {
        let communicator = communicator_name(activity, sample);
        match sample.kind {
            SampledCall::Collective if process.ranks_of(sample.communicator).is_some() => {
                collectives.entry((&sample.call, communicator)).or_default().push(sample);
            }
            SampledCall::Send | SampledCall::Receive if sends_alone => {
                messages.entry(communicator).or_default().push(sample);
            }
            _ => {}
        }
    }
    let of_kind = |((call, communicator), calls): ((&str, &str), Vec<&CallSample>)| {
        let kept = kept(calls, |sample| collective(process, sample));
        (number_of([call.as_bytes(), communicator.as_bytes()]), kept)
    };
    merged.collectives = collectives.into_iter().map(of_kind).collect();
    let of_kind = |(communicator, calls): (&str, Vec<&CallSample>)| {
        let kept = kept(calls, |sample| message(activity, host, sample));
        (number_of([communicator.as_bytes()]), kept)
    };
    merged.sent_messages = messages.into_iter().map(of_kind).collect();
    keep_lowest(&mut merged.collectives, MOST_COMPARED_KINDS);
    keep_lowest(&mut merged.sent_messages, MOST_COMPARED_KINDS);
}

fn communicator_name<'a>(activity: &'a Activity, sample: &CallSample) -> &'a str {
    let found = sample.communicator.and_then(|number| activity.communicators.get(usize::from(number)));
    found.map_or("", |communicator| &communicator.name)
}

fn site_of(activity: &Activity, sample: &CallSample) -> u64 {
    site_number(activity, &sample.call, &sample.at, sample.communicator)
}

/// On a communicator whose ranks are known.
fn collective(process: &Process<'_>, sample: &CallSample) -> ComparedCollective {
    let size = process.ranks_of(sample.communicator).unwrap_or(0);
    let (site, is_first) = (site_of(process.activity, sample), sample.is_first);
    ComparedCollective {
        key: sample.key,
        sizes: (size, size),
        shortest: sample.time,
        ranks: vec![ComparedRanks { site, is_first, count: 1, time: sample.time.into() }],
    }
}

fn message(activity: &Activity, host: u64, sample: &CallSample) -> ComparedMessage {
    let (site, is_first) = (site_of(activity, sample), sample.is_first);
    let end = Some(MessageEnd { host, site, is_first, begun: sample.begun, time: sample.time });
    let (send, receive) = if sample.kind == SampledCall::Send { (end, None) } else { (None, end) };
    ComparedMessage { key: sample.key, send, receive, is_ambiguous: false }
}

/// Adds those of other ranks.
pub fn merge(into: &mut MergedRanks, other: &MergedRanks) {
    join_kinds(&mut into.collectives, &other.collectives);
    join_kinds(&mut into.sent_messages, &other.sent_messages);
}

/// What the calls that are kept tell of each site: as of ranks that are all there, see [`super::waiting`].
pub fn known_waiting(merged: &MergedRanks) -> BTreeMap<u64, KnownWaiting> {
    let mut known: BTreeMap<u64, KnownWaiting> = BTreeMap::new();
    for call in merged.collectives.values().flatten() {
        let ranks = call.ranks.iter().fold(0, |sum: u64, of| sum.saturating_add(of.count));
        if call.sizes.0 != call.sizes.1 || ranks != u64::from(call.sizes.0) {
            continue;
        }
        for of in &call.ranks {
            let Some(Nanoseconds(time)) = of.time.span() else { continue };
            let waiting = time.saturating_sub(call.shortest.0.saturating_mul(of.count));
            known.entry(of.site).or_default().add(of.is_first, of.count, time, waiting);
        }
    }
    for message in merged.sent_messages.values().flatten().filter(|message| !message.is_ambiguous) {
        let (Some(send), Some(receive)) = (message.send, message.receive) else { continue };
        if send.host != receive.host {
            continue;
        }
        let (of_send, of_receive) = ((send.begun, send.time), (receive.begun, receive.time));
        let waiting = until_sent(of_send, of_receive);
        known.entry(receive.site).or_default().add(receive.is_first, 1, receive.time.0, waiting);
        if merged.sites.get(&send.site).is_some_and(|site| is_send(&site.call)) {
            let waiting = until_received(of_send, of_receive);
            known.entry(send.site).or_default().add(send.is_first, 1, send.time.0, waiting);
        }
    }
    known
}

/// What of the time of a site was waiting, as far as it is known. None where that time is longer than a span can be.
pub fn waiting_of(site: &MergedSite, known: Option<&KnownWaiting>) -> Option<WaitingOfSites> {
    let span = |time: TimeSum| time.span();
    let (all, alone) = (span(site.of.calls.time)?, span(site.alone)?);
    Some(WaitingOfSites::merged(known.copied().unwrap_or_default(), all, alone))
}
