use super::*;

fn part(begin: u64, end: u64, offset: u64, file: u32) -> MappedPart {
    MappedPart { begin, end, offset, file: Some(file), is_kernels: false }
}

fn all(parts: &[MappedPart]) -> Vec<MappedPart> {
    let mut mappings = Mappings::default();
    parts.iter().for_each(|part| mappings.insert(*part));
    mappings.all().collect()
}

#[test]
fn a_later_part_takes_the_place_of_what_it_overlaps() {
    // In the middle, at both ends, over several, exactly over one.
    assert_eq!(
        all(&[part(0x1000, 0x5000, 0x400, 0), part(0x2000, 0x3000, 0, 1)]),
        [part(0x1000, 0x2000, 0x400, 0), part(0x2000, 0x3000, 0, 1), part(0x3000, 0x5000, 0x2400, 0)]
    );
    assert_eq!(
        all(&[part(0x1000, 0x3000, 0, 0), part(0x4000, 0x6000, 0, 1), part(0x2000, 0x5000, 0, 2)]),
        [part(0x1000, 0x2000, 0, 0), part(0x2000, 0x5000, 0, 2), part(0x5000, 0x6000, 0x1000, 1)]
    );
    assert_eq!(all(&[part(1, 2, 0, 0), part(3, 4, 0, 1), part(0, 9, 0, 2)]), [part(0, 9, 0, 2)]);
    assert_eq!(all(&[part(1, 2, 0, 0), part(1, 2, 7, 1)]), [part(1, 2, 7, 1)]);
}

#[test]
fn parts_without_bytes_and_at_the_ends_of_all_addresses_do_no_harm() {
    assert!(all(&[part(5, 5, 0, 0), part(9, 3, 0, 0)]).is_empty());
    let mut mappings = Mappings::default();
    mappings.insert(part(u64::MAX - 1, u64::MAX, u64::MAX, 0));
    mappings.insert(part(0, u64::MAX, 0, 1));
    assert_eq!(mappings.at(u64::MAX), None);
    assert_eq!(mappings.at(u64::MAX - 1).unwrap().file, Some(1));
    assert_eq!(mappings.at(0).unwrap().offset_of(7), 7);
}

#[test]
fn an_address_between_parts_is_in_none() {
    let mut mappings = Mappings::default();
    mappings.insert(part(0x1000, 0x2000, 0x500, 0));
    assert_eq!(mappings.at(0xfff), None);
    assert_eq!(mappings.at(0x2000), None);
    assert_eq!(mappings.at(0x1fff).unwrap().offset_of(0x1fff), 0x14ff);
}
