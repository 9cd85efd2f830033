use numawise_facts::Reading;
use numawise_units::Ratio;

use super::*;

#[test]
fn only_what_is_above_its_limit_marks() {
    let noise = |steal: f64, load: f64| HostNoise {
        steal: Reading::Measured(Ratio(steal)),
        other_load: Reading::Measured(Ratio(load)),
    };
    assert_eq!(disturbances(&noise(0.0, 0.09)), []);
    assert_eq!(disturbances(&noise(0.06, 0.0)), [Disturbance::Steal(0.06)]);
    assert_eq!(disturbances(&noise(0.5, 0.2)), [Disturbance::Steal(0.5), Disturbance::OtherLoad(0.2)]);
}

#[test]
fn what_is_not_known_marks_nothing() {
    let noise = HostNoise { steal: Reading::unavailable("x"), other_load: Reading::unavailable("x") };
    assert_eq!(disturbances(&noise), []);
}
