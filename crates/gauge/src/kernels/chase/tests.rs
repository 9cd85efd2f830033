use proptest::prelude::*;

use super::*;

/// The lines in the order of a walk from the first, as indices.
fn walked(lines: &[Line]) -> Vec<usize> {
    let mut at = lines.as_ptr();
    let mut seen = Vec::new();
    for _ in lines {
        // SAFETY: a line of the ring that was linked over these lines.
        let index = unsafe { at.offset_from(lines.as_ptr()) };
        seen.push(usize::try_from(index).expect("a line of the slice"));
        // SAFETY: the same.
        at = unsafe { run(at, 1) };
    }
    assert_eq!(at, lines.as_ptr(), "back at the start");
    seen
}

proptest! {
    #[test]
    fn a_ring_goes_through_every_line_once(count in 1usize..3000, block in 0usize..20_000, seed: u64) {
        for order in [Order::Anywhere, Order::WithinBlocks(block)] {
            let mut lines = vec![Line([0; 8]); count];
            link(&mut lines, order, seed);
            let mut seen = walked(&lines);
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..count));
        }
    }
}
