use numawise_units::{CpuId, Nanoseconds, Pid};

use super::*;
use crate::samples::Record;

/// A load of an address, in 20 bytes.
fn load(address: u64) -> Vec<u8> {
    let mut bytes = vec![0x49, 0x00, 0xb2];
    bytes.extend(address.to_le_bytes());
    bytes.push(0x71);
    bytes.extend(u64::to_le_bytes(100 + address));
    bytes
}

fn handed(buffer: &[u8], written: Written, now: Option<TimerNow>) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    hand_over(buffer, &written, now, true, &mut |record| {
        all.push(match Record::parse(record).unwrap() {
            (at, Record::Sample(sample)) => (sample.address, at.0),
            (at, Record::Lost { count }) => (u64::MAX - count, at.0),
            (_, other) => panic!("{other:?}"),
        });
    });
    all
}

#[test]
fn a_part_may_go_over_the_end_of_the_buffer_and_lose_some() {
    let mut buffer = vec![0; 128];
    let bytes: Vec<u8> = (1..=3).flat_map(load).collect();
    for (k, byte) in bytes.iter().enumerate() {
        buffer[(100 + k) % 128] = *byte;
    }
    let written = Written {
        offset: 3 * 128 + 100,
        bytes: bytes.len() as u64,
        is_truncated: true,
        process: Pid(1),
        thread: Pid(1),
        at: Nanoseconds(5_000),
        cpu: CpuId(0),
    };
    assert_eq!(handed(&buffer, written, None), [(1, 5_000), (2, 5_000), (3, 5_000), (u64::MAX - 1, 5_000)]);
    let now = TimerNow { ticks: 103, hertz: 1_000_000_000, at: Nanoseconds(4_000) };
    let with_times = handed(&buffer, Written { is_truncated: false, ..written }, Some(now));
    assert_eq!(with_times, [(1, 3_998), (2, 3_999), (3, 4_000)]);
    // More than the buffer holds, which no kernel tells.
    handed(&buffer, Written { bytes: u64::MAX, ..written }, None);
}
