//! What a run says that was watched from inside: efficiencies, MPI, OpenMP, placement and findings, from what the collector noted in
//! its processes.
//!
//! Formulas are those of POP and TALP (DLB 3.6, its second hybrid model), so that figures can be compared. Like TALP's, efficiencies of
//! programs with MPI are of the time from the end of `MPI_Init` to the begin of `MPI_Finalize`.

mod by_world;
mod clocks;
mod compared;
mod comparison;
mod counters;
mod efficiency;
mod files;
mod findings;
mod hybrid;
mod input;
mod inside;
mod job;
mod jobs;
mod judged;
mod late;
mod memory;
pub mod merge;
mod merged;
mod mpi;
mod numbers;
mod openmp;
mod phase;
mod placement;
mod places;
mod process;
mod rating;
mod rows;
#[cfg(test)]
mod sample;
mod span;
mod team;
mod traced;
mod volume;
mod waiting;
mod worlds;

use numawise_facts::activity::ActivityLosses;
use numawise_facts::{Reading, ThreadActivity};
use numawise_tables::snapshot::{ProcessCounts, RunSnapshot, SnapshotLosses, TraceEvents};
use numawise_traces::CallStreams;
use numawise_units::{Arrange, Ratio};

pub use clocks::align_clocks;
pub use comparison::compare_snapshots;
pub use counters::is_for_memory_bound;
pub(crate) use counters::memory_bound_of;
pub use hybrid::{DivisionRuns, compare_divisions, median_run};
pub use input::RunParts;
pub use job::{JobRanks, MOST_IN_FULL};
pub use jobs::mpi_jobs;
pub use traced::{view as trace_view, view_of_streams as trace_view_of_streams};

use process::Process;
use traced::AnalysedTrace;

#[cfg(test)]
#[path = "snapshot_tests.rs"]
mod tests;

/// The counted processes of a run, and the times that all figures are held against.
struct Run<'a> {
    parts: &'a RunParts<'a>,
    /// Ranks in their order; without MPI by host and process id.
    processes: Vec<Process<'a>>,
    /// The number of each one's world.
    worlds: Vec<usize>,
    elapsed: Reading<numawise_units::Nanoseconds>,
    span: Reading<numawise_tables::snapshot::EfficiencySpan>,
    /// Why its processes are not all that should be compared, of a part of a run.
    partial: Option<String>,
    /// Its traces have calls at their edges only.
    is_sliced: bool,
}

impl Run<'_> {
    fn has_ranks(&self) -> bool {
        self.parts.merged.is_some() || self.processes.iter().any(|process| process.rank().is_some())
    }

    /// How many processes count.
    fn size(&self) -> u64 {
        self.parts.merged.map_or(self.processes.len() as u64, |merged| merged.ranks)
    }

    /// The time of the run that efficiencies are of, in seconds.
    fn seconds(&self) -> Reading<f64> {
        self.span.as_ref().and_then(|span| match span.time.seconds() {
            seconds if seconds > 0.0 => Reading::Measured(seconds),
            _ => Reading::unavailable("the run took no time that could be measured"),
        })
    }

    /// A part of that time.
    fn share(&self, seconds: f64) -> Reading<Ratio> {
        self.seconds().map(|all| Ratio(seconds / all))
    }
}

/// All that is said of a run.
pub fn run_snapshot(parts: &RunParts<'_>) -> RunSnapshot {
    let (run, others) = counted(parts);
    tables(&run, &others, traced::analysed(&run))
}

/// The same of a run whose traces have [`numawise_facts::activity::ThreadTrace::calls_at_edges`], and all calls in streams: so many calls are analysed at once. Nothing where
/// the streams cannot be read, or no rank has one.
pub fn run_snapshot_in_slices(
    parts: &RunParts<'_>,
    streams: &mut (dyn CallStreams + Send),
    calls: usize,
) -> Option<RunSnapshot> {
    let (run, others) = counted(parts);
    let run = Run { is_sliced: true, ..run };
    let trace = traced::analysed_in_slices(&run, streams, calls)?;
    Some(tables(&run, &others, Some(trace)))
}

/// The processes that count, and the others.
fn counted<'a>(parts: &'a RunParts<'a>) -> (Run<'a>, Vec<Process<'a>>) {
    let (mut processes, others) = process::select(parts);
    let (elapsed, span) = parts.merged.map_or_else(|| span::of(&processes), merged::span);
    for process in &mut processes {
        process.measure();
    }
    // Of merged ranks there are only those that stand out.
    let worlds = if parts.merged.is_some() { vec![0; processes.len()] } else { worlds::of(&processes) };
    let (worlds, processes) = in_worlds(worlds, processes);
    (Run { parts, processes, worlds, elapsed, span, partial: None, is_sliced: false }, others)
}

