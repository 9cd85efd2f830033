//! How long the run took, and on how many CPUs.

use numawise_facts::Reading;
use numawise_facts::merged::MergedPlacement;
use numawise_tables::snapshot::{CpuCount, CpuDefinition, EfficiencySpan, SpanScope};
use numawise_units::Nanoseconds;

use super::placement::cpus_by_host;
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
pub fn cpus(run: &Run<'_>, placement: Reading<&MergedPlacement>) -> Reading<CpuCount> {
    let allowed = placement.and_then(allowed);
    if let Some(of) = run.parts.merged {
        return merged::cpus(of, allowed);
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
        count => Reading::Measured(CpuCount { count, definition: CpuDefinition::Threads, allowed }),
    }
}

/// The CPUs that the processes may use, over all hosts.
fn allowed(placement: &MergedPlacement) -> Reading<u64> {
    let hosts = cpus_by_host(placement, |host| &host.allowed);
    hosts.map(|hosts| hosts.into_values().sum())
}
