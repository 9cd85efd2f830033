//! What may be graded, and what the first line may be called: nothing that is too short or too disturbed, and nothing good that a finding
//! contradicts.

use numawise_facts::FindingId;
use numawise_tables::snapshot::{Grade, PhaseRow, RatedShare, RunDoubt, RunSnapshot, SnapshotFinding};
use numawise_units::{Nanoseconds, Ratio};

use super::rating::{BAD_LOSS, GOOD_LOSS};

#[cfg(test)]
#[path = "judged_tests.rs"]
mod tests;

/// What takes less is not judged: a thread that loses its CPU once loses a time slice, which is 4 ms where the kernel ticks 250 times a second
/// (Debian, Ubuntu), and a tenth of the time makes another grade.
const SHORTEST: Nanoseconds = Nanoseconds(40_000_000);

/// Withholds grades and findings, where the run says too little for them, and fills in what the first line is called.
pub fn judge(run: &mut RunSnapshot) {
    run.doubt = doubt(run);
    match &run.doubt {
        Some(RunDoubt::TooShort { .. }) => {
            run.findings.clear();
            withhold(run);
        }
        Some(RunDoubt::Disturbed { lost }) => {
            let noise = lost.share;
            run.findings.retain(|of| is_above(of, noise));
            withhold(run);
        }
        None => {}
    }
    withhold_of_phases(run);
    not_good_without_cpu(run);
    run.grade = grade(run);
}

fn doubt(run: &RunSnapshot) -> Option<RunDoubt> {
    let span = run.span.measured()?;
    if span.time < SHORTEST {
        return Some(RunDoubt::TooShort { shortest: SHORTEST });
    }
    let lost = run.findings.iter().find(|of| of.finding.id == FindingId::MachineShared)?;
    let lost = *lost.potential.measured()?;
    (lost.share.0 > GOOD_LOSS).then_some(RunDoubt::Disturbed { lost })
}

/// What other work does not explain: as much as it took, or no time at all.
fn is_above(of: &SnapshotFinding, noise: Ratio) -> bool {
    of.potential.measured().is_none_or(|gain| gain.share.0 >= noise.0)
}

fn withhold(run: &mut RunSnapshot) {
    let mut all: Vec<&mut RatedShare> = run.efficiency.each_mut().into();
    all.extend([&mut run.useful, &mut run.files.share]);
    if let Some(mpi) = run.mpi.measured_mut() {
        all.extend([&mut mpi.share, &mut mpi.waiting_share]);
    }
    if let Some(openmp) = run.openmp.measured_mut() {
        all.extend([&mut openmp.serial, &mut openmp.imbalance_share]);
    }
    all.extend(run.rows.iter_mut().map(|row| &mut row.useful));
    all.into_iter().for_each(|share| share.rating = None);
}

/// Phases that are too short by themselves, or all of them.
fn withhold_of_phases(run: &mut RunSnapshot) {
    let is_doubted = run.doubt.is_some();
    let is_short = |phase: &PhaseRow| phase.elapsed.measured().is_some_and(|time| *time < SHORTEST);
    for phase in run.phases.measured_mut().map_or(&mut [][..], |phases| &mut phases.rows) {
        if is_doubted || is_short(phase) {
            let efficiencies = phase.efficiency.each_mut().into_iter();
            efficiencies.chain([&mut phase.useful]).for_each(|share| share.rating = None);
        }
    }
}

/// POP's useful time has what threads waited for CPUs in it: where that is much, or not known, what they make of it is not called good.
fn not_good_without_cpu(run: &mut RunSnapshot) {
    let is_good = |share: &RatedShare| share.rating.is_some_and(|rating| rating.grade == Grade::Good);
    let has_cpus = is_good(&run.efficiency.with_cpu);
    if has_cpus || run.doubt.is_some() {
        return;
    }
    let of = &mut run.efficiency;
    let mut all = vec![&mut of.parallel, &mut of.mpi_parallel, &mut of.openmp_parallel];
    if of.with_cpu.value.measured().is_none() {
        all.push(&mut run.useful);
    }
    for phase in run.phases.measured_mut().map_or(&mut [][..], |phases| &mut phases.rows) {
        let of = &mut phase.efficiency;
        all.extend([&mut of.parallel, &mut of.mpi_parallel, &mut of.openmp_parallel, &mut phase.useful]);
    }
    all.into_iter().filter(|share| is_good(share)).for_each(|share| share.rating = None);
}

/// That of the useful share, where no finding says that more could be gained.
fn grade(run: &RunSnapshot) -> Option<Grade> {
    let useful = run.useful.rating?.grade;
    let gains = run.findings.iter().filter_map(|of| of.potential.measured());
    let most = gains.map(|gain| gain.share.0).fold(0.0, f64::max);
    Some(match most {
        gain if gain > BAD_LOSS => useful.max(Grade::Bad),
        gain if gain > GOOD_LOSS => useful.max(Grade::LookHere),
        _ => useful,
    })
}
