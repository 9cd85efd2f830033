//! Both ends of each message: on a communicator, from one rank to another and with one tag, messages are received in the order in which they
//! are sent, by receives in the order in which these were posted (MPI 4.1, section 3.5). A receive from any rank, or with any tag, is among
//! those of what it got.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU64;
use std::ops::Range;

use numawise_facts::activity::{MessageSide, TracedMessage};
use numawise_units::{Bytes, Nanoseconds};

use super::both::both;
use super::lanes::{At, Lane, Lanes};

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
    /// How many ends of messages that were sent stand in the trace before this one's.
    of_send: u32,
}

#[derive(Debug, Default)]
pub struct Matched {
    /// In the order of the receiving calls.
    pub messages: Vec<Message>,
    pub unmatched: u64,
    /// Their numbers, in the order of the sending calls.
    by_send: Vec<u32>,
    pub sliced: SlicedEnds,
}

/// Of a slice: places of ends among the messages of their lanes.
#[derive(Debug, Default)]
pub struct SlicedEnds {
    /// Of each message, of the one that was sent and that which was received.
    pub of: Vec<[u32; 2]>,
    /// Those whose other one may come.
    pub open: Vec<(At, u32)>,
}

impl Matched {
    /// The messages that are counted here.
    pub fn counted<'m>(&'m self, lanes: &'m Lanes<'_>) -> impl Iterator<Item = (usize, &'m Message)> {
        self.messages.iter().enumerate().filter(move |(number, message)| {
            let Some(lane) = lanes.all.get(message.receive.lane as usize) else { return false };
            let Some([_, end]) = self.sliced.of.get(*number) else { return true };
            let known = lane.counted.messages.get(*end as usize);
            known.map_or((message.receive.call as usize) < lane.own().end, |is_counted| !is_counted)
        })
    }

    /// Those that the call of a lane sent which began at a moment.
    pub fn sent_at(&self, lane: u32, begin: Nanoseconds) -> impl Iterator<Item = &Message> {
        let message = |number: &u32| self.messages.get(*number as usize);
        let moment = |of: &Message| (of.send.lane, of.sent);
        let is_before = |number: &u32| message(number).is_some_and(|of| moment(of) < (lane, begin));
        let rest = self.by_send.get(self.by_send.partition_point(is_before)..).unwrap_or_default();
        let rest = rest.iter().filter_map(message);
        rest.take_while(move |of| moment(of) == (lane, begin))
    }

    /// The number of the first one that a lane received.
    pub fn first_received(&self, lane: u32) -> usize {
        self.messages.partition_point(|of| of.receive.lane < lane)
    }

    /// Those that some calls of a lane sent.
    pub fn sent_by(&self, lane: u32, calls: &Range<u32>) -> impl Iterator<Item = &Message> {
        let [from, to] = [calls.start, calls.end].map(|call| At { lane, call });
        let message = |number: &u32| self.messages.get(*number as usize);
        let sent = self
            .by_send
            .get(self.by_send.partition_point(|of| message(of).is_some_and(|of| of.send < from))..);
        sent.unwrap_or_default().iter().filter_map(message).take_while(move |of| of.send < to)
    }

    /// Those that they received.
    pub fn received_by(&self, lane: u32, calls: &Range<u32>) -> &[Message] {
        let [from, to] = [calls.start, calls.end].map(|call| At { lane, call });
        let before = |at: At| self.messages.partition_point(|of| of.receive < at);
        self.messages.get(before(from)..before(to)).unwrap_or_default()
    }
}

impl SlicedEnds {
    /// How many ends have no other one and are counted here: those whose other one cannot come, and in the last slice all.
    fn settle(&mut self, lanes: &Lanes<'_>) -> u64 {
        let ranks: BTreeSet<(usize, u32)> = lanes.all.iter().map(|lane| (lane.world, lane.rank)).collect();
        let mut counted = 0;
        self.open.retain(|(at, place)| {
            let Some(lane) = lanes.all.get(at.lane as usize) else { return false };
            let peer = lane.message(*place).map(|message| (lane.world, message.peer));
            let may_come = peer.is_some_and(|peer| ranks.contains(&peer));
            let number = at.call as usize;
            let is_own = lane.own().contains(&number)
                || lane.counted.known.get(number).is_some_and(|known| known.is_open);
            counted += u64::from(is_own && (lane.counted.end.is_none() || !may_come));
            may_come
        });
        counted
    }
}

/// World, communicator, sender, receiver and tag.
type Channel = (usize, Option<NonZeroU64>, u32, u32, i32);

