use proptest::prelude::*;

use super::*;

fn lines(count: usize) -> Vec<Line> {
    vec![Line([0; 8]); count]
}

/// The lines of one lap, by their index.
fn lap(lines: &mut [Line], shape: RingShape, seed: u64) -> Vec<usize> {
    let ring = link(lines, shape, seed);
    let base = lines.as_ptr();
    let mut at = ring.start();
    (0..ring.lap)
        .map(|_| {
            let index = (at.addr() - base.addr()) / size_of::<Line>();
            // SAFETY: a line of the ring.
            at = unsafe { chase(at, 1) };
            index
        })
        .chain(std::iter::once_with(|| usize::MAX))
        .take(ring.lap as usize)
        .collect()
}

proptest! {
    #[test]
    fn every_line_of_the_ring_comes_once(
        count in 4usize..3000, block in prop::option::of(1usize..600), all_lines: bool, seed: u64
    ) {
        let mut memory = lines(count);
        let shape = RingShape { block, all_lines };
        let visited = lap(&mut memory, shape, seed);
        let step = if all_lines { 1 } else { UNIT };
        let mut sorted = visited.clone();
        sorted.sort_unstable();
        let expected: Vec<usize> = (0..count / UNIT * UNIT).step_by(step).collect();
        prop_assert_eq!(sorted, expected);
        // And it is a ring.
        let ring = link(&mut memory, shape, seed);
        // SAFETY: the ring just made.
        prop_assert_eq!(unsafe { chase(ring.start(), ring.lap) }, ring.start());
    }

    #[test]
    fn blocks_are_left_only_when_they_are_through(count in 64usize..2000, units in 1usize..40, seed: u64) {
        let mut memory = lines(count);
        let shape = RingShape { block: Some(units * UNIT), all_lines: true };
        let visited = lap(&mut memory, shape, seed);
        let blocks: Vec<usize> = visited.iter().map(|line| line / UNIT / units).collect();
        let changes = blocks.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let blocks = (count / UNIT).div_ceil(units);
        prop_assert!(changes == blocks * UNIT - 1 || blocks == 1, "{} of {}", changes, blocks);
    }
}

#[test]
fn the_seed_alone_decides() {
    for (block, all_lines) in [(None, false), (None, true), (Some(512), false), (Some(512), true)] {
        let shape = RingShape { block, all_lines };
        let order = |seed| lap(&mut lines(4096), shape, seed);
        assert_eq!(order(1), order(1), "{shape:?}");
        assert_ne!(order(1), order(2), "{shape:?}");
    }
}

#[test]
fn the_order_is_no_walk_up_or_down() {
    let mut memory = lines(8192 * UNIT);
    let visited = lap(&mut memory, RingShape { block: None, all_lines: false }, 5);
    let steps: Vec<isize> = visited.windows(2).map(|pair| pair[1] as isize - pair[0] as isize).collect();
    let near = steps.iter().filter(|step| step.unsigned_abs() <= 64).count();
    assert!(near < steps.len() / 50, "{near} of {} steps stay within a page", steps.len());
    let mut distinct = steps.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert!(distinct.len() > steps.len() / 4, "{} strides in {} steps", distinct.len(), steps.len());
}

#[test]
fn a_track_goes_on_where_it_was() {
    let mut memory = lines(256);
    let ring = link(&mut memory, RingShape { block: None, all_lines: true }, 3);
    let mut track = Track::new(ring);
    // SAFETY: the lines are there all the time.
    unsafe {
        track.refresh(100);
        track.go(100);
        assert_eq!(track.at, chase(ring.start(), 100));
        track.refresh(100);
        assert_eq!(track.at, chase(ring.start(), 100), "156 lines are still fresh");
        assert_eq!(track.fresh, 156);
        track.refresh(157);
        assert_eq!((track.at, track.fresh), (chase(ring.start(), 100), 256), "on from where it was");
        track.refresh(1000);
        assert_eq!((track.at, track.fresh), (chase(ring.start(), 100), 256));
    }
}

#[test]
fn evicted_lines_keep_what_they_hold() {
    let mut memory = lines(64);
    let ring = link(&mut memory, RingShape { block: None, all_lines: true }, 1);
    // SAFETY: the lines are there.
    unsafe { ring.evict() };
    // SAFETY: the ring just made.
    assert_eq!(unsafe { chase(ring.start(), ring.lap) }, ring.start());
    assert_eq!(ring.bytes(), 64 * 64);
}
