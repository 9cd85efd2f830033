use proptest::prelude::*;

use super::*;

fn bytes(records: &[[u64; 5]]) -> Vec<u8> {
    records.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect()
}

fn packed(slot: u32, number: u64, records: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    pack(ChunkOf { slot, number, records }, &mut out);
    out
}

/// Calls and messages such as a loop makes.
fn looped() -> Vec<u8> {
    let mut records = Vec::new();
    for step in 0..400 {
        let at = 1_000_000_000 + step * 31_000 + step % 7 * 100;
        records.push([at, 0x1234, 8, 5 << 32 | (step % 2 * 2), 2]);
        records.push([at, 900 + step % 50, 0, 8 << 16 | 77, 3 << 8 | 1]);
    }
    bytes(&records)
}

#[test]
fn chunks_come_back_one_after_the_other() {
    let chunks =
        [(7, 3, looped()), (0, u64::MAX, bytes(&[[u64::MAX, 0, 1, u64::MAX, u64::MAX]])), (1, 9, Vec::new())];
    let all: Vec<u8> =
        chunks.iter().flat_map(|(slot, number, records)| packed(*slot, *number, records)).collect();
    let mut from = all.as_slice();
    for (slot, number, records) in chunks {
        assert_eq!(next(&mut from).unwrap(), Some(UnpackedChunk { slot, number, records }));
    }
    assert_eq!(next(&mut from).unwrap(), None);
}

#[test]
fn records_of_a_loop_take_few_bytes() {
    let records = looped();
    let each = packed(0, 0, &records).len() as f64 / (records.len() / 40) as f64;
    assert!(each < 7.0, "{each} bytes a record");
}

#[test]
fn what_was_cut_off_is_no_chunk_and_costs_none_before_it() {
    let [one, other] = [packed(1, 1, &looped()), packed(1, 2, &looped())];
    for length in [0, 1, HEADER - 1, HEADER, HEADER + 1, other.len() - 1] {
        let cut = [&one, &other[..length]].concat();
        let mut from = cut.as_slice();
        assert_eq!(next(&mut from).unwrap().map(|chunk| chunk.number), Some(1));
        assert_eq!(next(&mut from).unwrap(), None, "{length}");
    }
}

#[test]
fn what_is_no_chunk_is_refused() {
    let with = |packed: &[u8]| [&[0; 4][..], &(packed.len() as u32).to_ne_bytes(), &[0; 8], packed].concat();
    // A kind beyond all; a number that ends before; more records than a chunk has.
    for packed in [&[0x80, 0x40][..], &[0x01, 0x80], &[0; RECORDS + 1]] {
        assert!(next(&mut with(packed).as_slice()).is_err(), "{packed:?}");
    }
    let mut long = with(&[0]);
    long[4..8].copy_from_slice(&u32::MAX.to_ne_bytes());
    assert!(next(&mut long.as_slice()).is_err());
}

proptest! {
    #[test]
    fn any_records_come_back(records in prop::collection::vec(any::<[u64; 5]>(), 0..300)) {
        let records = bytes(&records);
        let all = packed(3, 4, &records);
        prop_assert_eq!(next(&mut all.as_slice()).unwrap().map(|chunk| chunk.records), Some(records));
    }

    #[test]
    fn any_bytes_are_a_chunk_or_not(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(Some(chunk)) = next(&mut bytes.as_slice()) {
            prop_assert!(chunk.records.len() <= RECORDS * 40);
        }
    }
}
