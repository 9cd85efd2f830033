//! Predictions of simulated programs (`examples/simulated`): loosely, so that a change that makes them worse fails and another draw of programs
//! does not.

use crate::machine::{MACHINES, TWO_SOCKETS};
use crate::program::{KINDS, SimulatedKind};
use crate::score::{Bench, Score};

fn check(name: &str, is_measured: bool) {
    let place = MACHINES.iter().position(|machine| machine.name == name).unwrap();
    let bench = Bench::new(MACHINES[place], is_measured, 8);
    let mut score = Score::default();
    // A third of the kinds on each machine: a fit takes a quarter of a second.
    KINDS.into_iter().skip(place % 3).step_by(3).for_each(|kind| score.add(&bench.score(kind, 1)));
    let (middle, far) = (score.error(0.5), score.error(0.95));
    assert!(middle < 0.04 && far < 0.2, "error {middle:.3}, {far:.3}");
    assert!((0.85..=1.0).contains(&score.coverage()), "inside {:.3}", score.coverage());
    let (middle, far) = (score.regret(0.5), score.regret(0.95));
    assert!(middle < 0.01 && far < 0.1, "slower than the best by {middle:.3}, {far:.3}");
}

#[test]
fn two_sockets_that_were_measured() {
    check("two sockets", true);
}

#[test]
fn two_sockets_without_a_measurement() {
    check("two sockets", false);
}

#[test]
fn four_nodes_at_two_distances() {
    check("four nodes", true);
}

#[test]
fn clusters_of_a_socket() {
    check("SNC", true);
}

#[test]
fn fast_memory() {
    check("HBM", true);
}

#[test]
fn expansion_memory() {
    check("CXL", true);
}

#[test]
fn machines_as_small_as_emulated_ones() {
    check("small sockets", true);
    check("small HBM", true);
    check("small nodes", true);
}

#[test]
fn a_kind_that_no_term_describes_is_predicted_with_wide_intervals() {
    let score = Bench::new(TWO_SOCKETS, true, 8).score(SimulatedKind::Triangle, 3);
    assert!(score.coverage() > 0.85, "inside {:.3}", score.coverage());
}
