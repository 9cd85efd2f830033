//! Calls of MPI one by one, and [the rest](spans), [what was seen](seen) of a trace: parts of a thread's trace, each a blob of numbers of variable length (LEB128, differences zigzag), deflated.

pub mod overview;
pub mod seen;
pub mod spans;

use std::io::Write;
use std::num::NonZeroU64;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use numawise_facts::activity::{
    MessageSide, ThreadTrace, TracedCall, TracedKind, TracedMessage, TracedSite, WindowStep,
};
use numawise_units::packed::{Packed, Unpacked};
use numawise_units::{Bytes, Nanoseconds};
use rusqlite::{Connection, Transaction, params};

use super::Has;
use crate::cell::{Cells, Parsed};
use crate::valid::Flaw;
use crate::write;

/// Calls of a part.
const CALLS: usize = 1 << 16;
/// Bytes of a part before it was deflated: with 500 bytes a call, far more than any has.
const MOST_BYTES: usize = 64 << 20;
/// Parts of a thread: 4 G calls.
const MOST_PARTS: usize = 1 << 16;
/// The place of what a message of a call can be from version 5 on, above its peer.
const FROM_5: u64 = 1 << 35;
/// Behind the steps on windows.
const BEFORE: u64 = 2 + WindowStep::ALL.len() as u64;
/// Sites of a thread, with one for each call that found no place in its table.
const MOST_SITES: usize = 4096;

pub fn insert(
    transaction: &Transaction<'_>,
    (process, thread): (i64, i64),
    trace: &ThreadTrace,
) -> rusqlite::Result<()> {
    let mut row = transaction.prepare_cached("INSERT INTO traces VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (part, of) in parts_of(trace).enumerate() {
        let sites = if part == 0 { write::json(&trace.sites)? } else { String::new() };
        row.execute(params![process, thread, part as i64, sites, packed(of.0, of.1)])?;
        overview::insert(transaction, (process, thread, part as i64), trace, of)?;
    }
    seen::insert(transaction, (process, thread), trace)?;
    spans::insert(transaction, (process, thread), trace)
}

/// The calls of a trace as a record keeps them; one without calls has a part too.
pub fn trace_parts(trace: &ThreadTrace) -> impl Iterator<Item = Vec<u8>> {
    parts_of(trace).map(|(calls, messages)| packed(calls, messages))
}

/// Calls of a part, and their messages.
fn parts_of(trace: &ThreadTrace) -> impl Iterator<Item = (&[TracedCall], &[TracedMessage])> {
    let mut messages = trace.messages.as_slice();
    let parts = trace.calls.len().div_ceil(CALLS).max(1);
    (0..parts).map(move |part| {
        let calls = trace.calls.get(part * CALLS..).unwrap_or_default();
        let calls = calls.get(..CALLS).unwrap_or(calls);
        let number: usize = calls.iter().map(|call| call.messages as usize).sum();
        let (of_part, rest) = messages.split_at(number.min(messages.len()));
        messages = rest;
        (calls, of_part)
    })
}

fn packed(calls: &[TracedCall], mut messages: &[TracedMessage]) -> Vec<u8> {
    let mut out = Packed::default();
    out.number(calls.len() as u64);
    let (mut at, mut communicator) = (0, 0);
    for call in calls {
        let (kind, rest) = match call.kind {
            TracedKind::Alone => (0, None),
            TracedKind::Collective { key, root } => {
                (1, Some((key.get(), root.map_or(0, |root| u64::from(root) + 1))))
            }
            TracedKind::Polls { calls, within } => (2, Some((calls, within.0))),
            TracedKind::LeftOut { calls } => (3, Some((calls, 0))),
        };
        let has_messages = u64::from(call.messages > 0);
        out.number(u64::from(call.site) << 3 | has_messages << 2 | kind);
        out.difference(at, call.begin.0);
        out.number(call.end.0.saturating_sub(call.begin.0));
        out.number(call.bytes.0);
        if let Some((one, other)) = rest {
            if kind == 1 {
                out.long(one)
            } else {
                out.number(one)
            }
            out.number(other);
        }
        if call.messages > 0 {
            out.number(call.messages.into());
        }
        let (of_call, others) = messages.split_at((call.messages as usize).min(messages.len()));
        messages = others;
        for message in of_call {
            let side = match message.end {
                MessageSide::Sent => 0,
                MessageSide::Received => 1,
                MessageSide::SendDone => 2,
                MessageSide::CollectiveDone => 3,
                MessageSide::Part => FROM_5,
                MessageSide::Source => FROM_5 | 1,
                MessageSide::Window(step) => FROM_5 + (1 + step as u64) * FROM_5,
                MessageSide::SentBefore => BEFORE * FROM_5,
                MessageSide::ReceivedBefore => BEFORE * FROM_5 + 1,
            };
            let of_message = message.communicator.map_or(0, NonZeroU64::get);
            let is_other = u64::from(of_message != communicator);
            out.number(u64::from(message.peer) << 3 | is_other << 2 | side);
            if is_other == 1 {
                out.long(of_message);
                communicator = of_message;
            }
            out.difference(call.begin.0, message.posted.0);
            out.number(message.bytes.0);
            out.signed(message.tag.into());
        }
        at = call.end.0;
    }
    deflated(&out.into_bytes())
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut deflated = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Nothing can fail that writes into memory.
    let _ = deflated.write_all(bytes);
    deflated.finish().unwrap_or_default()
}

