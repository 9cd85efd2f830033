//! NW030 to NW033: which CPUs threads have, and where their memory lies.

use std::collections::BTreeMap;

use numawise_facts::finding::{
    Advice, Amount, Evidence, PlacedQuantity, SystemAdvice, WatchedAdvice, WatchedSubject,
};
use numawise_facts::merged::{DelayedProcess, SharedCpu};
use numawise_facts::{FindingId, MergedRanks, Reading};
use numawise_tables::snapshot::{PlacementSummary, PotentialGain, SnapshotFinding};
use numawise_units::{CpuId, Nanoseconds};

use super::{Case, advice, evidence, finding, of_process, of_run, share};
use crate::snapshot::placement::{cpus_by_host, remote_of};
use crate::snapshot::process::Process;
use crate::snapshot::sum;

/// CPUs that are named.
const NAMED: usize = 5;
/// So many of the threads were seen on several CPUs.
const MOST_MOVE: f64 = 0.5;
/// So often in a second, each: the operating system moves a thread now and then also where nothing is to be said.
const OFTEN: f64 = 1.0;

pub fn all(case: &Case<'_>) -> Vec<SnapshotFinding> {
    let of_cpus = match (case.placement, case.run.parts.merged) {
        (Some((_, placement)), _) => of_cpus(case, placement),
        (None, Some(merged)) => oversubscribed_by_merged(case, merged).into_iter().collect(),
        (None, None) => Vec::new(),
    };
    of_cpus.into_iter().chain(remote_memory(case)).collect()
}

fn of_cpus(case: &Case<'_>, placement: &PlacementSummary) -> Vec<SnapshotFinding> {
    let (usable, threads) = (usable_by_host(case), threads_by_host(case));
    let threads = threads.iter().flatten().map(|(host, threads)| (host.as_str(), *threads));
    let shared = match OverHost::worst(threads, |host| usable.as_ref()?.get(host).copied()) {
        Some(over) => oversubscribed(case, placement, &over),
        None => shared(case, placement),
    };
    // More threads than CPUs move because of that.
    let is_over = shared.as_ref().is_some_and(|one| one.finding.id == FindingId::Oversubscribed);
    let unpinned = if is_over { None } else { unpinned(case, placement) };
    shared.into_iter().chain(unpinned).collect()
}

fn not_known() -> Reading<PotentialGain> {
    Reading::unavailable("not known: no run without it was made")
}

/// Threads that work at once, by host.
pub fn threads_by_host(case: &Case<'_>) -> Option<BTreeMap<String, u64>> {
    if let Some(merged) = case.run.parts.merged {
        let hosts = merged.hosts.iter().map(|(host, of)| (host.clone(), of.cpus));
        return (merged.unmeasured == 0).then(|| hosts.collect());
    }
    let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
    if !case.run.has_ranks() {
        let first = case.run.processes.first()?.activity.host.clone();
        let one_host = case.run.processes.iter().all(|process| process.activity.host == first);
        let count = case.cpus.measured()?.count;
        return one_host.then(|| BTreeMap::from([(first, count)]));
    }
    for process in &case.run.processes {
        *hosts.entry(process.activity.host.clone()).or_default() += *process.cpus.measured()?;
    }
    Some(hosts)
}

/// All CPUs that the run has, by host: what the computer has for us, and what the masks of the processes hold besides.
pub fn usable_by_host(case: &Case<'_>) -> Option<BTreeMap<String, u64>> {
    let (placed, _) = case.placement?;
    cpus_by_host(placed, |host| &host.usable).measured().cloned()
}

/// A host where more threads work than there are CPUs.
struct OverHost<'a> {
    host: &'a str,
    threads: u64,
    cpus: u64,
}

impl<'a> OverHost<'a> {
    /// The one with the most threads for each CPU, of `threads` and `cpus` by host.
    fn worst(
        threads: impl Iterator<Item = (&'a str, u64)>,
        cpus: impl Fn(&str) -> Option<u64>,
    ) -> Option<OverHost<'a>> {
        let over = |(host, threads): (&'a str, u64)| {
            let cpus = cpus(host)?;
            (threads > cpus).then_some(OverHost { host, threads, cpus })
        };
        threads.filter_map(over).max_by_key(|over| over.threads.saturating_mul(1000) / over.cpus.max(1))
    }

    fn evidence(&self) -> Evidence {
        let (threads, cpus) = (Amount::Count(self.threads), Amount::Count(self.cpus));
        of_run(PlacedQuantity::ThreadsAtOnce.into(), threads, Some(cpus))
    }

