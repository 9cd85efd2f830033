use proptest::prelude::*;

use super::*;
use crate::ring::{self, Ring, RingShape};

fn linked(count: usize, all_lines: bool, seed: u64) -> (Vec<Line>, Ring) {
    let mut lines = vec![Line([0; 8]); count];
    let ring = ring::link(&mut lines, RingShape { block: None, all_lines }, seed);
    (lines, ring)
}

/// The lines of a lap from the start of the ring, each found by one load from the one before.
fn walked(ring: Ring) -> Vec<*const Line> {
    let mut at = ring.start();
    let mut seen = Vec::new();
    for _ in 0..ring.lap {
        seen.push(at);
        // SAFETY: a line of the ring, whose lines the caller holds.
        at = unsafe { run(at, 1) };
    }
    assert_eq!(at, ring.start(), "back at the start");
    seen
}

proptest! {
    #[test]
    fn many_loads_end_where_one_after_the_other_end(
        count in 4usize..500, all_lines: bool, loads in 0u64..2000, seed: u64
    ) {
        let (_lines, ring) = linked(count, all_lines, seed);
        let seen = walked(ring);
        // SAFETY: a line of the ring.
        let end = unsafe { run(ring.start(), loads) };
        prop_assert_eq!(end, seen[(loads % ring.lap) as usize]);
    }

    #[test]
    fn changing_lines_leaves_the_ring(count in 4usize..300, all_lines: bool, seed: u64) {
        let (mut lines, ring) = linked(count, all_lines, seed);
        let before = walked(ring);
        for times in 1..3 {
            dirty(&mut lines);
            prop_assert!(lines.iter().all(|line| line.0[MARK] == times));
        }
        prop_assert_eq!(walked(ring), before);
    }
}
