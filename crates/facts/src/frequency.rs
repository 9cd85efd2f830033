//! The frequency of CPUs: what sets it, within which limits, and what it was while a trial ran.

use numawise_units::{CpuId, CpuSet, Hertz};
use serde::{Deserialize, Serialize};

use crate::Reading;

/// How the frequency of the host's CPUs is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrequencyFacts {
    /// CPUs that are set alike, together.
    pub policies: Vec<FrequencyPolicy>,
    /// Whether CPUs may run faster than their base frequency while there is power for it.
    #[doc(alias = "turbo")]
    pub boost: Reading<bool>,
    /// What the frequencies that trials were seen at are.
    pub source: Reading<FrequencySource>,
}

/// What sets the frequency of some CPUs, and its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrequencyPolicy {
    pub cpus: CpuSet,
    #[doc(alias = "scaling_driver")]
    pub driver: Reading<String>,
    #[doc(alias = "scaling_governor")]
    pub governor: Reading<String>,
    /// What a driver that chooses by itself is asked to prefer.
    #[doc(alias = "energy_performance_preference")]
    pub preference: Reading<String>,
    /// The least that may be chosen.
    #[doc(alias = "scaling_min_freq")]
    pub least: Reading<Hertz>,
    /// The most that may be chosen.
    #[doc(alias = "scaling_max_freq")]
    pub most: Reading<Hertz>,
    /// The most that the processor can do.
    #[doc(alias = "cpuinfo_max_freq")]
    pub hardware_most: Reading<Hertz>,
    /// Without boost.
    #[doc(alias = "base_frequency")]
    pub base: Reading<Hertz>,
}

/// What a frequency is that the kernel gives for a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrequencySource {
    /// Cycles that the processor counted over the last ticks.
    #[doc(alias = "APERF")]
    Counted,
    /// What the governor asked for last, which the processor need not have reached.
    Requested,
}

/// The frequencies of the CPUs on which the threads of a trial were found at work, each CPU once, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialFrequency(pub Vec<CpuFrequency>);

/// What a CPU's frequency was in the samples that found a thread of the trial at work on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuFrequency {
    pub cpu: CpuId,
    pub samples: u64,
    pub mean: Hertz,
    pub least: Hertz,
    pub most: Hertz,
}

impl TrialFrequency {
    /// Samples of all CPUs.
    pub fn samples(&self) -> u64 {
        self.0.iter().map(|one| one.samples).fold(0, u64::saturating_add)
    }

    /// The mean over the samples of those CPUs that are meant; `None` without any.
    pub fn mean_of(&self, meant: impl Fn(CpuId) -> bool) -> Option<Hertz> {
        let (mut sum, mut samples) = (0.0, 0.0);
        for one in self.0.iter().filter(|one| meant(one.cpu)) {
            sum += one.mean.0 as f64 * one.samples as f64;
            samples += one.samples as f64;
        }
        (samples > 0.0).then(|| Hertz((sum / samples).round() as u64))
    }

    /// The mean over all samples; `None` without any.
    pub fn mean(&self) -> Option<Hertz> {
        self.mean_of(|_| true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_that_of_all_samples() {
        let of = |cpu, samples, ghz: u64| CpuFrequency {
            cpu: CpuId(cpu),
            samples,
            mean: Hertz(ghz * 1_000_000_000),
            least: Hertz(1),
            most: Hertz(9),
        };
        let seen = TrialFrequency(vec![of(0, 3, 2), of(4, 1, 4)]);
        assert_eq!((seen.samples(), seen.mean()), (4, Some(Hertz(2_500_000_000))));
        assert_eq!(seen.mean_of(|cpu| cpu == CpuId(4)), Some(Hertz(4_000_000_000)));
        assert_eq!(seen.mean_of(|cpu| cpu == CpuId(9)), None);
        assert_eq!(TrialFrequency(Vec::new()).mean(), None, "no sample is no frequency of zero");
    }
}
