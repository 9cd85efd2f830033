//! Trials that others disturbed. The marks rest on what the machine reports, never on the result itself, so that leaving
//! them out does not bias the effect.

use numawise_facts::{Disturbance, HostNoise};

#[cfg(test)]
mod tests;

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
