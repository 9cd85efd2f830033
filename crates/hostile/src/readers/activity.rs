//! The reader of what the collector leaves.

use numawise_wire::snapshot::file_bytes;

use crate::{Read, Reader, sane};

pub(crate) const READERS: [Reader; 1] = [Reader {
    name: "snapshot-part",
    read: snapshot_part,
    corpus: &["crates/observe/testdata/activity"],
    words: &["NWsnap\r\n", "\u{1}", "MPI_COMM_WORLD"],
    inputs: 3000,
}];

/// Bytes of a block.
const BLOCK: usize = 64;
/// Slots of threads that the recorded files have at most.
const SLOTS: usize = 6;

/// The input is a list of blocks, each behind its number: files are long, and most of a file is zeros.
fn snapshot_part(input: &[u8]) -> Read {
    let mut bytes = vec![0; file_bytes(SLOTS)];
    let mut end = 0;
    for block in input.chunks_exact(4 + BLOCK) {
        let (number, content) = block.split_at(4);
        let number = number.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
        if let Some(place) = bytes.chunks_exact_mut(BLOCK).nth(number) {
            place.copy_from_slice(content);
            end = end.max(BLOCK * (number + 1));
        }
    }
    // A list that was cut stands for a file that was.
    let length = if input.len().is_multiple_of(4 + BLOCK) { bytes.len() } else { end };
    Read::of(numawise_observe::activity::parse(bytes.get(..length).unwrap_or_default()), sane::activity)
}
