use std::mem::offset_of;

use numawise_facts::Activity;
use numawise_wire::snapshot::VERSION;
use numawise_wire::trace::{CHUNK_BYTES, ChunkState, Header, MAGIC};

use super::super::drain::pack;
use super::*;
use crate::activity::tests::recorded;
use crate::activity::{SeenFromOutside, read_folder, read_folder_with_traces};

const FILE: &str = "14593-1.part";

/// A folder of a rank whose first thread called; `taken` are the numbers of chunks in files, `here` those in memory, with the states of their places.
fn folder(taken: &[&[u64]], here: &[(u64, ChunkState)], edit: impl Fn(&mut Vec<u8>)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), recorded("mpi-rank")).unwrap();
    std::fs::create_dir(folder.path().join(TAKEN)).unwrap();
    for (file, chunks) in taken.iter().enumerate() {
        let mut bytes = Vec::new();
        for number in *chunks {
            pack(ChunkOf { slot: 0, number: *number, records: &calls(*number) }, &mut bytes);
        }
        std::fs::write(folder.path().join(TAKEN).join(drain::file_name("14593-1", file as u32)), bytes)
            .unwrap();
    }
    let mut bytes = vec![0; file_bytes(here.len())];
    let mut put = |at: usize, content: &[u8]| bytes[at..at + content.len()].copy_from_slice(content);
    put(0, &MAGIC.to_ne_bytes());
    put(8, &VERSION.to_ne_bytes());
    put(offset_of!(Header, chunks), &(here.len() as u32).to_ne_bytes());
    put(offset_of!(Header, asked), &1000u64.to_ne_bytes());
    put(offset_of!(Header, taken), &(taken.len() as u32).to_ne_bytes());
    for (place, (number, state)) in here.iter().enumerate() {
        let records = calls(*number);
        put(offset_of!(Header, states) + place, &[*state as u8]);
        put(file_bytes(place), &1u32.to_ne_bytes());
        put(file_bytes(place) + 4, &((records.len() / 40) as u32).to_ne_bytes());
        put(file_bytes(place) + 8, &number.to_ne_bytes());
        put(file_bytes(place) + 64, &records);
    }
    assert_eq!(bytes.len() % CHUNK_BYTES, HEADER_BYTES);
    edit(&mut bytes);
    std::fs::write(folder.path().join(FILE).with_extension("trace"), bytes).unwrap();
    folder
}

/// Two calls of a chunk, which move as many bytes as its number, and one byte more.
fn calls(number: u64) -> Vec<u8> {
    let call = |bytes: u64| [bytes * 1000, 1, 0, bytes << 16 | 1, 1];
    [call(2 * number), call(2 * number + 1)].concat().into_iter().flat_map(u64::to_ne_bytes).collect()
}

fn read(folder: &tempfile::TempDir) -> Activity {
    let mut read = read_folder_with_traces(folder.path(), &SeenFromOutside::default()).unwrap();
    read.remove(0).unwrap()
}

/// The chunks whose calls there are, in their order.
fn found(activity: &Activity) -> Vec<u64> {
    let trace = activity.threads.measured().unwrap()[0].trace.clone().unwrap();
    let pairs = trace.calls.chunks(2);
    pairs
        .map(|pair| {
            assert_eq!(pair[0].bytes.0 + 1, pair[1].bytes.0);
            pair[0].bytes.0 / 2
        })
        .collect()
}

#[test]
fn chunks_of_files_and_of_memory_are_put_in_their_order_each_once() {
    use ChunkState::{Free, Held, LetGo, New};
    let here = [(7, Held), (4, Free), (6, LetGo), (5, LetGo), (9, New)];
    // The numawise that wrote the first file was killed before it gave the place of chunk 3 back.
    let folder = folder(&[&[1, 2, 3], &[3, 4, 5]], &here, |_| ());
    let activity = read(&folder);
    assert_eq!((found(&activity), activity.lost.trace), (vec![1, 2, 3, 4, 5, 6, 7], None));
    let without = read_folder(folder.path(), &SeenFromOutside::default()).unwrap().remove(0).unwrap();
    assert!(without.threads.measured().unwrap()[0].trace.is_none());
}

