//! The values of findings in JSON.

use numawise_facts::finding::{Amount, Evidence};
use numawise_facts::{Effect, Finding, StudyHeader};
use serde_json::{Value, json as object};

use crate::object::{each, reading};

/// One piece of evidence, without its sentence.
pub fn evidence(one: &Evidence) -> Value {
    object!({
        "quantity": one.quantity,
        "value": reading(&one.value, amount),
        "unit": one.value.measured().map(unit),
        "of": one.of.as_ref().map(amount),
        "interval": one.interval.as_ref().map(|(low, high)| object!({"low": amount(low), "high": amount(high)})),
        "subject": one.subject,
        "source": one.source,
    })
}

fn amount(amount: &Amount) -> Value {
    match amount {
        Amount::Bytes(bytes) => object!(bytes),
        Amount::Count(count) => object!(count),
        Amount::Share(ratio) | Amount::Ratio(ratio) => object!(ratio),
        Amount::Time(time) => object!(time),
        Amount::Frequency(frequency) => object!(frequency),
        Amount::Metric(value) => object!(value),
        Amount::LatencyAndBandwidth { latency, bandwidth } => {
            object!({"latency": latency, "bandwidth": bandwidth})
        }
    }
}

fn unit(amount: &Amount) -> &'static str {
    match amount {
        Amount::Bytes(_) => "bytes",
        Amount::Count(_) => "count",
        Amount::Share(_) => "share",
        Amount::Ratio(_) | Amount::LatencyAndBandwidth { .. } => "ratio",
        Amount::Time(_) => "ns",
        Amount::Frequency(_) => "hz",
        Amount::Metric(_) => "metric",
    }
}

/// A finding with its sentences.
pub fn finding(header: &StudyHeader, finding: &Finding) -> Value {
    object!({
        "id": finding.id,
        "title": super::title(finding.id),
        "evidence": each(&finding.evidence, |one| {
            let mut value = evidence(one);
            value["text"] = super::sentence(header, finding.id, one).into();
            value
        }),
        "cost": reading(&finding.cost, effect),
        "cure": finding.cure,
        "advice": each(&finding.advice, |step| object!({
            "do": step.advice,
            "brought": reading(&step.brought, effect),
            "text": super::step(step),
        })),
    })
}

/// An effect with its interval.
pub fn effect(effect: &Effect) -> Value {
    object!({"ratio": effect.ratio, "low": effect.low, "high": effect.high})
}
