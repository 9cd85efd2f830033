//! Reads a trace file from bytes, of which nothing is trusted. What cannot be is left out and counted as broken.

use core::mem::offset_of;

use super::{CHUNK_BYTES, Chunk, HEADER_BYTES, Header, MAGIC, MOST_CHUNKS, RECORDS, Record, RecordKind};
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
    },
    Polls {
        site: Option<u16>,
        call: u16,
        begin: u64,
        ticks: u64,
        end: u64,
        count: u64,
    },
    /// Of OpenMP, or the begin or end of a phase.
    Span(TracedSpan),
}

/// What is no call; the words that follow the ticks mean what the kind says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedSpan {
    pub kind: RecordKind,
    /// Its construct by the thread's row, or its phase by its place.
    pub row: Option<u16>,
    pub begin: u64,
    pub ticks: u64,
    pub third: u64,
    pub fourth: u64,
    pub team: u32,
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
}

/// The name of a call by its number.
pub fn call_name(number: u16) -> &'static str {
    MPI_CALLS.split('\0').nth(number.into()).unwrap_or_default()
}

/// Places for chunks, and how many were asked for; none where the file is not begun.
pub fn chunks_of(first_page: &[u8]) -> Option<(usize, usize)> {
    let word = |at| word(first_page, at) as usize;
    let chunks = word(offset_of!(Header, chunks)).min(MOST_CHUNKS);
    (long(first_page, offset_of!(Header, magic)) == MAGIC).then(|| (chunks, word(offset_of!(Header, asked))))
}

/// Bytes that the first page says are in use: a reader needs no more of the file.
pub fn bytes_in_use(first_page: &[u8]) -> usize {
    let (chunks, asked) = chunks_of(first_page).unwrap_or_default();
    super::file_bytes(chunks.min(asked))
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

    /// Records that found no place, and the moment of the first of them.
    pub fn lost(&self) -> Option<(u64, u64)> {
        let lost = long(self.bytes, offset_of!(Header, lost));
        (lost > 0).then(|| (lost, long(self.bytes, offset_of!(Header, lost_since))))
    }

    /// The slots of threads, each with one of its chunks, in the order in which they were begun.
    pub fn chunks(&self) -> impl Iterator<Item = (u32, RecordsOfChunk<'a>)> + use<'a> {
        let chunks = self.bytes.get(HEADER_BYTES..).unwrap_or_default().chunks(CHUNK_BYTES);
        chunks.filter_map(|chunk| {
            let slot = word(chunk, offset_of!(Chunk, slot)).checked_sub(1)?;
            let used = (word(chunk, offset_of!(Chunk, used)) as usize).min(RECORDS);
            Some((slot, RecordsOfChunk { chunk, next: 0, used }))
        })
    }
}

/// The records of a chunk; those of no kind are left out.
#[derive(Debug, Clone, Copy)]
pub struct RecordsOfChunk<'a> {
    chunk: &'a [u8],
    next: usize,
    used: usize,
}

impl Iterator for RecordsOfChunk<'_> {
    type Item = TraceRecord;

    fn next(&mut self) -> Option<TraceRecord> {
        while self.next < self.used {
            let at = offset_of!(Chunk, records) + self.next * size_of::<Record>();
            self.next += 1;
            let words = [0, 8, 16, 24, 32].map(|word| long(self.chunk, at + word));
            if let Some(record) = record(words) {
                return Some(record);
            }
        }
        None
    }
}

fn record(words: [u64; 5]) -> Option<TraceRecord> {
    let [first, second, third, fourth, last] = words;
    let (site, call) = (((last >> 8) as u16).checked_sub(1), fourth as u16);
    let message = || TracedMessage {
        posted: first,
        communicator: (second != 0).then_some(second),
        bytes: third,
        tag: ((fourth >> 32) as u32).cast_signed(),
        peer: fourth as u32,
    };
    Some(match RecordKind::from_word(last)? {
        RecordKind::Call => TraceRecord::Call(TracedCall {
            site,
            call,
            begin: first,
            ticks: second,
            key: (third != 0).then_some(third),
            root: ((last >> 32) as u32).checked_sub(1),
            bytes: fourth >> 16,
        }),
        RecordKind::Sent => TraceRecord::Sent(message()),
        RecordKind::Received => TraceRecord::Received(message()),
        RecordKind::SendDone => TraceRecord::SendDone { sent: first },
        RecordKind::CollectiveDone => TraceRecord::CollectiveDone { begun: first },
        RecordKind::Polls => {
            TraceRecord::Polls { site, call, begin: first, ticks: second, end: third, count: fourth >> 16 }
        }
        kind => {
            let team = (last >> 32) as u32;
            TraceRecord::Span(TracedSpan {
                kind,
                row: site,
                begin: first,
                ticks: second,
                third,
                fourth,
                team,
            })
        }
    })
}
