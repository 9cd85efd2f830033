//! Runs of one placement that differ by where they were.

use numawise_facts::StudyHeader;
use numawise_facts::finding::{Amount, Evidence, EvidenceSubject, RunGroup, RunGroupQuantity};

use super::{effect, value};
use crate::amount;

pub fn sentence(header: &StudyHeader, quantity: RunGroupQuantity, one: &Evidence) -> String {
    let group = group(&one.subject);
    match quantity {
        RunGroupQuantity::RunsOfGroup => {
            let of = one.of.map(super::amount).unwrap_or_default();
            format!("{} of {of} runs had {group}", value(one))
        }
        RunGroupQuantity::MetricOfGroup => {
            let figure = |value: Amount| match value {
                Amount::Metric(value) => amount::value(&header.metric, value),
                other => super::amount(other),
            };
            let interval = one
                .interval
                .map(|(low, high)| format!(" (95 % interval {} to {})", figure(low), figure(high)));
            let median = one.value.as_ref().map(|value| figure(*value));
            format!("runs with {group}: median {median}{}", interval.unwrap_or_default())
        }
        RunGroupQuantity::EffectOfGroup => {
            format!("runs with {group} are {} as fast as the others", effect(one))
        }
    }
}

/// What the runs of a group have in common.
fn group(subject: &EvidenceSubject) -> String {
    let EvidenceSubject::Runs { group, .. } = subject else { return "something in common".to_owned() };
    match group {
        RunGroup::CpusOn(node) => format!("their CPU time on node {node}"),
        RunGroup::MemoryOn(node) => format!("their memory on node {node}"),
        RunGroup::Together => "threads and memory on the same node".to_owned(),
        RunGroup::Apart => "threads on another node than their memory".to_owned(),
    }
}
