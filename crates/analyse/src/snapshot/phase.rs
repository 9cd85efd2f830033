//! Phases: the same figures of parts of the run that the program names.
//!
//! A phase of the process is a run of its own, which takes the time that it was open: threads of a team that are not there yet, or no
//! longer, idle in it. A region of single threads has the times of those threads, and of efficiencies that which compares with nobody.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::Reading;
use numawise_facts::activity::{ActivityPhases, PhaseActivity, PhaseName};
use numawise_tables::snapshot::{
    CpuTime, Efficiencies, EfficiencySpan, PhaseRow, PhaseTables, RatedShare, SpanScope,
};
use numawise_units::{Ratio, TimeSum};

use super::process::Process;
use super::{Run, efficiency, rating, sum};

#[cfg(test)]
#[path = "phase_tests.rs"]
mod tests;

pub fn tables(run: &Run<'_>) -> Reading<PhaseTables> {
    if run.parts.merged.is_some() {
        return Reading::unavailable(
            "phases of ranks are not merged: those of the ranks that are kept in full are in the record",
        );
    }
    let mut by_name: BTreeMap<&PhaseName, Vec<(&Process<'_>, &PhaseActivity)>> = BTreeMap::new();
    let (mut lost, mut unbalanced) = (0u64, 0u64);
    for process in &run.processes {
        let ActivityPhases { rows, lost: of_process, unbalanced: more } = match &process.activity.phases {
            Reading::Measured(phases) => phases,
            Reading::Unavailable { unavailable } => {
                return Reading::unavailable(format!("{}: {unavailable}", process.name()));
            }
        };
        lost = lost.saturating_add((*of_process).into());
        unbalanced = unbalanced.saturating_add((*more).into());
        rows.iter().for_each(|row| by_name.entry(&row.name).or_default().push((process, row)));
    }
    let mut rows: Vec<PhaseRow> = by_name.into_values().filter_map(|of| row(run, &of)).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.elapsed.measured().copied()));
    Reading::Measured(PhaseTables { rows, lost, unbalanced })
}

fn row(run: &Run<'_>, of: &[(&Process<'_>, &PhaseActivity)]) -> Option<PhaseRow> {
    let name = &of.first()?.1.name;
    let is_of_threads = matches!(name, PhaseName::ThreadRegion(_));
    let processes: Vec<Process<'_>> =
        of.iter().map(|(process, phase)| part(process, phase, is_of_threads)).collect();
    let elapsed = of.iter().map(|(_, phase)| phase.elapsed).max()?;
    let span = EfficiencySpan { time: elapsed, scope: SpanScope::WholeRun };
    let cpus = sum(processes.iter().filter_map(|process| process.cpus.measured().copied()));
    let ranks: BTreeSet<Option<u32>> = of.iter().map(|(process, _)| process.rank()).collect();
    let part = Run {
        parts: run.parts,
        processes,
        elapsed: Reading::Measured(elapsed),
        span: Reading::Measured(span),
        partial: (ranks.len() < run.processes.len())
            .then(|| format!("{} of {} ranks had this phase", ranks.len(), run.processes.len())),
    };
    let time = efficiency::time(&part.processes);
    let of_all = |of: fn(&CpuTime) -> TimeSum| {
        time.as_ref().map(|time| Ratio(of(time).seconds() / time.total().seconds()))
    };
    Some(PhaseRow {
        name: name.clone(),
        processes: part.processes.len() as u64,
        calls: sum(of.iter().map(|(_, phase)| phase.calls)),
        share: run.elapsed.as_ref().and_then(|all| match (is_of_threads, all.0) {
            (true, _) => Reading::unavailable("it is of single threads"),
            (_, 0) => Reading::unavailable("the run took no time that could be measured"),
            (_, all) => Reading::Measured(Ratio(elapsed.0 as f64 / all as f64)),
        }),
        elapsed: Reading::Measured(elapsed),
        longest: of.iter().map(|(_, phase)| phase.longest).max()?,
        cpus,
        useful: rating::efficiency(of_all(|time| time.useful)),
        mpi: of_all(|time| time.mpi),
        efficiency: if is_of_threads {
            of_threads(&of_all(|time| time.useful))
        } else {
            efficiency::all(&part)
        },
        open: of.iter().filter(|(_, phase)| phase.is_open).count() as u64,
        time,
    })
}

/// What a process did in a phase, as if it had done nothing else.
fn part<'a>(process: &Process<'a>, phase: &PhaseActivity, is_of_threads: bool) -> Process<'a> {
    let cpus = u64::from(phase.threads.max(1));
    let times = &phase.times;
    let mut time = CpuTime {
        useful: times.useful.into(),
        mpi: times.mpi.into(),
        imbalance: TimeSum::from(times.barrier) + times.lock,
        lock: times.lock.into(),
        scheduling: times.scheduling.into(),
        serial: times.idle.into(),
        serial_in_mpi: TimeSum::default(),
        waiting: TimeSum::default(),
    };
    if !is_of_threads {
        let had = TimeSum(u128::from(cpus) * u128::from(phase.elapsed.0));
        let missing = had.saturating_sub(time.total());
        let has_team = process.uses_openmp();
        let to = if has_team { &mut time.serial } else { &mut time.waiting };
        *to = *to + missing;
        if has_team {
            let in_mpi = TimeSum(u128::from(phase.mpi_outside.0) * u128::from(cpus - 1));
            time.serial_in_mpi = in_mpi.min(time.serial);
        }
    }
    let time = match &process.time {
        Reading::Measured(_) => Reading::Measured(time),
        Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable: unavailable.clone() },
    };
    Process {
        activity: process.activity,
        cpus: Reading::Measured(cpus),
        span: Reading::Measured(phase.elapsed),
        time,
    }
}

/// Threads that are each looked at alone have no balance between them.
fn of_threads(parallel: &Reading<Ratio>) -> Efficiencies {
    let none = || RatedShare { value: Reading::unavailable("it is of single threads"), rating: None };
    Efficiencies {
        parallel: rating::efficiency(parallel.clone()),
        mpi_parallel: none(),
        mpi_communication: none(),
        mpi_load_balance: none(),
        mpi_load_balance_in: none(),
        mpi_load_balance_out: none(),
        openmp_parallel: none(),
        openmp_serialization: none(),
        openmp_load_balance: none(),
        openmp_scheduling: none(),
    }
}
