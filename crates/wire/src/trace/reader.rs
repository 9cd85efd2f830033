//! Reads a trace file from bytes, of which nothing is trusted. What cannot be is left out and counted as broken.

use core::mem::offset_of;

use super::{
    CHUNK_BYTES, Chunk, ChunkState, HEADER_BYTES, Header, MAGIC, MOST_CHUNKS, RECORDS, Record, RecordKind,
    WindowStep, file_bytes,
};
use crate::bytes::{long, word};
use crate::snapshot::reader::SnapshotFileError;
use crate::snapshot::{MPI_CALLS, VERSION};

/// A trace file.
#[derive(Debug, Clone, Copy)]
pub struct TraceFile<'a> {
    bytes: &'a [u8],
}

/// One record, with its moments in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceRecord {
    Call(TracedCall),
    Sent(TracedMessage),
    Received(TracedMessage),
    /// When the call began that sent the message.
    SendDone {
        sent: u64,
    },
    /// When the call began that began the collective call.
    CollectiveDone {
        begun: u64,
        key: Option<u64>,
    },
    Part(TracedPart),
    Window {
        begin: u64,
        window: Option<u64>,
        step: WindowStep,
        peer: u32,
    },
    /// See [`RecordKind::Source`].
    Source {
        begin: u64,
        rank: u32,
    },
    Polls {
        site: Option<u16>,
        call: u16,
        begin: u64,
        ticks: u64,
        end: u64,
        count: u64,
    },
    LeftOut {
        ticks: u64,
        end: u64,
        count: u64,
    },
    /// Of OpenMP, on a file, or the begin or end of a phase.
    Span(TracedSpan),
}

/// What is no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedSpan {
    pub kind: SpanKind,
    /// Its construct by the thread's row, its phase by its place, or what the file was for ([`crate::snapshot::FileOperation`]).
    pub row: Option<u16>,
    pub begin: u64,
    pub ticks: u64,
}

/// See the kinds of these names of [`RecordKind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    Region { waited: u64, threads: u32 },
    Worked { begun: u64, master: u32 },
    Waited,
    PhaseBegin,
    PhaseEnd,
    File,
}

/// A call that has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedCall {
    /// Its site, by its number in the thread's table.
    pub site: Option<u16>,
    /// Its place in [`MPI_CALLS`].
    pub call: u16,
    pub begin: u64,
    pub ticks: u64,
    /// The same in all ranks of a blocking collective call.
    pub key: Option<u64>,
    /// The root in the communicator.
    pub root: Option<u32>,
    pub bytes: u64,
}

/// See [`RecordKind::Part`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedPart {
    pub begin: u64,
    pub key: Option<u64>,
    pub call: u16,
    pub communicator: u16,
    pub root: Option<u32>,
}

/// A message, as one of its two ranks saw it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct TracedMessage {
    /// When the call began that sent it or asked for it.
    pub posted: u64,
    pub communicator: Option<u64>,
    pub bytes: u64,
    pub tag: i32,
    /// The other rank of `MPI_COMM_WORLD`.
    pub peer: u32,
    /// So many messages with all this alike were there before, as far as that was counted.
    pub before: Option<u64>,
}

/// The name of a call by its number.
pub fn call_name(number: u16) -> &'static str {
    MPI_CALLS.split('\0').nth(number.into()).unwrap_or_default()
}

/// Places for chunks, and how many were asked for; none where the file is not begun.
pub fn chunks_of(header: &[u8]) -> Option<(usize, usize)> {
    let chunks = (word(header, offset_of!(Header, chunks)) as usize).min(MOST_CHUNKS);
    let asked = long(header, offset_of!(Header, asked)) as usize;
    (long(header, offset_of!(Header, magic)) == MAGIC).then_some((chunks, asked))
}

/// Places that are new no more.
pub fn opened(header: &[u8]) -> usize {
    word(header, offset_of!(Header, opened)) as usize
}

/// Bytes that the header says are in use: a reader needs no more of the file.
pub fn bytes_in_use(header: &[u8]) -> usize {
    let (chunks, asked) = chunks_of(header).unwrap_or_default();
    file_bytes(chunks.min(asked))
}

/// The places of chunks that are in a state.
pub fn places_in(header: &[u8], state: ChunkState) -> impl Iterator<Item = usize> {
    let (chunks, asked) = chunks_of(header).unwrap_or_default();
    let states = header.get(offset_of!(Header, states)..).unwrap_or_default();
    let places = states.iter().take(chunks.min(asked)).enumerate();
    places.filter(move |(_, found)| **found == state as u8).map(|(place, _)| place)
}

