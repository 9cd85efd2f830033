//! CPUs that are kept below the frequency that they can do.

use numawise_facts::notice::{FrequencyHold, StudyNotice};
use numawise_facts::{FrequencyPolicy, Study};
use numawise_units::CpuSet;

/// Drivers that choose the frequency themselves: with them `powersave` is no more than a preference. With all others it is the
/// least frequency, always (kernel: `Documentation/admin-guide/pm/cpufreq.rst`).
const CHOOSE_THEMSELVES: [&str; 2] = ["intel_pstate", "amd-pstate-epp"];
/// A limit that is lower by less than this share is a rounding of the driver.
const NOTEWORTHY: f64 = 0.03;

/// Of the CPUs that we may use those that run slower than they can, and why.
pub fn held_down(study: &Study) -> impl Iterator<Item = StudyNotice> {
    let facts = study.header.host.frequency.measured();
    let policies = facts.map(|facts| facts.policies.as_slice()).unwrap_or_default();
    policies.iter().filter_map(|policy| {
        let allowed = &study.header.machine.allowed_cpus;
        let cpus: CpuSet = policy.cpus.iter().filter(|cpu| allowed.contains(*cpu)).collect();
        let hardware = *policy.hardware_most.measured()?;
        let (held, by) = match always_least(policy) {
            Some(by) => (*policy.least.measured()?, by),
            None => (*policy.most.measured()?, FrequencyHold::Limit),
        };
        let lower = (held.0 as f64) < (1.0 - NOTEWORTHY) * hardware.0 as f64;
        (lower && !cpus.is_empty()).then_some(StudyNotice::FrequencyHeldDown { cpus, held, hardware, by })
    })
}

fn always_least(policy: &FrequencyPolicy) -> Option<FrequencyHold> {
    let (governor, driver) = (policy.governor.measured()?, policy.driver.measured()?);
    let least = governor == "powersave" && !CHOOSE_THEMSELVES.contains(&driver.as_str());
    least.then(|| FrequencyHold::Governor { governor: governor.clone(), driver: driver.clone() })
}
