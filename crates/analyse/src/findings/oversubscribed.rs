//! NW033: more threads work than there are CPUs for them.

use numawise_facts::finding::{
    Advice, AdvisedStep, Amount, Evidence, EvidenceQuantity, EvidenceSource, EvidenceSubject, SystemAdvice,
    SystemQuantity,
};
use numawise_facts::{Effect, Finding, FindingId, Observation, Point, Reading, Study};
use numawise_tables::ContrastCall;
use numawise_units::CpuSet;

use super::{Case, cost, of_points, plain};
use crate::comparison::{self, Comparison};
use crate::inside::{workers, working_at_once};
use crate::{middle, obeyed, summary};

#[cfg(test)]
#[path = "oversubscribed_tests.rs"]
mod tests;

/// Where samples do not tell which threads worked at once: share of the CPU time of the busiest thread from which a thread works
/// as it does.
const AS_BUSY: f64 = 0.5;
/// So many times as many threads as CPUs have to be ready, on average: a helper that wakes up now and then does not count.
const CONTENDED: f64 = 1.1;

/// A run in which threads wait for each other's CPUs.
struct ContendedRun {
    threads: u64,
    cpus: u64,
    /// Threads that had a CPU or waited for one, on average; none where the kernel does not count waiting.
    ready: Option<u64>,
}

/// More threads than CPUs work at the same time in most runs, and fewer are decidedly better, or nobody could try fewer.
pub fn more_threads_than_cpus(case: &Case) -> Option<Finding> {
    let point = case.study.header.point(&case.baseline.id)?;
    let run = contended(case.study, point)?;
    if obeyed::threads::bound_by_launcher(case.study) {
        return None;
    }
    let subject = || EvidenceSubject::Point { point: point.id.clone() };
    let cpus = Some(Amount::Count(run.cpus));
    let count = |quantity, count| {
        plain(quantity, Amount::Count(count), cpus, subject(), EvidenceSource::Observations)
    };
    let mut evidence = vec![count(SystemQuantity::WorkingThreads.into(), run.threads)];
    evidence.extend(run.ready.map(|ready| count(SystemQuantity::ReadyThreads.into(), ready)));
    let Some(fewer) = comparison::of_fewer_threads(&case.study.header) else {
        let why = "the number of its threads was not numawise's to set, so that fewer could not be tried";
        return Some(not_tried(case, evidence, why));
    };
    if contended(case.study, fewer.to).is_some() {
        let why = "with fewer asked for it ran as many threads as before, so that fewer could not be tried";
        return Some(not_tried(case, evidence, why));
    }
    let contrast = case.contrast(fewer);
    if contrast.is_some_and(|contrast| matches!(contrast.call, ContrastCall::Same | ContrastCall::Worse)) {
        return None; // tried, and no better
    }
    evidence.extend(effect(case, fewer));
    let gain = case.gain(Some(fewer));
    let cost = cost(gain, "whether fewer threads are better is not decided");
    let advice = AdvisedStep {
        advice: Advice::System(SystemAdvice::RunFewerThreads { threads: fewer.to.levels.threads }),
        brought: cost.clone(),
    };
    let cure = gain.and_then(|gain| gain.cure());
    Some(finding(evidence, cost, cure, vec![advice]))
}

/// Where fewer threads could not be tried: as many on each CPU, where that helped, and a number that can be set.
fn not_tried(case: &Case, mut evidence: Vec<Evidence>, why: &'static str) -> Finding {
    let pinned = case.gain(comparison::of_pinning(&case.study.header));
    evidence.extend(pinned.map(|gain| gain.evidence(EvidenceQuantity::EffectOfPinning)));
    let mut advice: Vec<AdvisedStep> =
        pinned.map(|gain| AdvisedStep::tried(Advice::PinThreads, gain.effect)).into_iter().collect();
    advice.push(Advice::System(SystemAdvice::HandOverThreads).into());
    finding(evidence, cost(pinned, why), pinned.and_then(|gain| gain.cure()), advice)
}

fn finding(
    evidence: Vec<Evidence>,
    cost: Reading<Effect>,
    cure: Option<numawise_facts::PlacementRequest>,
    advice: Vec<AdvisedStep>,
) -> Finding {
    Finding { id: FindingId::Oversubscribed, evidence, cost, cure, advice }
}

fn effect(case: &Case, fewer: Comparison) -> Option<Evidence> {
    let effect = case.contrast(fewer)?.effect.clone();
    Some(of_points(SystemQuantity::EffectOfFewerThreads.into(), fewer, effect))
}

/// The run with the middle number of threads, where most runs of a point are contended.
fn contended(study: &Study, point: &Point) -> Option<ContendedRun> {
    let allowed = &study.header.machine.allowed_cpus;
    let runs: Vec<Option<ContendedRun>> =
        summary::watched(study, point).filter_map(|observation| in_run(observation, allowed)).collect();
    let all = runs.len();
    let contended: Vec<ContendedRun> = runs.into_iter().flatten().collect();
    if 2 * contended.len() <= all {
        return None;
    }
    let typical = middle(contended.iter().map(|run| run.threads).collect())?;
    contended.into_iter().find(|run| run.threads == typical)
}

/// Whether a run is contended; nothing where its threads were not seen.
fn in_run(observation: &Observation, allowed: &CpuSet) -> Option<Option<ContendedRun>> {
    let workers = workers(observation)?;
    let busiest = workers.iter().map(|thread| thread.cpu_time).max()?.seconds();
    let busy: Vec<_> =
        workers.into_iter().filter(|thread| thread.cpu_time.seconds() >= AS_BUSY * busiest).collect();
    // Who binds its threads to some CPUs has no others for them.
    let masks: Option<Vec<&CpuSet>> = busy.iter().map(|thread| thread.mask.measured()).collect();
    let held = masks.map(|masks| masks.iter().fold(CpuSet::new(), |all, mask| all.union(mask)));
    let cpus = held.map(|held| held.intersection(allowed)).filter(|held| !held.is_empty());
    let cpus = cpus.as_ref().unwrap_or(allowed).len() as u64;
    let span = observation.sampler.span.seconds();
    let used = observation.usage.cpu_time().measured()?.seconds();
    let at_once = working_at_once(observation);
    let ready = observation.run_delay.measured().map(|waited| (used + waited.seconds()) / span);
    let enough = match (at_once, ready) {
        // Samples found them ready together; a thread that ends between two takes its last waiting along.
        (Some(_), _) => true,
        (None, Some(ready)) => ready >= CONTENDED * cpus as f64,
        // How long threads waited is not counted; all CPUs are busy all the time.
        (None, None) => used >= 0.9 * cpus as f64 * span,
    };
    let threads = at_once.map_or(busy.len() as u64, u64::from);
    let contended = span > 0.0 && enough && threads > cpus;
    Some(contended.then(|| ContendedRun { threads, cpus, ready: ready.map(|ready| ready.round() as u64) }))
}
