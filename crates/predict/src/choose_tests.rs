use super::*;
use crate::machine::{TWO_SOCKETS, capacities, grid};

#[test]
fn the_points_that_are_run_are_far_from_each_other() {
    let machine = capacities(&TWO_SOCKETS, true);
    let shapes: Vec<PointShape> = grid(&TWO_SOCKETS)
        .iter()
        .map(|point| PointShape::of_counts(&machine, &point.counts, 0, 1, &point.memory).unwrap())
        .collect();
    let chosen = most_telling(&machine, &shapes.iter().collect::<Vec<_>>(), 8);
    let threads: BTreeSet<u64> = chosen.iter().map(|place| shapes[*place].threads as u64).collect();
    assert_eq!(chosen.iter().collect::<BTreeSet<_>>().len(), 8);
    assert!(threads.first().is_some_and(|least| *least <= 2), "{threads:?}");
    assert!(threads.last().is_some_and(|most| *most >= 30), "{threads:?}");
    let over_both = chosen.iter().filter(|place| shapes[**place].threads > 22.0);
    assert!(over_both.count() >= 1);
    assert!(chosen.iter().any(|place| shapes[*place].first_node.is_some()), "first touch is tried");
    assert!(chosen.iter().any(|place| shapes[*place].first_node.is_none()), "and so is a policy");
}

#[test]
fn a_point_that_cannot_be_better_promises_nothing() {
    assert!(expected_below(0.0, 1.0, 0.05) < 1e-6);
    assert!((expected_below(0.0, -0.5, 0.01) - 0.5).abs() < 1e-3);
    assert!(expected_below(0.0, 0.0, 0.1) > 0.03);
}
