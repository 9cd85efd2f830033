//! Packets are put together by hand from the architecture's description: no machine of ours has SPE.

use super::*;
use crate::samples::{Record, SampledLoad};

fn all(bytes: &[u8]) -> Vec<SampledOperation> {
    let mut all = Vec::new();
    operations(bytes, 0, |operation| all.push(*operation));
    all
}

fn with<const N: usize>(header: u8, payload: [u8; N]) -> Vec<u8> {
    [&[header], payload.as_slice()].concat()
}

/// A load as a Neoverse writes it, with its time last.
fn load(source: u8) -> Vec<u8> {
    [
        with(0xb0, 0x8000_0000_0040_1234u64.to_le_bytes()),
        with(0x65, 77u32.to_le_bytes()),
        with(0x49, [0x00]),
        with(0x52, 0x0316u16.to_le_bytes()),
        with(0x99, 5u16.to_le_bytes()),
        with(0x98, 310u16.to_le_bytes()),
        with(0x9a, 2u16.to_le_bytes()),
        with(0xb2, 0x3700_ffff_8080_0040u64.to_le_bytes()),
        with(0x43, [source]),
        with(0x71, 9_000u64.to_le_bytes()),
    ]
    .concat()
}

const LOAD: SampledOperation = SampledOperation {
    kind: OperationKind::Load,
    ip: 0x40_1234,
    address: 0xffff_8080_0040,
    cycles: Cycles(310),
    events: 0x316,
    source: Some(0xe),
    ticks: Some(9_000),
};

#[test]
fn an_operation_is_what_its_packets_say_without_tags_and_levels() {
    assert_eq!(all(&load(0xe)), [LOAD]);
    // Padding to 64 bytes between two, and one that ends without a time.
    let mut bytes = load(0xe);
    bytes.resize(64, 0);
    bytes.extend([with(0x49, [1]), with(0xb2, 64u64.to_le_bytes()), vec![0x01]].concat());
    let store = SampledOperation { kind: OperationKind::Store, address: 64, ..SampledOperation::default() };
    assert_eq!(all(&bytes), [LOAD, store]);
    let branch = [with(0x4a, [2]), vec![0x01]].concat();
    assert_eq!(all(&branch), [SampledOperation::default()]);
}

#[test]
fn numbers_above_seven_and_gaps_have_headers_of_two_bytes() {
    // Counter 8 + 0 is no latency, and address 8 + 2 not that of data.
    let longer = [
        vec![0x21, 0x98, 7, 0],
        [vec![0x21], with(0xb2, 5u64.to_le_bytes())].concat(),
        vec![0x20, 0x98, 9, 0],
        vec![0x01],
    ];
    let expected = SampledOperation { cycles: Cycles(9), ..SampledOperation::default() };
    assert_eq!(all(&longer.concat()), [expected]);
    // Up to the next multiple of 16, from byte 4 on.
    let gap = [vec![0, 0, 0, 0, 0x23, 0x00], vec![0x98; 10], load(0xe)].concat();
    assert_eq!(all(&gap), [LOAD]);
}

#[test]
fn what_is_cut_off_or_no_packet_is_left_out_and_what_follows_is_read() {
    let whole = load(0xe);
    for length in 0..whole.len() {
        assert_eq!(all(&whole[..length]), [], "{length} bytes");
    }
    // Half of one, as where the buffer was full, then what no packet begins with.
    for strange in [vec![0xff], vec![0x80, 0xe0, 0x02], whole[..5].to_vec()] {
        let bytes = [strange.clone(), vec![0xff; 9], whole.clone()].concat();
        assert!(all(&bytes).ends_with(&[LOAD]), "{strange:x?}");
    }
    assert!(all(&[0xb0; 7]).is_empty() && all(&[0x20]).is_empty());
}

#[test]
fn sources_are_those_that_the_kernel_names() {
    let level = |operation: SampledOperation, known| {
        let word = operation.data_source(known);
        (word & 0x1f, word >> 33 & 0xf, word >> 37 & 1)
    };
    let of = |source| level(SampledOperation { source: Some(source), ..LOAD }, true);
    for (source, expected) in [
        (0x0, (2, 0x1, 0)),
        (0x8, (2, 0x2, 0)),
        (0x9, (2, 0xb, 0)),
        (0xa, (2, 0xb, 0)),
        (0xb, (2, 0x3, 0)),
        (0xc, (2, 0xb, 0)),
        (0xd, (2, 0xb, 1)),
        (0xe, (2, 0xd, 0)),
        (0x5, (2, 0xf, 0)),
    ] {
        assert_eq!(of(source), expected, "{source:x}");
    }
    let by_events = |events: &[u32]| {
        let events = events.iter().fold(0, |word, event| word | 1 << event);
        level(SampledOperation { events, ..LOAD }, false)
    };
    assert_eq!(by_events(&[1, 2]), (2, 0x1, 0));
    assert_eq!(by_events(&[1, 2, 3]), (2, 0xf, 0), "the first cache missed, and no more is told");
    assert_eq!(by_events(&[2, 3, 8]), (2, 0x3, 0));
    assert_eq!(by_events(&[2, 3, 8, 10]), (2, 0x3, 1));
    assert_eq!(by_events(&[2, 3, 8, 9]), (2, 0xd, 0));
    assert_eq!(by_events(&[2, 3, 8, 9, 10]), (2, 0xd, 1));
    assert_eq!(SampledOperation { kind: OperationKind::Store, ..LOAD }.data_source(true) & 0x1f, 4);
    assert_eq!(SampledOperation { kind: OperationKind::Other, ..LOAD }.data_source(true), 0);
    let arm = |model| ProcessorName { vendor: "0x41".to_owned(), model, ..ProcessorName::default() };
    assert!(has_known_sources(&arm(0xd4f)) && !has_known_sources(&arm(0xd05)));
}

pub fn written(offset: u64, bytes: u64) -> Written {
    Written {
        offset,
        bytes,
        is_truncated: false,
        process: Pid(77),
        thread: Pid(78),
        at: Nanoseconds(1_000_000),
        cpu: CpuId(3),
    }
}

#[test]
fn an_operation_is_read_as_a_load_that_the_kernel_sampled() {
    let record = LOAD.record(&written(0, 0), Nanoseconds(5), true);
    let (at, Record::Sample(sample)) = Record::parse(&record).unwrap() else { panic!("no sample") };
    assert_eq!(
        (at, sample.at, sample.ip, sample.address),
        (Nanoseconds(5), Nanoseconds(5), LOAD.ip, LOAD.address)
    );
    assert_eq!((sample.process, sample.thread, sample.cpu), (Pid(77), Pid(78), CpuId(3)));
    assert_eq!(sample.load, Some(SampledLoad { weight: 310, data_source: LOAD.data_source(true) }));
    assert!(sample.registers.is_none() && sample.stack.is_empty());
}

#[test]
fn records_of_what_was_written_are_known_from_others() {
    let words = |kind: u64, flags: u64| -> Vec<u8> {
        let bytes = 64u64;
        let words = [kind | bytes << 48, 4096, 512, flags, 77 | 78 << 32, 1_000_000, 3, 9];
        words.into_iter().flat_map(u64::to_ne_bytes).collect()
    };
    assert_eq!(Written::parse(&words(11, 0)), Some(written(4096, 512)));
    assert_eq!(Written::parse(&words(11, 1)).map(|of| of.is_truncated), Some(true));
    assert_eq!((Written::parse(&words(9, 0)), Written::parse(&words(11, 0)[..40])), (None, None));
}
