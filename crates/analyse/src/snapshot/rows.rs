//! Processes and their threads, one row each.

use numawise_facts::{Reading, ThreadActivity};
use numawise_tables::snapshot::{CpuStay, ProcessRow, ThreadRow};
use numawise_units::{Arrange, Nanoseconds, NodeSet, Ratio};

use super::efficiency::{MpiTimes, mpi_times};
use super::input::RunParts;
use super::process::{Process, in_mpi};
use super::{Run, rating};

pub fn all(run: &Run<'_>) -> Vec<ProcessRow> {
    let mpi = mpi_times(run);
    run.processes.iter().map(|process| row(run.parts, process, mpi.measured())).collect()
}

/// One process; without the times of all there is no waiting for others.
pub fn row(parts: &RunParts<'_>, process: &Process<'_>, all: Option<&MpiTimes>) -> ProcessRow {
    let activity = process.activity;
    let per_cpu = process.time.as_ref().zip(process.cpus.as_ref());
    let mpi = per_cpu.map(|(time, cpus)| in_mpi(time).each_of(*cpus));
    let waiting = mpi.as_ref().and_then(|mpi| match all {
        Some(all) if all.unequal.is_none() => {
            Reading::Measured(Nanoseconds::from_seconds(mpi.seconds() - all.least))
        }
        Some(all) => Reading::unavailable(all.unequal.clone().unwrap_or_default()),
        None => Reading::unavailable("there are no ranks to compare it with"),
    });
    ProcessRow {
        host: activity.host.clone(),
        pid: activity.pid,
        parent: activity.parent,
        program: activity.program.clone(),
        world: process.numbered_world,
        rank: match process.rank() {
            Some(rank) => Reading::Measured(rank),
            None => Reading::unavailable("it is no rank of MPI"),
        },
        elapsed: activity.elapsed.clone(),
        end: activity.end,
        cpus: process.cpus.clone(),
        time: process.time.clone(),
        useful: rating::efficiency(useful(process)),
        mpi: match &activity.mpi {
            Reading::Measured(_) => mpi,
            Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable: unavailable.clone() },
        },
        mpi_waiting: waiting,
        not_running: not_running(process),
        mask: process.mask(),
        surroundings: activity.surroundings.clone(),
        remote: super::memory::remote(parts.machines.get(&activity.host).copied(), process),
        counters: super::counters::of_process(process),
        run_delay: process.run_delay(),
        files: super::files::of_process(process),
        threads: activity
            .threads
            .as_ref()
            .map(|threads| threads.iter().map(|thread| thread_row(parts, process, thread)).collect()),
    }
}

fn useful(process: &Process<'_>) -> Reading<Ratio> {
    let known = process.time.as_ref().zip(process.cpus.as_ref()).zip(process.span.as_ref());
    known.and_then(|((time, cpus), span)| match *cpus as f64 * span.seconds() {
        all if all > 0.0 => Reading::Measured(Ratio((time.on_cpu().seconds() / all).min(1.0))),
        _ => Reading::unavailable("it took no time that could be measured"),
    })
}

/// Useful time by the clock beyond all time on a CPU: threads waited for a CPU, a file or each other.
fn not_running(process: &Process<'_>) -> Reading<Nanoseconds> {
    let mut sum = Nanoseconds(0);
    for thread in process.working() {
        let known = thread.times.as_ref().zip(thread.processor.as_ref());
        match known {
            Reading::Measured((times, on_cpu)) => sum = sum + times.useful.saturating_sub(*on_cpu),
            Reading::Unavailable { unavailable } => return Reading::Unavailable { unavailable },
        }
    }
    Reading::Measured(sum)
}

fn thread_row(parts: &RunParts<'_>, process: &Process<'_>, thread: &ThreadActivity) -> ThreadRow {
    let machine = parts.machines.get(&process.activity.host);
    let cpus = thread.cpus.as_ref().map(|stays| {
        let mut all: Vec<CpuStay> = stays
            .cpus
            .iter()
            .map(|(cpu, found)| CpuStay {
                cpu: *cpu,
                node: machine.and_then(|machine| machine.node_of(*cpu)),
                found: *found,
            })
            .collect();
        all.arrange_by_key(|stay| (std::cmp::Reverse(stay.found), stay.cpu));
        all
    });
    let nodes = cpus.as_ref().and_then(|stays| {
        let nodes: Option<NodeSet> = stays.iter().map(|stay| stay.node).collect();
        nodes.map_or_else(|| Reading::unavailable("the nodes of its CPUs are not known"), Reading::Measured)
    });
    ThreadRow {
        tid: thread.tid,
        is_first: thread.is_first,
        role: thread.role.clone(),
        lives: thread.lives,
        useful: thread.times.as_ref().map(|times| times.useful),
        processor: thread.processor.clone(),
        migrations: thread.cpus.as_ref().map(|stays| u64::from(stays.migrations)),
        forced_switches: thread.switches.as_ref().map(|switches| switches.forced),
        run_delay: thread.run_delay.clone(),
        mask: thread.mask.clone(),
        cpus,
        nodes,
    }
}
