//! NW057: memory in swap.

use numawise_facts::finding::{Advice, AdvisedStep, Amount, Evidence, SystemAdvice, SystemQuantity};
use numawise_facts::{Finding, FindingId, Observation, Reading, Trial};
use numawise_units::Bytes;

use super::pages::of_peak;
use super::{Case, apart};
use crate::summary;

#[cfg(test)]
#[path = "swap_tests.rs"]
mod tests;

/// Less than this, or than this share of the program's memory, is what was never used since the start.
const LEAST: Bytes = Bytes::mib(4);
const NOTEWORTHY: f64 = 0.01;

/// A part of the memory of a process was in swap in most runs of the operating system's placement.
pub fn memory_in_swap(case: &Case) -> Option<Finding> {
    let point = case.study.header.point(&case.baseline.id)?;
    let runs: Vec<bool> = summary::watched(case.study, point).filter_map(swapped).collect();
    if 2 * runs.iter().filter(|swapped| **swapped).count() <= runs.len() {
        return None;
    }
    let mut evidence =
        vec![of_peak(case, point, SystemQuantity::MemoryInSwap.into(), |events| &events.swapped)];
    let traffic = [
        of_peak(case, point, SystemQuantity::SwappedIn.into(), |events| &events.swapped_in),
        of_peak(case, point, SystemQuantity::SwappedOut.into(), |events| &events.swapped_out),
    ];
    let some = |one: &Evidence| one.value != Reading::Measured(Amount::Bytes(Bytes(0)));
    evidence.extend(traffic.into_iter().filter(some));
    let in_trial = |trial: &Trial| trial.observation.measured().and_then(swapped);
    let cost = apart::without(case, in_trial).map_err(str::to_owned).into();
    let advice = vec![AdvisedStep {
        advice: Advice::System(SystemAdvice::KeepOutOfSwap),
        brought: Reading::clone(&cost),
    }];
    Some(Finding { id: FindingId::MemoryInSwap, evidence, cost, cure: None, advice })
}

/// Whether a run had a part of its memory in swap that counts; `None` where that is not known.
fn swapped(observation: &Observation) -> Option<bool> {
    let peak = observation.usage.peak_memory.measured()?.0 as f64;
    let swapped = observation.memory_events.swapped.measured()?;
    Some(*swapped >= LEAST && swapped.0 as f64 >= NOTEWORTHY * peak)
}
