//! NW051 and NW052: gains that no other finding explains.

use std::collections::BTreeMap;

use numawise_facts::finding::{Advice, Amount, Evidence, EvidenceQuantity, PinningQuantity};
use numawise_facts::{Finding, FindingId, Observation, PointId, Reading};
use numawise_tables::VerdictKind;
use numawise_units::{CpuId, Ratio};

use super::threads::{migrate, spread_of_runs};
use super::{Case, concentrated, observed, oversubscribed};
use crate::comparison::{self, Comparison};
use crate::inside::{workers, working_at_once};
use crate::obeyed::pinned::not_pinned;
use crate::obeyed::threads::bound_by_launcher;
use crate::{share, summary, verdict};

#[cfg(test)]
#[path = "pinning_tests.rs"]
mod tests;

/// Pinned threads are faster where nothing but pinning differs, and no thread was seen to migrate: two threads that share a CPU for
/// a while, and migrations between samples, leave other traces.
pub fn helps(case: &Case) -> Option<Finding> {
    let comparison = comparison::of_pinning(&case.study.header)?;
    let gain = case.gain(Some(comparison)).filter(|_| pins_only(case, comparison))?;
    let is_said = bound_by_launcher(case.study) || migrate(case).is_some();
    if is_said || not_pinned(case.study, comparison.to).is_some() {
        return None;
    }
    // As many threads on each CPU: said there already, with what that brought.
    let said = oversubscribed::more_threads_than_cpus(case).and_then(|finding| finding.cure);
    if said.as_ref() == Some(&comparison.to.request) {
        return None;
    }
    let pinned = case.point(comparison)?;
    let free = case.baseline;
    let mut evidence = vec![gain.evidence(EvidenceQuantity::EffectOfPinning), migrations(case)];
    evidence.extend(shared_cpus(case));
    evidence.extend([&free.id, &pinned.id].into_iter().filter_map(|point| waits(case, point)));
    evidence.extend(spread_of_runs(free, pinned));
    Some(gain.finding(FindingId::PinningHelps, evidence, Advice::PinThreads))
}

/// A placement is to be used, and no finding has it as its cure.
pub fn unexplained_gain(case: &Case, findings: &[Finding]) -> Option<Finding> {
    if case.verdict.kind != VerdictKind::Affected {
        return None;
    }
    let header = &case.study.header;
    let contrast = verdict::gain(header, case.judged)?;
    let between = Comparison { from: header.point(&contrast.from)?, to: header.point(&contrast.to)? };
    let gain = case.gain(Some(between))?;
    if findings.iter().any(|finding| finding.cure.as_ref() == Some(&between.to.request)) {
        return None;
    }
    let mut evidence = vec![gain.evidence(EvidenceQuantity::EffectOfPlacement)];
    evidence.extend(concentrated::concentrated(case).map(|seen| seen.evidence(case)).into_iter().flatten());
    evidence.extend(case.baseline.migrations.measured().map(|_| migrations(case)));
    evidence.extend(case.point(between).into_iter().flat_map(|to| spread_of_runs(case.baseline, to)));
    let advice = Advice::UsePlacement { placement: between.to.id.clone() };
    Some(gain.finding(FindingId::PlacementHelps, evidence, advice))
}

/// True where the CPUs are those of the operating system's choice too: one node, or a thread for each CPU.
fn pins_only(case: &Case, between: Comparison) -> bool {
    let machine = &case.study.header.machine;
    let with_cpus = machine.nodes.iter().filter(|node| !node.cpus.is_empty()).count();
    with_cpus <= 1 || between.to.threads() as usize >= machine.allowed_cpus.len()
}

fn migrations(case: &Case) -> Evidence {
    let seen = case.baseline.migrations.clone().map(Amount::Count);
    observed(&case.baseline.id, PinningQuantity::Migrations.into(), seen, None)
}

/// Runs of the baseline in which two threads had the same CPU; nothing where there was none.
fn shared_cpus(case: &Case) -> Option<Evidence> {
    let point = case.study.header.point(&case.baseline.id)?;
    let cpus = case.study.header.machine.allowed_cpus.len();
    let runs: Vec<bool> =
        summary::watched(case.study, point).filter_map(|run| two_on_one_cpu(run, cpus)).collect();
    let shared = runs.iter().filter(|shared| **shared).count();
    let (value, of) = (Amount::Count(shared as u64), Amount::Count(runs.len() as u64));
    let quantity = PinningQuantity::RunsWithSharedCpu.into();
    (shared > 0).then(|| observed(&point.id, quantity, Reading::Measured(value), Some(of)))
}

/// Whether two threads that worked at once were on one CPU for most of their time; `None` where there are more threads than CPUs, or
/// fewer than two, or nothing tells which worked at once: those that follow one another may share a CPU.
fn two_on_one_cpu(run: &Observation, cpus: usize) -> Option<bool> {
    let workers = workers(run)?;
    let at_once = working_at_once(run)? as usize;
    if at_once < 2 || at_once < workers.len() || workers.len() > cpus {
        return None;
    }
    let mut on: BTreeMap<CpuId, u32> = BTreeMap::new();
    for thread in workers {
        let (cpu, time) = thread.cpu_time_on.iter().max_by_key(|(_, time)| *time)?;
        if 2 * time.0 > thread.cpu_time.0 {
            *on.entry(*cpu).or_default() += 1;
        }
    }
    Some(on.values().any(|threads| *threads > 1))
}

/// The part of their time that threads of a point waited for a CPU.
fn waits(case: &Case, id: &PointId) -> Option<Evidence> {
    let point = case.study.header.point(id)?;
    let shares: Vec<f64> = summary::watched(case.study, point)
        .filter_map(|run| {
            let (waited, ran) =
                (run.run_delay.measured()?.seconds(), run.usage.cpu_time().measured()?.seconds());
            Some(share(waited, waited + ran)?.0)
        })
        .collect();
    let median = Amount::Share(Ratio(numawise_stats::median(&shares).ok()?));
    Some(observed(id, PinningQuantity::WaitForCpu.into(), Reading::Measured(median), None))
}
