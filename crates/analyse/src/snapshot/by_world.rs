//! Each `MPI_COMM_WORLD` of a run by itself.

use numawise_facts::finding::{Amount, WatchedQuantity, WatchedSubject};
use numawise_facts::{Activity, FindingId};
use numawise_tables::snapshot::{SnapshotFinding, WorldRow};
use numawise_units::Nanoseconds;

use super::input::RunParts;
use super::worlds::count;
use super::{Run, findings, run_snapshot};

#[cfg(test)]
#[path = "by_world_tests.rs"]
mod tests;

/// What is said of each world by itself, and what was found between its ranks; nothing where there is one.
pub fn all(run: &Run<'_>) -> (Vec<WorldRow>, Vec<SnapshotFinding>) {
    let worlds = count(&run.worlds);
    if worlds < 2 {
        return Default::default();
    }
    let begin = run.processes.iter().map(|process| process.activity.began).min().unwrap_or_default();
    let (mut rows, mut findings) = (Vec::new(), Vec::new());
    for number in 0..worlds {
        let members = run.processes.iter().zip(&run.worlds).filter(|(_, world)| **world == number);
        let mut activities: Vec<Activity> = members.map(|(process, _)| process.activity.clone()).collect();
        if run.is_sliced {
            let all = activities.iter_mut().flat_map(|activity| activity.threads.measured_mut());
            all.flatten().for_each(|thread| thread.trace = None);
        }
        let Some(first) = activities.iter().min_by_key(|activity| activity.began) else { continue };
        let parts = RunParts { activities: &activities, exit: None, unwatched: Nanoseconds(0), ..*run.parts };
        let of_world = run_snapshot(&parts);
        let row = WorldRow {
            number: number as u32 + 1,
            program: first.program.clone(),
            ranks: of_world.processes.ranks,
            size: of_world.processes.world,
            began: first.began.saturating_sub(begin),
            span: of_world.span,
            useful: of_world.useful,
            mpi: of_world.mpi.map(|mpi| mpi.share),
            efficiency: of_world.efficiency,
        };
        findings.extend(of_world.findings.into_iter().filter_map(|found| of_run(run, &row, found)));
        rows.push(row);
    }
    (rows, findings)
}

/// What was found between the ranks of a world, as a part of the run.
fn of_run(run: &Run<'_>, row: &WorldRow, mut found: SnapshotFinding) -> Option<SnapshotFinding> {
    use FindingId::{ComputingUnequal, MpiImbalance, MpiTransfer, OneRankComputesLonger};
    if !matches!(found.finding.id, MpiImbalance | MpiTransfer | OneRankComputesLonger | ComputingUnequal) {
        return None;
    }
    let seconds = found.potential.map(|gain| gain.time.seconds());
    found.potential = seconds.and_then(|seconds| findings::gain(run, seconds));
    let subject = WatchedSubject::World { number: row.number, program: row.program.clone() };
    let of_world = findings::evidence(WatchedQuantity::RanksOfWorld, Amount::Count(row.ranks), None, subject);
    found.finding.evidence.insert(0, of_world);
    Some(found)
}