    /// As many threads for each of its processes as there are CPUs, or fewer ranks where one each is too many.
    fn advice(&self, case: &Case<'_>) -> Advice {
        let processes = match case.run.parts.merged {
            // How many ranks a host has is not kept: as many as on the others.
            Some(merged) => merged.ranks.div_ceil(merged.hosts.len().max(1) as u64),
            None if !case.run.has_ranks() => 1,
            None => {
                let here = |process: &&Process<'_>| process.activity.host == self.host;
                case.run.processes.iter().filter(here).count() as u64
            }
        };
        match u32::try_from(self.cpus / processes.max(1)) {
            Ok(0) => {
                advice(WatchedAdvice::FewerRanks { ranks: u32::try_from(self.cpus).unwrap_or(u32::MAX) })
            }
            threads => Advice::System(SystemAdvice::RunFewerThreads { threads: threads.unwrap_or(u32::MAX) }),
        }
    }
}

/// NW033: more threads than CPUs.
fn oversubscribed(
    case: &Case<'_>,
    placement: &PlacementSummary,
    over: &OverHost<'_>,
) -> Option<SnapshotFinding> {
    let cost = waiting(case, placement)?;
    let mut facts = vec![over.evidence()];
    facts.extend(run_delay(case, placement));
    facts.extend(forced_switches(case));
    Some(finding(FindingId::Oversubscribed, facts, cost, vec![over.advice(case)]))
}

/// NW033 of ranks that were merged without their placement: of each host it is known how many of their threads work at once. What threads
/// waited for a CPU is known of the ranks that are kept in full, which have the least and the most time of each kind.
fn oversubscribed_by_merged(case: &Case<'_>, merged: &MergedRanks) -> Option<SnapshotFinding> {
    let threads = merged.hosts.iter().map(|(host, of)| (host.as_str(), of.cpus));
    let over =
        OverHost::worst(threads, |host| Some(case.run.parts.machines.get(host)?.allowed_cpus.len() as u64))?;
    let worst = most_delayed(case);
    let in_run = |(process, delay): (&Process<'_>, Nanoseconds)| {
        case.in_run(Some(process), &process.elapsed(), delay).unwrap_or_else(|| delay.seconds())
    };
    if worst.is_some_and(|worst| !case.is_worth(in_run(worst))) {
        return None;
    }
    let mut facts = vec![over.evidence()];
    facts.extend(worst.map(|(process, delay)| {
        let lived = process.elapsed().measured().map(|lived| Amount::Time(*lived));
        evidence(PlacedQuantity::RunDelayOf.into(), Amount::Time(delay), lived, of_process(process))
    }));
    let cost = Reading::unavailable("ranks are merged without what each of them waited for a CPU");
    Some(finding(FindingId::Oversubscribed, facts, cost, vec![over.advice(case)]))
}

pub fn forced_switches(case: &Case<'_>) -> Option<Evidence> {
    let (placed, _) = case.placement?;
    let forced = *placed.forced_switches.measured()?;
    Some(of_run(PlacedQuantity::ForcedSwitches.into(), Amount::Count(forced), None))
}

/// What threads lose that wait for CPUs: known where the kernel counts it. None where it is not worth saying.
fn waiting(case: &Case<'_>, placement: &PlacementSummary) -> Option<Reading<PotentialGain>> {
    let in_run = delayed(case).and_then(|of| {
        let process = case.run.processes.iter().find(|process| process.named() == of.process);
        case.in_run(process, &of.lived, of.delay)
    });
    match &placement.run_delay {
        Reading::Measured(delay) => {
            let seconds = in_run.unwrap_or_else(|| delay.seconds());
            case.is_worth(seconds).then(|| case.gain(seconds))
        }
        // How long plain threads work is seen by their processor time only: they may work one after another.
        Reading::Unavailable { .. } if !case.run.has_ranks() && case.openmp.is_none() => None,
        Reading::Unavailable { unavailable } => {
            Some(Reading::Unavailable { unavailable: unavailable.clone() })
        }
    }
}

/// The process whose threads waited for CPUs for longest, for each of its CPUs.
fn delayed<'a>(case: &Case<'a>) -> Option<&'a DelayedProcess> {
    case.placement?.0.delayed.as_ref()
}

/// The same of those that are kept in full.
fn most_delayed<'a>(case: &Case<'a>) -> Option<(&'a Process<'a>, Nanoseconds)> {
    let delay = |process: &'a Process<'a>| Some((process, *process.delay_of_a_cpu().measured()?));
    case.run.processes.iter().filter_map(delay).max_by_key(|(_, delay)| *delay)
}

/// From its begin to its end, as the kernel counts it: of its own life, which may be longer than the time that shares are of.
fn run_delay(case: &Case<'_>, placement: &PlacementSummary) -> Option<Evidence> {
    placement.run_delay.measured()?;
    let of = delayed(case)?;
    let lived = of.lived.measured().map(|lived| Amount::Time(*lived));
    Some(of_run(PlacedQuantity::RunDelay.into(), Amount::Time(of.delay), lived))
}

