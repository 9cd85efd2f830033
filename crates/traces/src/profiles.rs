//! How fast messages were from rank to rank, and what collective calls cost on each communicator.

use std::collections::BTreeMap;

use numawise_facts::activity::{TracedCall, TracedKind};
use numawise_tables::snapshot::{
    CollectiveProfile, EventPair, EventTransfer, LongestTransfer, MessageProfile,
};
use numawise_units::{Bytes, Nanoseconds};

use super::lane_set::LaneSet;
use super::lanes::{Lane, Lanes};
use super::matching::{Matched, Message};
use super::waits::Waits;
use super::{MOST_ROWS, Run, span};

/// Pairs of a drawing, and messages of each.
const MOST_PAIRS: usize = 4096;
const SLOWEST: usize = 3;

/// A message, with the lanes of its ends, and when it began to be on its way, where its time is known: when both ranks had come to it, and the receiver
/// was in the receiving call by then; else it may have come while the receiver computed.
struct Transfer<'l, 'a> {
    message: &'l Message,
    from: &'l Lane<'a>,
    to: &'l Lane<'a>,
    receive: &'a TracedCall,
    begin: Option<Nanoseconds>,
}

impl<'l, 'a> Transfer<'l, 'a> {
    /// Nothing of messages that are not of the part and the ranks that are asked for.
    fn of(lanes: &'l Lanes<'a>, message: &'l Message) -> Option<Transfer<'l, 'a>> {
        let from = lanes.all.get(message.send.lane as usize)?;
        let (to, receive) = lanes.call(message.receive)?;
        let end = receive.end + Nanoseconds(1);
        if !to.is_shown || to.pieces(lanes, receive.begin, end).next().is_none() {
            return None;
        }
        let begin = message.sent.max(message.posted);
        let time = span(begin, receive.end);
        let is_known = receive.begin <= begin && from.error_beside(to).is_some_and(|error| error < time);
        Some(Transfer { message, from, to, receive, begin: is_known.then_some(begin) })
    }

    fn time(&self) -> Option<Nanoseconds> {
        self.begin.map(|begin| span(begin, self.receive.end))
    }

    fn pair(&self) -> (usize, u32, u32) {
        (self.to.world, self.from.rank, self.to.rank)
    }
}

/// By sender and receiver, those with most bytes first.
#[derive(Default)]
pub struct Transfers {
    pairs: BTreeMap<(usize, u32, u32), MessageProfile>,
    /// Of all.
    pub messages: u64,
}

impl Transfers {
    pub fn rows(self) -> Vec<MessageProfile> {
        let mut pairs: Vec<MessageProfile> = self.pairs.into_values().collect();
        pairs.sort_by_cached_key(|row| std::cmp::Reverse((row.bytes, row.messages)));
        pairs.truncate(MOST_ROWS);
        pairs
    }

    /// Adds those that are counted in a slice, or all.
    pub fn add(&mut self, lanes: &Lanes<'_>, matched: &Matched) {
        for (_, message) in matched.counted(lanes) {
            self.messages += 1;
            let Some(transfer) = Transfer::of(lanes, message) else { continue };
            let Transfer { from, to, begin, .. } = transfer;
            let row = self.pairs.entry(transfer.pair()).or_insert_with(|| MessageProfile {
                world: to.numbered_world,
                from: from.rank,
                to: to.rank,
                messages: 0,
                bytes: Bytes(0),
                timed: 0,
                timed_bytes: Bytes(0),
                time: Nanoseconds(0),
                longest: None,
            });
            row.messages += 1;
            row.bytes = row.bytes + message.bytes;
            let Some((begin, time)) = begin.zip(transfer.time()) else { continue };
            row.timed += 1;
            row.timed_bytes = row.timed_bytes + message.bytes;
            row.time = row.time + time;
            if row.longest.is_none_or(|longest| longest.time < time) {
                row.longest =
                    Some(LongestTransfer { time, begin: span(lanes.origin, begin), bytes: message.bytes });
            }
        }
    }
}

