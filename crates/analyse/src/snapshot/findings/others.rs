//! NW055: other work had the CPUs for which threads waited.
//!
//! A thread that is ready waits while something else has its CPU. Where a host has a CPU for each thread of the run that works there, and
//! no more threads are bound to a set of CPUs than it has, that is no other thread of the run that works. What is left are the run's
//! threads and processes that do not count (helpers, launchers), whose processor time is subtracted, and other work.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::finding::{Advice, Amount, Evidence, PlacedQuantity, WatchedAdvice};
use numawise_facts::{Activity, FindingId, ThreadActivity};
use numawise_tables::snapshot::{PlacementSummary, SnapshotFinding};
use numawise_units::{Arrange, Nanoseconds};

use super::placement::{forced_switches, threads_by_host, usable_by_host};
use super::{Case, advice, evidence, finding, of_process, of_run, share, time};
use crate::snapshot::process::Process;

/// Processes that are named.
const NAMED: usize = 3;

/// A process whose threads waited for CPUs that no working thread of the run had.
struct Displaced<'a> {
    process: &'a Process<'a>,
    /// For each of its CPUs, from its begin to its end.
    delay: Nanoseconds,
    /// As much of it as is in the time that the shares are of: the process may have lived for longer.
    in_run: f64,
}

pub fn other_work(case: &Case<'_>) -> Option<SnapshotFinding> {
    let mut displaced = displaced(case)?;
    displaced.retain(|one| case.is_worth(one.in_run));
    displaced.arrange_by(|one, other| other.in_run.total_cmp(&one.in_run));
    let worst = displaced.first()?;
    let fact = |one: &Displaced<'_>| {
        let of = one.process.elapsed().measured().map(|elapsed| Amount::Time(*elapsed));
        evidence(PlacedQuantity::RunDelayOf.into(), Amount::Time(one.delay), of, of_process(one.process))
    };
    let mut facts: Vec<Evidence> = displaced.iter().take(NAMED).map(fact).collect();
    if displaced.len() > NAMED {
        let (count, all) = (Amount::Count(displaced.len() as u64), case.run.processes.len() as u64);
        facts.push(of_run(PlacedQuantity::ProcessesDisplaced.into(), count, Some(Amount::Count(all))));
    }
    facts.extend(of_host(case, &worst.process.activity.host));
    facts.extend(forced_switches(case));
    let host = worst.process.activity.host.clone();
    let cures = vec![advice(WatchedAdvice::FindOtherWork { host }), Advice::RepeatWhenQuiet];
    Some(finding(FindingId::MachineShared, facts, case.gain(worst.in_run), cures))
}

/// There is a CPU for each thread, and how much of these CPUs the run used itself.
fn of_host(case: &Case<'_>, host: &str) -> Vec<Evidence> {
    let (Some(threads), Some(cpus)) = (
        threads_by_host(case).and_then(|hosts| hosts.get(host).copied()),
        usable_by_host(case).and_then(|hosts| hosts.get(host).copied()),
    ) else {
        return Vec::new();
    };
    let room =
        of_run(PlacedQuantity::CpusForThreads.into(), Amount::Count(cpus), Some(Amount::Count(threads)));
    let used: f64 = on_host(case, host).flat_map(all_threads).map(|thread| processor(thread).seconds()).sum();
    let had = case.elapsed().map(|elapsed| elapsed * cpus as f64).filter(|had| *had > 0.0);
    let used = had.map(|had| {
        of_run(PlacedQuantity::OwnUseOfCpus.into(), share((used / had).min(1.0)), Some(time(had)))
    });
    [room].into_iter().chain(used).collect()
}

/// Nothing where it is not known how many CPUs the threads have, or one is missing for some of them.
fn displaced<'a>(case: &Case<'a>) -> Option<Vec<Displaced<'a>>> {
    // Of ranks that were merged it is not known what else ran beside each of them.
    let (_, placement) = case.placement.filter(|_| case.run.parts.merged.is_none())?;
    let (usable, threads) = (usable_by_host(case)?, threads_by_host(case)?);
    let has_room: BTreeSet<&str> = threads
        .iter()
        .filter(|(host, threads)| usable.get(*host).is_some_and(|cpus| *threads <= cpus))
        .map(|(host, _)| host.as_str())
        .collect();
    let mut background: BTreeMap<&str, Nanoseconds> = BTreeMap::new();
    let of_process = |process: &'a Process<'a>| {
        let host = process.activity.host.as_str();
        if !has_room.contains(host) || shares(placement, process) {
            return None;
        }
        let (delay, cpus) = (*process.run_delay().measured()?, *process.cpus.measured()?);
        let background = *background.entry(host).or_insert_with(|| in_background(case, host));
        let delay = Nanoseconds(delay.saturating_sub(background).0 / cpus.max(1));
        Some(Displaced { process, delay, in_run: case.in_run(Some(process), &process.elapsed(), delay)? })
    };
    Some(case.run.processes.iter().filter_map(of_process).collect())
}

/// Its threads share CPUs with others of the run, by their masks or by where they stay, or nobody knows.
fn shares(placement: &PlacementSummary, process: &Process<'_>) -> bool {
    let activity = process.activity;
    let Some(mask) = process.mask().measured().cloned() else { return true };
    let is_overfull = placement
        .overfull
        .iter()
        .any(|one| one.host == activity.host && one.cpus.iter().any(|cpu| mask.contains(cpu)));
    let is_at_home_with_others = placement
        .shared
        .iter()
        .any(|one| one.host == activity.host && one.threads.iter().any(|(pid, _)| *pid == activity.pid));
    is_overfull || is_at_home_with_others
}

/// The processes of the run on a host, but for ranks of other jobs: they ran at another time.
fn on_host<'a>(case: &Case<'a>, host: &str) -> impl Iterator<Item = &'a Activity> {
    let (run, host) = (case.run, host.to_owned());
    let of_others = |activity: &&Activity| {
        let is_rank = activity.mpi.measured().is_some_and(|mpi| mpi.rank.measured().is_some());
        is_rank
            && !activity.is_forked
            && !run.processes.iter().any(|process| std::ptr::eq(process.activity, *activity))
    };
    let all = run.parts.activities.iter().filter(move |activity| activity.host == host);
    all.filter(move |activity| !of_others(activity))
}

fn all_threads(activity: &Activity) -> impl Iterator<Item = &ThreadActivity> {
    activity.threads.measured().into_iter().flatten()
}

/// On a CPU; all of its life where that is not known, so that the rest is no more than it was.
fn processor(thread: &ThreadActivity) -> Nanoseconds {
    let life = || thread.times.measured().map_or(Nanoseconds(0), numawise_facts::activity::StateTimes::total);
    thread.processor.measured().copied().unwrap_or_else(life)
}

/// What threads and processes of the run had of the CPUs of a host that do not count.
fn in_background(case: &Case<'_>, host: &str) -> Nanoseconds {
    let working: BTreeSet<_> = case
        .run
        .processes
        .iter()
        .filter(|process| process.activity.host == host)
        .flat_map(|process| process.working().into_iter().map(|thread| (process.activity.pid, thread.tid)))
        .collect();
    let threads = on_host(case, host)
        .flat_map(|activity| all_threads(activity).map(move |thread| (activity.pid, thread)))
        .filter(|(pid, thread)| !working.contains(&(*pid, thread.tid)));
    // What of the run was not watched may have been anywhere.
    threads.fold(case.run.parts.unwatched, |sum, (_, thread)| sum + processor(thread))
}