fn tables<'a>(run: &Run<'a>, others: &[Process<'a>], traced: Option<AnalysedTrace>) -> RunSnapshot {
    let parts = run.parts;
    let time = efficiency::time_of_run(run);
    let placed = placement::of_run(run);
    let cpus = span::cpus(run, placed.as_ref());
    let efficiency = efficiency::all(run);
    let mpi = mpi::summary(run, traced.as_ref());
    let trace = traced.map(|traced| traced.tables);
    let openmp = openmp::summary(run);
    let placement = placed.as_ref().map(|placed| placement::summary(run, placed));
    let memory = memory::summary(run);
    let (worlds, of_worlds) = by_world::all(run);
    let case = findings::Case {
        run,
        cpus: &cpus,
        efficiency: &efficiency,
        mpi: mpi.measured(),
        openmp: openmp.measured(),
        placement: placed.measured().zip(placement.measured()),
        trace: trace.as_ref(),
    };
    let findings = findings::all(&case, of_worlds);
    let mut snapshot = RunSnapshot {
        doubt: None,
        grade: None,
        processes: counts(run, others.len() as u64),
        useful: rating::efficiency(efficiency::useful(run, &time, &cpus)),
        worlds,
        rows: rows::all(run),
        merged: parts.merged.map(|of| merged::tables(of, run.processes.len())),
        others: others.iter().map(|process| rows::row(parts, process, None)).collect(),
        lost: losses(run),
        elapsed: run.elapsed.clone(),
        span: run.span.clone(),
        cpus,
        time,
        efficiency,
        mpi,
        trace,
        openmp,
        placement,
        memory,
        files: files::summary(run),
        counters: counters::summary(run),
        phases: phase::tables(run),
        findings,
    };
    judged::judge(&mut snapshot);
    snapshot
}

/// The calls and messages of a trace; nothing where none was made.
pub fn trace_events(parts: &RunParts<'_>) -> Option<TraceEvents> {
    let run = counted(parts).0;
    Some(traced::of(&run)?.events())
}

/// The processes of one world after those of another.
fn in_worlds(worlds: Vec<usize>, processes: Vec<Process<'_>>) -> (Vec<usize>, Vec<Process<'_>>) {
    let mut both: Vec<(usize, Process<'_>)> = worlds.into_iter().zip(processes).collect();
    both.arrange_by_key(|(world, _)| *world);
    if both.last().is_some_and(|(world, _)| *world > 0) {
        both.iter_mut().for_each(|(world, process)| process.numbered_world = Some(*world as u32 + 1));
    }
    both.into_iter().unzip()
}

/// The sum of counts that nobody vouches for.
fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

fn counts(run: &Run<'_>, others: u64) -> ProcessCounts {
    if let Some(of) = run.parts.merged {
        return merged::counts(of, others);
    }
    let mut hosts: Vec<&str> = run.processes.iter().map(|process| process.activity.host.as_str()).collect();
    hosts.arrange();
    hosts.dedup();
    let ranks = || run.processes.iter().filter_map(Process::world);
    ProcessCounts {
        counted: run.processes.len() as u64,
        ranks: ranks().count() as u64,
        world: ranks().map(|world| world.size).max(),
        others,
        hosts: hosts.len() as u64,
    }
}

fn losses(run: &Run<'_>) -> SnapshotLosses {
    if let Some(of) = run.parts.merged {
        return of.lost;
    }
    let of_processes = |lost: fn(&ActivityLosses) -> u32| {
        sum(run.processes.iter().map(|process| u64::from(lost(&process.activity.lost))))
    };
    let of_threads =
        |lost: fn(&ThreadActivity) -> u64| sum(run.processes.iter().flat_map(Process::threads).map(lost));
    SnapshotLosses {
        threads: of_processes(|lost| lost.threads),
        files: of_processes(|lost| lost.files),
        communicators: of_processes(|lost| lost.communicators),
        requests: of_processes(|lost| lost.requests),
        mpi_calls: of_threads(|thread| thread.lost_calls.count),
        messages: of_threads(|thread| thread.lost_messages[0]),
        constructs: of_threads(|thread| thread.lost_constructs),
    }
}
