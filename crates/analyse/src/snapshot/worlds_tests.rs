use numawise_facts::Activity;

use super::super::sample::{in_world, seconds};
use super::*;

/// A rank that began so late.
fn rank(number: u32, size: u32, began: f64, world: (Option<u64>, i32)) -> Activity {
    let mut rank = in_world(number, size, world);
    rank.began = rank.began + seconds(began);
    rank
}

fn found(ranks: &[Activity]) -> Vec<usize> {
    of(&ranks.iter().map(Process::new).collect::<Vec<_>>())
}

#[test]
fn names_tell_worlds_apart_and_else_who_started_them() {
    let named = |number, began, name| rank(number, 2, began, (Some(name), 5));
    // Both of one daemon, and begun in turn.
    assert_eq!(
        found(&[named(0, 0.0, 7), named(0, 0.1, 9), named(1, 0.2, 7), named(1, 0.3, 9)]),
        [0, 1, 0, 1]
    );
    let started = |number, began, parent| rank(number, 2, began, (None, parent));
    assert_eq!(
        found(&[started(0, 0.0, 5), started(0, 0.1, 6), started(1, 0.2, 6), started(1, 0.3, 5)]),
        [0, 1, 1, 0]
    );
    // Each rank of one world has a shell of its own.
    assert_eq!(found(&[started(0, 0.0, 5), started(1, 0.1, 6)]), [0, 0]);
    assert_eq!(found(&[rank(0, 1, 0.0, (None, 5)), rank(0, 2, 0.0, (None, 5))]), [0, 1]);
}
