//! NW030 to NW033: which CPUs threads have, and where their memory lies.

use std::collections::BTreeMap;

use numawise_facts::finding::{Advice, Amount, WatchedAdvice, WatchedQuantity, WatchedSubject};
use numawise_facts::{FindingId, Reading};
use numawise_tables::snapshot::{PotentialGain, SnapshotFinding};
use numawise_units::{Bytes, CpuId, NodeId, NodeSet};

use super::{Case, advice, evidence, finding, of_run, share};
use crate::snapshot::process::Process;
use crate::snapshot::span::allowed_by_host;
use crate::snapshot::sum;

/// CPUs that are named.
const NAMED: usize = 5;
/// So many of the threads were seen on several CPUs.
const MOST_MOVE: f64 = 0.5;
/// So often in a second, each: the operating system moves a thread now and then also where nothing is to be said.
const OFTEN: f64 = 1.0;
/// Memory elsewhere: a quarter of it, and no less than counts anywhere (as for files, NW056 and NW058).
const ELSEWHERE: f64 = 0.25;
const NOTABLE: Bytes = Bytes::mib(16);

pub fn all(case: &Case<'_>) -> Vec<SnapshotFinding> {
    let over = oversubscribed(case);
    let shared = if over.is_some() { None } else { shared(case) };
    let remote = case.run.processes.iter().filter_map(|process| remote_memory(case, process));
    // Of many ranks the worst one stands for all.
    let worst = remote.max_by(|one, two| one.0.total_cmp(&two.0)).map(|(_, finding)| finding);
    [over, shared, unpinned(case), worst].into_iter().flatten().collect()
}

fn not_known() -> Reading<PotentialGain> {
    Reading::unavailable("what it costs shows when it is otherwise")
}

/// Threads that work at once, by host.
fn threads_by_host(case: &Case<'_>) -> Option<BTreeMap<String, u64>> {
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

/// NW033: more threads than CPUs.
fn oversubscribed(case: &Case<'_>) -> Option<SnapshotFinding> {
    let allowed = allowed_by_host(case.run);
    let (allowed, threads) = (allowed.measured()?, threads_by_host(case)?);
    let over = |(host, threads): (&String, &u64)| {
        let cpus = allowed.get(host)?.len() as u64;
        (*threads > cpus).then_some((*threads, cpus))
    };
    let (threads, cpus) =
        threads.iter().filter_map(over).max_by_key(|(threads, cpus)| threads * 1000 / cpus.max(&1))?;
    let mut facts =
        vec![of_run(WatchedQuantity::ThreadsAtOnce, Amount::Count(threads), Some(Amount::Count(cpus)))];
    facts.extend(forced_switches(case));
    let cures = vec![Advice::RunFewerThreads { threads: u32::try_from(cpus).unwrap_or(u32::MAX) }];
    Some(finding(FindingId::Oversubscribed, facts, not_known(), cures))
}

fn forced_switches(case: &Case<'_>) -> Option<numawise_facts::finding::Evidence> {
    let threads = case.run.processes.iter().flat_map(Process::working);
    let forced: Option<Vec<u64>> = threads.map(|thread| Some(thread.switches.measured()?.forced)).collect();
    let forced = sum(forced?.into_iter());
    Some(of_run(WatchedQuantity::ForcedSwitches, Amount::Count(forced), None))
}

/// NW030: several working threads stay on one CPU while there is one for each.
fn shared(case: &Case<'_>) -> Option<SnapshotFinding> {
    let shared = &case.placement.shared;
    if shared.is_empty() {
        return None;
    }
    let mut facts: Vec<_> = shared
        .iter()
        .take(NAMED)
        .map(|one| {
            let (host, cpu): (String, CpuId) = (one.host.clone(), one.cpu);
            let subject = WatchedSubject::CpuOf { host, cpu, ranks: one.ranks.clone() };
            let threads = Amount::Count(one.threads.len() as u64);
            evidence(WatchedQuantity::ThreadsOnCpu, threads, None, subject)
        })
        .collect();
    let cpus = case.cpus.measured();
    facts.extend(cpus.and_then(|cpus| {
        let (allowed, threads) = (Amount::Count(*cpus.allowed.measured()?), Amount::Count(cpus.count));
        Some(of_run(WatchedQuantity::CpusForThreads, allowed, Some(threads)))
    }));
    facts.extend(forced_switches(case));
    let cures = vec![advice(WatchedAdvice::SeparateCpus)];
    Some(finding(FindingId::SharedCpus, facts, not_known(), cures))
}

/// NW031: threads move about.
fn unpinned(case: &Case<'_>) -> Option<SnapshotFinding> {
    let placement = case.placement;
    let moves = *placement.migrations.measured()?;
    let seconds = case.elapsed()? * placement.threads as f64;
    let most = placement.moved as f64 >= MOST_MOVE * placement.threads as f64;
    if placement.threads < 2 || !most || (moves as f64) < OFTEN * seconds {
        return None;
    }
    let (moved, threads) = (Amount::Count(placement.moved), Amount::Count(placement.threads));
    let facts = vec![
        of_run(WatchedQuantity::MovedThreads, moved, Some(threads)),
        of_run(WatchedQuantity::MovesOfThreads, Amount::Count(moves), None),
    ];
    Some(finding(FindingId::Unpinned, facts, not_known(), vec![Advice::PinThreads]))
}

/// NW032: memory of a process on nodes where none of its threads was seen, with the share of it.
fn remote_memory(case: &Case<'_>, process: &Process<'_>) -> Option<(f64, SnapshotFinding)> {
    let activity = process.activity;
    let machine = case.run.parts.machines.get(&activity.host)?;
    let by_node = &activity.surroundings.memory.measured()?.most.by_node;
    let cpus = process.working().into_iter().flat_map(|thread| thread.cpus.measured());
    let nodes = cpus.flat_map(|stays| &stays.cpus).map(|(cpu, _)| machine.node_of(*cpu));
    let threads_on: NodeSet = nodes.collect::<Option<NodeSet>>()?;
    if threads_on.is_empty() {
        return None;
    }
    // Memory of nodes without CPUs is chosen on purpose, or is nearest to these threads too.
    let has_cpus = |node: NodeId| machine.node(node).is_some_and(|node| !node.cpus.is_empty());
    let elsewhere = || by_node.iter().filter(|(node, _)| !threads_on.contains(*node) && has_cpus(*node));
    let all: Bytes = by_node.iter().map(|(_, bytes)| *bytes).sum();
    let away: Bytes = elsewhere().map(|(_, bytes)| *bytes).sum();
    let part = away.0 as f64 / all.0.max(1) as f64;
    let (node, _) = *elsewhere().max_by_key(|(_, bytes)| *bytes)?;
    if away < NOTABLE || part < ELSEWHERE {
        return None;
    }
    let subject = WatchedSubject::MemoryOf {
        host: activity.host.clone(),
        pid: activity.pid,
        rank: process.rank(),
        node,
        threads_on,
    };
    let facts =
        vec![evidence(WatchedQuantity::MemoryElsewhere, share(part), Some(Amount::Bytes(all)), subject)];
    let cures = vec![advice(WatchedAdvice::RankOnOneNode)];
    Some((part, finding(FindingId::RemoteRankMemory, facts, not_known(), cures)))
}