/// No end, and no message, has this number.
const NO_SEND: u32 = u32::MAX;
const NOBODY: At = At { lane: u32::MAX, call: u32::MAX };
/// The place of a message of which nobody knows who sent it.
const MISSING: Message = Message {
    send: NOBODY,
    sent: Nanoseconds(0),
    receive: NOBODY,
    posted: Nanoseconds(0),
    bytes: Bytes(0),
    tag: 0,
    of_send: NO_SEND,
};

/// Channels that are looked up before the others: a rank talks with few others.
const RECENT: usize = 64;

/// A place among the recent ones, which other channels may have too.
fn place_of((_, communicator, from, to, tag): &Channel) -> usize {
    let communicator = communicator.map_or(0, NonZeroU64::get) as u32;
    let all = [from ^ communicator, *to, tag.cast_unsigned()];
    // Any odd number that has bits everywhere.
    let mixed = all.iter().fold(0u32, |mixed, of| (mixed ^ of).wrapping_mul(0x9e37_79b1).rotate_left(11));
    mixed as usize % RECENT
}

/// What of an end says where it stands among those of its channel: when it was sent or asked for, the call, the bytes.
type Order = (Nanoseconds, At, Bytes);

/// One end of all messages.
struct Ends<T> {
    /// In the order of the trace.
    all: Vec<T>,
    /// Of slices, the place of each among the messages of its lane.
    places: Vec<u32>,
    channels: HashMap<Channel, usize>,
    /// Of each channel, its ends by their numbers, in the order in which messages match.
    of_channel: Vec<Vec<u32>>,
    /// Of channels whose begin is missing, as many ends as are missing, and of which lane that is known.
    before: HashMap<Channel, (u64, u32)>,
}

impl<T> Ends<T> {
    fn of(
        lanes: &Lanes<'_>,
        side: MessageSide,
        end: impl Fn(At, &TracedMessage) -> T,
        order: impl Fn(&T) -> Order,
    ) -> Ends<T> {
        let mut found = Ends {
            all: Vec::new(),
            places: Vec::new(),
            channels: HashMap::new(),
            of_channel: Vec::new(),
            before: before(lanes, side),
        };
        let mut recent: [Option<(Channel, usize)>; RECENT] = [None; RECENT];
        for lane in &lanes.all {
            for call in 0..lane.calls.len() {
                let at = At { lane: lane.number, call: call as u32 };
                let all = (lane.messages_of(call)).zip(lane.messages(call));
                for (place, message) in all.filter(|(_, message)| message.end == side) {
                    let key = channel(lane, message, side);
                    let Some(recent) = recent.get_mut(place_of(&key)) else { continue };
                    let known = recent.filter(|(of, _)| *of == key).map(|(_, channel)| channel);
                    let next = found.of_channel.len();
                    let channel = known.unwrap_or_else(|| *found.channels.entry(key).or_insert(next));
                    if channel == next {
                        found.of_channel.push(Vec::new());
                    }
                    *recent = Some((key, channel));
                    let number = found.all.len() as u32;
                    let of_channel = found.of_channel.get_mut(channel);
                    of_channel.into_iter().for_each(|ends| ends.push(number));
                    found.all.push(end(at, message));
                    found.places.extend(lanes.slice.map(|_| place as u32));
                }
            }
        }
        // Mostly they are in order.
        let key = |number: &u32| (found.all.get(*number as usize).map(&order), *number);
        found.of_channel.iter_mut().for_each(|ends| ends.sort_by_key(key));
        found
    }

    /// Those of a channel, which are no longer here then.
    fn take(&mut self, channel: &Channel) -> Vec<u32> {
        let ends = self.channels.get(channel).and_then(|channel| self.of_channel.get_mut(*channel));
        ends.map(std::mem::take).unwrap_or_default()
    }
}

/// Of each channel, how many of its ends lie before the trace, where all of one thread's are numbered.
fn before(lanes: &Lanes<'_>, side: MessageSide) -> HashMap<Channel, (u64, u32)> {
    let mut found: HashMap<Channel, (u64, u32)> = HashMap::new();
    let told = if side == MessageSide::Sent { MessageSide::SentBefore } else { MessageSide::ReceivedBefore };
    let mut add = |lane: &Lane<'_>, message: &TracedMessage| {
        if message.end == told {
            let more = found.entry(channel(lane, message, side)).or_insert((0, lane.number));
            // Two threads' numbers do not tell which of them are missing.
            *more = (more.0 + message.bytes.0, if more.1 == lane.number { more.1 } else { NOBODY.lane });
        }
    };
    let is_cut = |lane: &&Lane<'_>| lanes.is_end && lane.has_end(told);
    for lane in lanes.all.iter().filter(is_cut) {
        lane.earlier_messages().iter().for_each(|message| add(lane, message));
        let own = (0..lane.calls.len()).flat_map(|call| lane.messages(call));
        own.for_each(|message| add(lane, message));
    }
    for lane in lanes.all.iter().filter(is_cut) {
        for message in lane.earlier_messages().iter().filter(|message| message.end == side) {
            found.get_mut(&channel(lane, message, side)).into_iter().for_each(|more| more.0 += 1);
        }
    }
    found
}

