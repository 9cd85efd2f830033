use super::*;

fn record(at: u64, number: u8) -> KernelRecord {
    KernelRecord { at: Nanoseconds(at), is_fault: false, bytes: vec![number].into() }
}

fn numbers(records: &[KernelRecord]) -> Vec<u8> {
    records.iter().map(|record| record.bytes[0]).collect()
}

#[test]
fn records_of_several_rings_come_out_in_the_order_of_time() {
    let records = vec![record(5, 0), record(9, 1), record(12, 2), record(3, 3), record(9, 4)];
    let mut waiting = KernelRecords { records, ..KernelRecords::default() };
    assert_eq!(numbers(&waiting.take(Nanoseconds(9))), [3, 0, 1, 4], "of the same time in their order");
    waiting.records.push(record(11, 5));
    assert_eq!(numbers(&waiting.take(Nanoseconds(10))), []);
    assert_eq!(numbers(&waiting.take(Nanoseconds(100))), [5, 2]);
    assert!(waiting.take(Nanoseconds(u64::MAX)).is_empty());
}
