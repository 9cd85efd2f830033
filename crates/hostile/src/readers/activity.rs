//! The reader of what the collector leaves.

use numawise_wire::snapshot::file_bytes;

use super::blocks::{self, BLOCK};
use crate::{Read, Reader, sane};

pub(crate) const READERS: [Reader; 1] = [Reader {
    name: "snapshot-part",
    read: snapshot_part,
    corpus: &["crates/observe/testdata/activity"],
    words: &["NWsnap\r\n", "\u{1}", "MPI_COMM_WORLD"],
    inputs: 3000,
}];

/// Slots of threads that the recorded files have at most.
const SLOTS: usize = 6;

/// The input is a list of blocks, each behind its number: files are long, and most of a file is zeros.
fn snapshot_part(input: &[u8]) -> Read {
    Read::of(numawise_observe::activity::parse(&bytes_of(input)), sane::activity)
}

/// The file of a rank that was recorded.
pub(crate) fn recorded() -> Vec<u8> {
    bytes_of(include_bytes!("../../../observe/testdata/activity/mpi-rank"))
}

fn bytes_of(input: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; file_bytes(SLOTS)];
    let mut end = 0;
    for (at, content) in blocks::blocks(input) {
        if let Some(place) = bytes.get_mut(at..at + BLOCK) {
            place.copy_from_slice(content);
            end = end.max(at + BLOCK);
        }
    }
    let length = if blocks::is_whole(input) { bytes.len() } else { end };
    bytes.truncate(length);
    bytes
}
