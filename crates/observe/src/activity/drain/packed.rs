//! Chunks of a trace as they are on the disk: each a header and its records, of which each is what differs from the one of its kind before.
//! What the words mean does not matter here.

use std::io::{self, Read};

use numawise_units::packed::{Packed, Unpacked};
use numawise_wire::bytes::{long, word};
use numawise_wire::trace::reader::{ChunkOf, words};
use numawise_wire::trace::{CHUNK_BYTES, RECORDS};

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;

/// Records are compared with the last one that had these bits of its kind.
const KINDS: usize = 16;
/// Bytes of the header: slot, bytes behind the header, number of the chunk.
const HEADER: usize = 16;

/// Appends a chunk.
pub fn pack(chunk: ChunkOf<'_>, out: &mut Vec<u8>) {
    let mut packed = Packed::default();
    let mut before = [[0; 5]; KINDS];
    for record in words(chunk.records) {
        let kind = record[4] as usize % KINDS;
        let last = &mut before[kind];
        let differs = (0..5).filter(|word| record[*word] != last[*word]);
        packed.number(differs.clone().fold((kind as u64) << 5, |mask, word| mask | 1 << word));
        differs.for_each(|word| packed.difference(last[word], record[word]));
        *last = record;
    }
    let packed = packed.into_bytes();
    out.extend(chunk.slot.to_ne_bytes());
    out.extend((packed.len() as u32).to_ne_bytes());
    out.extend(chunk.number.to_ne_bytes());
    out.extend(packed);
}

/// A chunk that was read again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnpackedChunk {
    pub slot: u32,
    pub number: u64,
    /// 40 bytes each.
    pub records: Vec<u8>,
}

/// Reads the next chunk. Nothing behind the last one, and at one that is not whole: who wrote it was killed.
///
/// # Errors
/// Where it cannot be read, or is none.
pub fn next(from: &mut impl Read) -> io::Result<Option<UnpackedChunk>> {
    let mut header = [0; HEADER];
    if !is_filled(from, &mut header)? {
        return Ok(None);
    }
    let (slot, bytes, number) = (word(&header, 0), word(&header, 4), long(&header, 8));
    // Even words of ten bytes each take no more than that.
    if bytes as usize > 2 * CHUNK_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut packed = vec![0; bytes as usize];
    if !is_filled(from, &mut packed)? {
        return Ok(None);
    }
    let records = unpack(&packed).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some(UnpackedChunk { slot, number, records }))
}

fn is_filled(from: &mut impl Read, place: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(place) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut all = Unpacked::of(packed);
    let mut before = [[0; 5]; KINDS];
    let mut records = Vec::with_capacity(CHUNK_BYTES);
    for _ in 0..RECORDS {
        if all.is_empty() {
            break;
        }
        let head = all.number()?;
        let last: &mut [u64; 5] = before.get_mut((head >> 5) as usize)?;
        for (place, word) in last.iter_mut().enumerate() {
            if head >> place & 1 == 1 {
                *word = all.difference(*word)?;
            }
            records.extend(word.to_ne_bytes());
        }
    }
    all.is_empty().then_some(records)
}
