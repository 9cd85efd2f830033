//! How fast messages were from rank to rank, and what collective calls cost on each communicator.

use std::collections::BTreeMap;

use numawise_facts::activity::TracedKind;
use numawise_tables::snapshot::{CollectiveProfile, LongestTransfer, MessageProfile};
use numawise_units::{Bytes, Nanoseconds};

use super::lanes::{LaneSet, Lanes};
use super::matching::Matched;
use super::waits::Waits;
use super::{MOST_ROWS, Run, span};

/// By sender and receiver, those with most bytes first. A transfer begins when both have come to it; its end is known where the receiver was in
/// the receiving call by then, else the message may have come while it computed.
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
            let (from, to) = (lanes.all.get(message.send.lane as usize), lanes.call(message.receive));
            let (Some(from), Some((to, receive))) = (from, to) else { continue };
            if !to.is_shown || to.pieces(lanes, receive.begin, receive.end + Nanoseconds(1)).next().is_none()
            {
                continue;
            }
            let row = self.pairs.entry((to.world, from.rank, to.rank)).or_insert_with(|| MessageProfile {
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
            let begin = message.sent.max(message.posted);
            let time = span(begin, receive.end);
            let is_known = receive.begin <= begin && from.error_beside(to).is_some_and(|error| error < time);
            if !is_known {
                continue;
            }
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
