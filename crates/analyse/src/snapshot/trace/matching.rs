//! Both ends of each message: on a communicator, from one rank to another and with one tag, messages are received in the order in which they
//! are sent, by receives in the order in which these were posted (MPI 4.1, section 3.5). A receive from any rank, or with any tag, is among
//! those of what it got.

use std::collections::BTreeMap;
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
    /// The message that the call of a lane sent which began at a moment, for calls that wait for its request.
    by_send: Vec<(u32, Nanoseconds, usize)>,
}

impl Matched {
    /// Those that the call of a lane sent which began at a moment.
    pub fn sent_at(&self, lane: u32, begin: Nanoseconds) -> impl Iterator<Item = &Message> {
        let from = self.by_send.partition_point(|(of, sent, _)| (*of, *sent) < (lane, begin));
        let rest = self.by_send.get(from..).unwrap_or_default();
        let same = rest.iter().take_while(move |(of, sent, _)| (*of, *sent) == (lane, begin));
        same.filter_map(|(_, _, number)| self.messages.get(*number))
    }
}

/// World, communicator, sender, receiver and tag.
type Channel = (usize, Option<NonZeroU64>, u32, u32, i32);

/// When it was sent or asked for, the call, and the bytes.
type End = (Nanoseconds, At, Bytes);

pub fn of(lanes: &Lanes<'_>) -> Matched {
    let mut channels: BTreeMap<Channel, [Vec<End>; 2]> = BTreeMap::new();
    for lane in &lanes.all {
        for call in 0..lane.calls.len() {
            let at = At { lane: lane.number, call: call as u32 };
            for message in lane.messages(call) {
                let TracedMessage { end, posted, communicator, tag, peer, bytes } = *message;
                let (from, to, side) = match end {
                    MessageSide::Sent => (lane.rank, peer, 0),
                    MessageSide::Received => (peer, lane.rank, 1),
                    MessageSide::SendDone => continue,
                };
                let ends = channels.entry((lane.world, communicator, from, to, tag)).or_default();
                if let Some(side) = ends.get_mut(side) {
                    side.push((posted, at, bytes));
                }
            }
        }
    }
    let mut matched = Matched::default();
    for ((.., tag), [mut sent, mut received]) in channels {
        sent.sort_unstable();
        received.sort_unstable();
        matched.unmatched += sent.len().abs_diff(received.len()) as u64;
        let pairs = sent.into_iter().zip(received);
        let message = |((sent, send, _), (posted, receive, bytes)): (End, End)| Message {
            send,
            sent,
            receive,
            posted,
            bytes,
            tag,
        };
        matched.messages.extend(pairs.map(message));
    }
    matched.messages.sort_by_key(|message| message.receive);
    let numbered = matched.messages.iter().enumerate();
    matched.by_send = numbered.map(|(number, message)| (message.send.lane, message.sent, number)).collect();
    matched.by_send.sort_unstable();
    matched
}
