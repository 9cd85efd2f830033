//! Inside a launcher: what the numawise of one rank does when its program has ended, what comes together of the job's other computers,
//! and who does it where the launcher kills all of them.

use std::path::Path;

use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{Notice, RankEnd, ResourceUsage, WatchedRun};
use numawise_launch::{EndedProgram, Keeping, LocalRank, stand_by};
use numawise_linux::calls::clock;
use numawise_observe::activity::{self, SeenFromOutside};
use numawise_units::{Id, Nanoseconds};

use super::around::{self, Delivery};
use super::exchange::{Exchange, HandedOver};
use super::job::{Job, JobKey};
use super::{EndedSnapshot, Environment, ReadFolder, SnapshotPlan, SnapshotReport, WriteReport};
use super::{killed, ranks, surroundings};
use crate::Error;

#[cfg(test)]
#[path = "inside_tests.rs"]
mod tests;

/// The ranks of this computer.
struct RanksHere<'a> {
    job: &'a Job,
    rank: LocalRank,
    key: JobKey,
    /// To whoever is around the launcher.
    delivery: Option<&'a Delivery>,
}

/// One of the ranks of this computer, which have a numawise each.
///
/// # Errors
/// As [`SnapshotPlan::run`].
pub fn run(
    mut plan: SnapshotPlan,
    rank: LocalRank,
    begun: Nanoseconds,
    environment: Environment<'_>,
    write: WriteReport<'_>,
) -> Result<EndedSnapshot, Error> {
    let key = plan.key(rank, environment);
    let (job, on_disk) = Job::join(rank, key, environment)?;
    plan.notices.extend(on_disk);
    let delivery =
        plan.request.hand_over_to.as_deref().map(|folder| Delivery::begin(folder, &job, plan.nothing()));
    let here = RanksHere { job: &job, rank, key, delivery: delivery.as_ref() };
    if delivery.is_none() && job.is_first() {
        here.stand_by(&plan, begun, write);
    }
    // The folder is that of all ranks here, of which the last one removes it.
    let keeping = Keeping { ends_leftovers: false, after_us: &|| () };
    let (ended, _program) =
        plan.run_program(job.folder(), begun, keeping, environment).inspect_err(|_| job.give_up())?;
    plan.notices.extend(job.folder().is_full());
    let (exit, wall, usage) = (ended.exit, ended.wall, ended.usage.clone());
    let end = RankEnd { rank: rank.rank, exit, wall, usage };
    let has_died = has_died(job.folder().path(), rank.rank);
    let turn = match job.ended(&end, has_died) {
        Ok(None) => return Ok(EndedSnapshot { exit, report: None }),
        Ok(Some(turn)) => Some(turn),
        // Each for itself, then.
        Err(_) => None,
    };
    let read = surroundings::read(job.folder().path());
    plan.notices.extend(plan.unwatched(job.folder().path(), &read));
    plan.read_objects(job.folder().path());
    let is_again = turn.as_ref().is_some_and(|turn| turn.is_again);
    let report = here.report(plan, begun, read, ended, has_died);
    let report = report.map(|(run, first_rank)| SnapshotReport { run, is_again, first_rank, _turn: turn });
    Ok(EndedSnapshot { exit, report })
}

