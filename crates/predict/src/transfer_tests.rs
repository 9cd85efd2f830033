use super::*;
use crate::machine::{SimulatedPoint, TWO_SOCKETS, capacities, grid};
use crate::model::Prior;

fn program() -> Program {
    Prior::new(&capacities(&TWO_SOCKETS, true), 0.0).program(&[0.4; crate::model::FIGURES])
}

fn shapes() -> Vec<PointShape> {
    let machine = capacities(&TWO_SOCKETS, true);
    let shape = |of: &SimulatedPoint| PointShape::of_counts(&machine, &of.counts, 0, 1, &of.memory).unwrap();
    grid(&TWO_SOCKETS).iter().map(shape).collect()
}

#[test]
fn on_its_own_machine_a_program_stays_as_it_is() {
    let (program, same) = (program(), CoreRatios { compute: Some(1.0), latency: 1.0, bandwidth: 1.0 });
    let there = program.on(&same);
    for shape in shapes() {
        assert!((there.time(&shape) / program.time(&shape) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_machine_that_is_twice_as_slow_in_all_takes_twice_the_time() {
    let (program, twice) = (program(), CoreRatios { compute: Some(2.0), latency: 2.0, bandwidth: 2.0 });
    let there = program.on(&twice);
    for shape in shapes() {
        assert!((there.time(&shape) / program.time(&shape) - 2.0).abs() < 1e-9);
    }
}

#[test]
fn each_ratio_changes_its_own_part() {
    let program = program();
    let slower = |compute: f64, latency: f64, bandwidth: f64| {
        let there = program.on(&CoreRatios { compute: Some(compute), latency, bandwidth });
        [1.0 - there.bandwidth, there.latency, there.bandwidth, there.time]
    };
    let [_, waits, loads, time] = slower(1.0, 1.0, 1.0);
    assert!(slower(1.0, 2.0, 1.0)[1] > waits && slower(1.0, 2.0, 1.0)[3] > time);
    assert!(slower(1.0, 1.0, 2.0)[2] > loads && slower(1.0, 1.0, 2.0)[3] > time);
    let [busy, waits_less, ..] = slower(2.0, 1.0, 1.0);
    assert!(busy > 1.0 - loads && waits_less < waits);
}
