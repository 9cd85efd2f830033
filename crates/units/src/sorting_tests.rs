use std::cmp::Reverse;

use super::*;

/// Many short and long slices with equal elements, made by a generator without a clock.
fn slices() -> Vec<Vec<(u8, usize)>> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..200).map(|len| (0..len).map(|place| ((next() % 23) as u8, place)).collect()).collect()
}

#[test]
fn slices_are_sorted_as_the_standard_library_sorts_them() {
    for slice in slices() {
        let (mut ours, mut theirs) = (slice.clone(), slice.clone());
        ours.arrange_by(|one, other| other.0.cmp(&one.0));
        theirs.sort_by_key(|one| Reverse(one.0));
        assert_eq!(ours, theirs);
        let (mut ours, mut theirs) = (slice.clone(), slice.clone());
        ours.arrange_by_key(|one| Reverse(one.0 / 2));
        theirs.sort_by_key(|one| Reverse(one.0 / 2));
        assert_eq!(ours, theirs);
        let (mut ours, mut theirs) = (slice.clone(), slice);
        ours.arrange();
        theirs.sort();
        assert_eq!(ours, theirs);
    }
}

#[test]
fn each_key_is_made_once() {
    let mut made = 0;
    let mut values = [3, 1, 2];
    values.arrange_by_key(|value| {
        made += 1;
        *value
    });
    assert_eq!((values, made), ([1, 2, 3], 3));
}