impl RanksHere<'_> {
    /// The first rank of a computer provides for the case that the launcher kills all of them.
    fn stand_by(&self, plan: &SnapshotPlan, begun: Nanoseconds, write: WriteReport<'_>) {
        let since = clock::monotonic();
        // Without it, nothing is reported where all are killed.
        let _ = stand_by(|| {
            let Some(turn) = self.job.when_all_are_gone() else { return };
            // A rank that died has reported, and the launcher then killed the others: they came no further.
            if turn.is_again {
                return;
            }
            let folder = self.job.folder().path();
            surroundings::all_are_killed(folder);
            let read = surroundings::read(folder);
            let plan = killed::plan_of_killed(plan, folder, &read);
            if let Some((run, first_rank)) = self.report(plan, begun, read, killed::ended(since), false) {
                write(&SnapshotReport { run, is_again: false, first_rank, _turn: Some(turn) });
            }
        });
    }

    /// What is to be reported, and the first rank of this computer where it is of this computer alone; nothing where another has it.
    fn report(
        &self,
        mut plan: SnapshotPlan,
        begun: Nanoseconds,
        read: ReadFolder,
        own: EndedProgram,
        has_died: bool,
    ) -> Option<(WatchedRun, Option<u32>)> {
        let others = match self.delivery {
            Some(delivery) => delivered(delivery, self.job, &read, &plan),
            None => self.other_computers(&plan, has_died, &read),
        };
        let (others, first_rank) = match others {
            OtherComputers::AreHere(others) => (*others, None),
            OtherComputers::Have => return None,
            OtherComputers::AreApart { notice, first } => {
                plan.notices.push(*notice);
                (HandedOver::to(plan.nothing()), Some(first))
            }
        };
        let read = plan.collected(read, others.processes);
        plan.objects.extend(others.objects);
        let mut ends = self.job.ends();
        ends.extend(others.ends);
        let run = plan.finished(begun, together(&ends, own), read, others.computers, None);
        Some((run, first_rank))
    }

    /// What the job's other computers measured, or whether they report what this one did. It comes together where the first of the ranks
    /// is that were asked for.
    fn other_computers(&self, plan: &SnapshotPlan, has_died: bool, read: &ReadFolder) -> OtherComputers {
        let (request, taken) = (&plan.request, HandedOver::to(plan.nothing()));
        let RanksHere { job, rank, key, .. } = self;
        let begun = job.ranks();
        let asked = request.ranks.as_ref();
        let is_asked =
            |rank: &u32| asked.is_none_or(|ranks| ranks.iter().any(|asked| asked.index() == *rank));
        let here: Vec<u32> = begun.iter().copied().filter(is_asked).collect();
        let (Some(first), Some(size)) = (here.first().copied(), rank.size) else {
            return OtherComputers::AreHere(Box::new(taken));
        };
        let all = asked.map_or(size, |ranks| ranks.len() as u32);
        let not_begun = (rank.local_size as usize).saturating_sub(begun.len()) as u32;
        let missing = all.saturating_sub(here.len() as u32).saturating_sub(not_begun);
        if missing == 0 || size == rank.local_size || !key.is_global {
            return OtherComputers::AreHere(Box::new(taken));
        }
        let exchange = Exchange::of(*key, request.record.as_deref());
        let first_of_all = asked.and_then(|ranks| ranks.iter().next()).map_or(0, |rank| rank.index());
        if first == first_of_all {
            // Where one has died, the launcher ends the other computers when this process ends.
            return OtherComputers::AreHere(Box::new(if has_died {
                exchange.take_at_once(taken)
            } else {
                exchange.take(missing, taken)
            }));
        }
        let (name, note) =
            (first.to_string(), around::of_ends(here.len() as u32, job.ends(), &[], plan.objects.clone()));
        let given = exchange.hand_over(&name, read, &note, plan.nothing());
        if given.is_ok() && !has_died && exchange.is_taken(&name) {
            return OtherComputers::Have;
        }
        let folder = exchange.folder().display().to_string();
        OtherComputers::AreApart { notice: Box::new(SnapshotNotice::RanksApart { folder }.into()), first }
    }
}

/// Where what was measured on several computers comes together.
enum OtherComputers {
    /// Here: what they handed over.
    AreHere(Box<HandedOver>),
    /// There.
    Have,
    /// Nowhere: not through this folder.
    AreApart { notice: Box<Notice>, first: u32 },
}

/// Hands over to whoever is around the launcher.
fn delivered(delivery: &Delivery, job: &Job, read: &ReadFolder, plan: &SnapshotPlan) -> OtherComputers {
    match delivery.deliver(read, &around::of_job(job, &plan.notices, plan.objects.clone())) {
        Ok(()) => OtherComputers::Have,
        Err(problem) => {
            let first = job.ranks().first().copied().unwrap_or_default();
            OtherComputers::AreApart { notice: Box::new(delivery.is_apart(&problem)), first }
        }
    }
}

/// Whether the program of a rank began MPI and did not come to the end of it: nobody else will then.
fn has_died(folder: &Path, rank: Option<u32>) -> bool {
    let read = activity::read_folder(folder, &SeenFromOutside::default()).unwrap_or_default();
    read.iter()
        .flatten()
        .filter(|activity| rank.is_some() && ranks::of(activity) == rank)
        .any(|activity| activity.mpi.measured().is_some_and(|mpi| mpi.finalised.measured().is_none()))
}

/// How a job ended whose ranks ended so: as the one that failed after the shortest time, since the launcher ends the others then; and
/// the longest time.
fn together(ends: &[RankEnd], own: EndedProgram) -> EndedProgram {
    let failed = ends.iter().filter(|end| !end.exit.success()).min_by_key(|end| end.wall);
    EndedProgram {
        exit: failed.map_or(own.exit, |end| end.exit),
        wall: ends.iter().map(|end| end.wall).fold(own.wall, Nanoseconds::max),
        usage: ResourceUsage::together(ends.iter().map(|end| &end.usage)).unwrap_or(own.usage),
    }
}
