use numawise_facts::Mix;
use numawise_facts::{Target, Workers};
use numawise_units::NodeId;

use super::*;

fn idle() -> MeasurementStep {
    MeasurementStep::IdleLatency { from: NodeId(0), to: NodeId(0) }
}

fn bandwidth(mix: Mix) -> MeasurementStep {
    MeasurementStep::Bandwidth { workers: Workers::Machine, target: Target::Local, mix }
}

#[test]
fn a_change_has_its_cpu_and_its_step() {
    let mut speeds = Speeds::default();
    assert_eq!(speeds.notice(), None);
    speeds.add(CpuId(0), 1.00e-9, &idle());
    speeds.add(CpuId(3), 2.00e-9, &idle());
    assert_eq!(speeds.notice(), None, "two CPUs may differ, as fast and efficient cores do");
    speeds.add(CpuId(0), 1.04e-9, &bandwidth(Mix::Read));
    assert_eq!(speeds.notice(), None, "less than five percent");
    speeds.add(CpuId(0), 1.20e-9, &bandwidth(Mix::Triad));
    speeds.add(CpuId(0), 0.96e-9, &idle());
    let Some(MembenchNotice::ProcessorChangedSpeed { cpu, longer, during }) = speeds.notice() else {
        panic!("{speeds:?}");
    };
    assert_eq!((cpu, during), (CpuId(0), bandwidth(Mix::Triad)));
    assert!((longer.0 - 0.25).abs() < 1e-9, "{longer:?}");
}

#[test]
fn what_is_no_time_is_passed_over() {
    let mut speeds = Speeds::default();
    for nothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        speeds.add(CpuId(0), nothing, &idle());
    }
    speeds.add(CpuId(0), 1e-9, &idle());
    assert_eq!(speeds.notice(), None);
}

#[test]
fn a_step_takes_some_time_and_not_much() {
    let seconds = here();
    assert!((1e-11..1e-5).contains(&seconds), "{seconds}");
}
