//! A launcher that kills its ranks, and each numawise with them: a process that its signals do not reach stands by, and reports what the
//! programs had measured until then.
//!
//! MPICH's ends as soon as a rank calls `MPI_Abort`, without waiting for anybody, and its proxies then send SIGKILL to the groups of all
//! ranks; Open MPI's sends SIGTERM, and SIGKILL a second later. Nobody reads the standard error any more then: the report goes into
//! files.

use std::io;
use std::path::Path;

use numawise_facts::activity::ProcessEnd;
use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{Exit, Notice, RankSet, Reading, ResourceUsage};
use numawise_launch::{EndedProgram, stand_by};
use numawise_linux::calls::clock;
use numawise_units::{Nanoseconds, Rank};

use super::folder::{self, CollectorFolder};
use super::{ReadFolder, SnapshotPlan, SnapshotReport, WriteReport, counters, objects, ranks, surroundings};

#[cfg(test)]
#[path = "killed_tests.rs"]
mod tests;

/// What ends a program whose numawise is killed.
const KILLED: Exit = Exit::Signal(9);
const GONE: &str = "numawise was killed with the program";

/// Stands by for a program that is the only rank of its job: its folder is locked as long as its numawise lives.
pub fn stand_by_alone(
    plan: &SnapshotPlan,
    folder: &CollectorFolder,
    begun: Nanoseconds,
    write: WriteReport<'_>,
) {
    if !folder.is_locked() {
        return;
    }
    let since = clock::monotonic();
    // Without it, nothing is reported where numawise is killed.
    let _ = stand_by(|| {
        let path = folder.path();
        let Some(_lock) = folder::when_left(path) else { return };
        surroundings::all_are_killed(path);
        let read = surroundings::read(path);
        let plan = plan_of_killed(plan, path, &read);
        let read = plan.collected(read, plan.nothing());
        let run = plan.finished(begun, ended(since), read, Vec::new(), None);
        write(&SnapshotReport { run, is_again: false, first_rank: None, _turn: None });
        folder::remove(path);
    });
}

/// Whether a notice says that the launcher killed all ranks.
pub fn is_said_by(notice: &Notice) -> bool {
    matches!(notice, Notice::Snapshot(SnapshotNotice::KilledWithRanks { .. }))
}

/// The plan, with what is to be said where all that is known of the run is what its processes left.
pub fn plan_of_killed(plan: &SnapshotPlan, folder: &Path, read: &ReadFolder) -> SnapshotPlan {
    let mut plan = plan.clone();
    plan.notices.push(notice(read));
    plan.notices.extend(plan.unwatched(folder, read));
    plan.read_objects(folder);
    let are_missing = plan.following.is_some() && plan.objects.is_empty();
    plan.notices.extend(are_missing.then(|| objects::is_missing(&io::Error::other(GONE))));
    plan.counters = counters::of_killed();
    plan.traffic = Reading::unavailable(GONE);
    plan
}

fn notice(read: &ReadFolder) -> Notice {
    let all = read.iter().flatten().flatten();
    let aborted: RankSet = all
        .filter(|activity| activity.end == ProcessEnd::MpiAbort)
        .filter_map(|activity| ranks::of(activity).map(Rank))
        .collect();
    let aborted = (!aborted.is_empty()).then(|| aborted.to_string());
    SnapshotNotice::KilledWithRanks { aborted }.into()
}

/// How a program ended that was killed now, and with it whoever could have been told what it used.
pub fn ended(since: Nanoseconds) -> EndedProgram {
    // Nobody waited for it, so that nothing of it was accounted to anybody.
    let usage = ResourceUsage::unavailable(GONE);
    EndedProgram { exit: KILLED, wall: clock::monotonic().saturating_sub(since), usage }
}