/// Files of chunks that were taken away and are there, by their numbers.
pub fn taken(header: &[u8]) -> core::ops::Range<u32> {
    word(header, offset_of!(Header, first_taken))..word(header, offset_of!(Header, taken))
}

/// Records that found no place.
pub fn lost(header: &[u8]) -> u64 {
    long(header, offset_of!(Header, lost))
}

/// When the first record was lost since what was there was to stay; 0: none was.
pub fn cut_since(header: &[u8]) -> u64 {
    long(header, offset_of!(Header, cut_since))
}

/// Until when records were asked for, by the monotonic clock in nanoseconds; none: all were.
pub fn wanted_until(header: &[u8]) -> Option<u64> {
    Some(long(header, offset_of!(Header, wanted_until))).filter(|until| *until != 0)
}

/// Records that were taken away and are gone, and when the last of them ended.
pub fn dropped(header: &[u8]) -> (u64, u64) {
    let [dropped, until] = [offset_of!(Header, dropped), offset_of!(Header, dropped_until)];
    (long(header, dropped), long(header, until))
}

/// Takes the header as it is `now`, and lets chunks go that were others when the rest was read: `number` gives the number that one has now.
pub fn keep_unchanged(bytes: &mut [u8], now: &[u8], mut number: impl FnMut(usize) -> Option<u64>) {
    let (chunks, asked) = chunks_of(bytes).unwrap_or_default();
    if bytes.len() < HEADER_BYTES || now.len() < HEADER_BYTES {
        return;
    }
    for place in 0..chunks.min(asked) {
        let at = offset_of!(Header, states) + place;
        let state = bytes[at];
        let read = bytes.get(file_bytes(place)..).and_then(ChunkOf::parse).map(|chunk| chunk.number);
        let is_same = ChunkState::has_records(now[at]) && read == number(place);
        bytes[at] = if is_same { state } else { ChunkState::New as u8 };
    }
    bytes[..offset_of!(Header, states)].copy_from_slice(&now[..offset_of!(Header, states)]);
}

/// One chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkOf<'a> {
    /// The slot of its thread.
    pub slot: u32,
    /// Higher than those of the chunks that its thread had before.
    pub number: u64,
    /// Its records, 40 bytes each.
    pub records: &'a [u8],
}

