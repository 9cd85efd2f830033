//! Trials that others disturbed. The marks rest on what the machine reports, never on the result itself, so that leaving
//! them out does not bias the effect.

use numawise_facts::{Disturbance, HostNoise};

/// Share of the machine's CPU time taken by the hypervisor above which a trial is marked. Steal slows memory-bound
/// programs about in proportion, so 5 % is of the size of the effects that a check is to tell.
pub const STEAL_LIMIT: f64 = 0.05;
/// Share of the machine's CPU time used by other processes above which a trial is marked.
pub const OTHER_LOAD_LIMIT: f64 = 0.10;

/// What disturbed a trial. A reading that is unavailable marks nothing.
pub fn disturbances(noise: &HostNoise) -> Vec<Disturbance> {
    let over = |share: Option<f64>, limit: f64| share.filter(|share| *share > limit);
    let steal = over(noise.steal.measured().map(|r| r.0), STEAL_LIMIT).map(Disturbance::Steal);
    let load = over(noise.other_load.measured().map(|r| r.0), OTHER_LOAD_LIMIT).map(Disturbance::OtherLoad);
    steal.into_iter().chain(load).collect()
}

#[cfg(test)]
mod tests {
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
}
