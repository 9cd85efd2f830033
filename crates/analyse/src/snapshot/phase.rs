//! Phases: the same figures of parts of the run that the program names.
//!
//! A phase of the process is a run of its own, which takes the time that it was open: threads of a team that are not there yet, or no
//! longer, idle in it. A region of single threads has the times of those threads, and of efficiencies that which compares with nobody.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::activity::{ActivityPhases, PhaseActivity, PhaseName};
use numawise_facts::merged::{MOST_MERGED_PHASES, MergedPhase, MergedPhases};
use numawise_facts::{MergedRanks, Reading};
use numawise_tables::snapshot::{
    CpuTime, Efficiencies, EfficiencySpan, PhaseRow, PhaseTables, RatedShare, SpanScope,
};
use numawise_units::{Arrange, Ratio, TimeSum};

use super::numbers::number_of;
use super::process::{self, Process, in_mpi};
use super::{Run, efficiency, rating};

#[cfg(test)]
#[path = "phase_tests.rs"]
mod tests;

pub fn tables(run: &Run<'_>) -> Reading<PhaseTables> {
    if let Some(merged) = run.parts.merged {
        return of_merged(run, merged);
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
    let rows = by_name.into_values().filter_map(|of| row(run, &of)).collect();
    Reading::Measured(PhaseTables { rows: in_order(rows), lost, unbalanced })
}

fn of_merged(run: &Run<'_>, merged: &MergedRanks) -> Reading<PhaseTables> {
    let Some(phases) = &merged.phases else {
        return Reading::unavailable("the record is of a numawise that did not merge phases");
    };
    if phases.unknown > 0 {
        return Reading::unavailable(format!("the phases of {} ranks are not known", phases.unknown));
    }
    let rows = phases.rows.values().map(|of| {
        let time = match of.unmeasured {
            0 => efficiency::some(of.time),
            some => Reading::unavailable(format!("the times of {some} ranks are not known")),
        };
        shown(run, of, &time, || efficiency::of_merged_phase(merged, run.parts.asked, of, &time))
    });
    let rows = in_order(rows.collect());
    Reading::Measured(PhaseTables { rows, lost: phases.lost, unbalanced: phases.unbalanced })
}

fn in_order(mut rows: Vec<PhaseRow>) -> Vec<PhaseRow> {
    rows.arrange_by_key(|row| std::cmp::Reverse(row.elapsed.measured().copied()));
    rows
}

fn row(run: &Run<'_>, of: &[(&Process<'_>, &PhaseActivity)]) -> Option<PhaseRow> {
    let parts = || of.iter().map(|(process, phase)| part(process, phase));
    let each = parts().zip(of).map(|(part, (_, phase))| alone(&part, phase));
    let all = each.reduce(|mut all, one| {
        add(&mut all, &one);
        all
    })?;
    let ranks: BTreeSet<Option<u32>> = of.iter().map(|(process, _)| process.rank()).collect();
    let span = EfficiencySpan { time: all.elapsed, scope: SpanScope::WholeRun };
    let part = Run {
        is_sliced: false,
        parts: run.parts,
        processes: parts().collect(),
        worlds: vec![0; of.len()],
        elapsed: Reading::Measured(all.elapsed),
        span: Reading::Measured(span),
        partial: efficiency::partial(ranks.len() as u64, run.processes.len() as u64),
    };
    let time = efficiency::time(&part.processes);
    Some(shown(run, &all, &time, || efficiency::all(&part)))
}

/// `efficiencies` where it is no phase of single threads.
fn shown(
    run: &Run<'_>,
    of: &MergedPhase,
    time: &Reading<CpuTime>,
    efficiencies: impl FnOnce() -> Efficiencies,
) -> PhaseRow {
    let of_all = |of: fn(&CpuTime) -> TimeSum| {
        time.as_ref().map(|time| Ratio(of(time).seconds() / time.total().seconds()))
    };
    let is_of_threads = is_of_threads(&of.name);
    PhaseRow {
        name: of.name.clone(),
        processes: of.ranks,
        calls: of.calls,
        share: run.elapsed.as_ref().and_then(|all| match (is_of_threads, all.0) {
            (true, _) => Reading::unavailable("it is of single threads"),
            (_, 0) => Reading::unavailable("the run took no time that could be measured"),
            (_, all) => Reading::Measured(Ratio(of.elapsed.0 as f64 / all as f64)),
        }),
        elapsed: Reading::Measured(of.elapsed),
        longest: of.longest,
        cpus: of.cpus,
        useful: rating::efficiency(of_all(|time| time.useful)),
        mpi: of_all(|time| time.mpi),
        efficiency: if is_of_threads { of_threads(&of_all(|time| time.useful)) } else { efficiencies() },
        open: of.open,
        time: time.clone(),
    }
}

