//! Runs and placements that differ because the frequency of the CPUs does.

use numawise_facts::finding::{ClockAdvice, ClockQuantity, Evidence, EvidenceSubject};

use super::{amount, effect, value};

pub fn sentence(quantity: ClockQuantity, one: &Evidence) -> String {
    let value = value(one);
    let of = one.of.map(amount).unwrap_or_default();
    let point = match &one.subject {
        EvidenceSubject::Point { point } => point.to_string(),
        _ => "the program".to_owned(),
    };
    match quantity {
        ClockQuantity::RunsOfLowFrequency => {
            format!("in {value} of {of} runs of {point} its CPUs ran at a lower frequency than in the others")
        }
        ClockQuantity::EffectOfFrequency => {
            format!("the others are {} as fast: the higher the frequency, the faster the run", effect(one))
        }
        ClockQuantity::ExplainedByFrequency => match &one.subject {
            EvidenceSubject::Points { from, to } => format!(
                "the frequency explains at most {value} of what {to} gains over {from} (that much for a program that only computes): \
                 this part need not come from where its threads and memory are"
            ),
            _ => format!("the frequency explains at most {value} of that"),
        },
        ClockQuantity::Frequency if one.of.is_some() => {
            format!("on average at {value} in those runs, and at {of} in the others")
        }
        ClockQuantity::Frequency => {
            format!("the CPUs of {point} ran at {value} (median of the runs)")
        }
        ClockQuantity::FrequencyRatio => match &one.subject {
            EvidenceSubject::Points { from, to } => {
                format!("those of {to} at a frequency {} as high as those of {from}", effect(one))
            }
            _ => effect(one),
        },
    }
}

pub fn advise(advice: &ClockAdvice) -> String {
    match advice {
        ClockAdvice::UsePerformanceGovernor => {
            "let the CPUs run at one frequency and check again: the governor performance (cpupower frequency-set -g performance; \
             needs root)"
                .to_owned()
        }
        ClockAdvice::SteadyClock => "find what slows the CPUs down: limits of power or heat, fewer boosted cores where more work, wide vector instructions \
              (turbostat shows them; needs root); for comparisons switch boost off (no_turbo of intel_pstate, boost of cpufreq; needs \
              root)"
            .to_owned(),
    }
}
