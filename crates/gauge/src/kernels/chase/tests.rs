use proptest::prelude::*;

use super::*;

fn linked(count: usize, order: Order, seed: u64) -> Vec<Line> {
    let mut lines = vec![Line([0; 8]); count];
    link(&mut lines, order, seed);
    lines
}

/// The lines in the order of a walk once round from the first, as indices.
fn walked(lines: &[Line]) -> Vec<usize> {
    let mut at = lines.as_ptr();
    let mut seen = Vec::new();
    for _ in lines {
        // SAFETY: both are lines of this slice, over which the ring was linked.
        let index = unsafe { at.offset_from(lines.as_ptr()) };
        seen.push(usize::try_from(index).expect("a line of the slice"));
        // SAFETY: the same.
        at = unsafe { run(at, 1) };
    }
    assert_eq!(at, lines.as_ptr(), "back at the start");
    seen
}

fn orders(block: usize) -> [Order; 2] {
    [Order::Anywhere, Order::WithinBlocks(block)]
}

proptest! {
    #[test]
    fn a_ring_goes_through_every_line_once(count in 1usize..3000, block in 0usize..40_000, seed: u64) {
        for order in orders(block) {
            let mut seen = walked(&linked(count, order, seed));
            prop_assert_eq!(seen[0], 0);
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..count));
        }
    }

    #[test]
    fn many_loads_end_where_one_after_the_other_end(count in 1usize..500, loads in 0u64..2000, seed: u64) {
        let lines = linked(count, Order::Anywhere, seed);
        let seen = walked(&lines);
        // SAFETY: a line of the ring.
        let end = unsafe { run(lines.as_ptr(), loads) };
        prop_assert_eq!(end, &raw const lines[seen[loads as usize % count]]);
    }

    #[test]
    fn a_block_is_finished_before_the_next(blocks in 1usize..8, size in 1usize..200, missing in 0usize..200, seed: u64) {
        let count = (blocks * size).saturating_sub(missing % size).max(1);
        let seen = walked(&linked(count, Order::WithinBlocks(64 * size), seed));
        let size = size.min(count);
        // In a round, lines of a block are those with the same place in their groups of `APART`.
        let place = |line: usize| (line % size % APART, line / size);
        let visits = seen.chunk_by(|a, b| place(*a) == place(*b)).count();
        let expected: std::collections::BTreeSet<_> = (0..count).map(place).collect();
        prop_assert_eq!(visits, expected.len());
        let rounds: Vec<usize> = seen.iter().map(|line| place(*line).0).collect();
        prop_assert!(rounds.is_sorted(), "all blocks before the next round");
    }

    #[test]
    fn the_seed_alone_decides(count in 2usize..300, block in 64usize..10_000, seed: u64) {
        for order in orders(block) {
            prop_assert_eq!(walked(&linked(count, order, seed)), walked(&linked(count, order, seed)));
        }
    }

    #[test]
    fn changing_lines_leaves_the_ring(count in 1usize..300, seed: u64) {
        let mut lines = linked(count, Order::Anywhere, seed);
        let before = walked(&lines);
        for times in 1..3 {
            dirty(&mut lines);
            prop_assert!(lines.iter().all(|line| line.0[MARK] == times));
        }
        prop_assert_eq!(walked(&lines), before);
    }
}

#[test]
fn no_lines_are_no_ring_and_no_failure() {
    for order in orders(4096) {
        link(&mut [], order, 1);
    }
}

#[test]
fn another_seed_is_another_order() {
    for order in orders(1 << 16) {
        assert_ne!(walked(&linked(2000, order, 1)), walked(&linked(2000, order, 2)));
    }
}

/// Of the rings of four lines there are six; each must come up about as often as another.
#[test]
fn every_ring_is_as_probable_as_another() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..6000 {
        *seen.entry(walked(&linked(4, Order::Anywhere, seed))).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), 6);
    // The seeds are given: this is one fixed outcome. Six standard deviations of 6,000 draws would be 173.
    assert!(seen.values().all(|count| (827..1173).contains(count)), "{seen:?}");
}

#[test]
fn lines_visited_soon_after_each_other_are_far_apart() {
    let seen = walked(&linked(1 << 12, Order::WithinBlocks(1 << 16), 3));
    let near = seen.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < APART).count();
    // Only where one round or block ends and another begins.
    assert!(near <= APART * 4, "{near}");
}