/// At once into `room`, which grows where it is too small: half the time of a stream, which copies all once more.
fn inflated<'r>(blob: &[u8], room: &'r mut Vec<u8>) -> Option<&'r [u8]> {
    // Calls become a third to a sixth; what is not needed of it is not touched.
    let mut bytes = blob.len().saturating_mul(8).clamp(1 << 12, MOST_BYTES);
    loop {
        if room.len() < bytes {
            *room = vec![0; bytes];
        }
        let mut all = Decompress::new(true);
        match all.decompress(blob, room, FlushDecompress::Finish).ok()? {
            Status::StreamEnd => return room.get(..usize::try_from(all.total_out()).ok()?),
            _ if room.len() >= MOST_BYTES => return None,
            _ => bytes = room.len().saturating_mul(4).min(MOST_BYTES),
        }
    }
}

/// How many calls a thread has at most, unless these take fewer than two bytes each: then it may have more.
fn calls_at_most(connection: &Connection, of: (i64, i64)) -> Parsed<usize> {
    let mut query = connection.prepare_cached(
        "SELECT count(*), total(length(calls)) FROM traces WHERE process = ?1 AND thread = ?2",
    )?;
    let found: (i64, f64) = query.query_row([of.0, of.1], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let parts = usize::try_from(found.0).unwrap_or(0);
    Ok(parts.saturating_mul(CALLS).min(found.1 as usize / 2))
}

/// For all calls, and for as many messages as there are with those that are read already: what grows is copied, and its pages are touched again.
fn make_room(trace: &mut ThreadTrace, calls: usize) {
    let (read, messages) = (trace.calls.len().max(1), trace.messages.len());
    let more = calls.saturating_sub(trace.calls.len());
    // What is not there then is asked for as it comes.
    let _ = trace.calls.try_reserve_exact(more);
    let _ = trace.messages.try_reserve_exact(more.saturating_mul(messages) / read);
}

/// The trace of a thread; nothing where none was made.
pub fn read(connection: &Connection, (process, thread): (i64, i64), has: Has) -> Parsed<Option<ThreadTrace>> {
    // What is not asked for is not read.
    let calls = if has.calls { "calls" } else { "NULL AS calls" };
    let mut query = connection.prepare_cached(&format!(
        "SELECT part, sites, {calls} FROM traces WHERE process = ?1 AND thread = ?2 ORDER BY part"
    ))?;
    let mut rows = query.query([process, thread])?;
    let mut trace: Option<ThreadTrace> = None;
    let (mut part, mut room) = (0usize, Vec::new());
    let calls = calls_at_most(connection, (process, thread))?;
    while let Some(row) = rows.next()? {
        let cells = Cells::of("traces", row);
        if cells.int::<usize>("part")? != part || part == MOST_PARTS {
            return Err(cells.flaw("part", "numbers from 0 without a gap"));
        }
        if part == 0 {
            let sites: Vec<TracedSite> = cells.json("sites")?;
            if sites.len() > MOST_SITES {
                return Err(cells.flaw("sites", "at most 4096 sites"));
            }
            trace = Some(ThreadTrace { sites, ..ThreadTrace::default() });
        }
        let Some(trace) = trace.as_mut().filter(|_| has.calls) else { break };
        let blob = row.get_ref("calls")?.as_blob().ok();
        let unpacked = blob.and_then(|blob| add_part(blob, trace, &mut room));
        if unpacked.is_none() {
            let found = blob.map_or_else(|| "no blob".to_owned(), |blob| format!("{} bytes", blob.len()));
            return Err(
                Flaw::new(cells.place("calls"), found, "calls of sites that are there, packed").into()
            );
        }
        if part == 0 {
            make_room(trace, calls);
        }
        part += 1;
    }
    if let Some(trace) = trace.as_mut().filter(|_| has.spans) {
        spans::read(connection, (process, thread), trace)?;
    }
    if let Some(trace) = trace.as_mut().filter(|_| has.seen) {
        seen::read(connection, (process, thread), trace)?;
    }
    Ok(trace)
}

/// Adds the next part to a trace that has its sites. Nothing where the blob does not hold what it should.
pub fn add_trace_part(blob: &[u8], trace: &mut ThreadTrace) -> Option<()> {
    add_part(blob, trace, &mut Vec::new())
}

fn add_part(blob: &[u8], trace: &mut ThreadTrace, room: &mut Vec<u8>) -> Option<()> {
    let mut all = Unpacked::of(inflated(blob, room)?);
    let mut at = PartAt::first(&mut all)?;
    trace.calls.reserve(at.left);
    let sites = trace.sites.len();
    unpack(&mut all, &mut at, (usize::MAX, sites), trace)?;
    all.is_empty().then_some(())
}

/// How far a part is unpacked.
#[derive(Debug, Clone, Copy, Default)]
struct PartAt {
    left: usize,
    end: u64,
    communicator: u64,
}

impl PartAt {
    fn first(all: &mut Unpacked<'_>) -> Option<PartAt> {
        let left = all.number().filter(|calls| *calls <= CALLS as u64)?;
        Some(PartAt { left: left as usize, ..PartAt::default() })
    }
}

/// A part that is unpacked call by call.
#[derive(Debug, Default)]
pub struct OpenPart {
    bytes: Vec<u8>,
    from: usize,
    at: PartAt,
}

impl OpenPart {
    /// The next part, from its begin; nothing where the blob does not hold what it should.
    pub fn open(&mut self, blob: &[u8]) -> Option<()> {
        let bytes = inflated(blob, &mut self.bytes)?;
        let length = bytes.len();
        let mut all = Unpacked::of(bytes);
        self.at = PartAt::first(&mut all)?;
        self.from = length - all.left();
        self.bytes.truncate(length);
        Some(())
    }

    pub fn is_over(&self) -> bool {
        self.at.left == 0
    }

    /// Adds so many calls at most.
    pub fn add(&mut self, most: usize, sites: usize, trace: &mut ThreadTrace) -> Option<()> {
        let mut all = Unpacked::of(self.bytes.get(self.from..)?);
        unpack(&mut all, &mut self.at, (most, sites), trace)?;
        self.from = self.bytes.len() - all.left();
        (self.at.left > 0 || all.is_empty()).then_some(())
    }
}

fn unpack(
    all: &mut Unpacked<'_>,
    of: &mut PartAt,
    (most, sites): (usize, usize),
    trace: &mut ThreadTrace,
) -> Option<()> {
    let (mut at, mut communicator) = (of.end, of.communicator);
    let calls = of.left.min(most);
    for _ in 0..calls {
        let head = all.number()?;
        let site = u32::try_from(head >> 3).ok().filter(|site| (*site as usize) < sites)?;
        let begin = all.difference(at)?;
        let end = begin.checked_add(all.number()?)?;
        let bytes = Bytes(all.number()?);
        let kind = match head & 3 {
            0 => TracedKind::Alone,
            1 => {
                let key = NonZeroU64::new(all.long()?)?;
                let root = match all.number()?.checked_sub(1) {
                    Some(root) => Some(u32::try_from(root).ok()?),
                    None => None,
                };
                TracedKind::Collective { key, root }
            }
            2 => TracedKind::Polls { calls: all.number()?, within: Nanoseconds(all.number()?) },
            _ => {
                let calls = all.number()?;
                all.number()?;
                TracedKind::LeftOut { calls }
            }
        };
        let messages = if head >> 2 & 1 == 1 { u32::try_from(all.number()?).ok()? } else { 0 };
        for _ in 0..messages {
            let head = all.number()?;
            let end = match (head / FROM_5, head & 3) {
                (0, 0) => MessageSide::Sent,
                (0, 1) => MessageSide::Received,
                (0, 2) => MessageSide::SendDone,
                (0, _) => MessageSide::CollectiveDone,
                (1, 0) => MessageSide::Part,
                (1, 1) => MessageSide::Source,
                (BEFORE, 0) => MessageSide::SentBefore,
                (BEFORE, 1) => MessageSide::ReceivedBefore,
                (step, 0) => MessageSide::Window(*WindowStep::ALL.get(step as usize - 2)?),
                _ => return None,
            };
            if head >> 2 & 1 == 1 {
                communicator = all.long()?;
            }
            trace.messages.push(TracedMessage {
                end,
                posted: Nanoseconds(all.difference(begin)?),
                communicator: NonZeroU64::new(communicator),
                bytes: Bytes(all.number()?),
                tag: i32::try_from(all.signed()?).ok()?,
                peer: (head >> 3) as u32,
            });
        }
        let (begin, end_of_call) = (Nanoseconds(begin), Nanoseconds(end));
        trace.calls.push(TracedCall { site, begin, end: end_of_call, kind, bytes, messages });
        at = end;
    }
    *of = PartAt { left: of.left - calls, end: at, communicator };
    Some(())
}