fn is_of_threads(name: &PhaseName) -> bool {
    matches!(name, PhaseName::ThreadRegion(_))
}

/// The phases of one rank.
pub fn of_rank(process: &Process<'_>) -> MergedPhases {
    let Some(phases) = process.activity.phases.measured() else {
        return MergedPhases { unknown: 1, ..MergedPhases::default() };
    };
    let (lost, unbalanced) = (phases.lost.into(), phases.unbalanced.into());
    let mut all = MergedPhases { lost, unbalanced, ..MergedPhases::default() };
    for phase in &phases.rows {
        add_row(&mut all, number(&phase.name), &alone(&part(process, phase), phase));
    }
    all
}

/// Adds those of other ranks.
pub fn merge(into: &mut MergedPhases, other: &MergedPhases) {
    into.unknown = into.unknown.saturating_add(other.unknown);
    into.lost = into.lost.saturating_add(other.lost);
    into.unbalanced = into.unbalanced.saturating_add(other.unbalanced);
    other.rows.iter().for_each(|(number, one)| add_row(into, *number, one));
    // What is left out here has a number that is left out everywhere in the end: the sum does not depend on the order.
    while into.rows.len() > MOST_MERGED_PHASES {
        let calls = into.rows.pop_last().map_or(0, |(_, phase)| phase.calls);
        into.lost = into.lost.saturating_add(calls);
    }
}

fn add_row(into: &mut MergedPhases, number: u64, one: &MergedPhase) {
    match into.rows.get_mut(&number) {
        Some(all) => add(all, one),
        None => drop(into.rows.insert(number, one.clone())),
    }
}

fn number(name: &PhaseName) -> u64 {
    let (kind, name) = match name {
        PhaseName::Region(name) => (0, name.as_bytes().to_vec()),
        PhaseName::ThreadRegion(name) => (1, name.as_bytes().to_vec()),
        PhaseName::Control(level) => (2, level.to_le_bytes().to_vec()),
    };
    number_of([&[kind][..], &name])
}

/// A phase of one process; `part` is what that did in it.
fn alone(part: &Process<'_>, phase: &PhaseActivity) -> MergedPhase {
    let (time, cpus) = (part.time.measured(), part.cpus.measured().copied().unwrap_or_default());
    MergedPhase {
        name: phase.name.clone(),
        ranks: 1,
        unmeasured: u64::from(time.is_none()),
        calls: phase.calls,
        elapsed: phase.elapsed,
        longest: phase.longest,
        cpus,
        time: time.copied().unwrap_or_default(),
        least_mpi: time.map(|time| in_mpi(time).each_of(cpus)),
        open: u64::from(phase.is_open),
    }
}

fn add(into: &mut MergedPhase, one: &MergedPhase) {
    into.ranks = into.ranks.saturating_add(one.ranks);
    into.unmeasured = into.unmeasured.saturating_add(one.unmeasured);
    into.calls = into.calls.saturating_add(one.calls);
    into.elapsed = into.elapsed.max(one.elapsed);
    into.longest = into.longest.max(one.longest);
    into.cpus = into.cpus.saturating_add(one.cpus);
    process::add(&mut into.time, &one.time);
    into.least_mpi = into.least_mpi.into_iter().chain(one.least_mpi).min();
    into.open = into.open.saturating_add(one.open);
}

/// What a process did in a phase, as if it had done nothing else.
fn part<'a>(process: &Process<'a>, phase: &PhaseActivity) -> Process<'a> {
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
        delayed: TimeSum::default(),
        delayed_waiting: TimeSum::default(),
        // The kernel counts that over the whole life of a thread.
        delay_unknown: times.useful.into(),
    };
    if !is_of_threads(&phase.name) {
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
        numbered_world: process.numbered_world,
        cpus: Reading::Measured(cpus),
        span: Reading::Measured(phase.elapsed),
        time,
    }
}

/// Threads that are each looked at alone have no balance between them.
fn of_threads(parallel: &Reading<Ratio>) -> Efficiencies {
    let none = || RatedShare { value: Reading::unavailable("it is of single threads"), rating: None };
    Efficiencies {
        with_cpu: rating::own_efficiency(Reading::unavailable(
            "the kernel counts how long a thread had no CPU over its whole life",
        )),
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