/// NW030: several working threads are bound to fewer CPUs, or stay on one, while there is one for each.
fn shared(case: &Case<'_>, placement: &PlacementSummary) -> Option<SnapshotFinding> {
    let (shared, overfull) = (&placement.shared, &placement.overfull);
    if shared.is_empty() && overfull.is_empty() {
        return None;
    }
    let cost = waiting(case, placement)?;
    let mut facts: Vec<Evidence> = overfull
        .iter()
        .take(NAMED)
        .map(|one| {
            let (host, cpus) = (one.host.clone(), one.cpus.clone());
            let of = Amount::Count(cpus.len() as u64);
            let (ranks, further_ranks) = (one.ranks.clone(), one.further_ranks);
            let subject = WatchedSubject::CpusOf { host, cpus, ranks, further_ranks };
            evidence(PlacedQuantity::ThreadsBoundTo.into(), Amount::Count(one.threads), Some(of), subject)
        })
        .collect();
    // A CPU of which the masks say so already is not said again.
    let is_said = |one: &SharedCpu| {
        overfull.iter().take(NAMED).any(|mask| mask.host == one.host && mask.cpus.contains(one.cpu))
    };
    let homes = shared.iter().filter(|one| !is_said(one)).take(NAMED).map(|one| {
        let (host, cpu): (String, CpuId) = (one.host.clone(), one.cpu);
        let (ranks, further_ranks) = (one.ranks.clone(), one.further_ranks);
        let subject = WatchedSubject::CpuOf { host, cpu, ranks, further_ranks };
        let threads = Amount::Count(one.count);
        evidence(PlacedQuantity::ThreadsOnCpu.into(), threads, None, subject)
    });
    facts.extend(homes);
    facts.extend(case.cpus.measured().and_then(|cpus| {
        let usable = sum(usable_by_host(case)?.into_values());
        let (usable, threads) = (Amount::Count(usable), Amount::Count(cpus.count));
        Some(of_run(PlacedQuantity::CpusForThreads.into(), usable, Some(threads)))
    }));
    facts.extend(run_delay(case, placement));
    facts.extend(forced_switches(case));
    let cures = vec![advice(WatchedAdvice::SeparateCpus)];
    Some(finding(FindingId::SharedCpus, facts, cost, cures))
}

/// NW031: threads move about: often, or between nodes; those that are bound to a core each do not.
fn unpinned(case: &Case<'_>, placement: &PlacementSummary) -> Option<SnapshotFinding> {
    let moves = *placement.migrations.measured()?;
    let seconds = case.elapsed()? * placement.threads as f64;
    let most = placement.moved as f64 >= MOST_MOVE * placement.threads as f64;
    let between_nodes = placement.on_several_nodes as f64 >= MOST_MOVE * placement.threads as f64;
    let is_bound = placement.unbound.measured() == Some(&0);
    if placement.threads < 2 || is_bound || !most || (moves as f64) < OFTEN * seconds && !between_nodes {
        return None;
    }
    let (moved, threads) = (Amount::Count(placement.moved), Amount::Count(placement.threads));
    let mut facts = vec![
        of_run(PlacedQuantity::MovedThreads.into(), moved, Some(threads)),
        of_run(PlacedQuantity::MovesOfThreads.into(), Amount::Count(moves), None),
    ];
    let unbound = placement.unbound.measured().map(|unbound| Amount::Count(*unbound));
    facts
        .extend(unbound.map(|unbound| of_run(PlacedQuantity::UnboundThreads.into(), unbound, Some(threads))));
    let several = Amount::Count(placement.on_several_nodes);
    if placement.on_several_nodes > 0 {
        facts.push(of_run(PlacedQuantity::ThreadsOnSeveralNodes.into(), several, Some(threads)));
    }
    Some(finding(FindingId::Unpinned, facts, not_known(), vec![Advice::PinThreads]))
}

/// NW032: memory of a process on nodes where none of its threads worked. Of many ranks the worst one stands for all.
fn remote_memory(case: &Case<'_>) -> Option<SnapshotFinding> {
    let of_these;
    let remote = match case.placement {
        Some((placed, _)) => &placed.remote,
        // Of merged ranks without their placement, that of those in full.
        None => {
            of_these = remote_of(case.run);
            &of_these
        }
    };
    let worst = remote.worst.as_ref()?;
    let part = worst.elsewhere.0 as f64 / worst.all.0.max(1) as f64;
    let subject = WatchedSubject::MemoryOf {
        process: worst.process.clone(),
        node: worst.most_on,
        threads_on: worst.threads_on.clone(),
    };
    let all = Amount::Bytes(worst.all);
    let facts = vec![evidence(PlacedQuantity::MemoryElsewhere.into(), share(part), Some(all), subject)];
    let cures = vec![advice(WatchedAdvice::RankOnOneNode)];
    Some(finding(FindingId::RemoteRankMemory, facts, not_known(), cures))
}
