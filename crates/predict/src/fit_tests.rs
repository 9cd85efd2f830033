use numawise_facts::MemoryPlan;

use super::*;
use crate::machine::{TWO_SOCKETS, capacities};
use crate::predict::predicted;
use crate::shape::Counts;

fn observed(threads: f64, time: f64) -> Observed {
    let machine = capacities(&TWO_SOCKETS, true);
    let counts = Counts::from([(0, (threads, 1.0))]);
    let shape =
        PointShape::of_counts(&machine, &counts, 0, threads as usize, &MemoryPlan::default_policy()).unwrap();
    Observed { shape, time: f64::ln(time), noise: 0.01, at_first_node: None }
}

#[test]
fn what_was_not_run_is_less_certain_the_farther_it_is() {
    let machine = capacities(&TWO_SOCKETS, true);
    let runs: Vec<Observed> =
        [1.0, 2.0, 3.0, 4.0].map(|threads| observed(threads, 8.0 / threads)).into_iter().collect();
    let fit = Fit::of(&machine, &runs);
    let at = |threads| predicted(&fit, &observed(threads, 1.0).shape, None, 0.01);
    let (near, far) = (at(3.0), at(22.0));
    assert!((near.middle.exp() - 8.0 / 3.0).abs() < 0.1, "{}", near.middle.exp());
    assert!(far.high - far.low > 3.0 * (near.high - near.low), "{near:?} {far:?}");
    assert!(near.low <= near.middle && near.middle <= near.high);
}

#[test]
fn the_same_runs_give_the_same_fit_whatever_the_unit() {
    let machine = capacities(&TWO_SOCKETS, true);
    let runs = |unit: f64| [1.0, 4.0, 16.0, 22.0].map(|threads| observed(threads, unit * 8.0 / threads));
    let one = Fit::of(&machine, &runs(1.0));
    assert_eq!(one.draws, Fit::of(&machine, &runs(1.0)).draws);
    let other = Fit::of(&machine, &runs(1e6));
    let at = &observed(8.0, 1.0).shape;
    let apart = predicted(&other, at, None, 0.0).middle - predicted(&one, at, None, 0.0).middle;
    assert!((apart - 1e6_f64.ln()).abs() < 0.02, "{apart}");
}