impl<'a> ChunkOf<'a> {
    /// None for bytes that are of no thread yet. Of the begin of a chunk it has no records.
    pub fn parse(bytes: &'a [u8]) -> Option<ChunkOf<'a>> {
        let slot = word(bytes, offset_of!(Chunk, slot)).checked_sub(1)?;
        let used = (word(bytes, offset_of!(Chunk, used)) as usize).min(RECORDS);
        let records = bytes.get(offset_of!(Chunk, records)..).unwrap_or_default();
        let records = records.get(..used * size_of::<Record>()).unwrap_or_default();
        Some(ChunkOf { slot, number: long(bytes, offset_of!(Chunk, number)), records })
    }
}

impl<'a> TraceFile<'a> {
    /// # Errors
    /// Where the bytes are no file of this version.
    pub fn parse(bytes: &'a [u8]) -> Result<TraceFile<'a>, SnapshotFileError> {
        if bytes.len() < HEADER_BYTES {
            return Err(SnapshotFileError::Short { at: 0, needed: HEADER_BYTES, found: bytes.len() });
        }
        let magic = long(bytes, offset_of!(Header, magic));
        if magic != MAGIC {
            return Err(SnapshotFileError::Magic { found: magic });
        }
        let version = word(bytes, offset_of!(Header, version));
        if version != VERSION {
            return Err(SnapshotFileError::Version { found: version, expected: VERSION });
        }
        Ok(TraceFile { bytes })
    }

    /// Records that found no place, and the moments of the first and the last of them.
    pub fn lost(&self) -> Option<(u64, [u64; 2])> {
        let long = |at| long(self.bytes, at);
        let moments = [long(offset_of!(Header, lost_since)), long(offset_of!(Header, lost_until))];
        Some((lost(self.bytes), moments)).filter(|(lost, _)| *lost > 0)
    }

    /// Whether what is missing is rather to lie before the rest than behind it.
    pub fn keeps_last(&self) -> bool {
        word(self.bytes, offset_of!(Header, keeps_last)) != 0
    }

    /// Its chunks, in the order of their places.
    pub fn chunks(&self) -> impl Iterator<Item = ChunkOf<'a>> + use<'a> {
        let states = self.bytes.get(offset_of!(Header, states)..HEADER_BYTES).unwrap_or_default();
        let chunks = self.bytes.get(HEADER_BYTES..).unwrap_or_default().chunks(CHUNK_BYTES);
        let of_threads = chunks.zip(states).filter(|(_, state)| ChunkState::has_records(**state));
        of_threads.filter_map(|(chunk, _)| ChunkOf::parse(chunk))
    }
}

/// The records of a chunk; those of no kind are left out.
pub fn records(bytes: &[u8]) -> impl Iterator<Item = TraceRecord> {
    words(bytes).filter_map(record)
}

/// The words of each record.
pub fn words(records: &[u8]) -> impl Iterator<Item = [u64; 5]> {
    let each = records.chunks_exact(size_of::<Record>());
    each.map(|record| [0, 8, 16, 24, 32].map(|at| long(record, at)))
}

impl TraceRecord {
    /// When what it tells of had ended, as far as it says so.
    pub fn end(&self) -> u64 {
        match *self {
            TraceRecord::Call(call) => call.begin.saturating_add(call.ticks),
            TraceRecord::Polls { end, .. } | TraceRecord::LeftOut { end, .. } => end,
            TraceRecord::Sent(message) | TraceRecord::Received(message) => message.posted,
            TraceRecord::SendDone { sent } => sent,
            TraceRecord::CollectiveDone { begun, .. } => begun,
            TraceRecord::Part(TracedPart { begin, .. })
            | TraceRecord::Window { begin, .. }
            | TraceRecord::Source { begin, .. } => begin,
            TraceRecord::Span(span) => span.begin.saturating_add(span.ticks),
        }
    }
}

fn record(words: [u64; 5]) -> Option<TraceRecord> {
    let [first, second, third, fourth, last] = words;
    let (site, call) = (((last >> 8) as u16).checked_sub(1), fourth as u16);
    let number = |word: u64| (word != 0).then_some(word);
    let message = || TracedMessage {
        posted: first,
        communicator: number(second),
        bytes: third,
        tag: ((fourth >> 32) as u32).cast_signed(),
        peer: fourth as u32,
        before: (last >> 8).checked_sub(1),
    };
    let span = |kind| TraceRecord::Span(TracedSpan { kind, row: site, begin: first, ticks: second });
    Some(match RecordKind::from_word(last)? {
        RecordKind::Call => TraceRecord::Call(TracedCall {
            site,
            call,
            begin: first,
            ticks: second,
            key: number(third),
            root: ((last >> 32) as u32).checked_sub(1),
            bytes: fourth >> 16,
        }),
        RecordKind::Sent => TraceRecord::Sent(message()),
        RecordKind::Received => TraceRecord::Received(message()),
        RecordKind::SendDone => TraceRecord::SendDone { sent: first },
        RecordKind::CollectiveDone => TraceRecord::CollectiveDone { begun: first, key: number(second) },
        RecordKind::Part => TraceRecord::Part(TracedPart {
            begin: first,
            key: number(second),
            call,
            communicator: (fourth >> 32) as u16,
            root: ((last >> 32) as u32).checked_sub(1),
        }),
        RecordKind::Window => TraceRecord::Window {
            begin: first,
            window: number(second),
            step: *WindowStep::ALL.get((fourth >> 32) as usize)?,
            peer: fourth as u32,
        },
        RecordKind::Source => TraceRecord::Source { begin: first, rank: fourth as u32 },
        RecordKind::Polls => {
            TraceRecord::Polls { site, call, begin: first, ticks: second, end: third, count: fourth >> 16 }
        }
        RecordKind::LeftOut => TraceRecord::LeftOut { ticks: second, end: third, count: fourth },
        RecordKind::Region => span(SpanKind::Region { waited: third, threads: (last >> 32) as u32 }),
        RecordKind::Worked => span(SpanKind::Worked { begun: third, master: fourth as u32 }),
        RecordKind::Waited => span(SpanKind::Waited),
        RecordKind::PhaseBegin => span(SpanKind::PhaseBegin),
        RecordKind::PhaseEnd => span(SpanKind::PhaseEnd),
        RecordKind::File => span(SpanKind::File),
    })
}
