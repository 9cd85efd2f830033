//! What sets the frequency of the CPUs, and within which limits.

use numawise_facts::{FrequencyFacts, FrequencyPolicy, Reading};

#[cfg(test)]
#[path = "frequency_tests.rs"]
mod tests;

/// `CPUs 0-3: acpi-cpufreq, governor ondemand, 1.20 GHz to 2.80 GHz; boost on`
pub fn settings(facts: &Reading<FrequencyFacts>) -> String {
    let facts = match facts {
        Reading::Measured(facts) => facts,
        Reading::Unavailable { unavailable } => return format!("unavailable ({unavailable})"),
    };
    let mut parts: Vec<String> = facts.policies.iter().map(policy).collect();
    parts.extend(facts.boost.measured().map(|on| format!("boost {}", if *on { "on" } else { "off" })));
    parts.join("; ")
}

fn policy(of: &FrequencyPolicy) -> String {
    let mut parts: Vec<String> = of.driver.measured().into_iter().cloned().collect();
    parts.push(format!("governor {}", of.governor));
    parts.extend(of.preference.measured().map(|preference| format!("preference {preference}")));
    if let (Some(least), Some(most)) = (of.least.measured(), of.most.measured()) {
        parts.push(format!("{least} to {most}"));
    }
    let above =
        of.hardware_most.measured().filter(|hardware| of.most.measured().is_some_and(|most| most < hardware));
    parts.extend(above.map(|hardware| format!("of at most {hardware} that it can do")));
    format!("CPUs {}: {}", of.cpus, parts.join(", "))
}
