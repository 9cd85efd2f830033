use super::*;

#[test]
fn a_change_is_told_with_its_cpu_and_when() {
    let mut speeds = Speeds::default();
    assert_eq!(speeds.remark(), None);
    speeds.add(0, 1.00e-9, "idle latency");
    speeds.add(3, 2.00e-9, "idle latency");
    assert_eq!(speeds.remark(), None, "two CPUs may differ, as fast and efficient cores do");
    speeds.add(0, 1.04e-9, "bandwidth, read");
    assert_eq!(speeds.remark(), None, "less than five percent");
    speeds.add(0, 1.20e-9, "bandwidth, triad");
    speeds.add(0, 0.96e-9, "transfers");
    let told = speeds.remark().unwrap();
    assert!(told.contains("25 % longer on CPU 0") && told.contains("during: bandwidth, triad"), "{told}");
}

#[test]
fn what_is_no_time_is_passed_over() {
    let mut speeds = Speeds::default();
    for nothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        speeds.add(0, nothing, "nothing");
    }
    speeds.add(0, 1e-9, "idle latency");
    assert_eq!(speeds.remark(), None);
}

#[test]
fn a_step_takes_some_time_and_not_much() {
    let seconds = here();
    assert!((1e-11..1e-5).contains(&seconds), "{seconds}");
}
