use super::*;

const PAGE: Bytes = Bytes(4096);
const MIB: u64 = 1 << 20;

fn part(begin: u64, end: u64, object: u32) -> Part {
    Part { begin, end, object }
}

fn mapping(begin: u64, end: u64, all: u64, transparent: u64, reserved: u64) -> String {
    format!(
        "{begin:x}-{end:x} rw-p 00000000 00:00 0 \nSize: 1 kB\nKernelPageSize: 4 kB\nRss: {all} kB\nAnonymous: {all} kB\n\
         AnonHugePages: {transparent} kB\nPrivate_Hugetlb: {reserved} kB\n"
    )
}

fn of(text: &str, parts: Vec<Part>) -> Vec<(u32, u64, u64)> {
    let found = huge_pages(text.as_bytes(), parts, PAGE).unwrap();
    found.into_iter().map(|(object, of)| (object, of.resident.0, of.huge.0)).collect()
}

#[test]
fn transparent_and_reserved_pages_are_huge_and_small_ones_are_not() {
    let text = [
        mapping(0, 64 * MIB, 64 << 10, 62 << 10, 0),
        mapping(64 * MIB, 128 * MIB, 32 << 10, 0, 0),
        mapping(256 * MIB, 320 * MIB, 0, 0, 64 << 10),
    ]
    .concat();
    let parts = vec![part(256 * MIB, 320 * MIB, 9), part(0, 64 * MIB, 3), part(64 * MIB, 128 * MIB, 5)];
    let expected = [(3, 64 * MIB, 62 * MIB), (5, 32 * MIB, 0), (9, 64 * MIB, 64 * MIB)];
    assert_eq!(of(&text, parts), expected);
}

#[test]
fn objects_of_one_mapping_have_their_parts_and_one_of_several_mappings_has_all() {
    // The kernel merges adjacent mappings, so that two arrays lie in one.
    let text = [mapping(0, 96 * MIB, 96 << 10, 48 << 10, 0), mapping(96 * MIB, 128 * MIB, 0, 0, 0)].concat();
    let parts = vec![part(0, 64 * MIB, 1), part(64 * MIB, 128 * MIB, 2)];
    assert_eq!(of(&text, parts), [(1, 64 * MIB, 32 * MIB), (2, 32 * MIB, 16 * MIB)]);
}

#[test]
fn an_object_that_is_in_no_mapping_has_no_figure() {
    let text = mapping(0, MIB, 1024, 0, 0);
    assert_eq!(of(&text, vec![part(MIB, 2 * MIB, 1)]), []);
    assert_eq!(of("", vec![part(0, MIB, 1)]), []);
}

#[test]
fn broken_lines_are_refused() {
    for text in ["Rss: 4 kB\n", "0-1000 rw-p 0 00:00 0\nRss: four kB\n", "nonsense\n"] {
        assert!(huge_pages(text.as_bytes(), vec![part(0, MIB, 1)], PAGE).is_err(), "{text}");
    }
}

#[test]
fn values_that_no_kernel_prints_do_not_overflow() {
    let most = u64::MAX / 1024;
    let text = mapping(0, 4096, most, most, most);
    assert_eq!(of(&text, vec![part(0, u64::MAX, 1)]).len(), 1);
}

#[test]
fn the_next_reading_waits_for_as_long_as_the_last_one_took_many_times() {
    let mut reader = HugePageReader::default();
    let own = Pid(std::process::id() as i32);
    assert!(reader.is_due(Nanoseconds(0)));
    assert!(reader.read(own, Nanoseconds(5), Vec::new()).is_empty());
    assert!(reader.is_due(Nanoseconds(5)), "nothing was read");
    let memory = vec![1u8; 1 << 20];
    let begin = memory.as_ptr() as u64;
    let found = reader.read(own, Nanoseconds(5), vec![part(begin, begin + (1 << 20), 7)]);
    let of = found[&7];
    assert!(of.resident.0 > 1 << 19 && of.huge <= of.resident, "{of:?}");
    assert!(!reader.is_due(Nanoseconds(6)));
    assert!(reader.is_due(Nanoseconds(u64::MAX)));
}
