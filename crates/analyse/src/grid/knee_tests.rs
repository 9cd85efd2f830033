use numawise_facts::Reading;

use super::super::tests::{grid_of, is_close};
use super::*;
use crate::grid::grid as tables;

/// Of one strategy on two sockets, threads 1, 2, 4, 8.
fn of(seconds: [f64; 4], change: impl FnOnce(&mut Study)) -> Option<ScalingKnee> {
    let mut study = grid_of(&[seconds]);
    change(&mut study);
    tables(&study).unwrap().scaling[0].knee.clone()
}

fn machine(study: &mut Study, cpus: &str) {
    let machine = &mut study.header.machine;
    machine.allowed_cpus = cpus.parse().unwrap();
}

#[test]
fn a_curve_that_stops_to_rise_has_a_knee_where_it_does() {
    let knee = of([8.0, 4.0, 2.0, 2.0], |_| {}).unwrap();
    assert_eq!(knee.workers, 4);
    is_close(knee.before.0, 2.0, 0.05);
    is_close(knee.after.0, 1.0, 0.02);
}

#[test]
fn a_curve_that_goes_on_or_never_rose_has_none() {
    assert_eq!(of([8.0, 4.0, 2.0, 1.0], |_| {}), None);
    assert_eq!(of([8.0, 8.0, 8.0, 8.0], |_| {}), None);
    assert_eq!(of([8.0, 5.6, 4.0, 2.8], |_| {}), None, "the same everywhere");
}

#[test]
fn what_is_used_up_is_said_where_it_is_known() {
    let curve = [8.0, 4.0, 2.0, 2.0];
    let none = of(curve, |study| machine(study, "0-7")).unwrap();
    assert!(!none.reasons.contains(&UsedUp::Cpus(4)), "{none:?}");
    let cpus = of(curve, |study| machine(study, "0-3")).unwrap();
    assert!(cpus.reasons.contains(&UsedUp::Cpus(4)), "{cpus:?}");
    let memory = of(curve, |study| study.header.grid.as_mut().unwrap().saturating_cores = Some(2.0)).unwrap();
    assert!(memory.reasons.contains(&UsedUp::MemoryBandwidth(2.0)), "{memory:?}");
    let elsewhere =
        of(curve, |study| study.header.grid.as_mut().unwrap().saturating_cores = Some(20.0)).unwrap();
    assert!(!elsewhere.reasons.contains(&UsedUp::MemoryBandwidth(20.0)), "{elsewhere:?}");
}

#[test]
fn medians_that_are_not_known_make_no_knee() {
    let mut study = grid_of(&[[8.0, 4.0, 2.0, 2.0]]);
    study.trials.retain(|trial| trial.block <= 1);
    let rows = tables(&study).unwrap().rows;
    assert!(matches!(rows[0].low, Reading::Unavailable { .. }));
    assert_eq!(tables(&study).unwrap().scaling.first().and_then(|series| series.knee.clone()), None);
}