/// The same for a drawing: each with its slowest messages.
pub fn pairs(lanes: &Lanes<'_>, matched: &Matched) -> Vec<EventPair> {
    let mut pairs: BTreeMap<(usize, u32, u32), EventPair> = BTreeMap::new();
    let since = |moment| span(lanes.origin, moment);
    for transfer in matched.messages.iter().filter_map(|message| Transfer::of(lanes, message)) {
        let Transfer { message, from, to, receive, .. } = transfer;
        let row = pairs.entry(transfer.pair()).or_insert_with(|| EventPair {
            world: to.numbered_world,
            from: from.rank,
            to: to.rank,
            messages: 0,
            bytes: Bytes(0),
            slowest: Vec::new(),
        });
        row.messages += 1;
        row.bytes = row.bytes + message.bytes;
        let Some(time) = transfer.time() else { continue };
        let place = row.slowest.partition_point(|of| of.time >= time);
        if place < SLOWEST {
            row.slowest.truncate(SLOWEST - 1);
            let (from, to) = ((from.number, since(message.sent)), (to.number, since(receive.begin)));
            let of = EventTransfer { time, bytes: message.bytes, from, to, end: since(receive.end) };
            row.slowest.insert(place, of);
        }
    }
    let mut pairs: Vec<EventPair> = pairs.into_values().collect();
    pairs.sort_by_cached_key(|row| std::cmp::Reverse((row.bytes, row.messages)));
    pairs.truncate(MOST_PAIRS);
    pairs
}

/// Of the calls at one site.
#[derive(Default, Clone, Copy)]
struct OfSite {
    calls: u64,
    time: Nanoseconds,
    waiting: Nanoseconds,
    bytes: Bytes,
}

/// By call and communicator, those that take most time first.
#[derive(Default)]
pub struct CollectiveSums {
    rows: BTreeMap<(String, String), (CollectiveProfile, LaneSet)>,
}

impl CollectiveSums {
    pub fn rows(self, lanes: &Lanes<'_>) -> Vec<CollectiveProfile> {
        let with_ranks = |(row, ranks): (CollectiveProfile, LaneSet)| CollectiveProfile {
            ranks: ranks.ranks(lanes),
            ..row
        };
        let mut rows: Vec<CollectiveProfile> = self.rows.into_values().map(with_ranks).collect();
        rows.sort_by_cached_key(|row| std::cmp::Reverse(row.time));
        rows.truncate(MOST_ROWS);
        rows
    }

    /// Adds those that are counted in a slice, or all.
    pub fn add(&mut self, run: &Run<'_>, lanes: &Lanes<'_>, waits: &Waits) {
        for lane in lanes.shown() {
            let mut sites = vec![OfSite::default(); lane.sites()];
            let (mut left, own) = (waits.of_lane(lane.number), lane.own());
            let calls = lane.calls.get(..own.end).unwrap_or_default();
            for (number, call) in (0..).zip(calls) {
                if !matches!(call.kind, TracedKind::Collective { .. }) {
                    continue;
                }
                while let Some((_, rest)) = left.split_first().filter(|(wait, _)| wait.call < number) {
                    left = rest;
                }
                let within = |begin, end| {
                    lane.pieces(lanes, begin, end)
                        .fold(Nanoseconds(0), |sum, (begin, end)| sum + span(begin, end))
                };
                let time = within(call.begin, call.end);
                let Some(site) = sites.get_mut(call.site as usize).filter(|_| time.0 > 0) else { continue };
                if own.contains(&(number as usize)) {
                    site.calls += 1;
                    site.time = site.time + time;
                    site.bytes = site.bytes + call.bytes;
                }
                let wait = left.first().filter(|wait| wait.call == number);
                let waited = wait.and_then(|wait| {
                    Some(within(lane.counts_from(number as usize, call, wait.until)?, wait.until))
                });
                site.waiting = site.waiting + waited.unwrap_or_default();
            }
            for (number, of) in (0..).zip(sites).filter(|(_, of)| of.calls > 0 || of.waiting.0 > 0) {
                let Some((call, _, communicator)) = lane.placed_call(run, number) else { continue };
                let name = communicator.measured().cloned().unwrap_or_default();
                let (row, ranks) = self.rows.entry((call.clone(), name)).or_insert_with(|| {
                    let nothing = CollectiveProfile {
                        call,
                        communicator,
                        ranks: 0,
                        calls: 0,
                        time: Nanoseconds(0),
                        waiting: Nanoseconds(0),
                        bytes: Bytes(0),
                    };
                    (nothing, LaneSet::default())
                });
                ranks.insert(lane.number);
                row.calls += of.calls;
                row.time = row.time + of.time;
                row.waiting = row.waiting + of.waiting;
                row.bytes = row.bytes + of.bytes;
            }
        }
    }
}
