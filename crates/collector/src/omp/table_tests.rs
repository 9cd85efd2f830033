use std::boxed::Box;
use std::vec::Vec;

use super::*;

/// A table as a thread gets it.
fn empty() -> Box<OpenMp> {
    // SAFETY: all fields are atomics of integers, of which zero is a value.
    let part: Box<OpenMp> = Box::new(unsafe { core::mem::zeroed() });
    prepare(&part);
    part
}

fn parallel(parent: u64, address: usize) -> Place {
    Place::inside(parent, 0, ConstructKind::Parallel, address)
}

#[test]
fn a_construct_has_one_row_and_the_same_key_in_each_thread() {
    let (one, other) = (empty(), empty());
    let place = parallel(ROOT_KEY, 0x4010);
    find(&other, &parallel(ROOT_KEY, 0x4020));
    let (first, second) = (find(&one, &place), find(&other, &place));
    assert_eq!((first, second), (2, 3));
    assert_eq!(find(&one, &place), first);
    assert_eq!(row(&one, first).key.load(Relaxed), row(&other, second).key.load(Relaxed));
    assert_eq!(row(&one, first).address.load(Relaxed), 0x4010);
    assert_eq!(row(&one, first).parent.load(Relaxed), ROOT_KEY);
    assert_eq!(row(&one, first).kind.load(Relaxed), ConstructKind::Parallel as u64 | 1 << 32);
}

#[test]
fn what_stands_elsewhere_or_is_something_else_has_a_row_of_its_own() {
    let part = empty();
    let outer = parallel(ROOT_KEY, 0x4010);
    let places = [
        outer,
        Place::inside(outer.key, outer.depth, ConstructKind::Parallel, 0x4020),
        parallel(ROOT_KEY, 0x4020),
        Place::inside(outer.key, outer.depth, ConstructKind::Barrier, 0x4020),
        Place::inside(outer.key, outer.depth, ConstructKind::Loop, 0x4020),
    ];
    let rows: Vec<u32> = places.iter().map(|place| find(&part, place)).collect();
    assert_eq!(rows, [2, 3, 4, 5, 6]);
}

#[test]
fn what_finds_no_row_is_counted_with_the_others() {
    let part = empty();
    let rows: Vec<u32> = (0..1000).map(|k| find(&part, &parallel(ROOT_KEY, 0x1000 + 16 * k))).collect();
    let found = rows.iter().filter(|row| **row != OTHERS).count();
    assert_eq!(found + 2, part.rows_used.load(Relaxed) as usize);
    assert!((ROWS - 2 - 4..=ROWS - 2).contains(&found), "{found}");
    assert_eq!(part.dropped.load(Relaxed) as usize, 1000 - found);
    for (k, row) in rows.iter().enumerate() {
        assert_eq!(has(&part, parallel(ROOT_KEY, 0x1000 + 16 * k).key), *row != OTHERS, "{k}");
    }
    // Those that have one are found again.
    for (k, before) in rows.iter().enumerate().filter(|(_, row)| **row != OTHERS) {
        assert_eq!(find(&part, &parallel(ROOT_KEY, 0x1000 + 16 * k)), *before);
    }
}

#[test]
fn constructs_deeper_than_the_table_tells_have_one_parent() {
    let (mut parent, mut depth) = (ROOT_KEY, 0);
    for address in 0..100 {
        let place = Place::inside(parent, depth, ConstructKind::Parallel, address);
        assert!(place.depth <= DEEPEST + 1);
        assert_eq!(place.parent == OTHERS_KEY, address >= usize::from(DEEPEST));
        (parent, depth) = (place.key, place.depth);
    }
}

#[test]
fn a_row_that_nobody_has_is_the_one_of_the_others() {
    let part = empty();
    add(&row(&part, u32::MAX).calls, 3);
    assert_eq!(row(&part, OTHERS).calls.load(Relaxed), 3);
}
