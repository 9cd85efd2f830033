use numawise_facts::Reading;
use numawise_units::Ratio;

use super::*;

#[test]
fn only_what_is_above_its_limit_marks() {
    let noise = |steal: f64, load: f64| HostNoise {
        steal: Reading::Measured(Ratio(steal)),
        other_load: Reading::Measured(Ratio(load)),
        busy_cpus: Reading::unavailable("x"),
    };
    assert_eq!(disturbances(&noise(0.0, 0.09)), []);
    assert_eq!(disturbances(&noise(0.06, 0.0)), [Disturbance::Steal(0.06)]);
    assert_eq!(disturbances(&noise(0.5, 0.2)), [Disturbance::Steal(0.5), Disturbance::OtherLoad(0.2)]);
}

#[test]
fn what_is_not_known_marks_nothing() {
    let noise = HostNoise {
        steal: Reading::unavailable("x"),
        other_load: Reading::unavailable("x"),
        busy_cpus: Reading::unavailable("x"),
    };
    assert_eq!(disturbances(&noise), []);
}

#[test]
fn interruptions_are_marked_with_their_length() {
    let second = Nanoseconds(1_000_000_000);
    let none = Nanoseconds(0);
    let of = Interrupted { stopped: none, late: none, suspended: none, clock_set: none };
    let marks = |of: Interrupted| interruptions(&of, second);
    assert_eq!(marks(of), []);
    assert_eq!(marks(Interrupted { stopped: Nanoseconds(9_000_000), ..of }), []);
    assert_eq!(marks(Interrupted { stopped: second, ..of }), [Disturbance::Stopped(second)]);
    assert_eq!(marks(Interrupted { stopped: second, late: second, ..of }), [Disturbance::Stopped(second)]);
    assert_eq!(marks(Interrupted { late: second, ..of }), [Disturbance::WatcherStopped(second)]);
    assert_eq!(
        marks(Interrupted { suspended: second, clock_set: second, ..of }),
        [Disturbance::Suspended(second), Disturbance::ClockSet(second)]
    );
    assert_eq!(marks(Interrupted { suspended: CLOCK_LIMIT, clock_set: CLOCK_LIMIT, ..of }), []);
}

/// An emulated CPU takes long for what a real one does at once.
#[test]
fn watching_marks_by_the_margin_and_later_in_a_rehearsal() {
    let marks = |milliseconds: u64, is_rehearsed: bool| {
        let cost = SamplerCost {
            cpu_time: Nanoseconds(milliseconds * 1_000_000),
            span: Nanoseconds(1_000_000_000),
            samples: 2,
        };
        watching(&cost, 0.05, is_rehearsed).is_some()
    };
    assert_eq!([4, 20, 60].map(|of| marks(of, false)), [false, true, true]);
    assert_eq!([4, 20, 60].map(|of| marks(of, true)), [false, false, true]);
}
