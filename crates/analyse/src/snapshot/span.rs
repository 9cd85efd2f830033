//! How long the run took, and on how many CPUs.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_tables::snapshot::{CpuCount, CpuDefinition, EfficiencySpan, SpanScope};
use numawise_units::{CpuSet, Nanoseconds};

use super::process::{Process, most_at_once};
use super::{Run, merged};

/// The elapsed time, and that which efficiencies are of.
pub fn of(processes: &[Process<'_>]) -> (Reading<Nanoseconds>, Reading<EfficiencySpan>) {
    let has_ranks = processes.iter().any(|process| process.rank().is_some());
    let elapsed =
        if has_ranks { longest(processes, |one| one.elapsed()) } else { from_first_to_last(processes) };
    let scope = if initialised(processes) { SpanScope::BetweenInitAndFinalize } else { SpanScope::WholeRun };
    let time = if has_ranks { longest(processes, |one| one.span.clone()) } else { elapsed.clone() };
    (elapsed, time.map(|time| EfficiencySpan { time, scope }))
}

fn initialised(processes: &[Process<'_>]) -> bool {
    let ranks = || processes.iter().filter_map(|process| process.activity.mpi.measured());
    ranks().count() > 0 && ranks().all(|mpi| mpi.initialised.measured().is_some())
}

/// Clocks of hosts differ, so that begins and ends of ranks are not compared.
fn longest(
    processes: &[Process<'_>],
    of: impl Fn(&Process<'_>) -> Reading<Nanoseconds>,
) -> Reading<Nanoseconds> {
    let mut most = Reading::unavailable("no process was watched");
    for process in processes {
        match (of(process), &most) {
            (Reading::Measured(time), Reading::Measured(longest)) if time <= *longest => {}
            (Reading::Unavailable { .. }, Reading::Measured(_)) => {}
            (time, _) => most = time,
        }
    }
    most
}

fn from_first_to_last(processes: &[Process<'_>]) -> Reading<Nanoseconds> {
    let lives: Vec<(u64, u64)> = processes.iter().filter_map(life).collect();
    let begin = lives.iter().map(|life| life.0).min();
    let end = lives.iter().map(|life| life.1).max();
    match (begin, end) {
        (Some(begin), Some(end)) => Reading::Measured(Nanoseconds(end - begin)),
        _ => longest(processes, |one| one.elapsed()),
    }
}

fn life(process: &Process<'_>) -> Option<(u64, u64)> {
    let elapsed = process.activity.elapsed.measured()?;
    let begin = process.activity.began.0;
    Some((begin, begin.saturating_add(elapsed.0)))
}

/// How many CPUs the threads take at once.
pub fn cpus(run: &Run<'_>) -> Reading<CpuCount> {
    if let Some(of) = run.parts.merged {
        return merged::cpus(of);
    }
    let mut each = Vec::new();
    for process in &run.processes {
        match &process.cpus {
            Reading::Measured(cpus) => each.push(*cpus),
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        }
    }
    let count = if run.has_ranks() {
        each.iter().sum()
    } else {
        let lives =
            run.processes.iter().zip(&each).filter_map(|(process, cpus)| Some((life(process)?, *cpus)));
        most_at_once(lives)
    };
    match count {
        0 => Reading::unavailable("no process was watched"),
        count => {
            Reading::Measured(CpuCount { count, definition: CpuDefinition::Threads, allowed: allowed(run) })
        }
    }
}

/// The CPUs that the processes may use, over all hosts.
fn allowed(run: &Run<'_>) -> Reading<u64> {
    allowed_by_host(run).map(|hosts| hosts.values().map(|cpus| cpus.len() as u64).sum())
}

/// By host: all CPUs that the run has there: what the machine has for us, and what the masks of the processes hold besides.
pub fn usable_by_host(run: &Run<'_>) -> Reading<BTreeMap<String, CpuSet>> {
    allowed_by_host(run).map(|mut hosts| {
        for (host, cpus) in &mut hosts {
            let machine = run.parts.machines.get(host);
            *cpus = machine.map_or_else(|| cpus.clone(), |machine| cpus.union(&machine.allowed_cpus));
        }
        hosts
    })
}

/// By host: the masks of the processes together, or what the machine has for us where they are not known.
pub fn allowed_by_host(run: &Run<'_>) -> Reading<BTreeMap<String, CpuSet>> {
    let mut hosts: BTreeMap<String, CpuSet> = BTreeMap::new();
    for process in &run.processes {
        let host = &process.activity.host;
        let mask = process.mask();
        let machine = run.parts.machines.get(host).map(|machine| &machine.allowed_cpus);
        let Some(cpus) = mask.measured().or(machine) else {
            return Reading::unavailable("the masks of the processes were not read");
        };
        let all = hosts.entry(host.clone()).or_default();
        *all = all.union(cpus);
    }
    Reading::Measured(hosts)
}