#[test]
fn what_cannot_be_read_is_a_gap_and_what_lies_behind_it_is_counted() {
    let here = [(5, ChunkState::Held)];
    let spoiled: [fn(&Path); 2] =
        [|path| std::fs::remove_file(path).unwrap(), |path| std::fs::write(path, [0xff; 100]).unwrap()];
    for spoil in spoiled {
        let folder = folder(&[&[1], &[2], &[3]], &here, |_| ());
        spoil(&folder.path().join(TAKEN).join("14593-1-1"));
        let activity = read(&folder);
        let loss = activity.lost.trace.unwrap();
        let last = activity.threads.measured().unwrap()[0].trace.as_ref().unwrap().calls[1];
        assert_eq!(found(&activity), [1]);
        assert_eq!((loss.records, loss.since, loss.until), (4, last.end, None));
    }
}

#[test]
fn what_was_dropped_lies_before_the_rest_where_the_last_calls_are_kept() {
    let of = |keeps_last: u32| {
        let folder = folder(&[&[1], &[2]], &[(3, ChunkState::Held)], |bytes| {
            let mut put = |at: usize, content: &[u8]| bytes[at..at + content.len()].copy_from_slice(content);
            put(offset_of!(Header, first_taken), &1u32.to_ne_bytes());
            put(offset_of!(Header, keeps_last), &keeps_last.to_ne_bytes());
            put(offset_of!(Header, dropped), &2u64.to_ne_bytes());
            put(offset_of!(Header, dropped_until), &3001u64.to_ne_bytes());
            put(offset_of!(Header, lost), &5u64.to_ne_bytes());
            put(offset_of!(Header, lost_since), &2000u64.to_ne_bytes());
            put(offset_of!(Header, lost_until), &2500u64.to_ne_bytes());
        });
        let activity = read(&folder);
        assert_eq!(found(&activity), [2, 3]);
        activity.lost.trace.unwrap()
    };
    let last = of(1);
    assert!(last.records == 7 && last.until.is_some_and(|until| until >= last.since), "{last:?}");
    let first = of(0);
    assert!(first.records == 5 && first.until.is_none(), "{first:?}");
}

#[test]
fn what_ends_after_the_time_that_was_asked_for_is_left_out_and_counted() {
    // Behind the begin of the process.
    const FIRST: u64 = 1_000_000_000_000;
    const SECOND: u64 = FIRST + 100_000;
    let here = [(SECOND, ChunkState::Held)];
    let whole = read(&folder(&[&[FIRST]], &here, |_| ()));
    let ends: Vec<Nanoseconds> = whole.threads.measured().unwrap()[0]
        .trace
        .as_ref()
        .map(|trace| trace.calls.iter().map(|call| call.end).collect())
        .unwrap();
    let of = |until: u64, cut: u64| {
        let activity = read(&folder(&[&[FIRST]], &here, |bytes| {
            let mut put = |at: usize, content: &[u8]| bytes[at..at + content.len()].copy_from_slice(content);
            put(offset_of!(Header, keeps_last), &1u32.to_ne_bytes());
            put(offset_of!(Header, wanted_until), &until.to_ne_bytes());
            put(offset_of!(Header, cut_since), &cut.to_ne_bytes());
            put(offset_of!(Header, lost), &(u64::from(cut != 0) * 5).to_ne_bytes());
        }));
        (found(&activity), activity.lost.trace)
    };
    let until = ends[1];
    let left_out = TraceLoss { records: 2, since: until, until: None, again: None, is_outside: true };
    assert_eq!(of(until.0, 0), (vec![FIRST], Some(left_out)));
    assert_eq!(of(u64::MAX, 0), (vec![FIRST, SECOND], None));
    // There was no room for what came before the end of that time.
    let (chunks, full) = of(u64::MAX, 1);
    assert!(
        chunks == [FIRST, SECOND] && full.is_some_and(|loss| !loss.is_outside && loss.records == 5),
        "{full:?}"
    );
}
