//! Messages in the wrong order: a receive waits, while the message that the rank receives soon after is there already (Scalasca's late sender,
//! wrong order).

use std::collections::BTreeMap;

use numawise_tables::snapshot::{OutOfOrder, WaitKind};
use numawise_units::Nanoseconds;

use super::lanes::{At, Lanes};
use super::matching::{Matched, Message};
use super::waits::{Wait, Waits};
use super::{MOST_ROWS, span};

/// So many of the messages that come next are looked at.
const NEXT: usize = 32;

/// Of one pair of places.
#[derive(Default)]
struct OfPlaces {
    times: u64,
    time: Nanoseconds,
    /// The longest, and its lane.
    longest: (Nanoseconds, u32),
}

/// By the places of the receive and of that which could have come before.
#[derive(Default)]
pub struct WrongOrders(BTreeMap<(u32, u32), OfPlaces>);

impl WrongOrders {
    /// Adds those that are counted in a slice, or all.
    pub fn add(&mut self, lanes: &Lanes<'_>, matched: &Matched, waits: &Waits) {
        // Messages and waits are in the order of the calls that receive and wait.
        let (mut of, mut left): (u32, &[Wait]) = (0, waits.of_lane(0));
        for (number, message) in matched.counted(lanes) {
            let At { lane, call } = message.receive;
            if lane != of {
                (of, left) = (lane, waits.of_lane(lane));
            }
            while let Some((_, rest)) = left.split_first().filter(|(wait, _)| wait.call < call) {
                left = rest;
            }
            let wait = left.first().filter(|wait| wait.call == call);
            let is_for_it = |kind: WaitKind, until| kind == WaitKind::LateSender && until == message.sent;
            if !wait.is_some_and(|wait| is_for_it(wait.kind, wait.until)) {
                continue;
            }
            let rest = matched.messages.get(number + 1..).unwrap_or_default();
            let Some((next, since)) = there(lanes, message, rest) else { continue };
            let Some((of_lane, call)) = lanes.call(message.receive).filter(|(lane, _)| lane.is_shown) else {
                continue;
            };
            let Some((_, of_next)) = lanes.call(next) else { continue };
            let pieces = of_lane.pieces(lanes, since.max(call.begin), message.sent);
            let waiting = pieces.fold(Nanoseconds(0), |sum, (begin, end)| sum + span(begin, end));
            // What the rank did between the two is what it could have done before.
            let between = of_lane.useful_between(message.receive.call as usize, next.call as usize);
            let time = waiting.min(between);
            if time.0 == 0 {
                continue;
            }
            let row =
                self.0.entry((of_lane.place_of(call.site), of_lane.place_of(of_next.site))).or_default();
            row.times += 1;
            row.time = row.time + time;
            row.longest = row.longest.max((time, lane));
        }
    }

    pub fn rows(self, lanes: &Lanes<'_>) -> Vec<OutOfOrder> {
        let mut rows: Vec<OutOfOrder> = self
            .0
            .into_iter()
            .filter_map(|((waits, next), of)| {
                let lane = lanes.all.get(of.longest.1 as usize)?;
                let place = |number: u32| lanes.places.get(number as usize).cloned();
                Some(OutOfOrder {
                    world: lane.numbered_world,
                    rank: lane.rank,
                    waits: place(waits)?,
                    next: place(next)?,
                    times: of.times,
                    waiting: of.time,
                })
            })
            .collect();
        rows.sort_by_cached_key(|row| std::cmp::Reverse(row.waiting));
        rows.truncate(MOST_ROWS);
        rows
    }
}

/// Of the messages that the rank receives next, the one that was sent first, where that was before this one was: its receive, and when it was sent.
/// A receive that comes only after the rank has done something else for longer than it waited is of another time.
fn there(lanes: &Lanes<'_>, message: &Message, rest: &[Message]) -> Option<(At, Nanoseconds)> {
    let (_, call) = lanes.call(message.receive)?;
    let soon = call.end + span(call.begin, message.sent);
    let next = rest.iter().take(NEXT).take_while(|next| {
        let begin = lanes.call(next.receive).map(|(_, call)| call.begin);
        next.receive.lane == message.receive.lane && begin.is_some_and(|begin| begin <= soon)
    });
    let next = next.filter(|next| next.receive.call > message.receive.call && next.sent < message.sent);
    next.map(|next| (next.sent, next.receive)).min().map(|(sent, at)| (at, sent))
}
