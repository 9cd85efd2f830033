//! Both ends of each message: on a communicator, from one rank to another and with one tag, messages are received in the order in which they
//! are sent, by receives in the order in which these were posted (MPI 4.1, section 3.5). A receive from any rank, or with any tag, is among
//! those of what it got.

use std::collections::HashMap;
use std::num::NonZeroU64;

use numawise_facts::activity::{MessageSide, TracedMessage};
use numawise_units::{Bytes, Nanoseconds};

use super::lanes::{At, Lanes};

/// A message with both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The call that sent it, and when that began.
    pub send: At,
    pub sent: Nanoseconds,
    /// The call in which it came, and when the call began that asked for it.
    pub receive: At,
    pub posted: Nanoseconds,
    pub bytes: Bytes,
    pub tag: i32,
}

#[derive(Debug, Default)]
pub struct Matched {
    /// In the order of the receiving calls.
    pub messages: Vec<Message>,
    pub unmatched: u64,
    /// In the order of the sending calls: when each began, and the message.
    by_send: Vec<(u32, Nanoseconds, u32)>,
}

impl Matched {
    /// Those that the call of a lane sent which began at a moment.
    pub fn sent_at(&self, lane: u32, begin: Nanoseconds) -> impl Iterator<Item = &Message> {
        let from = self.by_send.partition_point(|(of, sent, _)| (*of, *sent) < (lane, begin));
        let rest = self.by_send.get(from..).unwrap_or_default();
        let same = rest.iter().take_while(move |(of, sent, _)| (*of, *sent) == (lane, begin));
        same.filter_map(|(_, _, number)| self.messages.get(*number as usize))
    }
}

/// World, communicator, sender, receiver and tag.
type Channel = (usize, Option<NonZeroU64>, u32, u32, i32);

/// When it was sent or asked for, the call, the bytes, and how many ends of its side stand before it in the trace.
type End = (Nanoseconds, At, Bytes, u32);

/// Channels that are looked through before the others.
const RECENT: usize = 8;

pub fn of(lanes: &Lanes<'_>) -> Matched {
    let mut channels: HashMap<Channel, usize> = HashMap::new();
    let mut ends: Vec<[Vec<End>; 2]> = Vec::new();
    let mut before = [0u32; 2];
    // A rank talks with few others.
    let mut recent: [Option<(Channel, usize)>; RECENT] = [None; RECENT];
    for lane in &lanes.all {
        for call in 0..lane.calls.len() {
            let at = At { lane: lane.number, call: call as u32 };
            for message in lane.messages(call) {
                let TracedMessage { end, posted, communicator, tag, peer, bytes } = *message;
                let (from, to, side) = match end {
                    MessageSide::Sent => (lane.rank, peer, 0),
                    MessageSide::Received => (peer, lane.rank, 1),
                    MessageSide::SendDone | MessageSide::CollectiveDone => continue,
                };
                let key = (lane.world, communicator, from, to, tag);
                let known = recent.iter().flatten().find(|(of, _)| *of == key).map(|(_, channel)| *channel);
                let channel = known.unwrap_or_else(|| *channels.entry(key).or_insert(ends.len()));
                if channel == ends.len() {
                    ends.push(Default::default());
                }
                if known.is_none() {
                    recent.rotate_right(1);
                    recent[0] = Some((key, channel));
                }
                if let Some((ends, number)) =
                    ends.get_mut(channel).and_then(|ends| ends.get_mut(side)).zip(before.get_mut(side))
                {
                    ends.push((posted, at, bytes, *number));
                    *number += 1;
                }
            }
        }
    }
    let mut tags = vec![0; ends.len()];
    for ((.., tag), channel) in &channels {
        tags.get_mut(*channel).into_iter().for_each(|place| *place = *tag);
    }
    let [sends, receives] = before;
    let mut messages: Vec<Option<(Message, u32)>> = vec![None; receives as usize];
    let mut unmatched = 0;
    for ([mut sent, mut received], tag) in ends.into_iter().zip(tags) {
        sent.sort_unstable();
        received.sort_unstable();
        unmatched += sent.len().abs_diff(received.len()) as u64;
        // Where the begin of the trace is missing, what was sent before it may come behind it: the last ones belong together.
        let more = |mine: &[End], others: &[End]| {
            if lanes.is_end { mine.len().saturating_sub(others.len()) } else { 0 }
        };
        let skipped = [more(&sent, &received), more(&received, &sent)];
        let (sends, receives) = (sent.into_iter().skip(skipped[0]), received.into_iter().skip(skipped[1]));
        for ((sent, send, _, of_send), (posted, receive, bytes, of_receive)) in sends.zip(receives) {
            if let Some(place) = messages.get_mut(of_receive as usize) {
                *place = Some((Message { send, sent, receive, posted, bytes, tag }, of_send));
            }
        }
    }
    let mut by_send = vec![None; sends as usize];
    let mut matched = Matched { unmatched, ..Matched::default() };
    for (message, of_send) in messages.into_iter().flatten() {
        if let Some(place) = by_send.get_mut(of_send as usize) {
            *place = Some((message.send.lane, message.sent, matched.messages.len() as u32));
        }
        matched.messages.push(message);
    }
    matched.by_send = by_send.into_iter().flatten().collect();
    matched
}