fn channel(lane: &Lane<'_>, message: &TracedMessage, side: MessageSide) -> Channel {
    let TracedMessage { communicator, tag, peer, .. } = *message;
    let (from, to) = if side == MessageSide::Sent { (lane.rank, peer) } else { (peer, lane.rank) };
    (lane.world, communicator, from, to, tag)
}

/// Both ends of the messages of a channel that belong together, of ends in their order. Where the begin of the trace is missing, what was sent before
/// it may come behind it: the last ones belong together.
pub fn paired<T>(sent: Vec<T>, received: Vec<T>, is_end: bool) -> impl Iterator<Item = (T, T)> {
    let both = sent.len().min(received.len());
    let skipped = |all: &[T]| if is_end { all.len() - both } else { 0 };
    let (sends, receives) = (skipped(&sent), skipped(&received));
    sent.into_iter().skip(sends).zip(received.into_iter().skip(receives))
}

pub fn of(lanes: &Lanes<'_>) -> Matched {
    let (mut sends, mut receives) = both(
        || Ends::of(lanes, MessageSide::Sent, |at, of| (of.posted, at, of.bytes), |end| *end),
        || {
            let end = |receive: At, of: &TracedMessage| Message {
                receive,
                posted: of.posted,
                bytes: of.bytes,
                tag: of.tag,
                ..MISSING
            };
            Ends::of(lanes, MessageSide::Received, end, |end| (end.posted, end.receive, end.bytes))
        },
    );
    let mut unmatched = 0;
    let mut is_sent = vec![false; sends.places.len()];
    let mut messages = std::mem::take(&mut receives.all);
    for (channel, number) in &receives.channels {
        let received = receives.of_channel.get_mut(*number).map(std::mem::take).unwrap_or_default();
        let sent = sends.take(channel);
        let ends = (sent.len() + received.len()) as u64;
        let known = |of: Option<&(u64, u32)>| of.filter(|of| of.1 != NOBODY.lane).map(|of| of.0);
        let both = known(sends.before.get(channel)).zip(known(receives.before.get(channel)));
        let mut pairs = match both {
            Some((sent_before, received_before)) => {
                let skip = |all: Vec<u32>, more: u64| {
                    let rest = all.get(usize::try_from(more).unwrap_or(usize::MAX)..);
                    rest.unwrap_or_default().to_vec()
                };
                let sent = skip(sent, received_before.saturating_sub(sent_before));
                paired(sent, skip(received, sent_before.saturating_sub(received_before)), false)
            }
            // Nothing tells which belong together.
            None if lanes.is_window => paired(Vec::new(), Vec::new(), false),
            None => paired(sent, received, lanes.is_end),
        };
        let mut matched = 0;
        for (of_send, received) in pairs.by_ref() {
            matched += 1;
            let send = sends.all.get(of_send as usize);
            if let Some((place, (sent, send, _))) = messages.get_mut(received as usize).zip(send) {
                *place = Message { send: *send, sent: *sent, of_send, ..*place };
                is_sent.get_mut(of_send as usize).into_iter().for_each(|is_sent| *is_sent = true);
            }
        }
        unmatched += ends - 2 * matched;
    }
    unmatched += sends.of_channel.iter().map(|ends| ends.len() as u64).sum::<u64>();
    let mut sliced = SlicedEnds::default();
    for (message, end) in messages.iter().zip(&receives.places) {
        match sends.places.get(message.of_send as usize) {
            Some(sent) => sliced.of.push([*sent, *end]),
            None => sliced.open.push((message.receive, *end)),
        }
    }
    let sent = sends.all.iter().zip(sends.places.iter().zip(is_sent)).filter(|(_, (_, is_sent))| !is_sent);
    sliced.open.extend(sent.map(|((_, at, _), (place, _))| (*at, *place)));
    if lanes.slice.is_some() {
        unmatched = sliced.settle(lanes);
    }
    let mut by_send = vec![NO_SEND; sends.all.len()];
    drop(sends);
    messages.retain(|message| message.of_send != NO_SEND);
    for (number, message) in (0..).zip(&messages) {
        by_send.get_mut(message.of_send as usize).into_iter().for_each(|place| *place = number);
    }
    by_send.retain(|number| *number != NO_SEND);
    Matched { messages, unmatched, by_send, sliced }
}
