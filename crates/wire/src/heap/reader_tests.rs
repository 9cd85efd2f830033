use super::*;
use crate::heap::{STACKS, VERSION};

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn header() -> std::vec::Vec<u8> {
    let mut bytes = std::vec![0; HEADER_READ];
    put(&mut bytes, offset_of!(Header, magic), &MAGIC.to_ne_bytes());
    put(&mut bytes, offset_of!(Header, version), &VERSION.to_ne_bytes());
    put(&mut bytes, offset_of!(Header, bytes), &(file_bytes(false) as u64).to_ne_bytes());
    put(&mut bytes, offset_of!(Header, process), &7u32.to_ne_bytes());
    bytes
}

#[test]
fn a_header_is_read_and_a_broken_one_is_refused_with_what_was_found() {
    let good = header();
    let parsed = LogHeader::parse(&good).unwrap();
    assert!(parsed.process == 7 && !parsed.has_samples && !parsed.has(Flag::Ended));
    let short = LogHeader::parse(&good[..HEADER_READ - 1]);
    assert_eq!(short, Err(HeapLogError::Short { needed: HEADER_READ, found: HEADER_READ - 1 }));
    let changed = |at: usize, value: &[u8]| {
        let mut bytes = header();
        put(&mut bytes, at, value);
        LogHeader::parse(&bytes).unwrap_err()
    };
    assert_eq!(changed(0, &[0; 8]), HeapLogError::Magic { found: 0 });
    let version = changed(offset_of!(Header, version), &9u32.to_ne_bytes());
    assert_eq!(version, HeapLogError::Version { found: 9, expected: VERSION });
    let length = changed(offset_of!(Header, bytes), &u64::MAX.to_ne_bytes());
    assert_eq!(length, HeapLogError::Length { found: u64::MAX });
}

#[test]
fn events_of_unknown_kinds_and_stacks_beyond_the_table_are_not_believed() {
    let mut place = [0; size_of::<Event>()];
    assert_eq!(EventRecord::parse(&place), None);
    put(&mut place, offset_of!(Event, kind), &(EventKind::Drawn as u32).to_ne_bytes());
    put(&mut place, offset_of!(Event, stack), &(STACK_PLACES as u32 - 1).to_ne_bytes());
    assert_eq!(EventRecord::parse(&place).unwrap().stack, Some(STACK_PLACES as u32 - 1));
    put(&mut place, offset_of!(Event, stack), &(STACK_PLACES as u32).to_ne_bytes());
    assert_eq!(EventRecord::parse(&place).unwrap().stack, None);
    for (exponent, weight) in [(0, Some(1)), (5, Some(32)), (31, Some(1 << 31)), (32, None), (u32::MAX, None)]
    {
        put(&mut place, offset_of!(Event, exponent), &u32::to_ne_bytes(exponent));
        assert_eq!(EventRecord::parse(&place).map(|event| event.weight), weight, "{exponent}");
    }
    put(&mut place, offset_of!(Event, exponent), &0u32.to_ne_bytes());
    put(&mut place, offset_of!(Event, kind), &9u32.to_ne_bytes());
    assert_eq!(EventRecord::parse(&place), None);
    assert_eq!(EventRecord::parse(&[]), None);
    const { assert!(STACKS < STACK_PLACES) };
}

#[test]
fn a_copy_has_a_number_of_the_table_and_no_more_of_a_stack_than_its_place() {
    let mut place = std::vec![0; size_of::<StackCopy>()];
    let mut of = |number: u32, bytes: u32| {
        put(&mut place, offset_of!(StackCopy, number), &number.to_ne_bytes());
        put(&mut place, offset_of!(StackCopy, bytes), &bytes.to_ne_bytes());
        StackRecord::parse(&place).map(|copy| (copy.number, copy.stack.len()))
    };
    let last = STACK_PLACES as u32 - 1;
    assert_eq!(of(last, STACK_BYTES as u32), Some((last, STACK_BYTES)));
    assert_eq!(of(0, 0), Some((0, 0)));
    for (number, bytes) in [(last + 1, 8), (u32::MAX, 8), (0, STACK_BYTES as u32 + 1), (0, u32::MAX)] {
        assert_eq!(of(number, bytes), None, "{number} {bytes}");
    }
    assert_eq!(StackRecord::parse(&[0; 40]), None);
}

#[test]
fn a_sample_has_no_more_of_a_stack_than_its_place() {
    let mut place = [0; size_of::<Sample>()];
    let mut of = |bytes: u32| {
        put(&mut place, offset_of!(Sample, stack_bytes), &bytes.to_ne_bytes());
        SampleRecord::parse(&place).map(|sample| (sample.stack.len(), sample.cpu))
    };
    assert_eq!(of(0), Some((0, None)));
    assert_eq!(of(SAMPLE_STACK as u32), Some((SAMPLE_STACK, None)));
    assert_eq!((of(SAMPLE_STACK as u32 + 1), of(u32::MAX)), (None, None));
    assert_eq!(SampleRecord::parse(&place[..40]), None);
}
